//! Fields of a proof, as both APIs give them: in Spanish in REST, in English in GraphQL.

use async_graphql::SimpleObject;
use domain::amount::pesos;
use domain::participants::ParticipantCode;
use domain::proofs::ProofField as Field;
use serde::Serialize;
use utoipa::ToSchema;

/// The fields of a proof, as its XML has them. What the receiving bank left out (`NA`, `ND`, `-1` or
/// nothing) is null.
#[derive(SimpleObject, Serialize, ToSchema)]
#[graphql(name = "Proof")]
#[schema(as = ProofFields)]
pub struct Proof {
    /// The tracking key. No seal covers it.
    #[serde(rename = "clave_rastreo")]
    #[schema(examples("MBAN01002611200001234567"))]
    tracking_key: String,
    /// The operation date: after 18:00, on weekends and holidays that of the next banking day.
    #[serde(rename = "fecha_operacion")]
    #[schema(format = "date", examples("2026-11-20"))]
    operation_date: String,
    /// The calendar day of the credit in Mexico City.
    #[serde(rename = "fecha_abono")]
    #[schema(format = "date", examples("2026-11-20"))]
    credit_date: String,
    /// The time of the credit in Mexico City.
    #[serde(rename = "hora_abono")]
    #[schema(pattern = "^[0-9]{2}:[0-9]{2}:[0-9]{2}$", examples("10:53:36"))]
    credit_time: String,
    /// The amount in pesos.
    #[serde(rename = "monto")]
    #[schema(pattern = r"^[0-9]+\.[0-9]{2}$", examples("1234.56"))]
    amount: String,
    /// The value added tax in pesos, as the payer wrote it.
    #[serde(rename = "iva")]
    #[schema(required, pattern = r"^[0-9]+\.[0-9]{2}$", examples("0.00"))]
    vat: Option<String>,
    /// The payer's text.
    #[serde(rename = "concepto")]
    #[schema(required)]
    concept: Option<String>,
    /// SPEI's payment type: 1 is a transfer between two customers.
    #[serde(rename = "tipo_pago")]
    #[schema(required, examples(1))]
    payment_type: Option<u16>,
    /// The issuing bank.
    #[serde(rename = "emisor")]
    issuer: ProofIssuer,
    /// The receiving bank, which sealed the proof.
    #[serde(rename = "receptor")]
    receiver: ProofInstitution,
    /// The payer.
    #[serde(rename = "ordenante")]
    payer: ProofParty,
    /// The payee.
    #[serde(rename = "beneficiario")]
    beneficiary: ProofParty,
}

/// A bank of a proof.
#[derive(SimpleObject, Serialize, ToSchema)]
struct ProofInstitution {
    /// Its participant code.
    #[serde(rename = "codigo")]
    #[schema(examples("40012"))]
    code: String,
    /// Its short name, as the receiving bank wrote it.
    #[serde(rename = "nombre")]
    #[schema(required)]
    name: Option<String>,
}

/// The issuing bank of a proof, which has its name alone.
#[derive(SimpleObject, Serialize, ToSchema)]
struct ProofIssuer {
    /// Its participant code: that of the request, or the inferred one. In the checks of a file the code
    /// of the participant with its name, or null when there is none.
    #[serde(rename = "codigo")]
    #[schema(required, examples("40012"))]
    code: Option<String>,
    /// Its short name, as the receiving bank wrote it.
    #[serde(rename = "nombre")]
    #[schema(required)]
    name: Option<String>,
}

/// A side of a payment.
#[derive(SimpleObject, Serialize, ToSchema)]
struct ProofParty {
    /// Name of the account's holder, which banks cut at 40 characters.
    #[serde(rename = "nombre")]
    #[schema(required)]
    name: Option<String>,
    /// RFC or CURP.
    #[serde(rename = "rfc_curp")]
    #[schema(required)]
    tax_id: Option<String>,
    /// Kind of the account: 40 CLABE, 3 card, 10 phone number.
    #[serde(rename = "tipo_cuenta")]
    #[schema(required, examples(40))]
    account_type: Option<u16>,
    /// The account.
    #[serde(rename = "cuenta")]
    #[schema(required)]
    account: Option<String>,
}

impl Proof {
    /// The fields of a proof. The issuer's code, if known, comes from elsewhere, since the proof has only
    /// its name.
    pub fn new(proof: &domain::proofs::Proof, issuer: Option<ParticipantCode>) -> Self {
        Self {
            tracking_key: proof.tracking_key().to_owned(),
            operation_date: proof.operation_date().to_string(),
            credit_date: proof.chain.credit_date().to_string(),
            credit_time: proof.credit_time().to_string(),
            amount: pesos(proof.centavos()),
            vat: proof.written(Field::Vat),
            concept: proof.written(Field::Concept),
            payment_type: proof.number(Field::PaymentType),
            issuer: ProofIssuer {
                code: issuer.map(|code| code.to_string()),
                name: proof.written(Field::IssuerName),
            },
            receiver: ProofInstitution {
                code: proof.receiver().to_string(),
                name: proof.written(Field::ReceiverName),
            },
            payer: ProofParty {
                name: proof.written(Field::PayerName),
                tax_id: proof.written(Field::PayerTaxId),
                account_type: proof.number(Field::PayerAccountType),
                account: proof.written(Field::PayerAccount),
            },
            beneficiary: ProofParty {
                name: proof.written(Field::BeneficiaryName),
                tax_id: proof.written(Field::BeneficiaryTaxId),
                account_type: proof.number(Field::BeneficiaryAccountType),
                account: proof.written(Field::BeneficiaryAccount),
            },
        }
    }
}
