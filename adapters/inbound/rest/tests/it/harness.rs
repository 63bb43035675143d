//! A server on loopback, requests to it, and answers as text.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use domain::outcome::{Endpoint, Outcome};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rest::{
    BODY_DEADLINE, BYTES_OF_FILES, Ending, PeopleState, ProofMetricsSink, RestState, SessionAccess,
};
use serde_json::Value;
use testkit::answers::header_lines;
use testkit::fakes::{Faults, MemoryJournal, ScriptedBank};
use testkit::people::PeopleServices;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use web::{BodyMemory, CallerAddress, MetricsSink, Origin, RequestLayer, SessionGuard, Site};
use workbook_files::WorkbookFiles;
use zip_files::DeflatedZip;

use crate::data::{self, GOOD_KEY};
use crate::gateway::Gateway;
use crate::people;

/// The gateway's own origin, and another one that is allowed.
pub(crate) const OURS: &str = "http://127.0.0.1:8080";
pub(crate) const ALLOWED: &str = "https://panel.example";

/// Sign-in of people: on or off.
enum SignIn {
    On,
    Off,
}

/// A server, and the gateway behind it.
pub(crate) struct Harness {
    pub(crate) address: SocketAddr,
    pub(crate) gateway: Gateway,
    pub(crate) metrics_sink: Arc<RecordingMetricsSink>,
    pub(crate) tasks: TaskTracker,
    pub(crate) router: Router,
    client: Client,
}

impl Harness {
    /// A server of the keys of `data`.
    pub(crate) async fn start() -> Self {
        Self::over(data::machine().await).await
    }

    pub(crate) async fn with_body_deadline(body_deadline: Duration) -> Self {
        Self::with(data::machine().await, body_deadline, SignIn::On).await
    }

    pub(crate) async fn without_sign_in() -> Self {
        let services = people::data::people().await;
        Self::with(services, BODY_DEADLINE, SignIn::Off).await
    }

    /// A server of the people of `people::data`.
    pub(crate) async fn of_people() -> Self {
        Self::over(people::data::people().await).await
    }

    pub(crate) async fn over(services: PeopleServices) -> Self {
        Self::with(services, BODY_DEADLINE, SignIn::On).await
    }

    async fn with(services: PeopleServices, body_deadline: Duration, sign_in: SignIn) -> Self {
        let tasks = TaskTracker::new();
        let gateway = Gateway::over(services, tasks.clone()).await;
        let services = &gateway.services;
        let metrics_sink = Arc::new(RecordingMetricsSink::default());
        let request_layer = Arc::new(RequestLayer {
            clock: services.clock.clone(),
            random: services.random.clone(),
            tasks: tasks.clone(),
            body_deadline,
            metrics_sink: metrics_sink.clone(),
            trace_context: Arc::new(()),
        });
        let guard = Arc::new(SessionGuard {
            sessions: services.sessions.clone(),
            site: Arc::new(site()),
        });
        let people = SessionAccess {
            batches: gateway.lookups.batches.clone(),
            keys: gateway.account_keys.clone(),
            guard: guard.clone(),
        };
        let router = rest::router(RestState {
            proof_requests: gateway.proof_requests.clone(),
            spawn: gateway.spawn.clone(),
            lookups: gateway.lookups.callers.clone(),
            low_priority: tokio::runtime::Handle::current(),
            batches: gateway.lookups.batches.clone(),
            people: matches!(sign_in, SignIn::On).then_some(people),
            zips: Arc::new(DeflatedZip),
            file_memory: BodyMemory::new(BYTES_OF_FILES),
            workbooks: Arc::new(WorkbookFiles),
            max_batch_rows: 10_000,
            health: gateway.health.clone(),
            participants: testkit::lookups::catalogue(),
            request_layer: request_layer.clone(),
            metrics_sink: metrics_sink.clone(),
        });
        let people_router = rest::people_router(PeopleState {
            keys: services.keys.clone(),
            insights: services.insights.clone(),
            lookups: gateway.lookups.people.clone(),
            own_accounts: gateway.lookups.own_accounts.clone(),
            participants: testkit::lookups::catalogue(),
            webhooks: Arc::new(testkit::webhooks::service(services)),
            request_layer,
            guard,
        });
        let router = match sign_in {
            SignIn::On => router.merge(people_router),
            SignIn::Off => router,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = router.layer(map_request(note_caller));
        let service = router
            .clone()
            .into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        let client = Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self {
            address,
            gateway,
            metrics_sink,
            tasks,
            router,
            client,
        }
    }

    /// A request whose id is drawn, unless it is given one.
    pub(crate) fn unnamed(&self, method: &str, path: &str) -> RequestBuilder {
        let method = method.parse().unwrap();
        let url = format!("http://{}{path}", self.address);
        self.client.request(method, url)
    }

    /// A request with a fixed id.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        self.unnamed(method, path).header("x-request-id", "test-1")
    }

    /// A request of a machine's, without a body.
    pub(crate) fn keyed(&self, key: &str, method: &str, path: &str) -> RequestBuilder {
        self.request(method, path).header("x-api-key", key)
    }

    /// A request with a good key.
    pub(crate) fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.post_by(GOOD_KEY, path, body)
    }

    /// A request with this key.
    pub(crate) fn post_by(
        &self,
        key: &str,
        path: &str,
        body: impl Into<reqwest::Body>,
    ) -> RequestBuilder {
        people::with_json(self.keyed(key, "POST", path), body)
    }

    /// See [`Gateway::outcomes`].
    pub(crate) async fn outcomes(&self) -> Vec<Outcome> {
        self.gateway.outcomes().await
    }

    /// The bank of test keys.
    pub(crate) fn bank(&self) -> &ScriptedBank {
        &self.gateway.services.test_bank
    }

    pub(crate) fn journal(&self) -> &MemoryJournal {
        &self.gateway.services.journal
    }

    /// Faults of the store, and the number of its calls.
    pub(crate) fn store_faults(&self) -> &Faults {
        self.gateway.services.store.faults()
    }

    /// Waits until all requests have ended, though their callers hung up.
    pub(crate) async fn all_ended(&self) {
        self.tasks.close();
        let ended = tokio::time::timeout(Duration::from_secs(20), self.tasks.wait());
        ended.await.unwrap();
    }

    /// Sends bytes on a connection of their own and returns all that comes back until it closes.
    pub(crate) async fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// The ends of a request.
pub(crate) trait Exchange: Sized {
    /// The response to this request.
    async fn response(self) -> Response;

    /// The status of the response.
    async fn status(self) -> u16 {
        self.response().await.status().as_u16()
    }

    /// The JSON of the response, which has this status.
    async fn json_of(self, status: u16) -> Value {
        json_of(self.response().await, status).await
    }

    /// The response as text: see [`transcript`].
    async fn transcript(self) -> String {
        transcript(self.response().await).await
    }
}

impl Exchange for RequestBuilder {
    async fn response(self) -> Response {
        self.send().await.unwrap()
    }
}

/// The JSON of a response with this status.
pub(crate) async fn json_of(response: Response, status: u16) -> Value {
    let received = response.status();
    let body = response.text().await.unwrap();
    assert_eq!(received, status, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// The lines of a response that is JSON lines.
pub(crate) async fn json_lines(response: Response) -> Vec<Value> {
    let text = response.text().await.unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The faulty fields of a refusal, with the problem of each.
pub(crate) fn faults(refusal: &Value) -> Vec<(&str, &str)> {
    let fields = refusal["details"]["fields"].as_array().unwrap().iter();
    let texts = fields.map(|fault| (fault["field"].as_str(), fault["problem"].as_str()));
    texts
        .map(|(field, problem)| (field.unwrap(), problem.unwrap()))
        .collect()
}

/// A header of a response, or nothing.
pub(crate) fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

/// The codes of the issuer and the receiver that a response says were inferred.
pub(crate) fn inferred(response: &Response) -> [&str; 2] {
    ["x-inferred-emisor", "x-inferred-receptor"].map(|name| header(response, name))
}

/// Metrics sink that records its calls.
#[derive(Default)]
pub(crate) struct RecordingMetricsSink {
    pub(crate) answered: Mutex<Vec<(String, u16)>>,
    pub(crate) ended: Mutex<Vec<(Endpoint, Ending)>>,
}

impl MetricsSink for RecordingMetricsSink {
    fn answered(&self, route: &str, status: StatusCode) {
        let answer = (route.to_owned(), status.as_u16());
        self.answered.lock().unwrap().push(answer);
    }
}

impl ProofMetricsSink for RecordingMetricsSink {
    fn ended(&self, endpoint: Endpoint, ending: Ending, _: Duration) {
        self.ended.lock().unwrap().push((endpoint, ending));
    }
}

fn site() -> Site {
    let origin = |text| Origin::parse(text).unwrap();
    Site::new(origin(OURS), vec![origin(ALLOWED)], None).unwrap()
}

/// A good body, with some members replaced by other JSON; an empty one is left out.
pub(crate) fn body(changes: &[(&str, &str)]) -> String {
    let good = [
        ("fecha", "\"2026-11-20\""),
        ("clave_rastreo", "\"MBAN01002611200001234567\""),
        ("cuenta", "\"002010077777777771\""),
        ("monto", "1234.56"),
        ("emisor", "\"40012\""),
        ("receptor", "\"40002\""),
    ];
    let value = |name: &str, good| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        change.map_or(good, |(_, value)| *value)
    };
    let members: Vec<_> = good
        .iter()
        .map(|(name, good)| (name, value(name, *good)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The Spanish and the English response, one after the other.
pub(crate) async fn in_both_languages(request: impl Fn() -> RequestBuilder) -> String {
    let in_language = |language| request().header("accept-language", language).transcript();
    let spanish = in_language("es-MX,es;q=0.9").await;
    let english = in_language("en-GB,en;q=0.9,es;q=0.1").await;
    format!("{spanish}\n\n{english}")
}

/// Answers in both languages, each pair below the request that it answers.
#[derive(Default)]
pub(crate) struct Answers(pub(crate) String);

impl Answers {
    pub(crate) async fn add(&mut self, name: &str, request: impl Fn() -> RequestBuilder) {
        let answers = in_both_languages(request).await;
        write!(self.0, "== {name}\n{answers}\n\n").unwrap();
    }
}

/// Status, headers (without the date, and see [`header_lines`]) and body as text.
pub(crate) async fn transcript(response: Response) -> String {
    let mut text = format!("{}\n", response.status());
    let headers = response.headers().iter();
    let headers = headers.filter(|(name, _)| *name != "date");
    let headers = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    writeln!(text, "{}\n", header_lines(headers)).unwrap();
    let body = response.bytes().await.unwrap();
    if body.starts_with(b"PK") {
        writeln!(text, "(a ZIP)").unwrap();
    } else {
        text.push_str(&String::from_utf8_lossy(&body).replace('\0', "\\0"));
    }
    text
}

/// Notes a request's caller, as the gateway's server does.
async fn note_caller(ConnectInfo(peer): ConnectInfo<SocketAddr>, mut request: Request) -> Request {
    let caller = CallerAddress(peer.ip());
    request.extensions_mut().insert(caller);
    request
}
