//! Shared by the inbound adapters: caller addresses, request ids, language, bodies, errors, and the session
//! guard.
//!
//! A router is wrapped by [`guard()`] when its routes need a session, and then by [`observe()`]. Handlers
//! then find a [`RequestContext`], an [`Incoming`] body and, behind the guard,
//! `application::{Caller, Person}` in their request's extensions.

mod batch_paths;
mod body;
mod body_memory;
mod caller_address;
mod chain;
mod context;
mod cookie;
mod cross_site;
mod guard;
pub mod headers;
mod language;
mod method;
mod observe;
mod origin;
pub mod problem;
mod search;
mod site;
pub mod trace;
pub mod views;

use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::Response;

pub use batch_paths::BatchPaths;
pub use body::{
    BODY_DEADLINE, HeldBody, Incoming, LargeBody, TableBody, TableType, Upload, is_json,
};
pub use body_memory::{BodyMemory, HeldMemory};
pub use caller_address::{CallerAddress, ProxyNetwork, ProxyNetworkError, TrustedProxies};
pub use chain::Chain;
pub use context::{RequestContext, single_header};
pub use cookie::{CookieError, MAX_COOKIE_BYTES, SessionCookie};
pub use cross_site::is_cross_site;
pub use guard::{SessionGuard, Sharing, ShowsKey, guard, guard_preflights, guard_without_key};
pub use language::Language;
pub use method::method_name;
pub use observe::{
    LogAtDebug, MetricsSink, RequestLayer, UNKNOWN_ROUTE, log_key, method_not_allowed,
    milliseconds, observe, observe_untraced, route, route_not_found,
};
pub use origin::{Origin, OriginError};
pub use problem::{Code, Problem, SIGN_IN_PATH};
pub use search::{MAX_SEARCH_LENGTH, SearchTextError, search_text};
pub use site::{Site, SiteError};

/// A response with status 200 and a JSON body.
pub fn json_response(body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let fields = response.headers_mut();
    fields.insert(CONTENT_TYPE, headers::JSON);
    fields.insert(CONTENT_SECURITY_POLICY, headers::CSP_NOTHING);
    response
}
