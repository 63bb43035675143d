//! Request of a person, as a handler gets it.

use std::sync::Arc;

use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use ports::inbound::{Caller, Insights, KeyAdministration, KeyError};
use serde::Serialize;
use uuid::Uuid;
use web::{Incoming, Problem, RequestContext, json_response};

use super::PeopleState;
use super::input::Parameters;
use crate::MAX_BODY_BYTES;
use crate::failure;

/// A request under a session, without its body.
pub(crate) struct PersonRequest {
    people: Arc<PeopleState>,
    /// The person.
    pub(crate) caller: Caller,
    call: RequestContext,
    incoming: Incoming,
    headers: HeaderMap,
    id: Option<Uuid>,
    query: Option<String>,
}

impl FromRequestParts<Arc<PeopleState>> for PersonRequest {
    type Rejection = ExtensionRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        people: &Arc<PeopleState>,
    ) -> Result<Self, Self::Rejection> {
        // A malformed id is the id of nothing.
        let id = Path::<String>::from_request_parts(parts, people).await.ok();
        let Extension(caller) = Extension::from_request_parts(parts, people).await?;
        let Extension(call) = Extension::from_request_parts(parts, people).await?;
        let Extension(incoming) = Extension::from_request_parts(parts, people).await?;
        Ok(Self {
            people: Arc::clone(people),
            caller,
            call,
            incoming,
            headers: parts.headers.clone(),
            id: id.and_then(|Path(text)| Uuid::try_parse(&text).ok()),
            query: parts.uri.query().map(str::to_owned),
        })
    }
}

impl PersonRequest {
    pub(crate) fn keys(&self) -> &dyn KeyAdministration {
        &*self.people.keys
    }

    pub(crate) fn insights(&self) -> &dyn Insights {
        &*self.people.insights
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.people.request_layer.clock.now()
    }

    /// The id in the path.
    pub(crate) fn id(&self) -> Result<Uuid, Problem> {
        self.id.ok_or(Problem::NoSuchResource)
    }

    /// The query of the address.
    pub(crate) fn parameters(&self) -> Parameters {
        Parameters::read(self.query.as_deref())
    }

    /// The body.
    pub(crate) async fn body(&self) -> Result<Bytes, Problem> {
        self.incoming.read(&self.headers, MAX_BODY_BYTES).await
    }

    /// The problem of an error, whose cause is logged.
    pub(crate) fn problem(&self, error: &KeyError) -> Problem {
        failure::of_key(error, &self.call.request_id)
    }

    /// Returns an answer of JSON.
    pub(crate) fn json(
        &self,
        status: StatusCode,
        view: &impl Serialize,
    ) -> Result<Response, Problem> {
        let body = serde_json::to_vec(view).map_err(|error| {
            let request_id = &self.call.request_id;
            tracing::error!(%request_id, %error, "an answer can't be written");
            Problem::internal(request_id)
        })?;
        let mut response = json_response(body);
        *response.status_mut() = status;
        Ok(response)
    }
}
