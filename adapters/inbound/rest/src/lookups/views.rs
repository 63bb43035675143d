//! JSON view of a lookup with its proof.

use std::collections::BTreeMap;

use application::{Files, LookupView};
use domain::query::ExpectedBeneficiary;
use serde::Serialize;
use utoipa::ToSchema;
use web::Language;
use web::problem::NoticeDetail;
use web::views::lookups::Lookup;
use web::views::proof::Proof;

use crate::proofs::views::{ParsedProof, SealView, SeenView};

/// A stored lookup.
#[derive(Serialize, ToSchema)]
#[schema(as = Lookup)]
pub(crate) struct LookupBody {
    #[serde(flatten)]
    lookup: Lookup,
    /// The fields of the proof. Null unless it is delivered, and in lists.
    #[schema(required)]
    cep: Option<Proof>,
    /// The check of its seal, as of now.
    #[schema(required)]
    sello: Option<SealView>,
    /// Earlier deliveries of the proof to your account, as of its delivery.
    #[schema(required)]
    visto: Option<SeenView>,
    /// Facts that the seal doesn't tell. Null unless it is delivered, and in lists.
    #[schema(required)]
    avisos: Option<Vec<NoticeDetail>>,
    /// Paths of the files, by format.
    files: BTreeMap<&'static str, String>,
}

impl LookupBody {
    pub(crate) fn new(lookup: &LookupView, language: Language) -> Self {
        let proof = lookup
            .delivery
            .as_ref()
            .map(|delivery| ParsedProof::new(delivery, &ExpectedBeneficiary::default(), language));
        let (mut cep, mut sello, mut visto, mut avisos) = (None, None, None, None);
        if let Some(proof) = proof {
            (cep, sello, visto) = (Some(proof.cep), Some(proof.sello), proof.visto);
            avisos = Some(proof.avisos);
        }
        Self {
            lookup: Lookup::new(lookup, language),
            cep,
            sello,
            visto,
            avisos,
            files: files(lookup),
        }
    }
}

fn files(lookup: &LookupView) -> BTreeMap<&'static str, String> {
    let files = lookup.delivery.as_ref().map(|delivery| &delivery.files);
    let extensions = files.map_or(&[][..], Files::extensions);
    let path = |format: &&'static str| (*format, format!("{}/{format}", super::path(lookup.id)));
    extensions.iter().map(path).collect()
}
