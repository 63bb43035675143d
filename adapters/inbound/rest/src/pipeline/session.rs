//! Requests with a session in place of an API key.

use std::sync::Arc;

use application::{NamedKey, RequestKey};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::keys::KeyId;
use domain::outcome::Endpoint;
use web::Problem;

use super::ended::Ended;
use super::{Call, Head, detached};
use crate::charged_key::{self, KeyParameter};
use crate::{RestState, SessionAccess, caller, failure};

/// Serves a request with an API key, or with a session that names the key to charge.
pub(super) fn detached_with_session<S, F>(
    state: &Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
    serve: S,
) -> impl Future<Output = Response> + use<S, F>
where
    S: FnOnce(Call) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    detached(state, endpoint, request, |call| async {
        if let Some(call) = call.with_charged_key().await {
            serve(call).await;
        }
    })
}

impl Call {
    /// The call, with the key that its session names; `None` if it was refused, and answered.
    async fn with_charged_key(mut self) -> Option<Self> {
        let state = Arc::clone(&self.head.state);
        let headers = &self.body.headers;
        let named = KeyParameter::of_query(self.body.query.as_deref());
        // What shows neither session nor named key lacks a key, as everywhere in the API.
        let names_key = !matches!(named, Ok(None));
        let people = state.people.as_ref().filter(|people| {
            !caller::shows_key(headers) && (names_key || people.guard.shows_session(headers))
        });
        let Some(people) = people else {
            let refused = named.and_then(charged_key::none_named).err();
            self.body.fault = self.body.fault.or(refused);
            return Some(self);
        };
        self.head.sharing = Some(people.guard.sharing(headers));
        match self.head.named_key(people, headers, named).await {
            Ok(key) => {
                self.admission.key = RequestKey::Named(key);
                Some(self)
            }
            Err(problem) => {
                self.refuse(&problem).await;
                None
            }
        }
    }

    async fn refuse(self, problem: &Problem) {
        let Self {
            head, body, sender, ..
        } = self;
        let response = problem.response(head.context.language);
        let ended = Ended::without_session();
        head.finish((sender, body), response, &ended).await;
    }
}

impl Head {
    /// The key that a person names, if the session is valid and the key one of its account.
    async fn named_key(
        &self,
        people: &SessionAccess,
        headers: &HeaderMap,
        named: Result<Option<KeyId>, Problem>,
    ) -> Result<NamedKey, Problem> {
        let person = people.guard.caller(&self.context, &self.method, headers);
        let person = person.await?;
        let named = charged_key::named(named?)?;
        let key = people.keys.named(&person, named).await;
        key.map_err(|error| {
            failure::log_refusal(&error, &self.context.request_id);
            failure::of_refusal(&error)
        })
    }
}
