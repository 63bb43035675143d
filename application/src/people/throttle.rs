//! Throttle of people's requests and sign-ins: limits the load of sessions on the store and the limiter, and
//! of sign-ins on the identity provider.
//!
//! Each process counts separately, so the limits of all replicas add up.

use std::time::Duration;

use super::types::SessionError;
use domain::limits::rate::{Rate, RateExceeded};
use domain::people::customer::Owner;
use ports::outbound::Fingerprint;

use crate::sync::buckets::{AddressBuckets, Buckets};

/// Maximum number of requests a second of one session; loading a page sends about ten at once.
const PER_SESSION: u32 = 30;
/// Maximum number of requests a second of one customer, in all sessions together.
const PER_CUSTOMER: u32 = 60;
/// Limit on redemptions of codes at the identity provider by all people. Anybody can begin a sign-in, and
/// each redemption calls the provider. The burst suffices for the people of three addresses.
const REDEMPTIONS: Rate = Rate {
    burst: 100,
    interval: Duration::from_millis(100),
};
/// Limit on redemptions for one address, well below that for all, so that forged codes from one address don't
/// block others. It suffices for an office whose people share an address.
const REDEMPTIONS_OF_ADDRESS: Rate = Rate {
    burst: 30,
    interval: Duration::from_millis(500),
};

/// A rate with a burst of `count`, refilled at `count` a second.
const fn per_second(count: u32) -> Rate {
    Rate {
        burst: count,
        interval: Duration::from_nanos(1_000_000_000 / count as u64),
    }
}

/// Limits the requests of sessions and customers.
pub(super) struct SessionThrottle {
    sessions: Buckets<Fingerprint>,
    customers: Buckets<Owner>,
}

impl SessionThrottle {
    pub(super) fn new() -> Self {
        Self {
            sessions: Buckets::new(per_second(PER_SESSION)),
            customers: Buckets::new(per_second(PER_CUSTOMER)),
        }
    }

    /// Checks the rate of a token whose signature isn't verified yet. Counts nothing, so that forged requests
    /// can't use up the owner's rate.
    pub(super) fn check(&self, token: &Fingerprint, now: Duration) -> Result<(), SessionError> {
        let checked = self.sessions.check(token, now);
        checked.map_err(|exceeded| too_many(PER_SESSION, exceeded))
    }

    /// Counts a request with a verified token.
    pub(super) fn take(
        &self,
        token: &Fingerprint,
        owner: &Owner,
        now: Duration,
    ) -> Result<(), SessionError> {
        let session = self.sessions.take(token.clone(), now);
        session.map_err(|exceeded| too_many(PER_SESSION, exceeded))?;
        let customer = self.customers.take(owner.clone(), now);
        customer.map_err(|exceeded| too_many(PER_CUSTOMER, exceeded))
    }
}

fn too_many(limit: u32, exceeded: RateExceeded) -> SessionError {
    SessionError::TooManyRequests {
        limit,
        retry_after: exceeded.retry_after,
    }
}

/// Limits redemptions of codes at the identity provider.
pub(super) fn redemptions() -> AddressBuckets {
    AddressBuckets::new(REDEMPTIONS_OF_ADDRESS, REDEMPTIONS)
}
