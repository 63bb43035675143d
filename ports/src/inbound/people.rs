//! People: signing in, the session, signing out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::Role;
use domain::key::Owner;
use domain::request::RequestId;

use crate::Cause;

/// Lets people in and out. A session is the identity provider's access token, verified anew on
/// every request.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Begins a sign-in that ends at `return_to`, a path of ours.
    async fn begin(&self, return_to: &str) -> Result<SignIn, SignInError>;

    /// Ends a sign-in with what the provider sent back. Each [`SignIn`] is good for one answer,
    /// within ten minutes.
    async fn finish(&self, answer: SignInAnswer<'_>) -> Result<Session, SignInError>;

    /// Who presents a token. MUST refuse a token that was signed out.
    async fn person(&self, token: &str) -> Result<Person, SessionError>;

    /// Ends a session here, for every request from now on, and at the provider where it can.
    /// Returns where to send the browser so that the provider forgets it too.
    ///
    /// # Errors
    /// [`SessionError::Unavailable`] when it couldn't be ended here. A token that is no session is
    /// none afterwards either: no error.
    async fn end(&self, token: &str) -> Result<Option<String>, SessionError>;
}

/// A sign-in that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Where to send the browser.
    pub redirect: String,
    /// What only this browser may hold, and must present when it comes back.
    pub binding: String,
}

/// What came back from the provider, and what the browser holds.
#[derive(Clone, Copy, Debug)]
pub struct SignInAnswer<'a> {
    /// The `state` of the answer.
    pub state: &'a str,
    /// The code; an error's code instead, as the provider names it (RFC 6749, 4.1.2.1).
    pub outcome: Result<&'a str, &'a str>,
    /// [`SignIn::binding`].
    pub binding: &'a str,
}

/// A session that has begun.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The token that it is.
    pub token: String,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
    /// The path that the sign-in was begun for.
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
    /// Who it is.
    pub owner: Owner,
    /// What it may do.
    pub role: Role,
    /// What the provider calls it, for its own eyes: a name or an address. Never kept.
    pub display_name: Option<String>,
    /// When the session ends.
    pub expires_at: DateTime<Utc>,
}

/// Who asks, and in which request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub owner: Owner,
    /// What it may do.
    pub role: Role,
    /// The request.
    pub request_id: RequestId,
}

/// Why a sign-in failed.
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
    /// The provider or the store can't be reached.
    #[error("signing in is not possible now: {0}")]
    Unavailable(Cause),
}

/// Why a token is no session.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SessionError {
    /// Missing a claim, forged, expired, signed out, or meant for somebody else: nobody is told
    /// which.
    #[error("no session")]
    Invalid {
        /// For the log.
        cause: Cause,
    },
    /// Whether it is one can't be found out now.
    #[error("sessions can't be checked now: {0}")]
    Unavailable(Cause),
}
