//! History of deliveries: how often a proof was delivered to a customer.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::keys::{Environment, KeyHasher};
use domain::participants::ParticipantCode;
use domain::people::customer::CustomerId;
use domain::proofs::Proof;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use domain::request::RequestId;
use ports::Cause;
use ports::outbound::{Clock, SeenProofs, UsageJournal};

use super::recent_deliveries::{Key, RecentDeliveries};
use crate::sync::turns::{self, Turns};

/// Recognises proofs that were delivered to a customer before, by keyed hashes.
pub struct DeliveryHistory {
    hasher: KeyHasher,
    seen_proofs: Arc<dyn SeenProofs>,
    journal: Arc<dyn UsageJournal>,
    /// Held from the read of earlier deliveries until the current one is recorded.
    turns: Turns<Key>,
    recent: RecentDeliveries,
}

/// Exclusive right of a request to deliver certain proofs to a customer, within this process, until it is
/// dropped. To be held from the read of earlier deliveries until the current one is recorded, but not during
/// a bank query.
pub(crate) type Turn = turns::Turn<Key>;

/// A proof that is delivered to a customer or checked for it.
#[derive(Clone, Copy)]
pub(crate) struct Presented<'a> {
    pub(crate) environment: Environment,
    /// Code of the issuer; `None` if unknown.
    pub(crate) issuer: Option<ParticipantCode>,
    pub(crate) proof: &'a Proof,
}

impl DeliveryHistory {
    /// Creates a history that `journal` writes and `seen_proofs` reads; marks are computed with the secrets
    /// of `hasher`.
    pub fn new(
        hasher: KeyHasher,
        seen_proofs: Arc<dyn SeenProofs>,
        journal: Arc<dyn UsageJournal>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            hasher,
            seen_proofs,
            journal,
            turns: Turns::default(),
            recent: RecentDeliveries::new(clock),
        }
    }

    /// Marks of a proof, one for each secret. The first is recorded; the others match earlier deliveries.
    pub(crate) fn marks(&self, presented: Presented<'_>) -> Vec<ProofMark> {
        let Presented {
            environment,
            issuer,
            proof,
        } = presented;
        ProofMark::all(&self.hasher, environment, issuer, proof)
    }

    /// Waits for the turn of the proofs with these first marks. Deliveries that aren't reported by
    /// [`Self::recorded`] need [`Self::turn_of_store`] instead.
    pub(crate) async fn turn(
        &self,
        customer: CustomerId,
        marks: impl IntoIterator<Item = &ProofMark> + Send,
    ) -> Turn {
        let keys = marks.into_iter().map(|mark| (customer, *mark)).collect();
        self.turns.take(keys).await
    }

    /// Same as [`Self::turn`], for deliveries that are recorded in the store together with other changes.
    pub(crate) async fn turn_of_store(
        &self,
        customer: CustomerId,
        marks: impl IntoIterator<Item = &ProofMark> + Send,
    ) -> Turn {
        let turn = self.turn(customer, marks).await;
        turn.keys().for_each(|key| self.recent.forget(key));
        turn
    }

    /// Updates the recent deliveries after deliveries were recorded at this time.
    pub(crate) fn recorded(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        (turn, at): (&Turn, DateTime<Utc>),
    ) {
        for key in marks.iter().map(|mark| (customer, *mark)) {
            if turn.keys().any(|held| *held == key) {
                self.recent.count(key, at);
            } else {
                self.recent.forget(&key);
            }
        }
    }

    /// Forgets recent deliveries of proofs, because it isn't known if a delivery was recorded; they will be
    /// read again.
    pub(crate) fn forget(&self, customer: CustomerId, marks: &[ProofMark]) {
        let keys = marks.iter().map(|mark| (customer, *mark));
        keys.for_each(|key| self.recent.forget(&key));
    }

    /// Earlier deliveries and checks of the proof with these marks to a customer; `None` if they can't be
    /// read. Includes all of this process if the caller has the proof's [`Turn`], and those of other
    /// processes once their journals have written them, within about a second. `turn` is only passed by
    /// callers that report deliveries by [`Self::recorded`].
    pub(crate) async fn earlier(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        (turn, request_id): (Option<&Turn>, &RequestId),
    ) -> Option<EarlierDeliveries> {
        let held = marks.first().map(|mark| (customer, *mark));
        let held = held.filter(|key| turn.is_some_and(|turn| turn.keys().any(|held| held == key)));
        if let Some(known) = held.as_ref().and_then(|key| self.recent.get(key)) {
            return Some(known);
        }
        let begin = self.recent.begin();
        let read = self.read(customer, marks).await;
        let read = read.inspect_err(|cause| {
            tracing::warn!(%request_id, %cause, "earlier deliveries of a proof could not be read");
        });
        let earlier = read.ok()?;
        if let Some(key) = held {
            self.recent.keep(key, begin, earlier);
        }
        Some(earlier)
    }

    /// Records deliveries that belong to no request. A failure is logged only.
    pub(crate) async fn add(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        at: DateTime<Utc>,
        request_id: &RequestId,
    ) {
        if let Err(error) = self.seen_proofs.add_deliveries(customer, marks, at).await {
            tracing::warn!(%request_id, %error, "deliveries of proofs could not be counted");
        }
    }

    async fn read(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, Cause> {
        // If the journal can't write, each request with a turn would wait for the flush's time limit.
        let accepts = self.journal.accepts();
        accepts.map_err(|error| Arc::new(error) as Cause)?;
        let flushed = self.journal.flush().await;
        flushed.map_err(|error| Arc::new(error) as Cause)?;
        let read = self.seen_proofs.deliveries(customer, marks).await;
        read.map_err(|error| Arc::new(error) as Cause)
    }
}
