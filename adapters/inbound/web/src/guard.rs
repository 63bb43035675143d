//! Session guard: middleware that refuses requests from pages of other sites and requests without a valid
//! session.
//!
//! `Authorization` is ignored, and `x-api-key` counts only on routes that accept keys too. A session token
//! is read from its cookie alone.

use std::sync::Arc;
use std::time::Duration;

use application::{Caller, Person, SessionError, SessionService};
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use domain::request::RequestId;

use crate::body::{is_form, is_json, is_json_or_file};
use crate::chain::Chain;
use crate::context::RequestContext;
use crate::cross_site::Sender;
use crate::observe::surviving;
use crate::problem::Problem;
use crate::site::Site;

pub struct SessionGuard {
    pub sessions: Arc<SessionService>,
    /// The gateway's origin, the allowed origins, and the cookies.
    pub site: Arc<Site>,
}

/// `Retry-After` when sessions can't be checked: a restarting identity provider or database is usually
/// back by then.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Headers that a page of an allowed origin may send. The other headers that we read need no permission
/// (Fetch, "CORS-safelisted request-header").
const ALLOWED_HEADERS: HeaderValue =
    HeaderValue::from_static("content-type, idempotency-key, prefer, x-request-id");
const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PATCH, DELETE");
/// Response headers that a page of an allowed origin may read besides the safelisted ones.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static("retry-after, x-request-id");
/// Seconds for which a browser caches a preflight response.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// Guards all routes of a router, and adds a [`Caller`] and a [`Person`] to the extensions of their
/// requests. The result must be wrapped by [`crate::observe()`].
///
/// Checks in this order: preflights of allowed origins are answered; requests from pages of other sites are
/// refused (403); methods with a body need `application/json` (415); a valid session is needed (401), below
/// its rate limit (429).
pub fn guard(router: Router, guard: &Arc<SessionGuard>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(guard), guarded))
}

/// Function that returns true for a request with an API key, valid or not.
pub type ShowsKey = fn(&HeaderMap) -> bool;

/// Answers preflights of allowed origins. For routes whose handlers call [`SessionGuard::caller`]
/// themselves; the result must be wrapped by [`crate::observe()`].
pub fn guard_preflights<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    guard: &Arc<SessionGuard>,
) -> Router<S> {
    router.layer(from_fn_with_state(Arc::clone(guard), guarded_preflights))
}

/// Guards routes that accept API keys too: requests for which `shows_key` returns true pass unchanged, all
/// others need a session.
///
/// It differs from [`guard()`] in two points: bodies may also be tables and ZIP files, which an HTML form
/// of another site can't send either, and forms of pages that tell their origin; and the error for a missing
/// credential names both kinds.
pub fn guard_without_key<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    guard: &Arc<SessionGuard>,
    shows_key: ShowsKey,
) -> Router<S> {
    let state = (Arc::clone(guard), shows_key);
    router.layer(from_fn_with_state(state, guarded_without_key))
}

async fn guarded(
    State(guard): State<Arc<SessionGuard>>,
    Extension(call): Extension<RequestContext>,
    request: Request,
    next: Next,
) -> Response {
    serve(&guard, Credentials::Session, call, request, next).await
}

async fn guarded_without_key(
    State((guard, shows_key)): State<(Arc<SessionGuard>, ShowsKey)>,
    Extension(call): Extension<RequestContext>,
    request: Request,
    next: Next,
) -> Response {
    if shows_key(request.headers()) {
        return next.run(request).await;
    }
    serve(&guard, Credentials::SessionOrKey, call, request, next).await
}

async fn guarded_preflights(
    State(guard): State<Arc<SessionGuard>>,
    request: Request,
    next: Next,
) -> Response {
    if !is_preflight(&request) {
        return next.run(request).await;
    }
    let sharing = guard.sharing(request.headers());
    let mut response = match sharing.origin {
        Some(_) => preflight(),
        None => next.run(request).await,
    };
    sharing.put(response.headers_mut());
    response
}

/// Credentials that a route accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Credentials {
    Session,
    SessionOrKey,
}

impl Credentials {
    /// Checks the `Content-Type` of a request with a session.
    fn check_body(self, headers: &HeaderMap) -> Result<(), Problem> {
        match self {
            Self::Session if !is_json(headers) => Err(Problem::UnsupportedMediaType),
            Self::SessionOrKey if !is_json_or_file(headers) && !is_form_of_known_page(headers) => {
                Err(Problem::UnsupportedBodyType)
            }
            Self::Session | Self::SessionOrKey => Ok(()),
        }
    }
}

/// Returns true for a form of a page that tells its origin, which [`Sender`] has checked by now. Pages of other sites
/// can send forms, too, and where a browser doesn't tell the origin nothing else shows which of them it was.
fn is_form_of_known_page(headers: &HeaderMap) -> bool {
    is_form(headers) && headers.contains_key(ORIGIN)
}

async fn serve(
    guard: &SessionGuard,
    accepted: Credentials,
    call: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    let sharing = guard.sharing(request.headers());
    let mut response = if sharing.origin.is_some() && is_preflight(&request) {
        preflight()
    } else {
        let entry = guard.entry(accepted, &call, request.method(), request.headers());
        match entry.await {
            Ok(person) => enter(person, &call, request, next).await,
            Err(problem) => problem.into_response(),
        }
    };
    sharing.put(response.headers_mut());
    response
}

/// The origin whose page may read the response to a request.
pub struct Sharing {
    /// An allowed origin; `None` for any other sender.
    origin: Option<HeaderValue>,
    /// Responses depend on the origin, since others are allowed.
    varies: bool,
}

impl Sharing {
    /// Adds the CORS headers.
    pub fn put(&self, headers: &mut HeaderMap) {
        if let Some(origin) = &self.origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            let allowed = HeaderValue::from_static("true");
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, allowed);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
        }
        // A cache must not serve the response to another origin.
        if self.varies {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
    }
}

impl SessionGuard {
    /// The origin whose page may read the response to a request with these headers.
    pub fn sharing(&self, headers: &HeaderMap) -> Sharing {
        let origin = match Sender::of(headers, &self.site) {
            Sender::Allowed(origin) => HeaderValue::from_str(origin.as_str()).ok(),
            Sender::Ours | Sender::Foreign => None,
        };
        Sharing {
            origin,
            varies: !self.site.allowed().is_empty(),
        }
    }

    /// Returns `true` for a request with the cookie of a session, valid or not.
    pub fn shows_session(&self, headers: &HeaderMap) -> bool {
        self.site.session_cookie().read(headers).is_some()
    }

    /// The person of a request without an API key, to a route that accepts both and isn't guarded by
    /// [`guard_without_key`], whose checks are made.
    ///
    /// # Errors
    /// [`Problem::CrossSite`], [`Problem::NoCredential`], [`Problem::UnsupportedBodyType`], and those of
    /// [`Self::check`].
    pub async fn caller(
        &self,
        call: &RequestContext,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Caller, Problem> {
        let person = self.entry(Credentials::SessionOrKey, call, method, headers);
        Ok(caller(&person.await?, call))
    }

    /// Checks a request's sender, body type and session, and returns the person whose session it is.
    async fn entry(
        &self,
        accepted: Credentials,
        call: &RequestContext,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Person, Problem> {
        if Sender::of(headers, &self.site) == Sender::Foreign {
            return Err(Problem::CrossSite);
        }
        let token = self.site.session_cookie().read(headers);
        // Without a session there is nothing that another site could misuse, so the missing credential is
        // reported before the media type.
        if token.is_none() && accepted == Credentials::SessionOrKey {
            return Err(Problem::NoCredential);
        }
        if takes_body(method) {
            accepted.check_body(headers)?;
        }
        let token = token.ok_or(Problem::Unauthenticated)?;
        self.check(token, &call.request_id).await
    }

    /// Checks a session, and counts the check as one of its requests. The guard does it once per request;
    /// long-lived connections do it repeatedly.
    ///
    /// # Errors
    /// [`Problem::Unauthenticated`], [`Problem::TooManyRequests`], [`Problem::Unavailable`].
    pub async fn check(&self, token: &str, request_id: &RequestId) -> Result<Person, Problem> {
        self.sessions
            .person(token)
            .await
            .map_err(|error| match error {
                SessionError::Invalid { cause } => {
                    tracing::info!(%request_id, cause = %Chain(&*cause), "a session was refused");
                    Problem::Unauthenticated
                }
                // Not logged here: the request's log line has the status.
                SessionError::TooManyRequests { limit, retry_after } => {
                    Problem::TooManyRequests { limit, retry_after }
                }
                SessionError::Unavailable(cause) => {
                    let cause = Chain(&*cause);
                    tracing::error!(%request_id, %cause, "a session could not be checked");
                    Problem::Unavailable {
                        retry_after: RETRY_AFTER,
                    }
                }
            })
    }
}

async fn enter(
    person: Person,
    call: &RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(caller(&person, call));
    request.extensions_mut().insert(person);
    // Panics are caught here, inside the CORS headers, so that an allowed page can read the error.
    surviving(call, next.run(request)).await
}

fn caller(person: &Person, call: &RequestContext) -> Caller {
    Caller {
        owner: person.owner.clone(),
        role: person.role,
        request_id: call.request_id.clone(),
    }
}

fn takes_body(method: &Method) -> bool {
    [Method::POST, Method::PUT, Method::PATCH].contains(method)
}

/// Returns true for a preflight (Fetch, "CORS-preflight request").
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    response
}
