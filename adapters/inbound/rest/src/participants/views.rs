//! JSON view of the list of participants.

use chrono::NaiveDate;
use domain::participants::{Catalogue, Participant};
use serde::Serialize;
use utoipa::ToSchema;

/// The participants of SPEI on one day.
#[derive(Serialize, ToSchema)]
#[schema(as = Participants)]
pub(crate) struct ParticipantList {
    /// The day.
    #[schema(format = "date")]
    fecha: String,
    /// Date of the central bank's newest list that the catalogue goes by.
    #[schema(format = "date")]
    as_of: String,
    /// The participants, by CLABE prefix.
    participants: Vec<ParticipantView>,
}

/// A participant, as `emisor` and `receptor` name it.
#[derive(Serialize, ToSchema)]
#[schema(as = Participant)]
struct ParticipantView {
    /// Its code.
    code: String,
    /// Its short name in the central bank's list.
    name: String,
    /// The first three digits of its customers' CLABEs.
    clabe_prefix: String,
    /// The institution, by one of its codes: codes with the same one are one institution, and have no
    /// proofs of payments between them.
    institution: String,
}

impl ParticipantList {
    pub(crate) fn new(catalogue: &Catalogue, date: NaiveDate) -> Self {
        Self {
            fecha: date.to_string(),
            as_of: catalogue.as_of().to_string(),
            participants: catalogue.on(date).map(ParticipantView::new).collect(),
        }
    }
}

impl ParticipantView {
    fn new(participant: &Participant) -> Self {
        Self {
            code: participant.code.to_string(),
            name: participant.name.clone(),
            clabe_prefix: participant.clabe_prefix.clone(),
            institution: participant.institution.to_string(),
        }
    }
}
