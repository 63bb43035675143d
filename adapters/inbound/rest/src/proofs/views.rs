//! JSON views of a proof.

use application::Delivery;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::SecondsFormat;
use domain::hex;
use domain::name_match::{MatchLevel, match_names, match_tax_ids};
use domain::proofs::ProofField;
use domain::proofs::file::{FileStem, Format};
use domain::proofs::seen::EarlierDeliveries;
use domain::query::ExpectedBeneficiary;
use domain::seals::{CheckedSeal, NotChecked, SealHash, SealVerdict, Verdict};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};
use web::Language;
use web::problem::NoticeDetail;
use web::views::proof::Proof;

use crate::openapi::schemas::{text, words};

/// A file within JSON.
#[derive(Serialize, ToSchema)]
pub(crate) struct Envelope {
    /// `true`
    ok: bool,
    /// Suggested file name.
    filename: String,
    #[schema(schema_with = content_type)]
    content_type: &'static str,
    /// What the file's seal is worth, as in `X-Seal`: `true` beside it says only that there is a file.
    #[schema(schema_with = words::<SealVerdict>)]
    seal: &'static str,
    /// The file in base64, standard alphabet, padded.
    #[schema(content_encoding = "base64")]
    data: String,
}

/// A proof's fields, the check of its seal, and what is known of it besides.
#[derive(Serialize, ToSchema)]
pub(crate) struct ParsedProof {
    /// `true`
    ok: bool,
    pub(crate) cep: Proof,
    pub(crate) sello: SealView,
    #[schema(schema_with = sealed_fields)]
    campos_sellados: Vec<&'static str>,
    coincidencias: MatchesView,
    /// Facts that the seal doesn't tell.
    pub(crate) avisos: Vec<NoticeDetail>,
    /// Earlier deliveries of this proof to your account, by whichever endpoint and key, and earlier checks
    /// of its files: one proof that is shown for two orders is a common fraud. It is recognised by its sealed
    /// text. Remembered for as long as statistics of use. Null when they can't be read.
    #[schema(required, nullable)]
    pub(crate) visto: Option<SeenView>,
}

/// The seal, which the receiving bank makes of the original chain.
#[derive(Serialize, ToSchema)]
#[schema(as = ProofSeal)]
pub(crate) struct SealView {
    #[schema(schema_with = verdict)]
    estado: &'static str,
    #[schema(required, schema_with = reason)]
    motivo: Option<&'static str>,
    /// Number of the certificate that the seal names, 20 digits. Null when it can't be read.
    #[schema(required, pattern = "^[0-9]{20}$", examples("00001000000500000001"))]
    certificado: Option<String>,
    #[schema(required, schema_with = algorithm)]
    algoritmo: Option<&'static str>,
    /// SHA-512 of the sealed text in hexadecimal digits. Null when the seal can't be read.
    #[schema(required, pattern = "^[0-9a-f]{128}$")]
    huella: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = source)]
    fuente: Option<&'static str>,
}

/// The beneficiary of the proof, compared with that of the request.
#[derive(Serialize, ToSchema)]
#[schema(as = BeneficiaryMatches)]
pub(crate) struct MatchesView {
    #[schema(schema_with = name_match)]
    nombre: &'static str,
    #[schema(schema_with = tax_id_match)]
    rfc: &'static str,
}

/// Earlier deliveries.
#[derive(Serialize, ToSchema)]
#[schema(as = EarlierDeliveries)]
pub(crate) struct SeenView {
    /// Number of deliveries and checks before this one. Those of other replicas in the last second may be missing.
    veces: u64,
    /// Time of the first. Null when this is the first.
    #[schema(required, format = "date-time")]
    primera_vez: Option<String>,
}

impl Envelope {
    pub(crate) fn new(file: &[u8], stem: &FileStem, format: Format, seal: SealVerdict) -> Self {
        Self {
            ok: true,
            filename: stem.with_extension(format.extension()),
            content_type: format.media_type(),
            seal: seal.name(),
            data: STANDARD.encode(file),
        }
    }
}

impl ParsedProof {
    pub(crate) fn new(
        delivery: &Delivery,
        expected: &ExpectedBeneficiary,
        language: Language,
    ) -> Self {
        let Delivery {
            proof,
            issuer,
            seal,
            seen,
            ..
        } = delivery;
        Self {
            ok: true,
            cep: Proof::new(proof, Some(*issuer)),
            sello: SealView::new(seal),
            campos_sellados: proof.covered_fields(),
            coincidencias: MatchesView::new(proof, expected),
            avisos: NoticeDetail::of_delivery(delivery, language),
            visto: seen.map(SeenView::new),
        }
    }
}

impl SealView {
    pub(crate) fn new(seal: &CheckedSeal) -> Self {
        let (reason, hash) = match seal.verdict {
            Verdict::Valid(hash) => (None, Some(hash)),
            Verdict::Invalid => (None, None),
            Verdict::NotChecked(reason) => (Some(reason), None),
        };
        let signer = seal.signer.as_ref();
        Self {
            estado: seal.verdict.name(),
            motivo: reason.map(NotChecked::name),
            certificado: signer.map(|signer| signer.certificate.to_string()),
            algoritmo: hash.map(SealHash::name),
            huella: seal.digest.map(|digest| hex::encode(&digest.0)),
            fuente: None,
        }
    }

    /// The view of a seal on which the central bank's validator has given a verdict.
    pub(crate) fn by_validator(seal: &CheckedSeal, verdict: SealVerdict) -> Self {
        Self {
            estado: verdict.name(),
            motivo: None,
            fuente: Some(VALIDATOR),
            ..Self::new(seal)
        }
    }
}

impl MatchesView {
    pub(crate) fn new(proof: &domain::proofs::Proof, expected: &ExpectedBeneficiary) -> Self {
        let name = proof.text(ProofField::BeneficiaryName);
        let name = match_names(expected.name.as_deref(), name);
        let tax_id = proof.text(ProofField::BeneficiaryTaxId);
        let tax_id = match_tax_ids(expected.tax_id.as_deref(), tax_id);
        Self {
            nombre: name.name(),
            rfc: tax_id.name(),
        }
    }
}

impl SeenView {
    pub(crate) fn new(seen: EarlierDeliveries) -> Self {
        let first = seen.first;
        Self {
            veces: seen.times,
            primera_vez: first.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true)),
        }
    }
}

pub(crate) fn sealed_fields() -> Array {
    let mut names = Array::new(
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(ProofField::sealed().map(ProofField::name))),
    );
    names.description = Some(
        "Members of `cep` that the seal covers and whose values are those of the sealed text, by every reading of \
         it that a `|` in a name or in the concept allows. They are the receiving bank's word if `sello.estado` is `valid`, and nobody's otherwise."
            .to_owned(),
    );
    names
}

/// Name of the central bank's validator as the source of a verdict.
const VALIDATOR: &str = "banxico";

fn source() -> ObjectBuilder {
    text(
        "`banxico`: `estado` is the verdict of the central bank's validator. Absent when it is the gateway's own, by a \
         key of the certificate.",
    )
    .enum_values(Some([VALIDATOR]))
}

fn content_type() -> ObjectBuilder {
    text("Media type of the decoded file.")
        .enum_values(Some(["application/pdf", "application/xml"]))
}

fn verdict() -> ObjectBuilder {
    text(
        "`valid`: the seal is the signature of the sealed text by the bank's key. `invalid`: the key is \
         known, and the seal isn't its signature. `not_checked`: for `motivo`.",
    )
    .enum_values(Some(["valid", "invalid", "not_checked"]))
}

fn reason() -> ObjectBuilder {
    or_null::<NotChecked>(
        "Reason for a seal that isn't checked: `unknown_certificate`, the certificate's key isn't known \
         here; `unreadable`, the certificate's number can't be read, or the seal can't and that key isn't known. Null \
         otherwise.",
    )
}

fn algorithm() -> ObjectBuilder {
    or_null::<SealHash>("Hash function of a valid seal. Null otherwise.")
}

/// A schema with the names of an enum's variants, or null.
pub(crate) fn or_null<T: strum::VariantNames>(description: &str) -> ObjectBuilder {
    let words = T::VARIANTS.iter().map(|word| Some(*word));
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(description))
        .enum_values(Some(words.chain([None])))
}

fn level() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(MatchLevel::ALL.map(MatchLevel::name)))
}

fn name_match() -> ObjectBuilder {
    level().description(Some(
        "`nombre_beneficiario` against `cep.beneficiario.nombre`, without case, accents, punctuation and \
         company forms, words in any order. `exacta`: the same words, as `Ejemplo, S.A. de C.V.` and \
         `EJEMPLO SA DE CV`, or `Ana Muñoz` and `MUNOZ ANA`; or the proof's name is cut at 40 characters \
         and the other one begins with it. `parcial`: the words of one are in the other, at least two \
         of them, as `Ana Prueba` and `ANA PRUEBA EJEMPLO`, or `A. Prueba` and `ANA PRUEBA`; or only the \
         company forms of both differ. `ninguna`: anything else. `no_disponible`: the proof has no name, which says nothing \
         against it. `no_pedida`: the \
         request had no name, or a blank one.",
    ))
}

fn tax_id_match() -> ObjectBuilder {
    level().description(Some(
        "`rfc_beneficiario` against `cep.beneficiario.rfc_curp`, without case, blanks and hyphens. \
         `exacta`: the same. `parcial`: the RFC and the CURP of one person, or an RFC without its last \
         three characters, which share the first ten. `ninguna`: anything else. `no_disponible`: the proof \
         has neither, as many have. `no_pedida`: the request had none, or a blank one.",
    ))
}
