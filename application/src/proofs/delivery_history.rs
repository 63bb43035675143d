//! History of deliveries: how often a customer was given a proof.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::{Environment, KeyHasher};
use domain::participant::ParticipantCode;
use domain::proof::Proof;
use domain::request::RequestId;
use domain::seen::{EarlierDeliveries, ProofMark};
use ports::Cause;
use ports::outbound::{Clock, SeenProofs, UsageJournal};

use super::recent_deliveries::{Key, RecentDeliveries};
use crate::sync::turns::{self, Turns};

/// Recognises proofs that a customer was given before, by keyed hashes.
pub struct DeliveryHistory {
    hasher: KeyHasher,
    seen_proofs: Arc<dyn SeenProofs>,
    journal: Arc<dyn UsageJournal>,
    /// Taken from the read of earlier deliveries until the next one is recorded.
    turns: Turns<Key>,
    recent: RecentDeliveries,
}

/// The turn of a presentation of proofs, until it is dropped: no other one of the same proofs to the same
/// customer has its own in this process. To be held from before the earlier deliveries are read until this one
/// is recorded, and not while the bank is asked.
pub(crate) type Turn = turns::Turn<Key>;

/// A proof that a customer is given, or has checked.
#[derive(Clone, Copy)]
pub(crate) struct Presented<'a> {
    pub(crate) environment: Environment,
    /// The issuer, if it is known.
    pub(crate) issuer: Option<ParticipantCode>,
    pub(crate) proof: &'a Proof,
}

impl DeliveryHistory {
    /// A history that `journal` writes and `seen_proofs` reads, with the secrets of `hasher`.
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

    /// The marks of a proof: the first to be recorded, the others of earlier deliveries.
    pub(crate) fn marks(&self, presented: Presented<'_>) -> Vec<ProofMark> {
        let Presented {
            environment,
            issuer,
            proof,
        } = presented;
        ProofMark::all(&self.hasher, environment, issuer, proof)
    }

    /// Waits for the turn of proofs with these marks, of which each is the first of its proof. Whoever records
    /// deliveries without telling [`Self::recorded`] takes it by [`Self::turn_of_store`].
    pub(crate) async fn turn(
        &self,
        customer: CustomerId,
        marks: impl IntoIterator<Item = &ProofMark> + Send,
    ) -> Turn {
        let keys = marks.into_iter().map(|mark| (customer, *mark)).collect();
        self.turns.take(keys).await
    }

    /// The same, for deliveries that the store records with other changes.
    pub(crate) async fn turn_of_store(
        &self,
        customer: CustomerId,
        marks: impl IntoIterator<Item = &ProofMark> + Send,
    ) -> Turn {
        let turn = self.turn(customer, marks).await;
        turn.keys().for_each(|key| self.recent.forget(key));
        turn
    }

    /// Counts deliveries that were recorded as of this time, for those that come next.
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

    /// Has deliveries read again of which it isn't known whether they were recorded.
    pub(crate) fn forget(&self, customer: CustomerId, marks: &[ProofMark]) {
        let keys = marks.iter().map(|mark| (customer, *mark));
        keys.for_each(|key| self.recent.forget(&key));
    }

    /// Deliveries and checks of the proof with these marks to a customer until now; `None` when they can't be
    /// read. Those of this process are all counted for whoever has the proof's [`Turn`], those of another one
    /// once its journal has written them, within about a second. The `turn` is given by whoever tells
    /// [`Self::recorded`].
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

    /// Counts deliveries that belong to no request. Those that can't be counted are logged.
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
        // While writing is stuck, presentations that take turns would each wait for the flush as long as it may last.
        let accepts = self.journal.accepts();
        accepts.map_err(|error| Arc::new(error) as Cause)?;
        let flushed = self.journal.flush().await;
        flushed.map_err(|error| Arc::new(error) as Cause)?;
        let read = self.seen_proofs.deliveries(customer, marks).await;
        read.map_err(|error| Arc::new(error) as Cause)
    }
}
