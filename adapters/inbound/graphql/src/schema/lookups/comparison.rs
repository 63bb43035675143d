//! What was read on a receipt beside the proof of its payment.

use async_graphql::{Context, Enum, InputObject, SimpleObject};
use domain::participants::ParticipantCode;
use domain::proofs::Proof;
use domain::receipts::{self, ReceiptValue, ReceiptValueError, ReceiptValueProblem};
use web::Language;
use web::problem::{FieldProblem, GraphqlProblem};

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};

/// A field of a receipt, named as in the REST API.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "domain::receipts::ReceiptField")]
pub(crate) enum ReceiptField {
    /// Date of the transfer, `2026-11-20`: that of the credit or of the operation, or the day before a credit
    /// shortly after midnight.
    #[graphql(name = "FECHA")]
    Date,
    /// Time of day. It isn't compared.
    #[graphql(name = "HORA")]
    Time,
    /// Tracking key; blanks, hyphens and case don't count.
    #[graphql(name = "CLAVE_RASTREO")]
    TrackingKey,
    /// Numeric reference. It isn't compared.
    #[graphql(name = "NUMERO_REFERENCIA")]
    Reference,
    /// Account of the beneficiary: all digits, or masked as `****1234`.
    #[graphql(name = "CUENTA")]
    Account,
    /// Amount in pesos, `1234.56`.
    #[graphql(name = "MONTO")]
    Amount,
    /// Code or name of the issuing bank.
    #[graphql(name = "EMISOR")]
    Issuer,
    /// Code or name of the receiving bank.
    #[graphql(name = "RECEPTOR")]
    Receiver,
    /// Name of the beneficiary, which may be cut short.
    #[graphql(name = "NOMBRE_BENEFICIARIO")]
    Beneficiary,
    /// Concept, which the payer wrote. It isn't compared.
    #[graphql(name = "CONCEPTO")]
    Concept,
}

/// Confidence in a value that was read on a receipt.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "domain::receipts::ReadConfidence")]
pub(crate) enum ReadConfidence {
    /// It may be misread, so it isn't compared.
    Low,
    /// It is likely.
    Medium,
    /// It is certain.
    High,
}

/// A value that was read on a receipt.
#[derive(InputObject)]
pub(crate) struct ReceiptValueInput {
    /// The field; each is given once.
    field: ReceiptField,
    /// The value, in the form that requests take: at most 100 characters.
    value: String,
    /// Confidence in the value.
    confidence: ReadConfidence,
}

/// A field of a receipt beside the proof's.
#[derive(SimpleObject)]
pub(crate) struct ComparedField {
    /// The field.
    field: ReceiptField,
    /// The value of the receipt, as it was given.
    read: String,
    /// The value of the proof.
    proved: String,
    /// True when receipt and proof say the same.
    same: bool,
    /// True when a difference contradicts the receipt. False for the beneficiary's name, which on a receipt is what the
    /// payer typed.
    decides: bool,
}

impl From<receipts::ComparedField> for ComparedField {
    fn from(compared: receipts::ComparedField) -> Self {
        Self {
            decides: compared.decides(),
            field: compared.field.into(),
            read: compared.read,
            proved: compared.proved,
            same: compared.is_same,
        }
    }
}

pub(super) fn compare(
    context: &Context<'_>,
    receipt: &[ReceiptValueInput],
    (proof, issuer): (&Proof, ParticipantCode),
) -> Result<Vec<ComparedField>, FieldError> {
    let values = receipt.iter().map(|given| ReceiptValue {
        field: given.field.into(),
        text: &given.value,
        confidence: given.confidence.into(),
    });
    let values: Vec<_> = values.collect();
    let catalogue = ports(context).participants.catalogue.catalogue();
    let compared = receipts::compare(&values, proof, issuer, &catalogue);
    let compared = compared.map_err(|error| problem(error, requester(context).language))?;
    Ok(compared.into_iter().map(ComparedField::from).collect())
}

/// The refusal of a value, which names its place in the list.
fn problem(error: ReceiptValueError, language: Language) -> GraphqlProblem {
    let member = match error.problem {
        ReceiptValueProblem::Repeated => "field",
        ReceiptValueProblem::TooLong { .. } | ReceiptValueProblem::Malformed(_) => "value",
    };
    GraphqlProblem::ArgumentValue {
        argument: format!("receipt.{}.{member}", error.place),
        fault: FieldProblem::from(error.problem).message(language),
    }
}
