//! The identity provider, and what was signed out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::Role;

use crate::Cause;

/// An OpenID Connect provider, with one client registered for us.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Where to send a browser for an authorization code (RFC 6749, 4.1.1; PKCE S256, RFC 7636).
    async fn authorization_url(
        &self,
        wish: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError>;

    /// Redeems a code. MUST check the ID token that comes with the access token: its signature,
    /// issuer, audience, times and `nonce`, and that both tokens are of one subject.
    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError>;

    /// Who an access token is of.
    ///
    /// # Errors
    /// MUST return [`TokenError::Invalid`] unless the signature is by a key that the provider
    /// publishes, with the algorithm of that key; `iss`, `aud`, `exp`, `sub` are there and right;
    /// `nbf`, when it is there, has passed; and it is no ID token.
    async fn verify(&self, token: &str) -> Result<Claims, TokenError>;

    /// Revokes an access token at the provider (RFC 7009), where it offers that.
    async fn revoke(&self, token: &str) -> Result<(), IdentityError>;

    /// Where to send a browser so that the provider ends its own session and sends it back to
    /// `return_to`; `None` where it offers no such place.
    async fn sign_out_url(&self, return_to: &str) -> Option<String>;
}

/// What an authorization code is wanted for.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationRequest<'a> {
    /// Comes back with the code.
    pub state: &'a str,
    /// Comes back in the ID token.
    pub nonce: &'a str,
    /// The secret whose hash goes with the browser, and which itself goes with the code.
    pub verifier: &'a str,
    /// Where the browser is sent with the code.
    pub redirect_uri: &'a str,
}

/// A code, and what proves that it is ours.
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
}

/// An access token that was verified.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The token.
    pub token: String,
    /// What it says.
    pub claims: Claims,
}

/// What a verified token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// `iss`.
    pub issuer: String,
    /// `sub`.
    pub subject: String,
    /// What the claim that names admins makes of it.
    pub role: Role,
    /// `name`, `preferred_username` or `email`, the first that is there.
    pub display_name: Option<String>,
    /// `exp`.
    pub expires_at: DateTime<Utc>,
}

/// The provider didn't do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IdentityError {
    /// It said no: to a code, for instance.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// It answered something that can't be used; the text says what is wrong and what to set.
    #[error("the identity provider's answer can't be used: {0}")]
    Unusable(String),
    /// It can't be reached, or fails.
    #[error("the identity provider is unavailable: {0}")]
    Unavailable(Cause),
}

/// Why a token isn't accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TokenError {
    /// It isn't good.
    #[error("the token isn't good: {0}")]
    Invalid(Cause),
    /// The provider's keys can't be had.
    #[error("the identity provider's keys can't be had: {0}")]
    Unavailable(Cause),
}

/// Remembers what must not be accepted any more: sessions that were signed out, sign-ins that were
/// answered. Shared by all processes.
#[async_trait]
pub trait DenyList: Send + Sync {
    /// Denies a fingerprint until `until`, when it would be worthless anyway. Tells whether it was
    /// denied before. One atomic step: of two at the same moment, one is the first.
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, crate::outbound::StoreError>;

    /// Whether a fingerprint is denied.
    async fn is_denied(
        &self,
        fingerprint: &Fingerprint,
    ) -> Result<bool, crate::outbound::StoreError>;
}

/// A digest that stands for a token or a sign-in: the thing itself is never kept. 64 hexadecimal
/// digits, SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub String);

/// Whether somebody was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// It is denied from now on.
    New,
    /// It was denied already.
    Repeated,
}
