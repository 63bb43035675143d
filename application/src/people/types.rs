//! Requests and results of sign-in, sessions and sign-out.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::people::customer::{Owner, Role};
use domain::request::RequestId;

use ports::Cause;
use ports::outbound::{Clock, Random, new_id};

/// A begun sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The provider's URL to redirect the browser to.
    pub redirect: String,
    /// Value that binds the sign-in to this browser, which must send it with the answer.
    pub binding: String,
}

/// The provider's answer, with data of the browser that delivers it.
#[derive(Clone, Copy, Debug)]
pub struct SignInAnswer<'a> {
    /// The answer's `state` parameter.
    pub state: &'a str,
    /// The authorization code, or the provider's error code (RFC 6749, section 4.1.2.1).
    pub outcome: Result<&'a str, &'a str>,
    /// The answer's `iss` parameter (RFC 9207); `None` if absent.
    pub issuer: Option<&'a str>,
    /// [`SignIn::binding`], as stored by the browser.
    pub binding: &'a str,
    /// The browser's IP address.
    pub address: IpAddr,
}

/// A session that was just begun.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// Access token, which authenticates the session's requests.
    pub token: String,
    /// Time at which the session expires.
    pub expires_at: DateTime<Utc>,
    /// Local path to redirect the browser to, as given at the beginning of the sign-in.
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

/// A person with a valid session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Issuer and subject at the identity provider.
    pub owner: Owner,
    /// Role, which decides the permissions.
    pub role: Role,
    /// Name or e-mail address by the provider, shown to that person only, and never stored.
    pub display_name: Option<String>,
    /// Time at which the session expires.
    pub expires_at: DateTime<Utc>,
}

/// The acting person and the current request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Issuer and subject at the identity provider.
    pub owner: Owner,
    /// Role, which decides the permissions.
    pub role: Role,
    /// The request id for the audit log and the answer.
    pub request_id: RequestId,
}

impl Caller {
    /// A mutation of the caller's, now, under a new id.
    pub(crate) fn act(&self, clock: &dyn Clock, random: &dyn Random) -> AuditContext {
        AuditContext {
            id: new_id(clock, random),
            at: clock.now(),
            actor: self.owner.clone(),
            request_id: self.request_id.clone(),
        }
    }
}

/// Error of a sign-in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SignInError {
    /// The sign-in was begun in another browser, answered before, is older than ten minutes, or was never
    /// begun.
    #[error(
        "this sign-in is not under way: it was answered before, is too old, or was begun elsewhere"
    )]
    NotUnderWay,
    /// The person cancelled the sign-in, or the provider refused it.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The provider's answer can't be used; the text names the problem.
    #[error("the identity provider's token can't be a session: {0}")]
    Unusable(String),
    /// The limit on redemptions at the provider is reached. The same sign-in can be completed later.
    #[error("too many people sign in at the moment; retry after {retry_after:?}")]
    Busy {
        /// Time after which to try again.
        retry_after: Duration,
    },
    /// The provider or the store is unavailable.
    #[error("signing in is not possible now: {0}")]
    Unavailable(Cause),
}

/// Reason why a token isn't accepted as a session.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SessionError {
    /// The token lacks a claim, or is forged, expired, signed out, or for another audience. The answer
    /// doesn't tell which.
    #[error("no session")]
    Invalid {
        /// To be logged.
        cause: Cause,
    },
    /// The session or its customer exceeds a rate limit.
    #[error("more than {limit} requests in a second; retry after {retry_after:?}")]
    TooManyRequests {
        /// Limit of requests a second.
        limit: u32,
        /// Time after which to try again.
        retry_after: Duration,
    },
    /// The token can't be verified at present, because the provider or the store is unavailable.
    #[error("sessions can't be checked now: {0}")]
    Unavailable(Cause),
}
