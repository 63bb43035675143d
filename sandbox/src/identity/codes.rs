//! Authorization codes, which can be redeemed once within a minute.

use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use super::people::DemoPerson;

/// Lifetime of a code. RFC 6749, 4.1.2, allows ten minutes at most; clients redeem codes as soon as the
/// browser returns.
const LIFE: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of codes, which take a few MB. A new code evicts the oldest.
const MAX_ENTRIES: u64 = 10_000;

/// The sign-in to which a code belongs.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(crate) person: &'static DemoPerson,
    pub(crate) redirect_uri: String,
    /// PKCE challenge: the S256 hash of the client's verifier (RFC 7636).
    pub(crate) challenge: String,
    pub(crate) nonce: Option<String>,
    pub(crate) scope: String,
    pub(crate) signed_in_at: DateTime<Utc>,
}

/// The codes that haven't been redeemed yet.
pub(crate) struct Codes(Cache<String, Grant>);

impl Codes {
    pub(crate) fn new() -> Self {
        let codes = Cache::builder()
            .max_capacity(MAX_ENTRIES)
            .time_to_live(LIFE.to_std().expect("a minute is positive"))
            .eviction_policy(EvictionPolicy::lru());
        Self(codes.build())
    }

    /// Issues a code.
    pub(crate) fn make(&self, grant: Grant) -> String {
        let code = random_text();
        self.0.insert(code.clone(), grant);
        code
    }

    /// Redeems a code and invalidates it; `None` if it is unknown or expired.
    pub(crate) fn take(&self, code: &str, now: DateTime<Utc>) -> Option<Grant> {
        let grant = self.0.remove(code)?;
        (now < grant.signed_in_at + LIFE).then_some(grant)
    }
}

/// Returns 256 random bits as 43 characters.
pub(crate) fn random_text() -> String {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes).expect("the operating system has randomness");
    URL_SAFE_NO_PAD.encode(bytes)
}
