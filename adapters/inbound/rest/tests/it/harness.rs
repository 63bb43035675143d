//! A server on loopback, requests to it, and answers as text.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use application::ProofRequestService;
use domain::outcome::Outcome;
use domain::participant::Catalogue;
use reqwest::{Client, RequestBuilder, Response};
use rest::{BODY_DEADLINE, PeopleState, RestState};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use web::{Origin, RequestLayer, SessionGuard, Site};

use crate::fakes::{
    CountingRandom, FakeGatekeeper, FakeHealth, FakeMetricsSink, FakeProofs, GOOD_KEY, StoppedClock,
};
use crate::people::fakes::{FakePeople, FakeSessions};

/// The gateway's own origin, and another one that is allowed.
pub(crate) const OURS: &str = "http://127.0.0.1:8080";
pub(crate) const ALLOWED: &str = "https://panel.example";

/// Dashboard of the gateway: on or off.
#[derive(Clone, Copy)]
enum People {
    MaySignIn,
    MayNot,
}

/// A server, and the fakes behind it.
pub(crate) struct Harness {
    pub(crate) address: SocketAddr,
    pub(crate) gatekeeper: Arc<FakeGatekeeper>,
    pub(crate) proofs: Arc<FakeProofs>,
    pub(crate) health: Arc<FakeHealth>,
    pub(crate) people: Arc<FakePeople>,
    pub(crate) metrics_sink: Arc<FakeMetricsSink>,
    pub(crate) tasks: TaskTracker,
    client: Client,
}

impl Harness {
    pub(crate) async fn start() -> Self {
        Self::with_body_deadline(BODY_DEADLINE).await
    }

    pub(crate) async fn with_body_deadline(body_deadline: Duration) -> Self {
        Self::with(body_deadline, People::MaySignIn).await
    }

    pub(crate) async fn without_people() -> Self {
        Self::with(BODY_DEADLINE, People::MayNot).await
    }

    async fn with(body_deadline: Duration, may: People) -> Self {
        let gatekeeper = Arc::new(FakeGatekeeper::default());
        let proofs = Arc::new(FakeProofs::default());
        let health = Arc::new(FakeHealth::default());
        let tasks = TaskTracker::new();
        let people = Arc::new(FakePeople::default());
        let metrics_sink = Arc::new(FakeMetricsSink::default());
        let request_layer = || {
            Arc::new(RequestLayer {
                clock: Arc::new(StoppedClock),
                random: Arc::new(CountingRandom::default()),
                tasks: tasks.clone(),
                body_deadline,
                metrics_sink: metrics_sink.clone(),
                trace_context: Arc::new(()),
            })
        };
        let requests = tasks.clone();
        let proof_requests = ProofRequestService::new(
            gatekeeper.clone(),
            proofs.clone(),
            Arc::new(StoppedClock),
            Box::new(move |task| drop(requests.spawn(task))),
        );
        let router = rest::router(RestState {
            proof_requests: Arc::new(proof_requests),
            health: health.clone(),
            catalogue: Catalogue::embedded(),
            request_layer: request_layer(),
            metrics_sink: metrics_sink.clone(),
        });
        let people_router = rest::people_router(PeopleState {
            keys: people.clone(),
            insights: people.clone(),
            request_layer: request_layer(),
            guard: Arc::new(SessionGuard {
                sessions: Arc::new(FakeSessions),
                site: Arc::new(site()),
            }),
        });
        let router = match may {
            People::MaySignIn => router.merge(people_router),
            People::MayNot => router,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        let client = Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self {
            address,
            gatekeeper,
            proofs,
            health,
            people,
            metrics_sink,
            tasks,
            client,
        }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = method.parse().unwrap();
        let url = format!("http://{}{path}", self.address);
        self.client.request(method, url)
    }

    /// A request with a good key and a fixed id.
    pub(crate) fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.request("POST", path)
            .header("x-api-key", GOOD_KEY)
            .header("x-request-id", "test-1")
            .header("content-type", "application/json")
            .body(body)
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        self.gatekeeper.outcomes()
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

/// Status, headers (sorted, without the date) and body as text.
pub(crate) async fn transcript(response: Response) -> String {
    let mut text = format!("{}\n", response.status());
    let mut headers: Vec<_> = response
        .headers()
        .iter()
        .filter(|(name, _)| *name != "date")
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    writeln!(text, "{}\n", headers.join("\n")).unwrap();
    let body = response.bytes().await.unwrap();
    if body.starts_with(b"PK") {
        writeln!(text, "(a ZIP)").unwrap();
    } else {
        text.push_str(&String::from_utf8_lossy(&body).replace('\0', "\\0"));
    }
    text
}
