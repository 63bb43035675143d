//! Fixture: the API over the application and in-memory adapters, requests to it, and its responses as
//! text.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use domain::limits::Plan;
use domain::people::customer::ExistingKeys;
use graphql::{GraphqlState, Introspection};
use http_body_util::BodyExt as _;
use ports::outbound::{Clock as _, CustomerStore as _};
use serde_json::{Value, json};
use testkit::lookups::LookupFixture;
use testkit::people::{PeopleServices, owner};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use web::{BODY_DEADLINE, Origin, RequestLayer, SessionGuard, Site};

use crate::data::{customer_id, services};

pub(crate) struct Harness {
    router: Router,
    pub(crate) services: PeopleServices,
    pub(crate) lookups: LookupFixture,
    pub(crate) tasks: TaskTracker,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn data(&self) -> Value {
        let json = self.json();
        assert!(json.get("errors").is_none(), "{json:#}");
        json["data"].clone()
    }

    /// The code of the first error.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        let code = json["errors"][0]["extensions"]["code"].as_str();
        code.unwrap_or_else(|| panic!("{json:#}")).to_owned()
    }

    /// Checks the status and the code of the first error.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, code: &str) {
        let told = (self.status.as_u16(), &*self.code());
        assert_eq!(told, (status, code), "{}", self.text);
    }

    pub(crate) fn message(&self) -> String {
        let json = self.json();
        json["errors"][0]["message"].as_str().unwrap().to_owned()
    }
}

impl Harness {
    pub(crate) async fn new() -> Self {
        Self::with(Introspection::On).await
    }

    pub(crate) async fn with(introspection: Introspection) -> Self {
        let services = services().await;
        let lookups = LookupFixture::over(&services);
        let tasks = TaskTracker::new();
        let public = Origin::parse("http://127.0.0.1:8080").unwrap();
        let site = Site::new(public, Vec::new(), None).unwrap();
        let router = graphql::router(GraphqlState {
            keys: services.keys.clone(),
            insights: services.insights.clone(),
            lookups: lookups.services.people.clone(),
            batches: lookups.services.batches.clone(),
            own_accounts: lookups.services.own_accounts.clone(),
            webhooks: Arc::new(testkit::webhooks::service(&services)),
            clock: services.clock.clone(),
            participants: testkit::lookups::catalogue(),
            request_layer: Arc::new(RequestLayer {
                clock: services.clock.clone(),
                random: services.random.clone(),
                tasks: tasks.clone(),
                body_deadline: BODY_DEADLINE,
                metrics_sink: Arc::new(()),
                trace_context: Arc::new(()),
            }),
            guard: Arc::new(SessionGuard {
                sessions: services.sessions.clone(),
                site: Arc::new(site),
            }),
            introspection,
            stopping: CancellationToken::new(),
        });
        Self {
            router,
            services,
            lookups,
            tasks,
        }
    }

    /// A harness whose member has room for keys: its plan is the larger one.
    pub(crate) async fn with_room() -> Self {
        let harness = Self::new().await;
        let services = &harness.services;
        let context = services.mutation(services.clock.now(), &owner("admin"));
        let (id, existing) = (customer_id("member"), ExistingKeys::Keep);
        let store = services.store.elsewhere();
        let set = store.set_plan(id, Plan::Enterprise, existing, &context);
        set.await.unwrap();
        harness
    }

    /// Calls of the store, of the limiter and of the banks, by method.
    pub(crate) fn calls(&self) -> BTreeMap<&'static str, usize> {
        let services = &self.services;
        let mut calls = services.store.faults().calls();
        calls.extend(services.limiter.faults().calls());
        let budgets = services.live_bank.budget_readings() + services.test_bank.budget_readings();
        if budgets > 0 {
            calls.insert("budget", budgets);
        }
        calls
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    /// Sends a query as a person, in English.
    pub(crate) async fn ask(&self, person: &str, query: &str, variables: Value) -> Answer {
        let body = json!({ "query": query, "variables": variables });
        self.send(post(person, body.to_string())).await
    }

    /// The data of a query of the member's.
    pub(crate) async fn read(&self, query: &str, variables: Value) -> Value {
        self.ask("member", query, variables).await.data()
    }

    /// The payload of a mutation: these fields, and why it was refused.
    pub(crate) async fn mutate(
        &self,
        person: &str,
        field: &str,
        fields: &str,
        input: Value,
    ) -> Value {
        let name = field.trim_start_matches("admin");
        let ty = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!(
            "mutation($input: {ty}!) {{ payload: {field}(input: $input) \
             {{ {fields} userErrors {{ code field message }} }} }}"
        );
        let answer = self.ask(person, &query, json!({ "input": input })).await;
        answer.data()["payload"].clone()
    }

    /// The ids of a list of the member's, page by page. The query takes the cursor of the page before, and may
    /// ask for `hasPreviousPage`.
    pub(crate) async fn pages(&self, list: &str, query: &str) -> Vec<Vec<Value>> {
        let (mut pages, mut after) = (Vec::new(), Value::Null);
        loop {
            let data = self.read(query, json!({ "after": after })).await;
            let page = &data[list];
            if let Some(has_previous) = page["pageInfo"].get("hasPreviousPage") {
                assert_eq!(*has_previous, !pages.is_empty());
            }
            let nodes = page["nodes"].as_array().unwrap().iter();
            pages.push(nodes.map(|node| node["id"].clone()).collect());
            if page["pageInfo"]["hasNextPage"] == false {
                return pages;
            }
            after = page["pageInfo"]["endCursor"].clone();
        }
    }

    /// Sends a query as a person who prefers this language.
    pub(crate) async fn ask_in(&self, language: &str, person: &str, query: &str) -> Answer {
        let request = post(person, json!({ "query": query }).to_string());
        self.send(with_header(request, "accept-language", language))
            .await
    }

    pub(crate) async fn member(&self, query: &str) -> Answer {
        self.ask("member", query, Value::Null).await
    }

    pub(crate) async fn admin(&self, query: &str) -> Answer {
        self.ask("admin", query, Value::Null).await
    }
}

/// The session that a query needs: an admin's only for fields of admins.
pub(crate) fn permitted(query: &str) -> &'static str {
    if query.contains("admin") {
        "admin"
    } else {
        "member"
    }
}

/// A valid request with a person's session. Its `Accept` is that of a current client, so that a
/// request that isn't executed has a status of its own.
pub(crate) fn post(person: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post("/graphql")
        .header("cookie", format!("cep_session={person}"))
        .header("content-type", "application/json")
        .header("accept", "application/graphql-response+json")
        .header("accept-language", "en")
        .header("x-request-id", "test-1")
        .body(body.into())
        .unwrap()
}

/// The same request with another header.
pub(crate) fn with_header(
    mut request: Request<Body>,
    name: &'static str,
    value: &str,
) -> Request<Body> {
    let value = HeaderValue::from_str(value).unwrap();
    request.headers_mut().insert(name, value);
    request
}
