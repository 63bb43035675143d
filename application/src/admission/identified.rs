//! Identification of callers whose requests are neither limited nor charged.

use std::net::IpAddr;

use domain::keys::FullKey;
use domain::limits::LimitStatus;
use domain::outcome::{Endpoint, Outcome};

use super::admitted::Identified;
use super::gatekeeper::GatekeeperService;
use super::request::{AdmissionError, NamedKey, RequestKey};

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
        let key = self.presented(presented_key, address).await?;
        self.identify_as(key).await
    }

    /// Checks the key of a request that may be charged later.
    ///
    /// # Errors
    /// The reason for the refusal, never a reached limit.
    pub(crate) async fn identify_charged(
        &self,
        key: &RequestKey,
        address: IpAddr,
    ) -> Result<Identified, AdmissionError> {
        let charged = self.charged(key, address).await?;
        let identified = self.identify_as(charged).await;
        identified.map_err(|error| key.refusal(error))
    }

    async fn identify_as(&self, by: NamedKey) -> Result<Identified, AdmissionError> {
        let NamedKey {
            key,
            customer,
            environment,
        } = by;
        Ok(Identified {
            key,
            customer,
            environment,
            limit_status: self.verdicts.limit_status(key).await?,
        })
    }

    /// The key that a request is charged to.
    pub(super) async fn charged(
        &self,
        key: &RequestKey,
        address: IpAddr,
    ) -> Result<NamedKey, AdmissionError> {
        match key {
            RequestKey::Presented(key) => self.presented(key.as_deref(), address).await,
            RequestKey::Named(named) => Ok(*named),
        }
    }

    /// Checks a presented key.
    async fn presented(
        &self,
        key: Option<&str>,
        address: IpAddr,
    ) -> Result<NamedKey, AdmissionError> {
        let key = key.and_then(FullKey::parse);
        let key = key.ok_or(AdmissionError::InvalidKey)?;
        let credential = self.key_check.check(&key, address).await?;
        Ok(NamedKey {
            key: credential.counted(),
            customer: credential.customer,
            environment: key.prefix().environment(),
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
}
