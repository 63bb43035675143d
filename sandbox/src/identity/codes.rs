//! Authorization codes that wait to be redeemed: once, within a minute.

use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use super::people::DemoPerson;

/// How long a code is good. The standard's upper bound is ten minutes (RFC 6749, 4.1.2); a client
/// redeems it as soon as the browser is back.
const LIFE: TimeDelta = TimeDelta::minutes(1);
/// Most codes at once, a few MB; the oldest is forgotten for a new one.
const MOST: u64 = 10_000;

/// What a code was made for.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(crate) person: &'static DemoPerson,
    pub(crate) redirect_uri: String,
    /// The hash of the client's secret for this sign-in (RFC 7636, S256).
    pub(crate) challenge: String,
    pub(crate) nonce: Option<String>,
    pub(crate) scope: String,
    pub(crate) signed_in_at: DateTime<Utc>,
}

/// The codes under way.
pub(crate) struct Codes(Cache<String, Grant>);

impl Codes {
    pub(crate) fn new() -> Self {
        let codes = Cache::builder()
            .max_capacity(MOST)
            .time_to_live(LIFE.to_std().expect("a minute is positive"))
            .eviction_policy(EvictionPolicy::lru());
        Self(codes.build())
    }

    /// Makes a code.
    pub(crate) fn make(&self, grant: Grant) -> String {
        let code = random_text();
        self.0.insert(code.clone(), grant);
        code
    }

    /// What a code was made for; it is worthless afterwards.
    pub(crate) fn take(&self, code: &str, now: DateTime<Utc>) -> Option<Grant> {
        let grant = self.0.remove(code)?;
        (now < grant.signed_in_at + LIFE).then_some(grant)
    }
}

/// Nobody guesses it: 256 random bits, 43 characters.
pub(crate) fn random_text() -> String {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes).expect("the operating system has randomness");
    URL_SAFE_NO_PAD.encode(bytes)
}
