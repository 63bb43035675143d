//! Extractor of a request with a session.

use std::collections::HashMap;
use std::sync::Arc;

use application::{
    Caller, InsightsService, KeyError, KeyService, OwnAccountFailure, OwnAccountService,
    PersonLookupError, PersonLookupService, WebhookError, WebhookService,
};
use axum::body::Bytes;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::participants::Catalogue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;
use validator::Validate;
use web::{Incoming, Problem, RequestContext, json_response};

use super::input::{self, Input};
use super::state::PeopleState;
use crate::MAX_BODY_BYTES;
use crate::failure;

/// Extractor of a request with a session. The body is read later.
pub(crate) struct PersonRequest {
    people: Arc<PeopleState>,
    /// The user whose session it is.
    pub(crate) caller: Caller,
    call: RequestContext,
    incoming: Incoming,
    headers: HeaderMap,
    ids: HashMap<String, String>,
    query: Option<String>,
}

impl FromRequestParts<Arc<PeopleState>> for PersonRequest {
    type Rejection = ExtensionRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        people: &Arc<PeopleState>,
    ) -> Result<Self, Self::Rejection> {
        // A malformed id is treated like an unknown one.
        let ids = Path::from_request_parts(parts, people).await;
        let ids = ids.map_or_else(|_| HashMap::new(), |Path(ids)| ids);
        let Extension(caller) = Extension::from_request_parts(parts, people).await?;
        let Extension(call) = Extension::from_request_parts(parts, people).await?;
        let Extension(incoming) = Extension::from_request_parts(parts, people).await?;
        Ok(Self {
            people: Arc::clone(people),
            caller,
            call,
            incoming,
            headers: parts.headers.clone(),
            ids,
            query: parts.uri.query().map(str::to_owned),
        })
    }
}

impl PersonRequest {
    pub(crate) fn keys(&self) -> &KeyService {
        &self.people.keys
    }

    pub(crate) fn insights(&self) -> &InsightsService {
        &self.people.insights
    }

    pub(crate) fn lookups(&self) -> &PersonLookupService {
        &self.people.lookups
    }

    pub(crate) fn own_accounts(&self) -> &OwnAccountService {
        &self.people.own_accounts
    }

    /// The current catalogue of participants.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.people.participants.catalogue()
    }

    pub(crate) fn webhooks(&self) -> &WebhookService {
        &self.people.webhooks
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.people.request_layer.clock.now()
    }

    /// The path parameter `id`.
    pub(crate) fn id(&self) -> Result<Uuid, Problem> {
        self.id_of("id")
    }

    /// The path parameter `delivery`.
    pub(crate) fn delivery(&self) -> Result<Uuid, Problem> {
        self.id_of("delivery")
    }

    fn id_of(&self, name: &str) -> Result<Uuid, Problem> {
        let id = self.ids.get(name);
        let id = id.and_then(|text| Uuid::try_parse(text).ok());
        id.ok_or(Problem::NoSuchResource)
    }

    /// The query parameters.
    pub(crate) fn parameters(&self) -> Input<'_> {
        Input::of_query(self.query.as_deref())
    }

    /// Refuses any query parameter.
    pub(crate) fn no_parameters(&self) -> Result<(), Problem> {
        self.parameters().end(Some(()))
    }

    /// Reads and parses the body.
    pub(crate) async fn body<T: DeserializeOwned + Validate>(&self) -> Result<T, Problem> {
        input::body(&self.raw_body().await?)
    }

    /// Reads the body without parsing it.
    pub(crate) async fn raw_body(&self) -> Result<Bytes, Problem> {
        self.incoming.read(&self.headers, MAX_BODY_BYTES).await
    }

    /// Converts an error to a problem, and logs its cause.
    pub(crate) fn problem(&self, error: &KeyError) -> Problem {
        failure::of_key(error, &self.call.request_id)
    }

    /// Converts an error of lookups to a problem, and logs its cause.
    pub(crate) fn lookup_problem(&self, error: &PersonLookupError) -> Problem {
        failure::of_person_lookup(error, &self.call.request_id)
    }

    /// Converts an error of webhooks to a problem, and logs its cause.
    pub(crate) fn webhook_problem(&self, error: &WebhookError) -> Problem {
        failure::of_webhook(error, &self.call.request_id)
    }

    /// Converts an error of own accounts to a problem, and logs its cause.
    pub(crate) fn own_account_problem(&self, error: OwnAccountFailure) -> Problem {
        failure::of_own_account(error, &self.call.request_id)
    }

    /// A JSON response with this status.
    pub(crate) fn json(
        &self,
        status: StatusCode,
        view: &impl Serialize,
    ) -> Result<Response, Problem> {
        let mut response = json_response(self.bytes(view)?);
        *response.status_mut() = status;
        Ok(response)
    }

    /// Serialises a response body, or a part of one.
    pub(crate) fn bytes(&self, view: &impl Serialize) -> Result<Vec<u8>, Problem> {
        serde_json::to_vec(view).map_err(|error| {
            let request_id = &self.call.request_id;
            tracing::error!(%request_id, %error, "an answer can't be written");
            Problem::internal(request_id)
        })
    }
}
