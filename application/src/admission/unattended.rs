//! Charges for rows of batches, for which no caller waits.

use std::time::Duration;

use domain::keys::CountedKey;
use domain::month::Month;
use domain::outcome::Outcome;
use ports::Cause;
use ports::outbound::{Charge, Verdict};

use super::admitted::{ChargedRequest, Settlement};
use super::gatekeeper::GatekeeperService;
use super::verdicts::NoVerdict;

/// A charge for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnattendedCharge {
    pub(crate) month: Month,
    /// Where it is counted.
    pub(crate) charge: Charge,
}

/// Reason why a request isn't charged.
#[derive(Clone, Debug)]
pub(crate) enum NotCharged {
    /// The limit per minute is reached.
    RateLimited { retry_after: Duration },
    /// The monthly quota is used up.
    QuotaExceeded { reset: Duration },
    /// The key is revoked or doesn't exist.
    Revoked,
    /// The limiter or the store can't be read.
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
    /// Charges one request to a key's minute and month in the limiter. The caller counts it in the store,
    /// unless the charge is already written. A refusal isn't recorded in the statistics, since no request was
    /// made.
    pub(crate) async fn charge_unattended(
        &self,
        key: CountedKey,
    ) -> Result<UnattendedCharge, NotCharged> {
        match self.verdicts.verdict(key).await? {
            Verdict::Admitted { month, charge, .. } => Ok(UnattendedCharge { month, charge }),
            Verdict::RateLimited { retry_after, .. } => {
                Err(NotCharged::RateLimited { retry_after })
            }
            Verdict::QuotaExceeded { month, .. } => {
                Err(NotCharged::QuotaExceeded { reset: month.reset })
            }
            Verdict::Revoked | Verdict::Unknown { .. } => Err(NotCharged::Revoked),
        }
    }

    /// Refunds a charge in the limiter only; the store doesn't have it, or has refunded it.
    pub(crate) async fn refund_unattended(&self, charged: &ChargedRequest) {
        let refund = self
            .verdicts
            .limiter
            .refund(charged.key, charged.month, charged.id);
        if let Err(error) = refund.await {
            tracing::warn!(%error, "a refund could not be applied to the limiter; the store doesn't have the charge");
        }
    }

    /// Takes back a charge whose lookup couldn't be stored.
    pub(crate) async fn undo_unattended(&self, charge: Charge, charged: ChargedRequest) {
        self.refund_unattended(&charged).await;
        if charge == Charge::Written {
            // The store has counted it: the request is recorded as failed and refunded there.
            let refund = Some(charged.month);
            let settlement = Settlement::of(Outcome::InternalError);
            self.record(charged, settlement, Duration::ZERO, refund);
        }
    }
}
