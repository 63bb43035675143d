//! Decryption of stored lookups for their callers.

use std::sync::Arc;

use bytes::Bytes;
use chrono::TimeDelta;
use domain::file::FileStem;
use domain::inference::{self, Resolution};
use domain::lookup::{Attempt, LookupState};
use domain::proof::Proof;
use ports::Cause;
use ports::inbound::{Delivery, Files, LookupView, Participants};
use ports::outbound::{SealChecks, StoredLookup};

use super::content::{Answer, Question};
use super::encryption::LookupEncryption;

/// Decrypts stored lookups.
pub struct LookupReader {
    pub(super) encryption: Arc<LookupEncryption>,
    pub(super) participants: Arc<dyn Participants>,
    seals: Arc<dyn SealChecks>,
    retention: TimeDelta,
}

impl LookupReader {
    /// A reader that checks seals as of now. Lookups are erased after this time.
    pub fn new(
        encryption: Arc<LookupEncryption>,
        participants: Arc<dyn Participants>,
        seals: Arc<dyn SealChecks>,
        retention: TimeDelta,
    ) -> Self {
        Self {
            encryption,
            participants,
            seals,
            retention,
        }
    }

    /// A lookup as in lists: without its attempts and its proof.
    pub(super) fn listed(&self, lookup: &StoredLookup) -> Result<LookupView, Cause> {
        let question = self.encryption.question(lookup)?;
        Ok(self.summary(lookup, question))
    }

    fn summary(&self, lookup: &StoredLookup, question: Question) -> LookupView {
        let catalogue = self.participants.catalogue();
        let Resolution { inferred, .. } = inference::resolve(question.query, &catalogue);
        let (facts, state) = (&lookup.facts, lookup.state);
        let erased_at = state.is_final().then(|| lookup.updated_at + self.retention);
        let waits = matches!(state, LookupState::Queued | LookupState::Waiting);
        LookupView {
            id: facts.id,
            state,
            created_at: facts.created_at,
            updated_at: lookup.updated_at,
            retry_until: facts.retry_until,
            erased_at,
            attempts: lookup.attempts,
            last_attempt: lookup.last_attempt,
            history: None,
            next_attempt_at: lookup.due_at.filter(|_| waits),
            queue: None,
            inferred,
            metadata: question.metadata,
            delivery: None,
        }
    }

    /// A lookup with everything.
    pub(super) fn whole(
        &self,
        lookup: &StoredLookup,
        attempts: Vec<Attempt>,
    ) -> Result<LookupView, Cause> {
        let question = self.encryption.question(lookup)?;
        let delivery = match self.encryption.answer(lookup)? {
            Some(answer) => Some(self.delivery(lookup, &question, answer)?),
            None => None,
        };
        Ok(LookupView {
            history: Some(attempts),
            delivery,
            ..self.summary(lookup, question)
        })
    }

    /// The proof of a lookup, its seal checked now.
    fn delivery(
        &self,
        lookup: &StoredLookup,
        question: &Question,
        answer: Answer,
    ) -> Result<Delivery, Cause> {
        let proof = Proof::parse(&answer.xml).map_err(|error| Arc::new(error) as Cause)?;
        let seal = self.seals.check(lookup.facts.environment, &proof);
        Ok(Delivery {
            stem: FileStem::new(proof.operation_date, &question.query.tracking_key),
            files: files(answer.xml, answer.pdf),
            issuer: answer.issuer,
            seen: answer.seen,
            proof: Arc::new(proof),
            seal,
        })
    }
}

/// The files that are kept of a proof.
fn files(xml: Bytes, pdf: Option<Bytes>) -> Files {
    match pdf {
        Some(pdf) => Files::Both { xml, pdf },
        None => Files::Xml(xml),
    }
}
