//! Throttle of people's requests and sign-ins: bounds on what sessions cost the store and the limiter, and
//! sign-ins the identity provider.
//!
//! Each process keeps its own, so replicas allow as many times as much.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use super::types::SessionError;
use domain::customer::Owner;
use domain::rate::{Bucket, Rate, RateExceeded};
use domain::subscriber::subscriber;
use ports::outbound::Fingerprint;

use crate::sync::buckets::{self, Buckets};

/// Requests a second of one session: a page that loads sends some ten at once.
const PER_SESSION: u32 = 30;
/// Requests a second of one customer, all sessions together: as many as two may send.
const PER_CUSTOMER: u32 = 60;
/// Redemptions of codes at the identity provider, everybody's: its token endpoint is asked for each, and
/// anybody can begin a sign-in. Room for the people of three addresses at once.
const REDEMPTIONS: Rate = Rate {
    burst: 100,
    interval: Duration::from_millis(100),
};
/// Redemptions for one address, well under those of everybody: made-up codes of one mustn't keep others out. The
/// people of an office may share it.
const REDEMPTIONS_OF_ADDRESS: Rate = Rate {
    burst: 30,
    interval: Duration::from_millis(500),
};

/// A burst of so many, and as many a second.
const fn per_second(count: u32) -> Rate {
    Rate {
        burst: count,
        interval: Duration::from_nanos(1_000_000_000 / count as u64),
    }
}

/// Limits requests under a session.
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

    /// Checks the rate of a token whose signature is still to be verified. Counts nothing: whoever knows
    /// a part of a token must not use up its owner's rate.
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
pub(super) struct RedemptionThrottle {
    addresses: Buckets<IpAddr>,
    all: Mutex<Bucket>,
}

impl RedemptionThrottle {
    pub(super) fn new() -> Self {
        Self {
            addresses: Buckets::new(REDEMPTIONS_OF_ADDRESS),
            all: Mutex::default(),
        }
    }

    /// Counts a redemption for an address.
    pub(super) fn take(&self, address: IpAddr, now: Duration) -> Result<(), RateExceeded> {
        self.addresses.take(subscriber(address), now)?;
        buckets::lock(&self.all).take(REDEMPTIONS, now)
    }
}
