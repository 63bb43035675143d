//! Participants that a given name may refer to.

use async_graphql::SimpleObject;
use domain::participants::NamedParticipant;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A participant that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, SimpleObject, Serialize, ToSchema)]
#[graphql(name = "ParticipantCandidate")]
#[schema(as = ParticipantCandidate)]
pub struct CandidateDetail {
    /// Its code, for `emisor` or `receptor`.
    pub code: String,
    /// Its short name in the central bank's list.
    pub name: String,
}

impl From<&NamedParticipant> for CandidateDetail {
    fn from(participant: &NamedParticipant) -> Self {
        Self {
            code: participant.code.to_string(),
            name: participant.name.clone(),
        }
    }
}
