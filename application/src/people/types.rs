//! Inbound port: sign-in, session, sign-out.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::customer::{Owner, Role};
use domain::request::RequestId;

use ports::Cause;

/// A begun sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The URL to send the browser to.
    pub redirect: String,
    /// Value that binds the sign-in to this browser, which must present it when it comes back.
    pub binding: String,
}

/// The provider's answer and the browser's binding.
#[derive(Clone, Copy, Debug)]
pub struct SignInAnswer<'a> {
    /// The `state` of the answer.
    pub state: &'a str,
    /// The code; an error's code instead, as the provider names it (RFC 6749, 4.1.2.1).
    pub outcome: Result<&'a str, &'a str>,
    /// The issuer that the answer names (RFC 9207), if it names one.
    pub issuer: Option<&'a str>,
    /// [`SignIn::binding`].
    pub binding: &'a str,
    /// The browser's address.
    pub address: IpAddr,
}

/// A begun session.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The session's token.
    pub token: String,
    /// Time of expiry.
    pub expires_at: DateTime<Utc>,
    /// The return path of the sign-in.
    pub return_to: String,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("expires_at", &self.expires_at)
            .field("return_to", &self.return_to)
            .finish_non_exhaustive()
    }
}

/// A person with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The person's identity.
    pub owner: Owner,
    /// The permissions.
    pub role: Role,
    /// The provider's name or address for the person, shown to that person alone. Never stored.
    pub display_name: Option<String>,
    /// Expiry of the session.
    pub expires_at: DateTime<Utc>,
}

/// The acting person and the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The identity.
    pub owner: Owner,
    /// The permissions.
    pub role: Role,
    /// The request.
    pub request_id: RequestId,
}

/// Error of a sign-in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SignInError {
    /// Begun in another browser, answered before, older than ten minutes, or never begun.
    #[error(
        "this sign-in is not under way: it was answered before, is too old, or was begun elsewhere"
    )]
    NotUnderWay,
    /// The person, or the provider, refused.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The provider's token can't be a session.
    #[error("the identity provider's token can't be a session: {0}")]
    Unusable(String),
    /// More people sign in than the provider is asked about. The sign-in can still be completed.
    #[error("too many people sign in at the moment; retry after {retry_after:?}")]
    Busy {
        /// Time after which to retry.
        retry_after: Duration,
    },
    /// The provider or the store is unavailable.
    #[error("signing in is not possible now: {0}")]
    Unavailable(Cause),
}

/// Reason for which a token is no valid session.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SessionError {
    /// Missing a claim, forged, expired, signed out, or meant for another audience: the caller
    /// isn't told which.
    #[error("no session")]
    Invalid {
        /// For the log.
        cause: Cause,
    },
    /// The session, or its customer, sends too many requests.
    #[error("more than {limit} requests in a second; retry after {retry_after:?}")]
    TooManyRequests {
        /// The limit a second.
        limit: u32,
        /// Time after which to retry.
        retry_after: Duration,
    },
    /// The token can't be verified at the moment.
    #[error("sessions can't be checked now: {0}")]
    Unavailable(Cause),
}
