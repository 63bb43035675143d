//! Ports: the identity provider, and the deny list of signed-out sessions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::Role;

use crate::Cause;

/// Port: an OpenID Connect provider with one client registered for us.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The URL to send a browser to for an authorization code (RFC 6749, 4.1.1; PKCE S256, RFC
    /// 7636).
    async fn authorization_url(
        &self,
        wish: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError>;

    /// Redeems a code. MUST check the ID token that comes with the access token: its signature,
    /// issuer, audience, times and `nonce`, and that both tokens are of one subject.
    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError>;

    /// Verifies an access token and returns its claims.
    ///
    /// # Errors
    /// MUST return [`TokenError::Invalid`] unless the signature is by a key that the provider
    /// publishes, with the algorithm of that key; `iss`, `aud`, `exp`, `sub` are present and right;
    /// `nbf`, if present, has passed; and it is no ID token.
    async fn verify(&self, token: &str) -> Result<Claims, TokenError>;

    /// Revokes an access token at the provider (RFC 7009), if supported.
    async fn revoke(&self, token: &str) -> Result<(), IdentityError>;

    /// The URL to send a browser to so that the provider ends its own session and sends it back to
    /// `return_to`; `None` if unsupported.
    async fn sign_out_url(&self, return_to: &str) -> Option<String>;
}

/// Parameters of an authorization request.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationRequest<'a> {
    /// Returned with the code.
    pub state: &'a str,
    /// Returned in the ID token.
    pub nonce: &'a str,
    /// The PKCE verifier: its hash goes with the browser, itself with the code.
    pub verifier: &'a str,
    /// The URL to which the browser is sent with the code.
    pub redirect_uri: &'a str,
}

/// An authorization code and the proof that it is ours.
#[derive(Clone, Copy)]
pub struct CodeGrant<'a> {
    /// The code.
    pub code: &'a str,
    /// As in [`AuthorizationRequest`].
    pub nonce: &'a str,
    /// As in [`AuthorizationRequest`].
    pub verifier: &'a str,
    /// As in [`AuthorizationRequest`].
    pub redirect_uri: &'a str,
    /// The issuer that the answer with the code names (RFC 9207), if it names one. The provider refuses another
    /// one's, and if it always names itself, an answer without one.
    pub issuer: Option<&'a str>,
}

/// A verified access token.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The token.
    pub token: String,
    /// Its claims.
    pub claims: Claims,
}

/// Claims of a verified token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// `iss`.
    pub issuer: String,
    /// `sub`.
    pub subject: String,
    /// The role, from the configured claim for admins.
    pub role: Role,
    /// `name`, `preferred_username` or `email`, the first that is there.
    pub display_name: Option<String>,
    /// `iat`, which not every provider writes.
    pub issued_at: Option<DateTime<Utc>>,
    /// `exp`.
    pub expires_at: DateTime<Utc>,
}

/// Error of a call to the provider.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IdentityError {
    /// The provider refused: a code, for instance.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The answer can't be used; the text says what is wrong and what to set.
    #[error("the identity provider's answer can't be used: {0}")]
    Unusable(String),
    /// The provider can't be reached, or fails.
    #[error("the identity provider is unavailable: {0}")]
    Unavailable(Cause),
}

/// Reason for which a token isn't accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TokenError {
    /// The token is invalid.
    #[error("the token isn't good: {0}")]
    Invalid(Cause),
    /// The provider's keys are unavailable.
    #[error("the identity provider's keys can't be had: {0}")]
    Unavailable(Cause),
}

/// Port: deny list of signed-out sessions and answered sign-ins, shared by all processes.
#[async_trait]
pub trait DenyList: Send + Sync {
    /// Denies a fingerprint until `until`, when it is worthless anyway. Returns if it was denied
    /// before. One atomic step: of two concurrent calls, one is the first.
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, crate::outbound::StoreError>;

    /// Returns `true` if a fingerprint is denied.
    async fn is_denied(
        &self,
        fingerprint: &Fingerprint,
    ) -> Result<bool, crate::outbound::StoreError>;

    /// Denies, from the next start on, every token that was issued until `at`, whatever was signed out.
    async fn end_sessions(&self, at: DateTime<Utc>) -> Result<(), crate::outbound::StoreError>;

    /// The latest time given to [`Self::end_sessions`]; `None` if it was never called.
    async fn sessions_ended_at(&self)
    -> Result<Option<DateTime<Utc>>, crate::outbound::StoreError>;
}

/// A digest of a token or a sign-in, which itself is never stored. 64 hexadecimal digits, SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub String);

/// Result of denying a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// It wasn't denied before.
    New,
    /// It was denied already.
    Repeated,
}
