//! The port: an OpenID Connect provider.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::{
    AccessToken, AuthorizationRequest, Claims, Clock, CodeGrant, IdentityError, IdentityProvider,
    ProviderKeyCache, TokenError,
};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::form_urlencoded::byte_serialize;

use crate::claims::{IdExpectation, Said};
use crate::config::OidcConfig;
use crate::discovery::{Authentication, Discovery, Endpoints};
use crate::errand::Terms;
use crate::fault::{Fault, identity_error};
use crate::keys::{Candidates, KeySet};
use crate::refreshing::{Patience, Refreshing};
use crate::shared_keys::{Jwks, SharedKeys};
use crate::sign_in::{SignIn, Tokens, refused};
use crate::token::{Header, Kind, Rejection};
use crate::wire::Wire;

/// Providers announce a new key minutes to days before they sign with it, and withdraw a leaked one
/// at once; one that signs right away is caught up with on the first unknown `kid`.
const KEY_TERMS: Terms = Terms {
    fresh: Duration::from_mins(10),
    stale: Duration::from_hours(24),
    pause: Duration::from_secs(10),
    pause_without: Duration::from_secs(1),
};

/// Endpoints move about never.
const DISCOVERY_TERMS: Terms = Terms {
    fresh: Duration::from_hours(1),
    ..KEY_TERMS
};

/// What errors call the answer to a revocation.
const REVOCATION: &str = "the revocation endpoint";

/// An OpenID Connect provider. Nothing is asked of it before it is needed, so it may be down when we
/// start.
pub struct Oidc {
    config: OidcConfig,
    clock: Arc<dyn Clock>,
    wire: Wire,
    discovery: Arc<Refreshing<Discovery>>,
    keys: Arc<Refreshing<SharedKeys>>,
}

/// Why there is no provider.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// Without it there is no ID token.
    #[error("the scopes must contain `openid`")]
    NoOpenId,
    /// A setting without which nothing works.
    #[error("the {0} must not be empty")]
    Empty(&'static str),
    /// The HTTP client couldn't be built; the system's certificates may be unreadable.
    #[error("the HTTP client could not be built")]
    Client(#[source] reqwest::Error),
}

/// Why a token isn't accepted now.
enum Refusal {
    Token(Rejection),
    Keys(Arc<Fault>),
}

impl Oidc {
    /// A provider by its configuration, whose keys are shared with all processes that have the same
    /// `cache`. The process must have a TLS provider installed.
    ///
    /// # Errors
    /// See [`OidcError`].
    pub fn new(
        config: OidcConfig,
        cache: Arc<dyn ProviderKeyCache>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OidcError> {
        if config.client_id.is_empty() {
            return Err(OidcError::Empty("client id"));
        }
        if config.audience.is_empty() {
            return Err(OidcError::Empty("audience"));
        }
        if !config.scopes.iter().any(|scope| scope == "openid") {
            return Err(OidcError::NoOpenId);
        }
        let wire = Wire::new(&config).map_err(OidcError::Client)?;
        let source = Discovery {
            wire: wire.clone(),
            issuer: config.issuer.clone(),
        };
        let discovery = Refreshing::new(source, DISCOVERY_TERMS, Arc::clone(&clock));
        let provider = Jwks {
            wire: wire.clone(),
            discovery: Arc::clone(&discovery),
        };
        let issuer = config.issuer.as_str().to_owned();
        let source = SharedKeys::new(provider, issuer, cache, Arc::clone(&clock));
        let keys = Refreshing::new(source, KEY_TERMS, Arc::clone(&clock));
        Ok(Self {
            config,
            clock,
            wire,
            discovery,
            keys,
        })
    }

    async fn endpoints(&self) -> Result<Arc<Endpoints>, IdentityError> {
        let endpoints = self.discovery.get().await;
        endpoints.map_err(|fault| identity_error(&fault))
    }

    fn sign_in<'a>(&'a self, endpoints: &'a Endpoints) -> SignIn<'a> {
        SignIn {
            config: &self.config,
            endpoints,
        }
    }

    /// The claims of a token with a good signature. When the provider's keys don't have the token's,
    /// they are fetched anew.
    async fn open(
        &self,
        token: &str,
        header: &Header,
        patience: Patience,
    ) -> Result<Map<String, Value>, Refusal> {
        let since = self.keys.departures();
        let mut keys = self.keys.get().await.map_err(Refusal::Keys)?;
        loop {
            let rejection = match open_with(&keys, token, header) {
                Ok(claims) => return Ok(claims),
                Err(rejection) => rejection,
            };
            if !may_be_mended(header, &rejection) {
                return Err(Refusal::Token(rejection));
            }
            let newer = self.keys.newer_than(&keys, since, patience).await;
            let newer = newer.map_err(Refusal::Keys)?;
            if Arc::ptr_eq(&newer, &keys) {
                return Err(Refusal::Token(rejection));
            }
            keys = newer;
        }
    }

    async fn access(&self, token: &str, patience: Patience) -> Result<Claims, Refusal> {
        let header = Header::read(token, Kind::Access).map_err(Refusal::Token)?;
        let claims = self.open(token, &header, patience).await?;
        let said = Said::new(&claims, self.clock.now());
        said.access(&header, &self.config).map_err(Refusal::Token)
    }

    /// The subject of the ID token that came with an access token.
    async fn subject(&self, tokens: &Tokens, nonce: &str) -> Result<String, Refusal> {
        let header = Header::read(&tokens.id, Kind::Id).map_err(Refusal::Token)?;
        let claims = self.open(&tokens.id, &header, Patience::Pause).await?;
        let expected = IdExpectation {
            nonce,
            access_token: &tokens.access,
        };
        let said = Said::new(&claims, self.clock.now());
        let subject = said.id(&header, &self.config, &expected);
        subject.map(ToOwned::to_owned).map_err(Refusal::Token)
    }
}

fn open_with(keys: &KeySet, token: &str, header: &Header) -> Result<Map<String, Value>, Rejection> {
    match keys.candidates(header.key_id.as_deref(), header.algorithm) {
        Candidates::Keys(keys) => header.open(token, &keys),
        Candidates::Unknown => Err(Rejection::UnknownKey),
        Candidates::Ambiguous => Err(Rejection::NoKeyNamed),
        Candidates::OtherAlgorithm => Err(Rejection::OtherAlgorithm),
    }
}

/// Whether newer keys may accept the token: its key is new, or it can't be told which it is.
fn may_be_mended(header: &Header, rejection: &Rejection) -> bool {
    match rejection {
        Rejection::UnknownKey => true,
        Rejection::Signature | Rejection::OtherAlgorithm => header.key_id.is_none(),
        _ => false,
    }
}

#[async_trait]
impl IdentityProvider for Oidc {
    async fn authorization_url(
        &self,
        wish: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError> {
        let endpoints = self.endpoints().await?;
        let address = self.sign_in(&endpoints).address(wish)?;
        Ok(address.into())
    }

    /// Waits for the provider's keys if it has new ones that must not be fetched yet: the tokens
    /// come from the provider itself, so they will be good.
    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError> {
        let endpoints = self.endpoints().await?;
        let tokens = self.sign_in(&endpoints).redeem(&self.wire, grant).await?;
        let subject = self.subject(&tokens, grant.nonce).await;
        let subject = subject.map_err(|refusal| unusable(refusal, "the ID token"))?;
        if let Err(Rejection::NotAJwt) = Header::read(&tokens.access, Kind::Access) {
            return Err(IdentityError::Unusable(OPAQUE.to_owned()));
        }
        let claims = self.access(&tokens.access, Patience::Pause).await;
        let claims = claims.map_err(|refusal| unusable(refusal, "the access token"))?;
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
        let claims = self.access(token, Patience::None).await;
        claims.map_err(|refusal| match refusal {
            Refusal::Token(rejection) => TokenError::Invalid(Arc::new(rejection)),
            Refusal::Keys(fault) => TokenError::Unavailable(fault),
        })
    }

    async fn revoke(&self, token: &str) -> Result<(), IdentityError> {
        let endpoints = self.endpoints().await?;
        let Some(revocation) = &endpoints.revocation else {
            return Ok(());
        };
        // `oauth2` would do this too, but not on loopback without TLS.
        let client_id = self.config.client_id.as_str();
        let secret = self.config.client_secret.as_ref();
        let mut form = vec![("token", token), ("token_type_hint", "access_token")];
        let request = match (secret, endpoints.revocation_authentication) {
            (None, _) => {
                form.push(("client_id", client_id));
                self.wire.post(revocation, &form)
            }
            (Some(secret), Authentication::Post) => {
                form.push(("client_id", client_id));
                form.push(("client_secret", secret.expose()));
                self.wire.post(revocation, &form)
            }
            (Some(secret), Authentication::Basic) => {
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let password = encoded(secret.expose());
                let request = self.wire.post(revocation, &form);
                request.basic_auth(encoded(client_id), Some(password))
            }
            (Some(_), Authentication::Foreign) => return Ok(()),
        };
        let answer = self.wire.send(REVOCATION, request).await;
        let answer = answer.map_err(|fault| identity_error(&Arc::new(fault)))?;
        if answer.status == StatusCode::OK {
            return Ok(());
        }
        match error_code(&answer.body).as_deref() {
            // It offers to revoke, but not this kind of token (RFC 7009, 2.2.1).
            Some("unsupported_token_type") => Ok(()),
            Some(code) => Err(refused(code)),
            None => {
                let status = answer.status.as_u16();
                let problem = format!("{REVOCATION}: HTTP {status}");
                Err(IdentityError::Unusable(problem))
            }
        }
    }

    async fn sign_out_url(&self, return_to: &str) -> Option<String> {
        let endpoints = self.discovery.get().await.ok()?;
        let mut address = endpoints.end_session.clone()?;
        address
            .query_pairs_mut()
            .append_pair("client_id", &self.config.client_id)
            .append_pair("post_logout_redirect_uri", return_to);
        Some(address.into())
    }
}

const OPAQUE: &str = "the access token is no JWT, so it can't be a session; register the gateway as \
                      an API (a resource) at the provider, have its access tokens be JWTs, and set \
                      the audience to the API's name";

/// Why a sign-in has no session.
fn unusable(refusal: Refusal, what: &str) -> IdentityError {
    match refusal {
        Refusal::Keys(fault) => identity_error(&fault),
        Refusal::Token(rejection @ Rejection::Nonce) => {
            IdentityError::Refused(format!("{what}: {rejection}"))
        }
        Refusal::Token(rejection) => {
            IdentityError::Unusable(format!("{what} isn't good: {rejection}"))
        }
    }
}

/// The `error` of an error's answer.
fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Document {
        error: String,
    }
    let document: Document = serde_json::from_slice(body).ok()?;
    Some(document.error)
}
