//! The gatekeeper: admits requests by their keys and limits, and settles them.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use super::request::{AdmissionError, AdmissionRequest, NamedKey, NotDurable, RETRY_AFTER};
use domain::keys::{KeyHasher, KeyId};
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::CustomerId;
use ports::outbound::{
    AdmissionEntry, Charge, Clock, JournalError, KeyStore, Limiter, Random, Receipt, RefusalEntry,
    RequestEntry, StoreError, UsageJournal, Verdict, new_id,
};

use super::admitted::{Admission, ChargedRequest, Settlement};
use super::credentials::CredentialCache;
use super::key_check::{KeyCheck, Unverified};
use super::lookup_throttle::KeyLookupThrottle;
use super::verdicts::{NoVerdict, Verdicts};

/// Checks keys and limits, and records the outcomes of requests.
pub struct GatekeeperService {
    pub(super) verdicts: Verdicts,
    journal: Arc<dyn UsageJournal>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    pub(super) key_check: KeyCheck,
}

impl From<NoVerdict> for AdmissionError {
    fn from(no_verdict: NoVerdict) -> Self {
        match no_verdict {
            NoVerdict::UnknownKey => Self::InvalidKey,
            NoVerdict::Failed(cause) => Self::unavailable(cause),
        }
    }
}

impl From<Unverified> for AdmissionError {
    fn from(unverified: Unverified) -> Self {
        match unverified {
            Unverified::Wrong => Self::InvalidKey,
            Unverified::Throttled { retry_after } => Self::KeyUnchecked { retry_after },
            Unverified::Failed(cause) => Self::unavailable(cause),
        }
    }
}

impl GatekeeperService {
    /// Creates a gatekeeper for these keys and limits. The change feed of the same keys adds new ones to
    /// `credentials`.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        journal: Arc<dyn UsageJournal>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        hasher: KeyHasher,
        credentials: Arc<CredentialCache>,
    ) -> Self {
        let key_check = KeyCheck {
            keys: Arc::clone(&keys),
            journal: Arc::clone(&journal),
            clock: Arc::clone(&clock),
            hasher,
            credentials,
            lookup_throttle: KeyLookupThrottle::new(),
        };
        let (shared_journal, shared_clock) = (Arc::clone(&journal), Arc::clone(&clock));
        let verdicts = Verdicts::new(keys, limiter, shared_journal, shared_clock);
        Self {
            verdicts,
            journal,
            clock,
            random,
            key_check,
        }
    }

    /// Caches the credentials of existing keys, so that valid keys are found even while lookups are throttled
    /// because somebody guesses keys. To be called before the first request.
    ///
    /// # Errors
    /// The store can't be read.
    pub async fn warm_up(&self) -> Result<(), StoreError> {
        self.key_check.warm_up().await
    }

    fn admitted(
        &self,
        request: AdmissionRequest,
        charged: NamedKey,
        (limit_status, month, charge): (LimitStatus, Month, Charge),
    ) -> Admission {
        let at = self.clock.now();
        let NamedKey {
            key,
            customer,
            environment,
        } = charged;
        let receipt = match charge {
            Charge::Unwritten => {
                let key = key.id;
                self.journal.admit(AdmissionEntry { key, month, at })
            }
            Charge::Written => Receipt::new(ready(Ok(()))),
        };
        let charged = ChargedRequest {
            id: new_id(self.clock.as_ref(), self.random.as_ref()),
            request_id: request.request_id,
            key,
            customer,
            admitted_at: at,
            month,
            endpoint: request.endpoint,
        };
        Admission {
            charged,
            environment,
            limit_status,
            admitted_at_monotonic: self.clock.monotonic(),
            receipt,
        }
    }

    /// Records a request that a limit refused, in the statistics.
    pub(super) fn record_refusal(
        &self,
        (key, customer): (KeyId, CustomerId),
        endpoint: Endpoint,
        outcome: Outcome,
    ) {
        self.journal.refuse(RefusalEntry {
            key,
            customer,
            endpoint,
            outcome,
            at: self.clock.now(),
        });
    }

    /// Admits one request. Changes no counter if it is refused.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub async fn admit(&self, request: AdmissionRequest) -> Result<Admission, AdmissionError> {
        let charged = self.charged(&request.key, request.address).await?;
        // An admission that can't become durable soon is refused before it is counted and before the bank is
        // queried in vain.
        if let Err(error) = self.journal.accepts() {
            return Err(AdmissionError::unavailable(Arc::new(error)));
        }
        let caller = (charged.key.id, charged.customer);
        let key = (charged.key.id, charged.environment);
        let verdict = self.verdicts.verdict(charged.key).await;
        match verdict.map_err(|error| request.key.refusal(error.into()))? {
            Verdict::Admitted {
                limit_status,
                month,
                charge,
            } => {
                let counted = (limit_status, month, charge);
                Ok(self.admitted(request, charged, counted))
            }
            Verdict::RateLimited {
                limit_status,
                retry_after,
            } => {
                self.record_refusal(caller, request.endpoint, Outcome::RateLimited);
                Err(AdmissionError::RateLimited {
                    key,
                    limit_status: Box::new(limit_status),
                    retry_after,
                })
            }
            Verdict::QuotaExceeded {
                limit_status,
                month,
            } => {
                self.record_refusal(caller, request.endpoint, Outcome::QuotaExceeded);
                Err(AdmissionError::QuotaExceeded {
                    key,
                    limit_status: Box::new(limit_status),
                    month,
                })
            }
            Verdict::Revoked | Verdict::Unknown { .. } => {
                Err(request.key.refusal(AdmissionError::InvalidKey))
            }
        }
    }

    /// Records the end of an admitted request, refunds it if the failure was ours or the bank's, and returns
    /// once the admission is durable. MUST be called once for every admission that isn't passed to
    /// [`Self::accept`], before its answer is sent.
    ///
    /// # Errors
    /// [`NotDurable`]: the admission couldn't be stored, and the answer must not be sent.
    pub async fn settle(
        &self,
        admission: Admission,
        settlement: Settlement,
    ) -> Result<LimitStatus, NotDurable> {
        let Admission {
            charged,
            limit_status,
            receipt,
            admitted_at_monotonic,
            ..
        } = admission;
        let durable = receipt.await;
        let duration = self.since(admitted_at_monotonic);
        let outcome = if durable.is_ok() {
            settlement.outcome
        } else {
            Outcome::InternalError
        };
        let refund = outcome.is_refunded().then_some(charged.month);
        self.refund_in_limiter(&charged, outcome).await;
        let settlement = Settlement {
            outcome,
            ..settlement
        };
        self.record(charged, settlement, duration, refund);
        let limit_status = limit_status.after(duration);
        match durable {
            Ok(()) if refund.is_some() => Ok(limit_status.after_refund()),
            Ok(()) => Ok(limit_status),
            Err(error) => Err(not_durable(error)),
        }
    }

    /// Returns once the admission is durable. The request is concluded later, by [`Self::conclude`].
    ///
    /// # Errors
    /// [`NotDurable`]: the admission couldn't be stored, and is settled as an internal error.
    pub async fn accept(&self, admission: Admission) -> Result<LimitStatus, NotDurable> {
        let Admission {
            charged,
            limit_status,
            receipt,
            admitted_at_monotonic,
            ..
        } = admission;
        let durable = receipt.await;
        let duration = self.since(admitted_at_monotonic);
        let Err(error) = durable else {
            return Ok(limit_status.after(duration));
        };
        let settlement = Settlement::of(Outcome::InternalError);
        self.refund_in_limiter(&charged, settlement.outcome).await;
        let month = charged.month;
        self.record(charged, settlement, duration, Some(month));
        Err(not_durable(error))
    }

    /// Records the end of a request that was accepted earlier. If its outcome is refunded, the store has
    /// refunded it already. `duration` is that of the last attempt.
    pub async fn conclude(
        &self,
        charged: ChargedRequest,
        settlement: Settlement,
        duration: Duration,
    ) {
        self.refund_in_limiter(&charged, settlement.outcome).await;
        self.record(charged, settlement, duration, None);
    }

    fn since(&self, earlier: Duration) -> Duration {
        self.clock.monotonic().saturating_sub(earlier)
    }

    /// Refunds a failure of ours or the bank's to the month's quota in the limiter.
    async fn refund_in_limiter(&self, charged: &ChargedRequest, outcome: Outcome) {
        if !outcome.is_refunded() {
            return;
        }
        let refund = self
            .verdicts
            .limiter
            .refund(charged.key, charged.month, charged.id);
        if let Err(error) = refund.await {
            tracing::warn!(%error, "a refund could not be applied to the limiter; the store has it");
        }
    }

    pub(super) fn record(
        &self,
        charged: ChargedRequest,
        settlement: Settlement,
        duration: Duration,
        refund: Option<Month>,
    ) {
        let is_delivered = settlement.outcome == Outcome::Delivered;
        self.journal.conclude(RequestEntry {
            id: charged.id,
            request_id: charged.request_id,
            key: charged.key.id,
            customer: charged.customer,
            endpoint: charged.endpoint,
            outcome: settlement.outcome,
            banks: settlement.banks,
            at: charged.admitted_at,
            duration,
            bank_time: settlement.bank_time,
            refund,
            delivered: if is_delivered {
                settlement.delivered
            } else {
                Vec::new()
            },
            seal: settlement.seal.filter(|_| is_delivered),
        });
    }
}

fn not_durable(error: JournalError) -> NotDurable {
    NotDurable {
        retry_after: RETRY_AFTER,
        cause: Arc::new(error),
    }
}
