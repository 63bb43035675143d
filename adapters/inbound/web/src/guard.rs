//! The guard of routes under a session: no request that a page of somebody else's sent, none
//! without the one credential that counts here.
//!
//! `Authorization` is never looked at, and `x-api-key` only where a route takes keys, too: a person's token is
//! one in its cookie alone.

use std::sync::Arc;
use std::time::Duration;

use application::{Caller, Person, SessionError, SessionService};
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use domain::request::RequestId;

use crate::body::{is_json, is_json_or_file};
use crate::chain::Chain;
use crate::context::RequestContext;
use crate::cross_site::Sender;
use crate::observe::surviving;
use crate::origin::Origin;
use crate::problem::Problem;
use crate::site::Site;

/// Dependencies of the session guard.
pub struct SessionGuard {
    /// Checks sessions.
    pub sessions: Arc<SessionService>,
    /// The gateway's origin and cookie.
    pub site: Arc<Site>,
}

/// An identity provider, or a database, that restarts is usually back by then.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Headers that a page of an allowed origin may send; everything else that we read, browsers let pass
/// unasked (Fetch, "CORS-safelisted request-header").
const ALLOWED_HEADERS: HeaderValue =
    HeaderValue::from_static("content-type, idempotency-key, x-request-id");
const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PATCH, DELETE");
/// Headers that such a page may read besides.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static("retry-after, x-request-id");
/// Seconds for which a browser keeps the answer to a preflight.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// Guards all routes of a router. Their requests carry a [`Caller`] and a [`Person`] in their
/// extensions. It goes inside [`crate::observe()`].
///
/// In this order: preflights of allowed origins are answered; what a foreign page sent is refused
/// (403); a method with a body needs `application/json` (415); a session is needed (401) that doesn't
/// send too many requests (429).
pub fn guard(router: Router, guard: &Arc<SessionGuard>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(guard), guarded))
}

/// Returns true for a request whose caller shows an API key, be it a good one or not.
pub type ShowsKey = fn(&HeaderMap) -> bool;

/// Guards the routes of a router that take API keys, too: a request that `shows_key` passes as it is, and
/// any other one needs a session.
///
/// It differs from [`guard()`] in two points: bodies may be tables and ZIP files, which no form of another
/// site can send either; and a request without any credential is told of both.
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

/// Credentials that a route takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Credentials {
    /// A session alone.
    Session,
    /// A session, or an API key.
    SessionOrKey,
}

impl Credentials {
    /// Checks that headers declare a body as such a route takes it from a person.
    fn check_body(self, headers: &HeaderMap) -> Result<(), Problem> {
        match self {
            Self::Session if !is_json(headers) => Err(Problem::UnsupportedMediaType),
            Self::SessionOrKey if !is_json_or_file(headers) => Err(Problem::UnsupportedBodyType),
            Self::Session | Self::SessionOrKey => Ok(()),
        }
    }
}

async fn serve(
    guard: &SessionGuard,
    accepted: Credentials,
    call: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    let sender = Sender::of(request.headers(), &guard.site);
    let mut response = match sender {
        Sender::Foreign => Problem::CrossSite.into_response(),
        Sender::Allowed(_) if is_preflight(&request) => preflight(),
        Sender::Allowed(_) | Sender::Ours => match guard
            .entry(accepted, &call, request.method(), request.headers())
            .await
        {
            Ok(person) => enter(person, &call, request, next).await,
            Err(problem) => problem.into_response(),
        },
    };
    if let Sender::Allowed(origin) = sender {
        share(response.headers_mut(), origin);
    }
    // Whoever keeps an answer must not give it to another origin.
    if !guard.site.allowed().is_empty() {
        response
            .headers_mut()
            .append(VARY, HeaderValue::from_static("origin"));
    }
    response
}

impl SessionGuard {
    /// Returns the person who sends a request, if the request may be sent so.
    async fn entry(
        &self,
        accepted: Credentials,
        call: &RequestContext,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Person, Problem> {
        let token = self.site.session_cookie().read(headers);
        // A program that forgot its key has no session either, which another site could use.
        if token.is_none() && accepted == Credentials::SessionOrKey {
            return Err(Problem::NoCredential);
        }
        if takes_body(method) {
            accepted.check_body(headers)?;
        }
        let token = token.ok_or(Problem::Unauthenticated)?;
        self.check(token, &call.request_id).await
    }

    /// Checks a session, and counts that as one of its requests. The guard does it for each request; what
    /// lasts longer than a request does it again.
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
                // No line of its own: the request's line has the status.
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
    let caller = Caller {
        owner: person.owner.clone(),
        role: person.role,
        request_id: call.request_id.clone(),
    };
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(person);
    // Here already, so that an allowed page may read the answer to a panic too.
    surviving(call, next.run(request)).await
}

/// Returns true for methods whose requests have a body.
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

/// Lets a page of this origin see the answer.
fn share(headers: &mut HeaderMap, origin: &Origin) {
    let Ok(origin) = HeaderValue::from_str(origin.as_str()) else {
        return;
    };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
}
