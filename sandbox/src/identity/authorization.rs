//! `/authorize`: what a client asks for, and the page on which somebody grants it with one click
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
use super::parameters::{Parameters, Repeated};
use super::people::{PEOPLE, person};

const SIGN_IN: &str = include_str!("sign-in.html");
const REFUSED: &str = include_str!("refused.html");

/// The base64 of a SHA-256, without padding.
const CHALLENGE_LENGTH: usize = 43;
/// Most of a `state` or a `nonce` that is carried along.
const LONGEST_VALUE: usize = 1024;

/// Where the browser goes with the answer.
#[derive(Clone, Debug)]
struct RedirectUri {
    /// As it was registered: the client has to repeat it to the letter.
    registered: String,
    url: Url,
}

/// What a client asks for, all of it checked.
#[derive(Debug)]
struct Wish {
    redirect_uri: RedirectUri,
    state: Option<String>,
    nonce: Option<String>,
    challenge: String,
    scope: String,
}

/// Why a client doesn't get what it asks for.
#[derive(Debug)]
enum Refusal {
    /// It isn't certain where to send the browser, so it stays here (RFC 6749, 4.1.2.1).
    Here(&'static str),
    /// The client is told.
    AtTheClient(Box<ToldRefusal>),
}

/// A refusal that the client is told.
#[derive(Debug)]
struct ToldRefusal {
    redirect_uri: RedirectUri,
    state: Option<String>,
    code: &'static str,
    description: &'static str,
}

/// Shows who can sign in.
pub(crate) async fn page(
    State(provider): State<Arc<Provider>>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    match Wish::read(&provider, &query) {
        Ok(wish) => html(
            StatusCode::OK,
            sign_in_page(&query),
            Some(&wish.redirect_uri.url),
        ),
        Err(refusal) => refusal.answer(&provider),
    }
}

/// Somebody pressed a button. What the client asks for stands in the address, so nothing is kept
/// for pages that nobody answers; it is read and checked anew.
pub(crate) async fn sign_in(
    State(provider): State<Arc<Provider>>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    let wish = match Wish::read(&provider, &query.unwrap_or_default()) {
        Ok(wish) => wish,
        Err(refusal) => return refusal.answer(&provider),
    };
    let form = Parameters::read(&body);
    let chosen = form.get("person").ok().flatten().and_then(person);
    let Some(person) = chosen else {
        return Refusal::Here("no such person").answer(&provider);
    };
    let code = provider.codes.make(Grant {
        person,
        redirect_uri: wish.redirect_uri.registered.clone(),
        challenge: wish.challenge,
        nonce: wish.nonce,
        scope: wish.scope,
        signed_in_at: provider.now(),
    });
    let answer = [("code", code.as_str())];
    redirect(&answered(
        &provider,
        wish.redirect_uri.url,
        wish.state,
        &answer,
    ))
}

/// The client's address with an answer and what tells it whose answer it is (RFC 9207).
fn answered(
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

impl Wish {
    fn read(provider: &Provider, query: &str) -> Result<Self, Refusal> {
        let parameters = Parameters::read(query.as_bytes());
        let redirect_uri = redirect_uri(provider, &parameters)?;
        let state = state(&parameters);
        let refuse = |(code, description)| {
            Refusal::AtTheClient(Box::new(ToldRefusal {
                redirect_uri: redirect_uri.clone(),
                state: state.clone(),
                code,
                description,
            }))
        };
        let details = Details::read(&parameters).map_err(refuse)?;
        Ok(Self {
            redirect_uri,
            state,
            nonce: details.nonce,
            challenge: details.challenge,
            scope: details.scope,
        })
    }
}

/// Where to send the browser: an address that is registered, to the letter.
fn redirect_uri(provider: &Provider, parameters: &Parameters) -> Result<RedirectUri, Refusal> {
    let Ok(Some(client_id)) = parameters.get("client_id") else {
        return Err(Refusal::Here("client_id must be there once"));
    };
    if client_id != provider.client.id {
        return Err(Refusal::Here("this client_id is not registered"));
    }
    let Ok(Some(given)) = parameters.get("redirect_uri") else {
        return Err(Refusal::Here("redirect_uri must be there once"));
    };
    if !provider
        .client
        .redirect_uris
        .iter()
        .any(|known| known == given)
    {
        return Err(Refusal::Here("this redirect_uri is not registered"));
    }
    let url = Url::parse(given);
    let url = url.map_err(|_| Refusal::Here("the registered redirect_uri is not a URL"))?;
    Ok(RedirectUri {
        registered: given.to_owned(),
        url,
    })
}

/// A state that is there twice is nobody's.
fn state(parameters: &Parameters) -> Option<String> {
    let state = parameters.get("state").ok().flatten();
    state.map(ToOwned::to_owned)
}

/// What a client asks for, apart from where the answer goes.
struct Details {
    nonce: Option<String>,
    challenge: String,
    scope: String,
}

/// An error's code and its description (RFC 6749, 4.1.2.1).
type Fault = (&'static str, &'static str);

impl Details {
    fn read(parameters: &Parameters) -> Result<Self, Fault> {
        let get = |name| {
            let once = |Repeated| ("invalid_request", "a parameter is there twice");
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
            .any(|value| value.len() > LONGEST_VALUE)
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

impl Refusal {
    fn answer(self, provider: &Provider) -> Response {
        match self {
            Self::Here(reason) => {
                let page = fill(REFUSED, |_| escape(reason));
                html(StatusCode::BAD_REQUEST, page, None)
            }
            Self::AtTheClient(told) => {
                let answer = [
                    ("error", told.code),
                    ("error_description", told.description),
                ];
                let address = told.redirect_uri.url;
                redirect(&answered(provider, address, told.state, &answer))
            }
        }
    }
}
