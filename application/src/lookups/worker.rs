//! The worker: claims lookups that are due, and makes their attempts.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use crate::proofs::{Delivery, FetchError};
use chrono::{NaiveDate, TimeDelta};
use domain::calendar;
use domain::file::RequestedFiles;
use domain::key::Environment;
use domain::lookup::{Attempt, NextStep, RetryRule, RetryScale};
use domain::notice::ProofOrigin;
use domain::outcome::Outcome;
use domain::pacing::{Lane, LookupClass};
use futures::FutureExt as _;
use futures::future::{Either, select};
use futures::pin_mut;
use ports::Cause;
use ports::outbound::{
    ClaimEnd, ClaimedLookup, Clock, Lease, LookupChange, LookupFacts, LookupStore, Random,
    StoredLookup, Timer,
};

use super::content::{Answer, Question};
use super::encryption::LookupEncryption;
use super::finding::Finding;
use super::service::charged;
use super::signals::LookupSignals;
use crate::admission::GatekeeperService;
use crate::proofs::{
    DeliveryHistory, FetchReport, Presented, ProofRequest, ProofService, ProofSource, SpawnTask,
};
use crate::sync::WorkSignal;

mod attempted;
mod rounds;

use attempted::{Attempted, EncryptedAnswer, NoXml, ending, kept};

/// Length of a lease: another process goes on with the work of one that died after this time.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Interval at which a lease is renewed while the work goes on.
const RENEWAL: Duration = Duration::from_secs(10);
/// Shortest time until a lookup is due again for which the bank had no turn.
const MIN_PUT_BACK: TimeDelta = TimeDelta::seconds(1);

/// Everything that a worker is made of.
pub struct WorkerParts {
    /// The queue.
    pub store: Arc<dyn LookupStore>,
    /// Encryption of what is stored.
    pub encryption: Arc<LookupEncryption>,
    /// The lookups themselves.
    pub proofs: Arc<ProofService>,
    /// Records the ends of lookups.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Earlier deliveries of a proof.
    pub history: Arc<DeliveryHistory>,
    /// Signals of new lookups, and to those who wait for a change.
    pub signals: Arc<LookupSignals>,
    /// Signals that the end of a lookup is to be told to its customer's endpoints.
    pub webhooks: Arc<WorkSignal>,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// Sleeps between polls and renewals.
    pub timer: Arc<dyn Timer>,
    /// Generates lease tokens.
    pub random: Arc<dyn Random>,
    /// Starts attempts.
    pub spawn: SpawnTask,
    /// Attempts at the same time, at most.
    pub places: u32,
    /// Factor of the waits between attempts for the test environment; live ones aren't scaled.
    pub test_scale: RetryScale,
}

/// Works on stored lookups. Any number of processes may: each claims its own.
pub struct LookupWorker {
    parts: WorkerParts,
    busy: AtomicU32,
}

impl LookupWorker {
    /// A worker of these parts.
    pub fn new(parts: WorkerParts) -> Self {
        Self {
            parts,
            busy: AtomicU32::new(0),
        }
    }

    /// Makes one attempt, as long as the lease is held, and stores its result.
    async fn work(&self, ClaimedLookup { lookup, attempts }: ClaimedLookup, lease: Lease) {
        let id = lookup.facts.id;
        // One that panics is a failure like any other: it would be made again for ever otherwise.
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

    /// Renews the lease; returns once it isn't held any more.
    async fn keep_lease(&self, lookup: &StoredLookup, lease: Lease) {
        loop {
            self.parts.timer.pause(RENEWAL).await;
            let until = self.parts.clock.now() + LEASE;
            let renewed = Lease { until, ..lease };
            match self.parts.store.renew_lease(lookup.facts.id, renewed).await {
                Ok(true) => {}
                Ok(false) => return,
                // It is held until somebody claims the lookup, which is found out at the end.
                Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
            }
        }
    }

    /// Looks the proof up, and encrypts it.
    async fn attempt(&self, lookup: &StoredLookup) -> Attempted {
        let facts = &lookup.facts;
        let started = self.parts.clock.monotonic();
        let question = match self.parts.encryption.question(lookup) {
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
        let Question { query, files, .. } = question;
        let date = Some(query.date);
        let FetchReport {
            details, result, ..
        } = self
            .parts
            .proofs
            .fetch(ProofRequest {
                query,
                source: ProofSource::Any,
                wanted: files,
                environment: facts.environment,
                lane: Lane {
                    customer: facts.customer,
                    key: facts.key.counters,
                    class,
                },
                request_id: facts.request_id.clone(),
            })
            .await;
        let attempted = match result {
            Ok(delivery) => match self.answer(facts, &delivery, files).await {
                Ok(answer) => Attempted {
                    answer: Some(answer),
                    ..Attempted::failed(Outcome::Delivered)
                },
                Err(cause) => {
                    tracing::error!(id = %facts.id, %cause, "a proof can't be encrypted");
                    Attempted::failed(Outcome::InternalError)
                }
            },
            Err(error) => Attempted {
                finding: self.finding(facts, &error),
                ..Attempted::of_error(&error)
            },
        };
        Attempted {
            date,
            banks: details.banks,
            bank_time: details.bank_time,
            duration: self.parts.clock.monotonic().saturating_sub(started),
            ..attempted
        }
    }

    /// Encrypts a proof as its lookup's answer.
    async fn answer(
        &self,
        facts: &LookupFacts,
        delivery: &Delivery,
        files: RequestedFiles,
    ) -> Result<EncryptedAnswer, Cause> {
        let (xml, pdf) = kept(&delivery.files, files).ok_or_else(|| Arc::new(NoXml) as Cause)?;
        let history = &self.parts.history;
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
        Ok(EncryptedAnswer {
            content: self.parts.encryption.encrypt_answer(facts, &answer)?,
            mark: marks.first().copied(),
            _turn: turn,
            seal: delivery.seal.verdict.into(),
        })
    }

    /// Encrypts the bank's answer without a proof, if it gave one.
    fn finding(&self, facts: &LookupFacts, error: &FetchError) -> Option<Vec<u8>> {
        let finding = Finding::of(error, calendar::today(self.parts.clock.now()))?;
        let encrypted = self.parts.encryption.encrypt_finding(facts, &finding);
        let encrypted = encrypted.inspect_err(|cause| {
            tracing::error!(id = %facts.id, %cause, "the bank's answer can't be encrypted");
        });
        encrypted.ok()
    }

    /// Stores the result of an attempt, and records the end of the request if it was the last one.
    async fn end(
        &self,
        lookup: &StoredLookup,
        attempts: &[Attempt],
        attempted: Attempted,
        lease: Lease,
    ) -> Result<(), Cause> {
        let facts = &lookup.facts;
        let now = self.parts.clock.now();
        // A failure of the bank takes nothing back of what it said before.
        let finding = attempted.finding.as_ref().or(lookup.finding.as_ref());
        let finding = finding.filter(|_| attempted.answer.is_none());
        let end = |attempt, change| ClaimEnd {
            id: facts.id,
            token: lease.token,
            now,
            attempt,
            finding: finding.cloned(),
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
            self.parts.webhooks.work();
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
                .parts
                .gatekeeper
                .conclude(charged(facts), settlement, duration);
            conclusion.await;
        }
        Ok(())
    }

    /// Returns `false` if the lease was lost meanwhile.
    async fn store_end(&self, end: &ClaimEnd) -> Result<bool, Cause> {
        let stored = self.parts.store.end_claim(end).await;
        let stored = stored.map_err(|error| Arc::new(error) as Cause)?;
        if !stored {
            tracing::info!(id = %end.id, "a lookup was canceled, or another process goes on with it");
        }
        Ok(stored)
    }

    fn rule(&self, lookup: &StoredLookup, date: Option<NaiveDate>) -> RetryRule {
        // A question that can't be read now may be read later, when its secret is listed again.
        let date = date.unwrap_or_else(|| calendar::today(self.parts.clock.now()));
        let scale = match lookup.facts.environment {
            Environment::Test => self.parts.test_scale,
            Environment::Live => RetryScale::NONE,
        };
        RetryRule {
            date,
            until: lookup.facts.retry_until,
            scale,
        }
    }
}
