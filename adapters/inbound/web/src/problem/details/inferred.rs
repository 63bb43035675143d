//! Banks that were left out of a question and inferred.

use async_graphql::{ComplexObject, Context, Enum, SimpleObject};
use domain::participants::ParticipantCode;
use domain::participants::inference::{self, Evidence};
use serde::Serialize;
use utoipa::ToSchema;

use crate::views::participants::{Participant, Participants};

/// Datum that a bank was inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InferenceSource {
    /// The first digits of the CLABE.
    ClabePrefix,
    /// The first digits of the card.
    CardPrefix,
    /// The shape of the tracking key.
    TrackingKeyShape,
}

impl From<&Evidence> for InferenceSource {
    fn from(evidence: &Evidence) -> Self {
        match evidence {
            Evidence::ClabePrefix { .. } => Self::ClabePrefix,
            Evidence::CardPrefix(_) => Self::CardPrefix,
            Evidence::TrackingKeyShape { .. } => Self::TrackingKeyShape,
        }
    }
}

/// Confidence in an inferred bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::participants::inference::Confidence")]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It is that bank.
    High,
    /// It may also be another bank.
    Medium,
}

/// Banks that were left out of a question and inferred.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
#[graphql(name = "InferredBanks")]
#[schema(as = InferredBanks)]
pub struct InferredDetails {
    /// The bank that sent the transfer, when it was inferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    emisor: Option<InferredDetail>,
    /// The bank that received the transfer, when it was inferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = InferredDetail)]
    receptor: Option<InferredDetail>,
}

impl InferredDetails {
    /// The inferred banks; `None` when neither was inferred.
    pub fn of(inferred: &inference::InferredBanks) -> Option<Self> {
        let inference::InferredBanks { issuer, receiver } = inferred;
        if issuer.is_none() && receiver.is_none() {
            return None;
        }
        Some(Self {
            emisor: issuer.as_ref().map(InferredDetail::new),
            receptor: receiver.as_ref().map(InferredDetail::new),
        })
    }
}

/// A bank that was inferred.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
#[graphql(complex, name = "InferredBank")]
#[schema(as = InferredBank)]
struct InferredDetail {
    /// Its participant code.
    #[schema(value_type = String)]
    #[serde(serialize_with = "code")]
    #[graphql(skip)]
    code: ParticipantCode,
    /// The datum that it was inferred from.
    source: InferenceSource,
    /// Confidence in it.
    confidence: Confidence,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn code<S: serde::Serializer>(code: &ParticipantCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(code)
}

#[ComplexObject]
impl InferredDetail {
    /// Its participant code.
    async fn code(&self) -> String {
        self.code.to_string()
    }

    /// The bank in the catalogue.
    async fn participant(&self, context: &Context<'_>) -> Participant {
        context.data_unchecked::<Participants>().find(self.code)
    }
}

impl InferredDetail {
    fn new(inferred: &inference::Inferred) -> Self {
        Self {
            code: inferred.code,
            source: (&inferred.evidence).into(),
            confidence: inferred.evidence.confidence().into(),
        }
    }
}
