//! Identification of callers whose requests are neither limited nor charged.

use std::net::IpAddr;

use super::super::request::AdmissionError;
use domain::keys::{CountedKey, FullKey};
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};

use super::{GatekeeperService, NoVerdict};
use crate::admission::Identified;

impl GatekeeperService {
    /// Checks the key of a request that is neither limited nor charged.
    ///
    /// # Errors
    /// The reason for the refusal, never a reached limit.
    pub async fn identify(
        &self,
        presented_key: Option<&str>,
        address: IpAddr,
    ) -> Result<Identified, AdmissionError> {
        let key = presented_key
            .and_then(FullKey::parse)
            .ok_or(AdmissionError::InvalidKey)?;
        let credential = self.key_check.check(&key, address).await?;
        let counted = credential.counted();
        let limit_status = self.limit_status(counted).await?;
        Ok(Identified {
            key: counted,
            customer: credential.customer,
            environment: key.prefix().environment(),
            limit_status,
        })
    }

    /// Refuses a caller's request if a limit is reached by its limit status, without calling the limiter;
    /// `None` if none is.
    pub fn refusal(&self, by: &Identified, endpoint: Endpoint) -> Option<AdmissionError> {
        let LimitStatus { minute, month } = by.limit_status;
        let (key, caller) = ((by.key.id, by.environment), (by.key.id, by.customer));
        if minute.remaining == 0 {
            self.record_refusal(caller, endpoint, Outcome::RateLimited);
            return Some(AdmissionError::RateLimited {
                key,
                limit_status: Box::new(by.limit_status),
                retry_after: minute.reset,
            });
        }
        let month = month.filter(|month| month.remaining() == 0)?;
        self.record_refusal(caller, endpoint, Outcome::QuotaExceeded);
        Some(AdmissionError::QuotaExceeded {
            key,
            limit_status: Box::new(by.limit_status),
            month,
        })
    }

    /// Limit status of a key that isn't revoked; hydrates the key if the limiter doesn't know it.
    async fn limit_status(&self, key: CountedKey) -> Result<LimitStatus, NoVerdict> {
        if let Some(status) = self.limiter.peek(key).await? {
            return Ok(status);
        }
        let _hydrating = self.hydrating.lock(&key).await;
        // Another request may have hydrated the key in the meantime.
        if let Some(status) = self.limiter.peek(key).await? {
            return Ok(status);
        }
        self.journal.accepts()?;
        self.hydrate(key, Month::of(self.clock.now())).await?;
        let status = self.limiter.peek(key).await?;
        status.ok_or(NoVerdict::UnknownKey)
    }
}
