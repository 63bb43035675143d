//! Stored lookups with their proofs, as GraphQL shows them.

use std::sync::Arc;

use application::{Delivery, LookupView};
use async_graphql::{ComplexObject, Context, SimpleObject};
use domain::lookups::LookupId;
use domain::page::{Page, PageRequest};
use domain::participants::ParticipantCode;
use web::Language;
use web::problem::NoticeDetail;
use web::views::lookups;
use web::views::proof::Proof;

use super::comparison::{self, ComparedField, ReceiptValueInput};
use crate::field_error::FieldError;
use crate::schema::connection::{PageInfo, connection};
use crate::schema::proof::{EarlierDeliveries, ProofSeal};

/// A stored lookup: a request for a proof that is carried to its end while nobody waits.
#[derive(SimpleObject)]
pub(crate) struct Lookup {
    #[graphql(flatten)]
    lookup: lookups::Lookup,
    /// The proof; null unless it is delivered, and in lists.
    delivery: Option<LookupDelivery>,
}

/// The proof of a lookup and its files.
#[derive(SimpleObject)]
#[graphql(complex)]
pub(crate) struct LookupDelivery {
    /// The fields of the proof.
    proof: Proof,
    /// The check of its seal, as of now.
    seal: ProofSeal,
    /// Names of the fields of the REST API's `cep` that the seal covers.
    sealed_fields: Vec<&'static str>,
    /// Facts that the seal doesn't tell: the REST API's `avisos`.
    notices: Vec<NoticeDetail>,
    /// Earlier deliveries of the proof to the account, as of its delivery; null when they couldn't be
    /// read.
    earlier: Option<EarlierDeliveries>,
    /// The files that are kept.
    files: Vec<LookupFile>,
    #[graphql(skip)]
    compared: (Arc<domain::proofs::Proof>, ParticipantCode),
}

#[ComplexObject]
impl LookupDelivery {
    /// What was read on a receipt of the payment beside the proof, in the order of the values. Left out are values that
    /// can't be compared: those in doubt, masked names, accounts of another kind than the proof's, and fields that the
    /// proof lacks.
    #[expect(clippy::unused_async, reason = "a resolver is one")]
    async fn comparison(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The values that were read, each field once.")] receipt: Vec<
            ReceiptValueInput,
        >,
    ) -> Result<Vec<ComparedField>, FieldError> {
        let (proof, issuer) = &self.compared;
        comparison::compare(context, &receipt, (proof, *issuer))
    }
}

/// A file of a delivered lookup, for the session that reads it.
#[derive(SimpleObject)]
pub(crate) struct LookupFile {
    /// Its extension: `xml`, `pdf`, or `zip` with both.
    extension: &'static str,
    /// The path to `GET` it from.
    path: String,
}

impl Lookup {
    pub(in crate::schema) fn new(view: &LookupView, language: Language) -> Self {
        let delivery = view.delivery.as_ref();
        Self {
            lookup: lookups::Lookup::new(view, language),
            delivery: delivery.map(|delivery| LookupDelivery::new(delivery, view.id, language)),
        }
    }
}

impl LookupDelivery {
    fn new(delivery: &Delivery, id: LookupId, language: Language) -> Self {
        let file = |extension: &&'static str| LookupFile {
            extension,
            path: format!("/lookups/{id}/{extension}"),
        };
        Self {
            proof: Proof::new(&delivery.proof, Some(delivery.issuer)),
            seal: ProofSeal::from(&delivery.seal),
            sealed_fields: delivery.proof.covered_fields(),
            notices: NoticeDetail::of_delivery(delivery, language),
            earlier: delivery.seen.map(EarlierDeliveries::from),
            files: delivery.files.extensions().iter().map(file).collect(),
            compared: (Arc::clone(&delivery.proof), delivery.issuer),
        }
    }
}

connection! {
    /// One page of the lookups, newest first.
    LookupConnection,
    /// A lookup and its place in the list.
    LookupEdge of Lookup
}

impl LookupConnection {
    pub(super) fn new(page: Page<LookupView>, request: &PageRequest, language: Language) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: LookupEdge::of(page.items, |view| Lookup::new(&view, language)),
        }
    }
}
