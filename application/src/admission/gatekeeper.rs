//! Gatekeeper: admits requests by key and limits, and settles them.

use std::future::ready;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::key::{Credential, Environment, FullKey, KeyHasher, KeyId, KeyPrefix};
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use ports::Cause;
use ports::inbound::{
    Admission, AdmissionError, AdmissionRequest, Gatekeeper, NotDurable, Settlement,
};
use ports::outbound::{
    AdmissionEntry, Charge, Clock, KeyStore, Limiter, Random, Receipt, RefusalEntry, RequestEntry,
    Snapshot, StoreError, UsageJournal, Verdict, new_id,
};

use super::credentials::CredentialCache;
use super::lookup_throttle::{KeyLookupThrottle, Throttled};
use crate::sync::keyed_mutex::KeyedMutex;

/// Credentials that are cached.
const CREDENTIALS: usize = 100_000;
/// `Retry-After` while the store or the limiter fails.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Keys that are hydrated at the same time, at most.
const HYDRATIONS: usize = 64;

/// Checks keys and limits, and records the outcomes of requests.
pub struct GatekeeperService {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    journal: Arc<dyn UsageJournal>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    hasher: KeyHasher,
    credentials: CredentialCache,
    lookup_throttle: KeyLookupThrottle,
    /// Locked while a key is hydrated, so that a burst on a cold key reads it once.
    hydrating: KeyedMutex,
}

/// Reason why there is no verdict.
enum NoVerdict {
    UnknownKey,
    Failed(Cause),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for NoVerdict {
    fn from(error: E) -> Self {
        Self::Failed(Arc::new(error))
    }
}

fn unavailable(cause: Cause) -> AdmissionError {
    AdmissionError::Unavailable {
        retry_after: RETRY_AFTER,
        cause,
    }
}

/// The limiter doesn't know a key that it was just hydrated with.
#[derive(Debug, thiserror::Error)]
#[error("the limiter does not know a key that it was just given")]
struct Forgotten;

impl GatekeeperService {
    /// A gatekeeper over these keys and limits.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        journal: Arc<dyn UsageJournal>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        hasher: KeyHasher,
    ) -> Self {
        Self {
            keys,
            limiter,
            journal,
            clock,
            random,
            hasher,
            credentials: CredentialCache::new(CREDENTIALS),
            lookup_throttle: KeyLookupThrottle::new(),
            hydrating: KeyedMutex::new(HYDRATIONS),
        }
    }

    /// Caches the credentials of existing keys, so that no good key has to be looked up while
    /// somebody guesses. Call it before the first request.
    ///
    /// # Errors
    /// Fails when the store can't be read.
    pub async fn warm_up(&self) -> Result<(), StoreError> {
        for (prefix, credential) in self.keys.credentials(CREDENTIALS as u64).await? {
            self.credentials.insert(prefix, Arc::new(credential));
        }
        Ok(())
    }

    /// The credential of a prefix, from the cache or from the store.
    async fn credential(
        &self,
        prefix: &KeyPrefix,
        address: IpAddr,
    ) -> Result<Option<Arc<Credential>>, NoVerdict> {
        if let Some(credential) = self.credentials.get(prefix) {
            return Ok(Some(credential));
        }
        let _lookup = self.lookup_throttle.lock(prefix).await;
        if let Some(credential) = self.credentials.get(prefix) {
            return Ok(Some(credential));
        }
        let now = self.clock.monotonic();
        match self.lookup_throttle.check(address, now) {
            Ok(()) => {}
            Err(Throttled::Address) => return Ok(None),
            Err(error @ Throttled::Global) => return Err(error.into()),
        }
        // While nothing can be written nothing is admitted: no need to ask a store that is down.
        self.journal.accepts()?;
        let Some(credential) = self.keys.credential(prefix).await? else {
            self.lookup_throttle.record_unknown(address, now);
            return Ok(None);
        };
        let credential = Arc::new(credential);
        self.credentials
            .insert(prefix.clone(), Arc::clone(&credential));
        Ok(Some(credential))
    }

    /// The limiter's verdict; a key that it doesn't know is hydrated before.
    async fn verdict(&self, key: KeyId) -> Result<Verdict, NoVerdict> {
        let verdict = self.limiter.admit(key).await?;
        if !matches!(verdict, Verdict::Unknown { .. }) {
            return Ok(verdict);
        }
        let _hydrating = self.hydrating.lock(&key).await;
        match self.limiter.admit(key).await? {
            Verdict::Unknown { month } => {
                // Many may have waited for the lock, each for as long as the store took.
                self.journal.accepts()?;
                self.hydrate(key, month).await?;
                Ok(self.limiter.admit(key).await?)
            }
            verdict => Ok(verdict),
        }
    }

    async fn hydrate(&self, key: KeyId, month: Month) -> Result<(), NoVerdict> {
        // What is still in the journal isn't in the counters that are read next.
        self.journal.flush().await?;
        let snapshot = self
            .keys
            .snapshot(key, month)
            .await?
            .ok_or(NoVerdict::UnknownKey)?;
        let hydrated = self.hydrate_with(key, snapshot).await;
        if hydrated.is_err()
            && let Err(error) = self.limiter.forget(key).await
        {
            tracing::error!(%error, "the limiter may keep a key whose state could not be confirmed");
        }
        hydrated
    }

    /// Hydrates the limiter and reads the key a second time. A change that was made after the first
    /// reading, but before the limiter knew the key, was skipped by whatever applies changes: a key
    /// that can't be read again must not stay known.
    async fn hydrate_with(&self, key: KeyId, snapshot: Snapshot) -> Result<(), NoVerdict> {
        self.limiter.hydrate(key, snapshot).await?;
        let again = self
            .keys
            .snapshot(key, snapshot.month)
            .await?
            .ok_or(NoVerdict::UnknownKey)?;
        if again.state != snapshot.state {
            self.limiter.apply(key, again.state).await?;
        }
        Ok(())
    }

    fn admitted(
        &self,
        request: AdmissionRequest,
        environment: Environment,
        credential: &Credential,
        (limit_status, month, charge): (LimitStatus, Month, Charge),
    ) -> Admission {
        let at = self.clock.now();
        let key = credential.id;
        let receipt = match charge {
            Charge::Unwritten => self.journal.admit(AdmissionEntry { key, month, at }),
            Charge::Written => Receipt::new(ready(Ok(()))),
        };
        Admission {
            id: new_id(self.clock.as_ref(), self.random.as_ref()),
            request_id: request.request_id,
            key,
            customer: credential.customer,
            environment,
            limit_status,
            admitted_at: at,
            admitted_at_monotonic: self.clock.monotonic(),
            month,
            endpoint: request.endpoint,
            receipt,
        }
    }

    /// Records a request that a limit refused, for the statistics.
    fn record_refusal(&self, credential: &Credential, endpoint: Endpoint, outcome: Outcome) {
        self.journal.refuse(RefusalEntry {
            key: credential.id,
            customer: credential.customer,
            endpoint,
            outcome,
            at: self.clock.now(),
        });
    }
}

#[async_trait]
impl Gatekeeper for GatekeeperService {
    async fn admit(&self, request: AdmissionRequest) -> Result<Admission, AdmissionError> {
        let key = request
            .presented_key
            .as_deref()
            .and_then(FullKey::parse)
            .ok_or(AdmissionError::InvalidKey)?;
        let no_admission = |no_verdict| match no_verdict {
            NoVerdict::UnknownKey => AdmissionError::InvalidKey,
            NoVerdict::Failed(cause) => unavailable(cause),
        };
        let credential = self
            .credential(key.prefix(), request.address)
            .await
            .map_err(no_admission)?;
        if !self.hasher.verify(&key, credential.as_deref()) {
            return Err(AdmissionError::InvalidKey);
        }
        let credential = credential.ok_or(AdmissionError::InvalidKey)?;
        // An admission that can't be written soon is refused: nothing is counted for it, and the bank
        // isn't asked in vain.
        if let Err(error) = self.journal.accepts() {
            return Err(unavailable(Arc::new(error)));
        }
        match self.verdict(credential.id).await.map_err(no_admission)? {
            Verdict::Admitted {
                limit_status,
                month,
                charge,
            } => {
                let environment = key.prefix().environment();
                let counted = (limit_status, month, charge);
                Ok(self.admitted(request, environment, &credential, counted))
            }
            Verdict::RateLimited {
                limit_status,
                retry_after,
            } => {
                self.record_refusal(&credential, request.endpoint, Outcome::RateLimited);
                Err(AdmissionError::RateLimited {
                    limit_status,
                    retry_after,
                })
            }
            Verdict::QuotaExceeded {
                limit_status,
                month,
            } => {
                self.record_refusal(&credential, request.endpoint, Outcome::QuotaExceeded);
                Err(AdmissionError::QuotaExceeded {
                    limit_status,
                    month,
                })
            }
            Verdict::Revoked => Err(AdmissionError::InvalidKey),
            Verdict::Unknown { .. } => Err(unavailable(Arc::new(Forgotten))),
        }
    }

    async fn settle(
        &self,
        admission: Admission,
        settlement: Settlement,
    ) -> Result<LimitStatus, NotDurable> {
        let Admission {
            id,
            request_id,
            key,
            customer,
            limit_status,
            month,
            endpoint,
            receipt,
            ..
        } = admission;
        let durable = receipt.await;
        let elapsed = self
            .clock
            .monotonic()
            .saturating_sub(admission.admitted_at_monotonic);
        let outcome = if durable.is_ok() {
            settlement.outcome
        } else {
            Outcome::InternalError
        };
        let refund = outcome.is_refunded().then_some(month);
        if refund.is_some()
            && let Err(error) = self.limiter.refund(key, month, id).await
        {
            tracing::warn!(%error, "a refund could not be applied to the limiter; the journal has it");
        }
        self.journal.conclude(RequestEntry {
            id,
            request_id,
            key,
            customer,
            endpoint,
            outcome,
            banks: settlement.banks,
            at: admission.admitted_at,
            duration: elapsed,
            bank_time: settlement.bank_time,
            refund,
        });
        let limit_status = limit_status.after(elapsed);
        match durable {
            Ok(()) if refund.is_some() => Ok(limit_status.after_refund()),
            Ok(()) => Ok(limit_status),
            Err(error) => Err(NotDurable {
                retry_after: RETRY_AFTER,
                cause: Arc::new(error),
            }),
        }
    }
}
