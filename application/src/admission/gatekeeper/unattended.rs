//! Charges for requests that nobody waits for: rows of batches.

use std::time::Duration;

use domain::key::CountedKey;
use domain::month::Month;
use domain::outcome::Outcome;
use ports::Cause;
use ports::outbound::{Charge, Verdict};

use super::{ChargedRequest, Forgotten, GatekeeperService, NoVerdict, Settlement};

/// A charge for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnattendedCharge {
    /// The month.
    pub(crate) month: Month,
    /// Its durability.
    pub(crate) charge: Charge,
}

/// Reason why a request isn't charged, nor made.
#[derive(Clone, Debug)]
pub(crate) enum NotCharged {
    /// The minute's limit is used up.
    RateLimited { retry_after: Duration },
    /// The month's quota is used up.
    QuotaExceeded { reset: Duration },
    /// The key is revoked.
    Revoked,
    /// Neither limits nor keys can be read.
    Unavailable(Cause),
}

impl From<NoVerdict> for NotCharged {
    fn from(no_verdict: NoVerdict) -> Self {
        match no_verdict {
            NoVerdict::UnknownKey => Self::Revoked,
            NoVerdict::Failed(cause) => Self::Unavailable(cause),
        }
    }
}

impl GatekeeperService {
    /// Charges one request to a key's minute and month, in the limiter: the store's count is the caller's
    /// matter, unless the charge is written. A refusal isn't recorded, for nobody asked.
    pub(crate) async fn charge_unattended(
        &self,
        key: CountedKey,
    ) -> Result<UnattendedCharge, NotCharged> {
        match self.verdict(key).await? {
            Verdict::Admitted { month, charge, .. } => Ok(UnattendedCharge { month, charge }),
            Verdict::RateLimited { retry_after, .. } => {
                Err(NotCharged::RateLimited { retry_after })
            }
            Verdict::QuotaExceeded { month, .. } => {
                Err(NotCharged::QuotaExceeded { reset: month.reset })
            }
            Verdict::Revoked => Err(NotCharged::Revoked),
            Verdict::Unknown { .. } => Err(NoVerdict::from(Forgotten).into()),
        }
    }

    /// Gives a charge that the store doesn't have, or has taken back, back to its month in the limiter.
    pub(crate) async fn refund_unattended(&self, charged: &ChargedRequest) {
        let refund = self.limiter.refund(charged.key, charged.month, charged.id);
        if let Err(error) = refund.await {
            tracing::warn!(%error, "a refund could not be applied to the limiter; the store doesn't have the charge");
        }
    }

    /// Gives a charge back whose request could not be made.
    pub(crate) async fn undo_unattended(&self, charge: Charge, charged: ChargedRequest) {
        self.refund_unattended(&charged).await;
        if charge == Charge::Written {
            // The store counted it at once: the request ends as one that we failed to make.
            let refund = Some(charged.month);
            let settlement = Settlement::of(Outcome::InternalError);
            self.record(charged, settlement, Duration::ZERO, refund);
        }
    }
}
