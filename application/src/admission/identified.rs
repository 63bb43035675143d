//! Identification of callers whose requests are neither limited nor charged.

use std::net::IpAddr;

use domain::keys::FullKey;
use domain::limits::LimitStatus;
use domain::outcome::{Endpoint, Outcome};

use super::admitted::Identified;
use super::gatekeeper::GatekeeperService;
use super::request::AdmissionError;

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
        let limit_status = self.verdicts.limit_status(counted).await?;
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
}
