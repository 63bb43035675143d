//! Ports: the identity provider, and the deny list of signed-out sessions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::people::customer::Role;

use crate::Cause;

/// Port: an OpenID Connect provider at which the gateway is registered as a client.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The URL at which a browser requests an authorization code (RFC 6749, section 4.1.1, with PKCE S256 of
    /// RFC 7636).
    async fn authorization_url(
        &self,
        wish: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError>;

    /// Exchanges an authorization code for tokens. MUST check the ID token that comes with the access token:
    /// signature, issuer, audience, times and `nonce`, and that both tokens have the same subject.
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

    /// The URL at which the provider ends the browser's session and redirects it to `return_to`; `None` if
    /// unsupported.
    async fn sign_out_url(&self, return_to: &str) -> Option<String>;
}

/// Parameters of an authorization request.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationRequest<'a> {
    /// Opaque value that the provider returns with the code.
    pub state: &'a str,
    /// Value that the provider puts into the ID token.
    pub nonce: &'a str,
    /// The PKCE verifier: its hash is sent with the authorization request, the verifier with the code.
    pub verifier: &'a str,
    /// The URL to which the provider redirects the browser with the code.
    pub redirect_uri: &'a str,
}

/// An authorization code with the values that its redemption is checked against.
#[derive(Clone, Copy)]
pub struct CodeGrant<'a> {
    /// The authorization code.
    pub code: &'a str,
    /// Same as in [`AuthorizationRequest`].
    pub nonce: &'a str,
    /// Same as in [`AuthorizationRequest`].
    pub verifier: &'a str,
    /// Same as in [`AuthorizationRequest`].
    pub redirect_uri: &'a str,
    /// The `iss` parameter of the authorization response (RFC 9207); `None` if absent. The adapter refuses
    /// another issuer, and an absent one if the provider announces that it always sends it.
    pub issuer: Option<&'a str>,
}

/// A verified access token.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The encoded token, as the provider issued it.
    pub token: String,
    /// Verified claims of the token.
    pub claims: Claims,
}

/// Claims of a verified token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Claim `iss`: URL of the identity provider.
    pub issuer: String,
    /// Claim `sub`: the provider's id of the user.
    pub subject: String,
    /// Role, read from the claim that is configured for admins.
    pub role: Role,
    /// First present claim of `name`, `preferred_username` and `email`; `None` if all are absent.
    pub display_name: Option<String>,
    /// Claim `iat`; `None` if the provider doesn't write it.
    pub issued_at: Option<DateTime<Utc>>,
    /// Claim `exp`: the time at which the token expires.
    pub expires_at: DateTime<Utc>,
}

/// Error of a call to the identity provider.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IdentityError {
    /// The provider refused the request, for example because a code is invalid.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The answer can't be used; the text names the problem and the setting to change.
    #[error("the identity provider's answer can't be used: {0}")]
    Unusable(String),
    /// The provider can't be reached, or returns server errors.
    #[error("the identity provider is unavailable: {0}")]
    Unavailable(Cause),
}

/// Reason why a token isn't accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TokenError {
    /// A check of the token failed.
    #[error("the token isn't good: {0}")]
    Invalid(Cause),
    /// The provider's signing keys couldn't be fetched.
    #[error("the identity provider's keys can't be had: {0}")]
    Unavailable(Cause),
}

/// Port: deny list of signed-out sessions and answered sign-ins, shared by all processes.
#[async_trait]
pub trait DenyList: Send + Sync {
    /// Adds a fingerprint until `until`, the time at which its token expires. Returns whether it was listed
    /// already. One atomic step: of two concurrent calls, exactly one gets [`Denial::New`].
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, crate::outbound::StoreError>;

    /// Returns `true` if a fingerprint is listed.
    async fn is_denied(
        &self,
        fingerprint: &Fingerprint,
    ) -> Result<bool, crate::outbound::StoreError>;

    /// Invalidates all tokens that were issued until `at`, effective at the next start of each process.
    async fn end_sessions(&self, at: DateTime<Utc>) -> Result<(), crate::outbound::StoreError>;

    /// The latest time that was given to [`Self::end_sessions`]; `None` if it was never called.
    async fn sessions_ended_at(&self)
    -> Result<Option<DateTime<Utc>>, crate::outbound::StoreError>;
}

/// SHA-256 of a token or a sign-in, as 64 hexadecimal digits. The token itself is never stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub String);

/// Result of [`DenyList::deny`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The fingerprint wasn't listed before.
    New,
    /// The fingerprint was listed already.
    Repeated,
}
