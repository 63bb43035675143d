//! `/authorize`: validation of authorization requests, and the sign-in page
//! (RFC 6749, 4.1.1; RFC 7636; OpenID Connect Core 1.0, 3.1.2).

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use url::Url;

use crate::pages::fill;
use crate::proof::escape;

use super::Provider;
use super::answers::{page as html, redirect};
use super::codes::Grant;
use super::parameters::{Parameters, RepeatedParameter};
use super::people::{PEOPLE, person};

const SIGN_IN: &str = include_str!("sign-in.html");
const REFUSED: &str = include_str!("refused.html");

/// Length of a SHA-256 in base64url without padding.
const CHALLENGE_LENGTH: usize = 43;
/// Maximum size of `state` and `nonce` in bytes, each.
const MAX_VALUE_BYTES: usize = 1024;

/// The target of the authorization response.
#[derive(Clone, Debug)]
struct RedirectUri {
    /// The registered text, which the client must repeat exactly.
    registered: String,
    url: Url,
}

/// A validated authorization request.
#[derive(Debug)]
struct AuthorizationRequest {
    redirect_uri: RedirectUri,
    state: Option<String>,
    nonce: Option<String>,
    challenge: String,
    scope: String,
}

/// Reason why an authorization request is refused.
#[derive(Debug)]
enum AuthorizationError {
    /// Shown to the user, because the client or its redirect URI is invalid (RFC 6749, 4.1.2.1).
    Shown(&'static str),
    /// Sent to the client in a redirect.
    Redirected(Box<RedirectedError>),
}

/// An error response to the client.
#[derive(Debug)]
struct RedirectedError {
    redirect_uri: RedirectUri,
    state: Option<String>,
    code: &'static str,
    description: &'static str,
}

/// Shows the sign-in page.
pub(crate) async fn page(
    State(provider): State<Arc<Provider>>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    match AuthorizationRequest::parse(&provider, &query) {
        Ok(request) => html(
            StatusCode::OK,
            sign_in_page(&query),
            Some(&request.redirect_uri.url),
        ),
        Err(error) => error.into_response(&provider),
    }
}

/// Handles the sign-in form. The authorization request is in the URL and is validated again, so that
/// nothing is stored for abandoned pages.
pub(crate) async fn sign_in(
    State(provider): State<Arc<Provider>>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    let request = match AuthorizationRequest::parse(&provider, &query.unwrap_or_default()) {
        Ok(request) => request,
        Err(error) => return error.into_response(&provider),
    };
    let form = Parameters::parse(&body);
    let chosen = form.get("person").ok().flatten().and_then(person);
    let Some(person) = chosen else {
        return AuthorizationError::Shown("no such person").into_response(&provider);
    };
    let code = provider.codes.make(Grant {
        person,
        redirect_uri: request.redirect_uri.registered.clone(),
        challenge: request.challenge,
        nonce: request.nonce,
        scope: request.scope,
        signed_in_at: provider.now(),
    });
    let answer = [("code", code.as_str())];
    redirect(&response_url(
        &provider,
        request.redirect_uri.url,
        request.state,
        &answer,
    ))
}

/// Returns the redirect URI with response parameters, `state` and the issuer (RFC 9207).
fn response_url(
    provider: &Provider,
    mut redirect_uri: Url,
    state: Option<String>,
    answer: &[(&str, &str)],
) -> Url {
    let mut query = redirect_uri.query_pairs_mut();
    query.extend_pairs(answer);
    if let Some(state) = state {
        query.append_pair("state", &state);
    }
    query.append_pair("iss", &provider.issuer);
    drop(query);
    redirect_uri
}

fn sign_in_page(query: &str) -> String {
    let [member, admin] = &PEOPLE;
    fill(SIGN_IN, |name| match name {
        "query" => escape(query),
        "member" => member.subject.to_owned(),
        "member_name" => member.name.to_owned(),
        "admin" => admin.subject.to_owned(),
        "admin_name" => admin.name.to_owned(),
        _ => String::new(),
    })
}

impl AuthorizationRequest {
    fn parse(provider: &Provider, query: &str) -> Result<Self, AuthorizationError> {
        let parameters = Parameters::parse(query.as_bytes());
        let redirect_uri = redirect_uri(provider, &parameters)?;
        let state = state(&parameters);
        let refuse = |(code, description)| {
            AuthorizationError::Redirected(Box::new(RedirectedError {
                redirect_uri: redirect_uri.clone(),
                state: state.clone(),
                code,
                description,
            }))
        };
        let parameters_of_request = RequestParameters::parse(&parameters).map_err(refuse)?;
        Ok(Self {
            redirect_uri,
            state,
            nonce: parameters_of_request.nonce,
            challenge: parameters_of_request.challenge,
            scope: parameters_of_request.scope,
        })
    }
}

/// Returns the redirect URI, which must be registered in exactly this form.
fn redirect_uri(
    provider: &Provider,
    parameters: &Parameters,
) -> Result<RedirectUri, AuthorizationError> {
    let Ok(Some(client_id)) = parameters.get("client_id") else {
        return Err(AuthorizationError::Shown("client_id must be there once"));
    };
    if client_id != provider.client.id {
        return Err(AuthorizationError::Shown(
            "this client_id is not registered",
        ));
    }
    let Ok(Some(given)) = parameters.get("redirect_uri") else {
        return Err(AuthorizationError::Shown("redirect_uri must be there once"));
    };
    if !provider
        .client
        .redirect_uris
        .iter()
        .any(|known| known == given)
    {
        return Err(AuthorizationError::Shown(
            "this redirect_uri is not registered",
        ));
    }
    let url = Url::parse(given);
    let url =
        url.map_err(|_| AuthorizationError::Shown("the registered redirect_uri is not a URL"))?;
    Ok(RedirectUri {
        registered: given.to_owned(),
        url,
    })
}

/// Returns `state`; a repeated one is ignored.
fn state(parameters: &Parameters) -> Option<String> {
    let state = parameters.get("state").ok().flatten();
    state.map(ToOwned::to_owned)
}

/// The validated parameters other than `redirect_uri` and `state`.
struct RequestParameters {
    nonce: Option<String>,
    challenge: String,
    scope: String,
}

/// Error code and description (RFC 6749, 4.1.2.1).
type ErrorResponse = (&'static str, &'static str);

impl RequestParameters {
    fn parse(parameters: &Parameters) -> Result<Self, ErrorResponse> {
        let get = |name| {
            let once = |RepeatedParameter| ("invalid_request", "a parameter is there twice");
            parameters.get(name).map_err(once)
        };
        if get("response_type")? != Some("code") {
            return Err(("unsupported_response_type", "response_type must be code"));
        }
        if !matches!(get("response_mode")?, None | Some("query")) {
            return Err(("invalid_request", "response_mode must be query"));
        }
        if get("request")?.is_some() {
            return Err(("request_not_supported", "leave request out"));
        }
        if get("request_uri")?.is_some() {
            return Err(("request_uri_not_supported", "leave request_uri out"));
        }
        let scope = get("scope")?.unwrap_or_default();
        if !scope.split(' ').any(|scope| scope == "openid") {
            return Err(("invalid_scope", "scope must contain openid"));
        }
        if get("prompt")? == Some("none") {
            return Err(("login_required", "nobody is signed in between two visits"));
        }
        if get("code_challenge_method")? != Some("S256") {
            return Err(("invalid_request", "code_challenge_method must be S256"));
        }
        let challenge = get("code_challenge")?.filter(|text| is_challenge(text));
        let Some(challenge) = challenge else {
            return Err((
                "invalid_request",
                "code_challenge must be 43 characters of base64url",
            ));
        };
        let (state, nonce) = (get("state")?, get("nonce")?);
        if [state, nonce]
            .into_iter()
            .flatten()
            .any(|value| value.len() > MAX_VALUE_BYTES)
        {
            return Err((
                "invalid_request",
                "state and nonce: at most 1024 bytes each",
            ));
        }
        Ok(Self {
            nonce: nonce.map(ToOwned::to_owned),
            challenge: challenge.to_owned(),
            scope: scope.to_owned(),
        })
    }
}

fn is_challenge(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == CHALLENGE_LENGTH && text.bytes().all(allowed)
}

impl AuthorizationError {
    fn into_response(self, provider: &Provider) -> Response {
        match self {
            Self::Shown(reason) => {
                let page = fill(REFUSED, |_| escape(reason));
                html(StatusCode::BAD_REQUEST, page, None)
            }
            Self::Redirected(response) => {
                let answer = [
                    ("error", response.code),
                    ("error_description", response.description),
                ];
                let address = response.redirect_uri.url;
                redirect(&response_url(provider, address, response.state, &answer))
            }
        }
    }
}
