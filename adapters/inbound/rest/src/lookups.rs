//! `/v1/cep/lookups`: stored lookups, which run in the background.

use std::sync::Arc;

use application::{LookupAccess, LookupError, LookupView, Read};
use axum::extract::{FromRequestParts, Path};
use axum::http::header::ALLOW;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use domain::lookups::LookupId;
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::problem::FieldProblem;
use web::{CallerAddress, Chain, Problem, RequestContext};

use crate::{RestState, caller, failure, headers};

mod body;
mod create;
mod file;
mod find;
mod list;
pub(crate) mod own;
mod remove;
pub(crate) mod views;
pub(crate) mod wait;

pub(crate) use body::read as read_body;
use views::LookupBody;
pub(crate) use wait::{Preference, preference};

/// The route that creates lookups. Its pipeline logs its requests, so it needs no `web::observe`.
pub(crate) fn creation() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(create::create))
}

/// The route that lists lookups, at the same path as the one that creates them.
pub(crate) fn list() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(list::list))
}

/// Fallback for other methods at the path that list and creation share. `Allow` is set here, because the two
/// routes belong to different routers.
pub(crate) async fn method_not_allowed() -> ([(HeaderName, HeaderValue); 1], Problem) {
    let methods = HeaderValue::from_static("GET,HEAD,POST");
    ([(ALLOW, methods)], Problem::MethodNotAllowed)
}

/// The routes that read and remove a lookup.
pub(crate) fn items() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new()
        .routes(routes!(find::find, remove::remove))
        .routes(routes!(file::xml))
        .routes(routes!(file::pdf))
        .routes(routes!(file::zip))
}

/// URL path of a lookup.
pub(crate) fn path(id: LookupId) -> String {
    format!("/v1/cep/lookups/{id}")
}

/// Extractor: the caller and context of a read of lookups.
pub(crate) struct Reader {
    context: RequestContext,
    access: LookupAccess,
}

impl<S: Send + Sync> FromRequestParts<S> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let extensions = &parts.extensions;
        let context = extensions.get::<RequestContext>().cloned();
        let context = context.expect("each route is observed, which adds the context");
        let address = extensions.get::<CallerAddress>().copied();
        let access = LookupAccess {
            presented_key: caller::presented_key(&parts.headers).map(str::to_owned),
            address: CallerAddress::known(address),
            request_id: context.request_id.clone(),
        };
        Ok(Self { context, access })
    }
}

impl Reader {
    fn problem(&self, error: &LookupError) -> Problem {
        let request_id = &self.context.request_id;
        match error {
            LookupError::Refused(refusal) => {
                failure::log_refusal(refusal, request_id);
                failure::of_refusal(refusal)
            }
            LookupError::TooManyReads { limit, retry_after } => Problem::TooManyReads {
                limit: *limit,
                retry_after: *retry_after,
            },
            LookupError::Unknown => Problem::NoSuchLookup,
            LookupError::Cursor(_) => Problem::invalid_field("after", FieldProblem::WrongCursor),
            LookupError::Unreadable { cause } => {
                tracing::error!(%request_id, cause = %Chain(&**cause), "a lookup can't be read");
                Problem::internal(request_id)
            }
        }
    }

    /// The JSON view of a lookup, in the caller's language.
    fn body(&self, lookup: &LookupView) -> LookupBody {
        LookupBody::new(lookup, self.context.language)
    }

    /// The JSON response to a read, with the key's limits in its headers.
    fn answer<T>(&self, read: &Read<T>, view: &impl Serialize) -> Result<Response, Problem> {
        let json = serde_json::to_string(view).map_err(|error| {
            let request_id = &self.context.request_id;
            tracing::error!(%request_id, %error, "a lookup can't be written");
            Problem::internal(request_id)
        })?;
        Ok(with_standing(web::json_response(json), read))
    }
}

/// Adds the key's limits to a response's headers, and the key to the request's log line.
fn with_standing<T>(mut response: Response, read: &Read<T>) -> Response {
    headers::put_standing(response.headers_mut(), &read.limit_status);
    web::log_key(&mut response, (read.key, read.environment));
    response
}

/// Extractor: the lookup id in the path.
pub(crate) struct Named(LookupId);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let named = Path::<String>::from_request_parts(parts, state).await;
        let id = named.ok().and_then(|Path(id)| LookupId::parse(&id));
        // A malformed id is treated like an unknown one.
        id.map(Self).ok_or(Problem::NoSuchLookup)
    }
}

/// The value of `Location` for a lookup.
pub(crate) fn location(id: LookupId) -> HeaderValue {
    HeaderValue::try_from(path(id)).expect("an id has hexadecimal digits and hyphens alone")
}
