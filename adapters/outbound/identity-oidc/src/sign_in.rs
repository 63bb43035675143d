//! Redeeming a code at the token endpoint, by way of `oauth2`.

use std::borrow::Cow;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
    BasicTokenType,
};
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, AuthorizationCode, Client, ClientId, CsrfToken,
    EndpointNotSet, EndpointSet, ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, StandardRevocableToken,
    StandardTokenResponse, TokenResponse as _, TokenUrl,
};
use ports::outbound::{AuthorizationRequest, CodeGrant, IdentityError};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::OidcConfig;
use crate::discovery::{Authentication, Endpoints};
use crate::fault::{Fault, identity_error};
use crate::wire::Wire;

/// What errors call the answer.
const WHAT: &str = "the token endpoint";

/// The shortest and longest PKCE verifier (RFC 7636, 4.1).
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;

/// The field that OpenID Connect adds to a token response.
#[derive(Debug, Deserialize, Serialize)]
struct IdTokenField {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdTokenField {}

type OurClient = Client<
    BasicErrorResponse,
    StandardTokenResponse<IdTokenField, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// Carries the request of `oauth2`, which knows an older reqwest.
struct TokenEndpoint<'a>(&'a Wire);

impl<'c> AsyncHttpClient<'c> for TokenEndpoint<'_> {
    type Error = Fault;
    type Future = BoxFuture<'c, Result<HttpResponse, Fault>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        self.0.carry(WHAT, request).boxed()
    }
}

/// Both tokens of a sign-in, not verified yet.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) id: String,
}

/// One sign-in at the provider.
pub(crate) struct SignIn<'a> {
    pub(crate) config: &'a OidcConfig,
    pub(crate) endpoints: &'a Endpoints,
}

impl SignIn<'_> {
    /// Where to send the browser.
    pub(crate) fn address(&self, wish: &AuthorizationRequest<'_>) -> Result<Url, IdentityError> {
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier(wish.verifier)?);
        let redirect = redirect_url(wish.redirect_uri)?;
        let client = self.client()?;
        let scopes = self.config.scopes.iter().cloned().map(Scope::new);
        let mut request = client
            .authorize_url(|| CsrfToken::new(wish.state.to_owned()))
            .set_redirect_uri(Cow::Owned(redirect))
            .set_pkce_challenge(challenge)
            .add_scopes(scopes)
            .add_extra_param("nonce", wish.nonce);
        if self.config.audience != self.config.client_id {
            // How Auth0 and others are told whom the access token is for; unknown parameters are
            // ignored (RFC 6749, 3.1).
            request = request.add_extra_param("audience", self.config.audience.as_str());
        }
        if let Some(resource) = self.resource() {
            request = request.add_extra_param("resource", resource);
        }
        Ok(request.url().0)
    }

    /// Redeems a code.
    pub(crate) async fn redeem(
        &self,
        wire: &Wire,
        grant: &CodeGrant<'_>,
    ) -> Result<Tokens, IdentityError> {
        let redirect = redirect_url(grant.redirect_uri)?;
        let client = self.client()?;
        let mut request = client
            .exchange_code(AuthorizationCode::new(grant.code.to_owned()))
            .set_pkce_verifier(verifier(grant.verifier)?)
            .set_redirect_uri(Cow::Owned(redirect));
        if let Some(resource) = self.resource() {
            request = request.add_extra_param("resource", resource);
        }
        let answer = request.request_async(&TokenEndpoint(wire)).await;
        let answer = answer.map_err(refusal)?;
        let id = answer.extra_fields().id_token.clone();
        let id = id.ok_or_else(|| unusable("no ID token; `openid` must be among the scopes"))?;
        Ok(Tokens {
            access: answer.access_token().secret().clone(),
            id,
        })
    }

    /// How a standard provider is told whom the access token is for: by an absolute address, if the
    /// audience is one (RFC 8707).
    fn resource(&self) -> Option<&str> {
        let audience = self.config.audience.as_str();
        let address = Url::parse(audience).ok()?;
        (audience != self.config.client_id && address.fragment().is_none()).then_some(audience)
    }

    fn client(&self) -> Result<OurClient, IdentityError> {
        let authorization = AuthUrl::from_url(self.endpoints.authorization.clone());
        let token = TokenUrl::from_url(self.endpoints.token.clone());
        let client = Client::new(ClientId::new(self.config.client_id.clone()))
            .set_auth_uri(authorization)
            .set_token_uri(token);
        let Some(secret) = &self.config.client_secret else {
            return Ok(client);
        };
        let authentication = match self.endpoints.token_authentication {
            Authentication::Basic => AuthType::BasicAuth,
            Authentication::Post => AuthType::RequestBody,
            Authentication::Foreign => {
                return Err(unusable(
                    "it takes a client's secret neither by client_secret_basic nor by \
                     client_secret_post",
                ));
            }
        };
        let secret = oauth2::ClientSecret::new(secret.expose().to_owned());
        Ok(client
            .set_client_secret(secret)
            .set_auth_type(authentication))
    }
}

fn unusable(problem: &str) -> IdentityError {
    IdentityError::Unusable(format!("{WHAT}: {problem}"))
}

fn redirect_url(text: &str) -> Result<RedirectUrl, IdentityError> {
    let not_one = |error| IdentityError::Unusable(format!("our redirect_uri is no URL: {error}"));
    RedirectUrl::new(text.to_owned()).map_err(not_one)
}

fn verifier(text: &str) -> Result<PkceCodeVerifier, IdentityError> {
    if VERIFIER_LENGTHS.contains(&text.len()) {
        Ok(PkceCodeVerifier::new(text.to_owned()))
    } else {
        let problem = "our PKCE verifier must have 43 to 128 characters";
        Err(IdentityError::Unusable(problem.to_owned()))
    }
}

/// Why there are no tokens. Only the error's code is passed on: a description may repeat the code or
/// a token, and so may a body that couldn't be read.
fn refusal(error: RequestTokenError<Fault, BasicErrorResponse>) -> IdentityError {
    match error {
        RequestTokenError::Request(fault) => identity_error(&Arc::new(fault)),
        RequestTokenError::ServerResponse(answer) => refused(answer.error().as_ref()),
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            unusable("not a token response (RFC 6749, 5.1)")
        }
    }
}

/// What an error's code (RFC 6749, 5.2) means to us.
pub(crate) fn refused(code: &str) -> IdentityError {
    match code {
        "invalid_client"
        | "unauthorized_client"
        | "unsupported_grant_type"
        | "invalid_scope"
        | "invalid_target" => IdentityError::Unusable(format!(
            "{WHAT}: {code}; check the client's id, secret, scopes, audience and what the provider \
             allows it"
        )),
        _ => IdentityError::Refused(plain(code)),
    }
}

/// A code of the shape that codes have; anything else isn't repeated.
fn plain(code: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if (1..=40).contains(&code.len()) && code.bytes().all(is_plain) {
        code.to_owned()
    } else {
        "an unknown error code".to_owned()
    }
}
