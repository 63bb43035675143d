//! Adapter of [`IdentityProvider`] for an OpenID Connect provider.

use std::sync::Arc;

use async_trait::async_trait;
use ports::outbound::{
    AccessToken, AuthorizationRequest, Claims, Clock, CodeGrant, IdentityError, IdentityProvider,
    TokenError,
};
use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::byte_serialize;

use crate::cache::{Cache, CoolDown};
use crate::claims::{ExpectedIdToken, VerifiedClaims};
use crate::code_flow::{CodeFlow, Tokens, error_response};
use crate::config::OidcConfig;
use crate::discovery::{ClientAuthentication, Discovery, Endpoints};
use crate::error::{ProviderError, identity_error};
use crate::http::HttpClient;
use crate::jwks::{Candidates, Jwks, KeySet};
use crate::token::{Header, InvalidToken, Kind};

/// Name of the response to a revocation in errors.
const REVOCATION: &str = "the revocation endpoint";

/// OpenID Connect provider. Sends no request before a result is needed, so the provider may be down
/// when the process starts.
pub struct Oidc {
    config: OidcConfig,
    clock: Arc<dyn Clock>,
    http: HttpClient,
    discovery: Arc<Cache<Discovery>>,
    keys: Arc<Cache<Jwks>>,
}

/// Reason why a configuration can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// Without the scope there is no ID token.
    #[error("the scopes must contain `openid`")]
    NoOpenId,
    #[error("the {0} must not be empty")]
    Empty(&'static str),
    /// The HTTP client couldn't be built; the system's certificates may be unreadable.
    #[error("the HTTP client could not be built")]
    Client(#[source] reqwest::Error),
}

/// Reason why a token can't be accepted now.
enum VerifyError {
    Invalid(InvalidToken),
    /// The provider's keys can't be fetched, so the token can't be verified.
    Unavailable(Arc<ProviderError>),
}

impl Oidc {
    /// Creates the adapter. The process must have a TLS provider installed.
    ///
    /// # Errors
    /// See [`OidcError`].
    pub fn new(config: OidcConfig, clock: Arc<dyn Clock>) -> Result<Self, OidcError> {
        if config.client_id.is_empty() {
            return Err(OidcError::Empty("client id"));
        }
        if config.audience.is_empty() {
            return Err(OidcError::Empty("audience"));
        }
        if !config.scopes.iter().any(|scope| scope == "openid") {
            return Err(OidcError::NoOpenId);
        }
        let http = HttpClient::new(&config).map_err(OidcError::Client)?;
        let source = Discovery {
            http: http.clone(),
            issuer: config.issuer.clone(),
        };
        let discovery = Cache::new(source, Arc::clone(&clock));
        let source = Jwks {
            http: http.clone(),
            discovery: Arc::clone(&discovery),
        };
        let keys = Cache::new(source, Arc::clone(&clock));
        Ok(Self {
            config,
            clock,
            http,
            discovery,
            keys,
        })
    }

    async fn endpoints(&self) -> Result<Arc<Endpoints>, IdentityError> {
        let endpoints = self.discovery.get().await;
        endpoints.map_err(|error| identity_error(&error))
    }

    fn code_flow<'a>(&'a self, endpoints: &'a Endpoints) -> CodeFlow<'a> {
        CodeFlow {
            config: &self.config,
            endpoints,
        }
    }

    /// Returns the claims of a token with a valid signature. Refreshes the provider's keys when the
    /// cached ones don't have the token's.
    async fn signed_claims(
        &self,
        token: &str,
        header: &Header,
        cool_down: CoolDown,
    ) -> Result<Map<String, Value>, VerifyError> {
        let since = self.keys.fetches();
        let mut keys = self.keys.get().await.map_err(VerifyError::Unavailable)?;
        loop {
            let reason = match verify_signature(&keys, token, header) {
                Ok(claims) => return Ok(claims),
                Err(reason) => reason,
            };
            if !may_be_rotation(header, &reason) {
                return Err(VerifyError::Invalid(reason));
            }
            let newer = self.keys.newer_than(&keys, since, cool_down).await;
            let newer = newer.map_err(VerifyError::Unavailable)?;
            if Arc::ptr_eq(&newer, &keys) {
                return Err(VerifyError::Invalid(reason));
            }
            keys = newer;
        }
    }

    async fn verify_access_token(
        &self,
        token: &str,
        cool_down: CoolDown,
    ) -> Result<Claims, VerifyError> {
        let header = Header::parse(token, Kind::Access).map_err(VerifyError::Invalid)?;
        let claims = self.signed_claims(token, &header, cool_down).await?;
        let claims = VerifiedClaims::new(&claims, self.clock.now());
        let claims = claims.check_access_token(&header, &self.config);
        claims.map_err(VerifyError::Invalid)
    }

    /// Verifies the ID token that came with an access token, and returns its subject.
    async fn verify_id_token(&self, tokens: &Tokens, nonce: &str) -> Result<String, VerifyError> {
        let header = Header::parse(&tokens.id, Kind::Id).map_err(VerifyError::Invalid)?;
        let claims = self.signed_claims(&tokens.id, &header, CoolDown::WaitOut);
        let claims = claims.await?;
        let expected = ExpectedIdToken {
            nonce,
            access_token: &tokens.access,
        };
        let claims = VerifiedClaims::new(&claims, self.clock.now());
        let subject = claims.check_id_token(&header, &self.config, &expected);
        let subject = subject.map_err(VerifyError::Invalid)?;
        Ok(subject.to_owned())
    }

    /// Builds a revocation request (RFC 7009, 2.1); `None` when the provider has no revocation
    /// endpoint, or accepts no client authentication of ours. `oauth2` has such requests too, but
    /// refuses http on loopback.
    fn revocation_request(&self, endpoints: &Endpoints, token: &str) -> Option<RequestBuilder> {
        let url: &Url = endpoints.revocation.as_ref()?;
        let client_id = self.config.client_id.as_str();
        let mut form = vec![("token", token), ("token_type_hint", "access_token")];
        let Some(secret) = &self.config.client_secret else {
            form.push(("client_id", client_id));
            return Some(self.http.post_form(url, &form));
        };
        match endpoints.revocation_authentication {
            ClientAuthentication::Post => {
                form.push(("client_id", client_id));
                form.push(("client_secret", secret.expose()));
                Some(self.http.post_form(url, &form))
            }
            ClientAuthentication::Basic => {
                // RFC 6749, 2.3.1: both are form-encoded first.
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let request = self.http.post_form(url, &form);
                Some(request.basic_auth(encoded(client_id), Some(encoded(secret.expose()))))
            }
            ClientAuthentication::Unsupported => None,
        }
    }
}

fn verify_signature(
    keys: &KeySet,
    token: &str,
    header: &Header,
) -> Result<Map<String, Value>, InvalidToken> {
    match keys.candidates(header.key_id.as_deref(), header.algorithm) {
        Candidates::Keys(keys) => header.verify_signature(token, &keys),
        Candidates::Unknown => Err(InvalidToken::UnknownKey),
        Candidates::Ambiguous => Err(InvalidToken::NoKeyNamed),
        Candidates::OtherAlgorithm => Err(InvalidToken::OtherAlgorithm),
    }
}

/// Returns whether newer keys may verify the token: its key is unknown, or it names no key and the
/// key may have been replaced.
fn may_be_rotation(header: &Header, reason: &InvalidToken) -> bool {
    match reason {
        InvalidToken::UnknownKey => true,
        InvalidToken::Signature | InvalidToken::OtherAlgorithm => header.key_id.is_none(),
        _ => false,
    }
}

#[async_trait]
impl IdentityProvider for Oidc {
    async fn authorization_url(
        &self,
        request: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError> {
        let endpoints = self.endpoints().await?;
        let url = self.code_flow(&endpoints).authorization_url(request)?;
        Ok(url.into())
    }

    /// Waits out the cool-down when a key is unknown: the tokens come from the provider itself, so
    /// the key exists.
    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError> {
        let endpoints = self.endpoints().await?;
        let issuer = self.config.issuer.as_str();
        let is_own = grant
            .issuer
            .map_or(!endpoints.names_itself, |named| named == issuer);
        if !is_own {
            return Err(IdentityError::Refused(ANOTHER_ISSUER.to_owned()));
        }
        let tokens = self.code_flow(&endpoints).redeem(&self.http, grant).await?;
        let subject = self.verify_id_token(&tokens, grant.nonce).await;
        let subject = subject.map_err(|error| sign_in_error(error, "the ID token"))?;
        if let Err(InvalidToken::NotAJwt) = Header::parse(&tokens.access, Kind::Access) {
            return Err(IdentityError::Unusable(OPAQUE.to_owned()));
        }
        let claims = self.verify_access_token(&tokens.access, CoolDown::WaitOut);
        let claims = claims.await;
        let claims = claims.map_err(|error| sign_in_error(error, "the access token"))?;
        if claims.subject != subject {
            let problem = "the access token and the ID token are of two subjects";
            return Err(IdentityError::Unusable(problem.to_owned()));
        }
        Ok(AccessToken {
            token: tokens.access,
            claims,
        })
    }

    async fn verify(&self, token: &str) -> Result<Claims, TokenError> {
        let claims = self.verify_access_token(token, CoolDown::Respect).await;
        claims.map_err(|error| match error {
            VerifyError::Invalid(reason) => TokenError::Invalid(Arc::new(reason)),
            VerifyError::Unavailable(error) => TokenError::Unavailable(error),
        })
    }

    async fn revoke(&self, token: &str) -> Result<(), IdentityError> {
        let endpoints = self.endpoints().await?;
        let Some(request) = self.revocation_request(&endpoints, token) else {
            return Ok(());
        };
        let response = self.http.send(REVOCATION, request).await;
        let response = response.map_err(|error| identity_error(&Arc::new(error)))?;
        if response.status == StatusCode::OK {
            return Ok(());
        }
        match error_code(&response.body).as_deref() {
            // The provider revokes other tokens, but no access tokens (RFC 7009, 2.2.1).
            Some("unsupported_token_type") => Ok(()),
            Some(code) => Err(error_response(code)),
            None => {
                let status = response.status.as_u16();
                let problem = format!("{REVOCATION}: HTTP {status}");
                Err(IdentityError::Unusable(problem))
            }
        }
    }

    async fn sign_out_url(&self, return_to: &str) -> Option<String> {
        let endpoints = self.discovery.get().await.ok()?;
        let mut url = endpoints.end_session.clone()?;
        url.query_pairs_mut()
            .append_pair("client_id", &self.config.client_id)
            .append_pair("post_logout_redirect_uri", return_to);
        Some(url.into())
    }
}

/// A code of another provider must not reach this one's token endpoint (RFC 9207, 2.4).
const ANOTHER_ISSUER: &str =
    "the answer isn't this provider's: its parameter `iss` names another one, or is missing";

const OPAQUE: &str = "the access token is no JWT, so it can't be a session; register the gateway as \
                      an API (a resource) at the provider, have its access tokens be JWTs, and set \
                      the audience to the API's name";

/// Converts the failed verification of a token that came with a code.
fn sign_in_error(error: VerifyError, token: &str) -> IdentityError {
    match error {
        VerifyError::Unavailable(error) => identity_error(&error),
        VerifyError::Invalid(reason @ InvalidToken::Nonce) => {
            IdentityError::Refused(format!("{token}: {reason}"))
        }
        VerifyError::Invalid(reason) => {
            IdentityError::Unusable(format!("{token} isn't good: {reason}"))
        }
    }
}

/// Parses the `error` of an error response (RFC 6749, 5.2).
fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct ErrorResponse {
        error: String,
    }
    let response: ErrorResponse = serde_json::from_slice(body).ok()?;
    Some(response.error)
}
