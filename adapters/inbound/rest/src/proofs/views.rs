//! JSON view of a proof's fields.

use application::Delivery;
use chrono::SecondsFormat;
use domain::amount::pesos;
use domain::hex;
use domain::name_match::{MatchLevel, match_names, match_tax_ids};
use domain::participants::ParticipantCode;
use domain::proofs::notice::Notice;
use domain::proofs::seen::EarlierDeliveries;
use domain::proofs::{AccountType, Party, Proof};
use domain::query::ExpectedBeneficiary;
use domain::seals::{CheckedSeal, NotChecked, SEALED_FIELDS, SealHash, Verdict, covered_fields};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};
use web::Language;
use web::problem::NoticeDetail;

use crate::openapi::schemas::text;

/// A proof's fields, the check of its seal, and what is known of it besides.
#[derive(Serialize, ToSchema)]
pub(crate) struct ParsedProof {
    /// `true`
    ok: bool,
    pub(crate) cep: ProofFields,
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

/// The fields of a proof, as its XML has them. What the receiving bank left out (`NA`, `ND`, `-1` or
/// nothing) is null.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProofFields {
    /// The tracking key. No seal covers it.
    #[schema(examples("MBAN01002611200001234567"))]
    clave_rastreo: String,
    /// The operation date: after 18:00, on weekends and holidays that of the next banking day.
    #[schema(format = "date", examples("2026-11-20"))]
    fecha_operacion: String,
    /// The calendar day of the credit in Mexico City.
    #[schema(format = "date", examples("2026-11-20"))]
    fecha_abono: String,
    /// The time of the credit in Mexico City.
    #[schema(pattern = "^[0-9]{2}:[0-9]{2}:[0-9]{2}$", examples("10:53:36"))]
    hora_abono: String,
    /// The amount in pesos.
    #[schema(pattern = r"^[0-9]+\.[0-9]{2}$", examples("1234.56"))]
    monto: String,
    /// The value added tax in pesos, as the payer wrote it.
    #[schema(required, pattern = r"^[0-9]+\.[0-9]{2}$", examples("0.00"))]
    iva: Option<String>,
    /// The payer's text.
    #[schema(required)]
    concepto: Option<String>,
    /// SPEI's payment type: 1 is a transfer between two customers.
    #[schema(required, examples(1))]
    tipo_pago: Option<u16>,
    /// The issuing bank.
    emisor: IssuerView,
    /// The receiving bank, which sealed the proof.
    receptor: InstitutionView,
    /// The payer.
    ordenante: PartyView,
    /// The payee.
    beneficiario: PartyView,
}

/// A bank of a proof.
#[derive(Serialize, ToSchema)]
#[schema(as = ProofInstitution)]
struct InstitutionView {
    /// Its participant code.
    #[schema(examples("40012"))]
    codigo: String,
    /// Its short name, as the receiving bank wrote it.
    #[schema(required)]
    nombre: Option<String>,
}

/// The issuing bank of a proof, which has its name alone.
#[derive(Serialize, ToSchema)]
#[schema(as = ProofIssuer)]
struct IssuerView {
    /// Its participant code: that of the request, or the inferred one. In the checks of a file the code
    /// of the participant with its name, or null when there is none.
    #[schema(required, examples("40012"))]
    codigo: Option<String>,
    /// Its short name, as the receiving bank wrote it.
    #[schema(required)]
    nombre: Option<String>,
}

/// A side of a payment.
#[derive(Serialize, ToSchema)]
#[schema(as = ProofParty)]
struct PartyView {
    /// Name of the account's holder, which banks cut at 40 characters.
    #[schema(required)]
    nombre: Option<String>,
    /// RFC or CURP.
    #[schema(required)]
    rfc_curp: Option<String>,
    /// Kind of the account: 40 CLABE, 3 card, 10 phone number.
    #[schema(required, examples(40))]
    tipo_cuenta: Option<u16>,
    /// The account.
    #[schema(required)]
    cuenta: Option<String>,
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

impl ParsedProof {
    pub(crate) fn new(
        delivery: &Delivery,
        expected: &ExpectedBeneficiary,
        language: Language,
    ) -> Self {
        let Delivery {
            proof,
            issuer,
            origin,
            seal,
            seen,
            ..
        } = delivery;
        Self {
            ok: true,
            cep: ProofFields::new(proof, Some(*issuer)),
            sello: SealView::new(seal),
            campos_sellados: covered_fields(proof),
            coincidencias: MatchesView::new(&proof.beneficiary, expected),
            avisos: NoticeDetail::all(&Notice::of_delivery(*origin, seal), language),
            visto: seen.map(SeenView::new),
        }
    }
}

impl ProofFields {
    /// The fields of a proof. The issuer's code, if known, comes from elsewhere, since the proof has only its
    /// name.
    pub(crate) fn new(proof: &Proof, issuer: Option<ParticipantCode>) -> Self {
        Self {
            clave_rastreo: proof.tracking_key.clone(),
            fecha_operacion: proof.operation_date.to_string(),
            fecha_abono: proof.chain.credit_date().to_string(),
            hora_abono: proof.credit_time.format("%H:%M:%S").to_string(),
            monto: pesos(proof.centavos),
            iva: proof.vat_centavos.map(pesos),
            concepto: proof.concept.clone(),
            tipo_pago: proof.chain.payment_type(),
            emisor: IssuerView::new(issuer, &proof.payer),
            receptor: InstitutionView::new(proof.receiver, &proof.beneficiary),
            ordenante: PartyView::new(&proof.payer),
            beneficiario: PartyView::new(&proof.beneficiary),
        }
    }
}

impl IssuerView {
    fn new(code: Option<ParticipantCode>, payer: &Party) -> Self {
        Self {
            codigo: code.map(|code| code.to_string()),
            nombre: payer.institution.clone(),
        }
    }
}

impl InstitutionView {
    fn new(code: ParticipantCode, customer: &Party) -> Self {
        Self {
            codigo: code.to_string(),
            nombre: customer.institution.clone(),
        }
    }
}

impl PartyView {
    fn new(party: &Party) -> Self {
        Self {
            nombre: party.name.clone(),
            rfc_curp: party.tax_id.clone(),
            tipo_cuenta: party.account_type.map(AccountType::code),
            cuenta: party.account.clone(),
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
        }
    }
}

impl MatchesView {
    pub(crate) fn new(proven: &Party, expected: &ExpectedBeneficiary) -> Self {
        let name = match_names(expected.name.as_deref(), proven.name.as_deref());
        let tax_id = match_tax_ids(expected.tax_id.as_deref(), proven.tax_id.as_deref());
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
            .enum_values(Some(SEALED_FIELDS)),
    );
    names.description = Some(
        "Members of `cep` that the seal covers and whose values are those of the sealed text, by every reading of \
         it that a `|` in a name or in the concept allows. They are the receiving bank's word if `sello.estado` is `valid`, and nobody's otherwise."
            .to_owned(),
    );
    names
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
