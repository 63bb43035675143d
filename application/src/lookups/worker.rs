//! The worker of lookups: makes the attempts of those that are due.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use crate::proofs::{Delivery, FetchError};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::calendar;
use domain::keys::Environment;
use domain::lookups::{Attempt, NextStep, RetryRule, RetryScale};
use domain::outcome::Outcome;
use domain::pacing::{Lane, LookupClass};
use domain::proofs::file::RequestedFiles;
use domain::proofs::notice::ProofOrigin;
use domain::query::ProofQuery;
use futures::FutureExt as _;
use futures::future::{Either, select};
use futures::pin_mut;
use ports::Cause;
use ports::outbound::{
    ClaimEnd, ClaimedClasses, ClaimedLookup, Clock, Lease, LookupChange, LookupFacts, LookupStore,
    Random, StoreError, StoredLookup, Timer,
};
use tracing::Span;
use uuid::Uuid;

use super::content::{Answer, Question};
use super::encryption::LookupEncryption;
use super::finding::Finding;
use super::service::charged;
use super::signals::LookupSignals;
use crate::admission::GatekeeperService;
use crate::metrics;
use crate::proofs::{
    DeliveryHistory, FetchReport, Presented, ProofRequest, ProofService, ProofSource,
};
use crate::sync::worker::{LEASE, POLL, Place, Queue, Tasks, Worker};
use crate::sync::{SpawnTask, WorkSignal};

mod attempted;

use attempted::{Attempted, EncryptedAnswer, NoXml, ending, kept};

/// Longest pause between two rounds while other processes' changes are signalled.
const POLL_WHILE_LISTENING: Duration = Duration::from_secs(5);
/// Interval at which a lease is extended during an attempt.
const RENEWAL: Duration = Duration::from_secs(10);
/// Shortest time until a lookup without a turn at the bank is due again.
const MIN_PUT_BACK: TimeDelta = TimeDelta::seconds(1);

/// Dependencies of a [`LookupWorker`].
pub struct WorkerParts {
    /// Store and queue of the lookups.
    pub store: Arc<dyn LookupStore>,
    /// Encryption of questions, answers and findings.
    pub encryption: Arc<LookupEncryption>,
    /// Fetches proofs from memory, archive or bank.
    pub proofs: Arc<ProofService>,
    /// Records the ends of the lookups' requests, with refunds.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Finds earlier deliveries of a proof.
    pub history: Arc<DeliveryHistory>,
    /// Signals of new work, and of changes to waiting callers.
    pub signals: Arc<LookupSignals>,
    /// Signals new webhook events to the delivery worker.
    pub webhooks: Arc<WorkSignal>,
    /// Current time, and durations of attempts.
    pub clock: Arc<dyn Clock>,
    /// Sleeps between polls and renewals.
    pub timer: Arc<dyn Timer>,
    /// Generates lease tokens.
    pub random: Arc<dyn Random>,
    /// Spawns the task of an attempt.
    pub spawn: SpawnTask,
    /// Maximum number of concurrent attempts.
    pub places: u32,
    /// Factor of the pauses between attempts in the test environment; those of live lookups aren't scaled.
    pub test_scale: RetryScale,
}

/// A question, and the place of the account that was asked for.
type At<'a> = (&'a Question, usize);
type EncryptedQuestion = Result<Option<Vec<u8>>, Cause>;
/// An encrypted finding, and the question, encrypted again if another account than the first is known.
type Found = (Vec<u8>, Option<Vec<u8>>);

/// Makes attempts of stored lookups.
pub type LookupWorker = Worker<WorkerParts>;

impl Queue for WorkerParts {
    type Job = ClaimedLookup;
    const JOBS: &'static str = "lookups";

    fn tasks(&self) -> Tasks<'_> {
        Tasks {
            clock: &*self.clock,
            timer: &*self.timer,
            random: &*self.random,
            spawn: &self.spawn,
            places: self.places,
            signal: Some(self.signals.worker()),
        }
    }

    fn reserved(places: u32) -> u32 {
        places / 4
    }

    async fn claim(
        &self,
        classes: ClaimedClasses,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError> {
        self.store.claim_lookups(most, classes, now, lease).await
    }

    fn describe(ClaimedLookup { lookup, .. }: &ClaimedLookup) -> (Uuid, Span) {
        let id = lookup.facts.id;
        let span = tracing::info_span!(target: "cep::trace", "lookup attempt", lookup = %id);
        (id.0, span)
    }

    async fn work(&self, claimed: ClaimedLookup, lease: Lease, _: &Place<Self>) {
        let id = claimed.lookup.facts.id;
        self.signals.changed(id);
        self.attempt_under(claimed, lease).await;
        self.signals.changed(id);
    }

    async fn pause(&self, _: usize, is_full: bool) -> Result<Duration, StoreError> {
        if !self.signals.is_listening() || is_full {
            // A place that becomes free is signalled.
            return Ok(POLL);
        }
        let Some(due_at) = self.store.next_due().await? else {
            return Ok(POLL_WHILE_LISTENING);
        };
        let wait = due_at - self.clock.now();
        // Lookups that are due already were claimed by another process, or found no free place.
        let wait = wait.to_std().unwrap_or(POLL);
        Ok(wait.min(POLL_WHILE_LISTENING))
    }
}

impl WorkerParts {
    /// Makes one attempt while the lease is held, and stores its result.
    async fn attempt_under(&self, claimed: ClaimedLookup, lease: Lease) {
        let ClaimedLookup { lookup, attempts } = claimed;
        let id = lookup.facts.id;
        // A panic counts as a failed attempt; otherwise it would be repeated forever.
        let attempt = AssertUnwindSafe(self.attempt(&lookup)).catch_unwind();
        let lost = self.keep_lease(&lookup, lease);
        pin_mut!(attempt, lost);
        let attempted = match select(attempt, lost).await {
            Either::Left((attempted, _)) => attempted.unwrap_or_else(|_| {
                tracing::error!(%id, "an attempt panicked");
                Attempted::failed(Outcome::InternalError)
            }),
            Either::Right(((), _)) => {
                tracing::info!(%id, "a lookup was canceled, or another process goes on with it");
                return;
            }
        };
        if let Err(cause) = self.end(&lookup, &attempts, attempted, lease).await {
            tracing::warn!(%id, %cause, "the result of an attempt could not be stored: it is made again");
        }
    }

    /// Extends the lease at intervals; returns once it is lost.
    async fn keep_lease(&self, lookup: &StoredLookup, lease: Lease) {
        loop {
            self.timer.pause(RENEWAL).await;
            let until = self.clock.now() + LEASE;
            let renewed = Lease { until, ..lease };
            match self.store.renew_lease(lookup.facts.id, renewed).await {
                Ok(true) => {}
                Ok(false) => {
                    metrics::lease_lost();
                    return;
                }
                // The lease remains valid unless another process claims the lookup, which is detected when
                // the result is stored.
                Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
            }
        }
    }

    /// Fetches the proof, and encrypts it.
    async fn attempt(&self, lookup: &StoredLookup) -> Attempted {
        let facts = &lookup.facts;
        let started = self.clock.monotonic();
        let question = match self.encryption.question(lookup) {
            Ok(question) => question,
            Err(cause) => {
                tracing::error!(id = %facts.id, %cause, "a lookup can't be decrypted");
                return Attempted::failed(Outcome::InternalError);
            }
        };
        let class = match lookup.attempts {
            0 => facts.class,
            _ => LookupClass::Background,
        };
        let date = Some(question.query.date);
        let destinations = question.query.destinations();
        let mut found = None;
        for (place, destination) in destinations.into_iter().enumerate() {
            let query = question.query.with_destinations(destination, Vec::new());
            let report = self.fetch(lookup, class, (query, question.files)).await;
            let is_unknown = report.result.as_ref().is_err_and(FetchError::is_unknown);
            found = Some((place, report));
            if !is_unknown {
                break;
            }
        }
        let Some((
            place,
            FetchReport {
                details, result, ..
            },
        )) = found
        else {
            return Attempted::failed(Outcome::InternalError);
        };
        let attempted = match result {
            Ok(delivery) => match self.answer(facts, &delivery, (&question, place)).await {
                Ok((answer, question)) => Attempted {
                    answer: Some(answer),
                    question,
                    ..Attempted::failed(Outcome::Delivered)
                },
                Err(cause) => {
                    tracing::error!(id = %facts.id, %cause, "a proof can't be encrypted");
                    Attempted::failed(Outcome::InternalError)
                }
            },
            Err(error) => {
                let found = self.finding(facts, &error, (&question, place));
                let (finding, question) = found.unzip();
                Attempted {
                    finding,
                    question: question.flatten(),
                    ..Attempted::of_error(&error)
                }
            }
        };
        Attempted {
            date,
            banks: details.banks,
            bank_time: details.bank_time,
            duration: self.clock.monotonic().saturating_sub(started),
            ..attempted
        }
    }

    /// Fetches the proof of a query.
    async fn fetch(
        &self,
        lookup: &StoredLookup,
        class: LookupClass,
        (query, wanted): (ProofQuery, RequestedFiles),
    ) -> FetchReport {
        let facts = &lookup.facts;
        let request = ProofRequest {
            query,
            source: ProofSource::Any,
            wanted,
            environment: facts.environment,
            lane: Lane {
                customer: facts.customer,
                key: facts.key.counters,
                class,
            },
            request_id: facts.request_id.clone(),
        };
        self.proofs.fetch(request).await
    }

    /// Encrypts a fetched proof as the lookup's answer, and the question as [`Self::moved`].
    async fn answer(
        &self,
        facts: &LookupFacts,
        delivery: &Delivery,
        (question, place): At<'_>,
    ) -> Result<(EncryptedAnswer, Option<Vec<u8>>), Cause> {
        let (xml, pdf) =
            kept(&delivery.files, question.files).ok_or_else(|| Arc::new(NoXml) as Cause)?;
        let history = &self.history;
        let marks = history.marks(Presented {
            environment: facts.environment,
            issuer: Some(delivery.issuer),
            proof: &delivery.proof,
        });
        let turn = history.turn_of_store(facts.customer, marks.first()).await;
        let seen = history.earlier(facts.customer, &marks, (None, &facts.request_id));
        let answer = Answer {
            xml,
            pdf,
            issuer: delivery.issuer,
            seen: seen.await,
            origin: ProofOrigin::Fetched,
        };
        let encrypted = EncryptedAnswer {
            content: self.encryption.encrypt_answer(facts, &answer)?,
            mark: marks.first().copied(),
            _turn: turn,
            seal: delivery.seal.verdict.into(),
        };
        Ok((encrypted, self.moved(facts, (question, place))?))
    }

    /// Encrypts the question with the account at this place as the first; `None` if it is.
    fn moved(&self, facts: &LookupFacts, (question, place): At<'_>) -> EncryptedQuestion {
        let moved = question.moved(place);
        let encrypt = |question| self.encryption.encrypt_question(facts, &question);
        moved.map(encrypt).transpose()
    }

    /// Encrypts the bank's answer without a proof, and the question for whose account at this place it is; `None` if it
    /// gave none.
    fn finding(&self, facts: &LookupFacts, error: &FetchError, at: At<'_>) -> Option<Found> {
        let finding = Finding::of(error, calendar::today(self.clock.now()))?;
        let at = (at.0, if error.is_unknown() { 0 } else { at.1 });
        let encrypted = self.encryption.encrypt_finding(facts, &finding);
        let encrypted = encrypted.and_then(|finding| Ok((finding, self.moved(facts, at)?)));
        let encrypted = encrypted.inspect_err(|cause| {
            tracing::error!(id = %facts.id, %cause, "the bank's answer can't be encrypted");
        });
        encrypted.ok()
    }

    /// Stores the result of an attempt, and records the end of the request after the last one.
    async fn end(
        &self,
        lookup: &StoredLookup,
        attempts: &[Attempt],
        attempted: Attempted,
        lease: Lease,
    ) -> Result<(), Cause> {
        let facts = &lookup.facts;
        let now = self.clock.now();
        // If the bank failed this time, its previous finding is kept.
        let finding = attempted.finding.as_ref().or(lookup.finding.as_ref());
        let finding = finding.filter(|_| attempted.answer.is_none());
        let end = |attempt, change| ClaimEnd {
            id: facts.id,
            token: lease.token,
            now,
            attempt,
            finding: finding.cloned(),
            question: attempted.question.clone(),
            change,
        };
        if attempted.had_no_turn && now < facts.retry_until {
            let wait = attempted
                .retry_after
                .and_then(|wait| TimeDelta::from_std(wait).ok());
            let due_at = now + wait.unwrap_or(MIN_PUT_BACK).max(MIN_PUT_BACK);
            let due_at = due_at.min(facts.retry_until);
            let put_back = end(None, LookupChange::Wait { due_at });
            return self.store_end(&put_back).await.map(drop);
        }
        let attempt = Attempt {
            at: now,
            outcome: attempted.outcome,
        };
        let outcomes = attempts.iter().chain([&attempt]);
        let outcomes: Vec<_> = outcomes.map(|attempt| attempt.outcome).collect();
        let rule = self.rule(lookup, attempted.date);
        let step = rule.next(&outcomes, now, attempted.retry_after);
        let (change, settlement) = match step {
            NextStep::Again { at } => (LookupChange::Wait { due_at: at }, None),
            NextStep::End(state) => {
                let (change, settlement) = ending(state, &attempted, &outcomes);
                (change, Some((state, settlement)))
            }
        };
        let is_stored = self.store_end(&end(Some(attempt), change)).await?;
        if let Some((state, settlement)) = settlement.filter(|_| is_stored) {
            self.webhooks.work();
            let number = outcomes.len();
            let outcome = settlement.outcome.name();
            tracing::info!(
                target: "cep::lookup",
                id = %facts.id,
                state = state.name(),
                outcome,
                attempts = number,
                request_id = %facts.request_id,
                "a lookup ended"
            );
            let duration = attempted.duration;
            let conclusion = self
                .gatekeeper
                .conclude(charged(facts), settlement, duration);
            conclusion.await;
        }
        Ok(())
    }

    /// Stores the end of a claim; returns `false` if the lease was lost.
    async fn store_end(&self, end: &ClaimEnd) -> Result<bool, Cause> {
        let stored = self.store.end_claim(end).await;
        let stored = stored.map_err(|error| Arc::new(error) as Cause)?;
        if stored {
            metrics::claim_ended(end);
        } else {
            metrics::lease_lost();
            tracing::info!(id = %end.id, "a lookup was canceled, or another process goes on with it");
        }
        Ok(stored)
    }

    fn rule(&self, lookup: &StoredLookup, date: Option<NaiveDate>) -> RetryRule {
        // A question that can't be decrypted now may be readable later, once its secret is configured again.
        let date = date.unwrap_or_else(|| calendar::today(self.clock.now()));
        let scale = match lookup.facts.environment {
            Environment::Test => self.test_scale,
            Environment::Live => RetryScale::NONE,
        };
        RetryRule {
            date,
            until: lookup.facts.retry_until,
            scale,
        }
    }
}
