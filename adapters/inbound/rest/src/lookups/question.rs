//! JSON view of a lookup's query data.

use domain::participants::ParticipantCode;
use domain::query::ProofQuery;
use serde::Serialize;
use utoipa::ToSchema;

/// A question, as it was asked.
#[derive(Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct QuestionBody {
    #[schema(format = "date")]
    fecha: String,
    clave_rastreo: String,
    /// The account's digits.
    cuenta: String,
    /// The amount in pesos.
    #[schema(pattern = r"^[0-9]+\.[0-9]{2}$", examples("1234.56"))]
    monto: String,
    /// Null when it was left out; `inferred` has it then, if it could be inferred.
    #[schema(required)]
    emisor: Option<String>,
    /// Null when it was left out; `inferred` has it then, if it could be inferred.
    #[schema(required)]
    receptor: Option<String>,
}

impl From<&ProofQuery> for QuestionBody {
    fn from(query: &ProofQuery) -> Self {
        let code = |code: Option<ParticipantCode>| code.map(|code| code.to_string());
        Self {
            fecha: query.date.to_string(),
            clave_rastreo: query.tracking_key.as_str().to_owned(),
            cuenta: query.account.as_str().to_owned(),
            monto: query.amount.to_string(),
            emisor: code(query.issuer),
            receptor: code(query.receiver),
        }
    }
}
