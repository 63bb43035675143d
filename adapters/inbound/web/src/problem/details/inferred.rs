//! Serialised form of inferred banks in `details`.

use domain::participants::inference::{Inferred, InferredBanks};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::words;

/// The banks that were inferred, each with its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferredDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    emisor: Option<InferredDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    receptor: Option<InferredDetail>,
}

impl InferredDetails {
    /// The inferred banks; `None` when neither was inferred.
    pub fn of(inferred: &InferredBanks) -> Option<Self> {
        let InferredBanks { issuer, receiver } = inferred;
        if issuer.is_none() && receiver.is_none() {
            return None;
        }
        Some(Self {
            emisor: issuer.as_ref().map(InferredDetail::new),
            receptor: receiver.as_ref().map(InferredDetail::new),
        })
    }
}

/// An inferred bank.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InferredBank)]
struct InferredDetail {
    /// Its participant code.
    code: String,
    #[schema(schema_with = inferred_from)]
    from: &'static str,
    #[schema(schema_with = confidence)]
    confidence: &'static str,
}

fn inferred_from() -> ObjectBuilder {
    words(
        "The datum that it was inferred from.",
        &["clabe_prefix", "card_prefix", "tracking_key_shape"],
    )
}

fn confidence() -> ObjectBuilder {
    words(
        "`medium`: it may also be another bank.",
        &["high", "medium"],
    )
}

impl InferredDetail {
    fn new(inferred: &Inferred) -> Self {
        Self {
            code: inferred.code.to_string(),
            from: inferred.evidence.source(),
            confidence: inferred.evidence.confidence().name(),
        }
    }
}
