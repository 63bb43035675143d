//! Authorization code flow with PKCE (RFC 6749, RFC 7636), implemented with `oauth2`.

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
use crate::discovery::{ClientAuthentication, Endpoints};
use crate::error::{ProviderError, identity_error};
use crate::http::HttpClient;

/// Name of the response in errors.
const NAME: &str = "the token endpoint";

/// Lengths of a PKCE verifier (RFC 7636, 4.1).
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;

/// Field that OpenID Connect adds to a token response.
#[derive(Debug, Deserialize, Serialize)]
struct IdTokenField {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdTokenField {}

type OidcClient = Client<
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

/// Adapts our HTTP client to `oauth2`, which supports only an older reqwest.
struct TokenEndpoint<'a>(&'a HttpClient);

impl<'c> AsyncHttpClient<'c> for TokenEndpoint<'_> {
    type Error = ProviderError;
    type Future = BoxFuture<'c, Result<HttpResponse, ProviderError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        self.0.execute(NAME, request).boxed()
    }
}

/// Tokens of a token response, not verified yet.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) id: String,
}

/// Code flow with one client at the provider.
pub(crate) struct CodeFlow<'a> {
    pub(crate) config: &'a OidcConfig,
    pub(crate) endpoints: &'a Endpoints,
}

impl CodeFlow<'_> {
    /// Returns the authorization URL to send the browser to.
    pub(crate) fn authorization_url(
        &self,
        parameters: &AuthorizationRequest<'_>,
    ) -> Result<Url, IdentityError> {
        let challenge =
            PkceCodeChallenge::from_code_verifier_sha256(&verifier(parameters.verifier)?);
        let redirect = redirect_url(parameters.redirect_uri)?;
        let client = self.client()?;
        let scopes = self.config.scopes.iter().cloned().map(Scope::new);
        let mut request = client
            .authorize_url(|| CsrfToken::new(parameters.state.to_owned()))
            .set_redirect_uri(Cow::Owned(redirect))
            .set_pkce_challenge(challenge)
            .add_scopes(scopes)
            .add_extra_param("nonce", parameters.nonce);
        if self.config.audience != self.config.client_id {
            // Auth0 and others take the audience in a parameter of their own; other providers ignore
            // it, as unknown parameters must be (RFC 6749, 3.1).
            request = request.add_extra_param("audience", self.config.audience.as_str());
        }
        if let Some(resource) = self.resource() {
            request = request.add_extra_param("resource", resource);
        }
        Ok(request.url().0)
    }

    /// Redeems a code at the token endpoint.
    pub(crate) async fn redeem(
        &self,
        http: &HttpClient,
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
        let response = request.request_async(&TokenEndpoint(http)).await;
        let response = response.map_err(token_error)?;
        let id = response.extra_fields().id_token.clone();
        let id = id.ok_or_else(|| unusable("no ID token; `openid` must be among the scopes"))?;
        Ok(Tokens {
            access: response.access_token().secret().clone(),
            id,
        })
    }

    /// Returns the resource indicator (RFC 8707): the audience, if it is an absolute URL.
    fn resource(&self) -> Option<&str> {
        let audience = self.config.audience.as_str();
        let address = Url::parse(audience).ok()?;
        (audience != self.config.client_id && address.fragment().is_none()).then_some(audience)
    }

    fn client(&self) -> Result<OidcClient, IdentityError> {
        let authorization = AuthUrl::from_url(self.endpoints.authorization.clone());
        let token = TokenUrl::from_url(self.endpoints.token.clone());
        let client = Client::new(ClientId::new(self.config.client_id.clone()))
            .set_auth_uri(authorization)
            .set_token_uri(token);
        let Some(secret) = &self.config.client_secret else {
            return Ok(client);
        };
        let authentication = match self.endpoints.token_authentication {
            ClientAuthentication::Basic => AuthType::BasicAuth,
            ClientAuthentication::Post => AuthType::RequestBody,
            ClientAuthentication::Unsupported => {
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
    IdentityError::Unusable(format!("{NAME}: {problem}"))
}

fn redirect_url(text: &str) -> Result<RedirectUrl, IdentityError> {
    let invalid =
        |error| IdentityError::Unusable(format!("the gateway's redirect_uri is no URL: {error}"));
    RedirectUrl::new(text.to_owned()).map_err(invalid)
}

fn verifier(text: &str) -> Result<PkceCodeVerifier, IdentityError> {
    if VERIFIER_LENGTHS.contains(&text.len()) {
        Ok(PkceCodeVerifier::new(text.to_owned()))
    } else {
        let problem = "the gateway's PKCE verifier must have 43 to 128 characters";
        Err(IdentityError::Unusable(problem.to_owned()))
    }
}

/// Converts an error of the token request. Only the error code is passed on: a description may repeat
/// the code or a token, and so may a body that couldn't be parsed.
fn token_error(error: RequestTokenError<ProviderError, BasicErrorResponse>) -> IdentityError {
    match error {
        RequestTokenError::Request(error) => identity_error(&Arc::new(error)),
        RequestTokenError::ServerResponse(response) => error_response(response.error().as_ref()),
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            unusable("not a token response (RFC 6749, 5.1)")
        }
    }
}

/// Converts an error code (RFC 6749, 5.2).
pub(crate) fn error_response(code: &str) -> IdentityError {
    match code {
        "invalid_client"
        | "unauthorized_client"
        | "unsupported_grant_type"
        | "invalid_scope"
        | "invalid_target" => IdentityError::Unusable(format!(
            "{NAME}: {code}; check the client's id, secret, scopes, audience and what the provider \
             allows it"
        )),
        _ => IdentityError::Refused(printable(code)),
    }
}

/// Returns the code if it has the form of the RFC's codes, otherwise a fixed text: the provider may
/// send anything.
fn printable(code: &str) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if (1..=40).contains(&code.len()) && code.bytes().all(is_allowed) {
        code.to_owned()
    } else {
        "an unknown error code".to_owned()
    }
}
