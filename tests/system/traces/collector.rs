//! A trace collector on loopback.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use prost::Message as _;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::gateway::{Plan, eventually};

/// Time that a batch may take to arrive: it is sent after a second.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Behaviour of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// Accepts and keeps batches.
    Takes,
    /// Answers 500.
    Fails,
    /// Doesn't answer until its behaviour changes.
    Hangs,
}

/// A running collector.
pub(super) struct Collector {
    pub(super) url: String,
    state: Arc<Kept>,
    behaviour: watch::Sender<Behaviour>,
}

struct Kept {
    bodies: Mutex<Vec<Bytes>>,
    headers: Mutex<Vec<HeaderMap>>,
    behaviour: watch::Receiver<Behaviour>,
}

impl Collector {
    pub(super) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = watch::channel(behaviour);
        let state = Arc::new(Kept {
            bodies: Mutex::default(),
            headers: Mutex::default(),
            behaviour: receiver,
        });
        let router = axum::Router::new()
            .route("/v1/traces", post(take))
            .with_state(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url,
            state,
            behaviour: sender,
        }
    }

    /// The plan of a gateway that sends its traces here.
    pub(super) fn plan(&self) -> Plan {
        Plan::new().with("CEP_OTLP_ENDPOINT", &self.url)
    }

    pub(super) fn becomes(&self, behaviour: Behaviour) {
        self.behaviour.send(behaviour).unwrap();
    }

    /// The headers of each batch that arrived, accepted or not.
    pub(super) fn headers(&self) -> Vec<HeaderMap> {
        self.state.headers.lock().unwrap().clone()
    }

    /// Returns whether a text is in an accepted batch.
    pub(super) fn holds(&self, text: &str) -> bool {
        let batches = self.state.bodies.lock().unwrap().concat();
        let mut windows = batches.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    }

    /// All accepted spans.
    pub(super) fn spans(&self) -> Vec<Span> {
        let bodies = self.state.bodies.lock().unwrap();
        let requests = bodies
            .iter()
            .map(|body| ExportTraceServiceRequest::decode(body.clone()).unwrap());
        requests.flat_map(spans).collect()
    }

    /// The first span of this name, once it has arrived.
    pub(super) async fn span(&self, name: &str) -> Span {
        self.once(name, |_| true).await
    }

    /// The first span of this name that satisfies a condition, once it has arrived.
    async fn once(&self, name: &str, condition: impl Fn(&Span) -> bool) -> Span {
        let is_it = |span: &Span| span.name == name && condition(span);
        let found = || self.spans().into_iter().find(is_it);
        eventually(name, PATIENCE, async || found().is_some()).await;
        found().unwrap()
    }

    /// All spans of the trace of the span of this name, once that has arrived: a trace's others end
    /// before it, and none is sent later than it.
    pub(super) async fn trace(&self, name: &str) -> Trace {
        self.trace_with(&self.span(name).await)
    }

    /// The same for the span of this name with this attribute.
    pub(super) async fn trace_of(&self, name: &str, (attribute, value): (&str, &str)) -> Trace {
        let has_it = |span: &Span| span.attribute(attribute) == Some(value);
        self.trace_with(&self.once(name, has_it).await)
    }

    fn trace_with(&self, span: &Span) -> Trace {
        let mut spans = self.spans();
        spans.retain(|other| other.trace == span.trace);
        Trace(spans)
    }
}

async fn take(State(kept): State<Arc<Kept>>, headers: HeaderMap, body: Bytes) -> Response {
    kept.headers.lock().unwrap().push(headers);
    let mut behaviour = kept.behaviour.clone();
    let now = *behaviour.borrow_and_update();
    match now {
        Behaviour::Takes => {}
        Behaviour::Fails => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Behaviour::Hangs => {
            behaviour
                .wait_for(|behaviour| *behaviour != Behaviour::Hangs)
                .await
                .unwrap();
        }
    }
    kept.bodies.lock().unwrap().push(body);
    StatusCode::OK.into_response()
}

/// A span as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) trace: String,
    pub(super) id: String,
    /// Empty when it has none.
    pub(super) parent: String,
    pub(super) state: String,
    pub(super) name: String,
    /// 1 internal, 2 server, 3 client.
    pub(super) kind: i32,
    /// 0 unset, 1 ok, 2 error.
    pub(super) status: i32,
    pub(super) attributes: BTreeMap<String, String>,
    /// The linked spans.
    pub(super) links: Vec<String>,
    pub(super) events: usize,
    pub(super) nanoseconds: u64,
    /// Attributes of the resource.
    pub(super) resource: BTreeMap<String, String>,
}

impl Span {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

/// The spans of one trace.
pub(super) struct Trace(pub(super) Vec<Span>);

impl Trace {
    /// The only span of this name.
    pub(super) fn the(&self, name: &str) -> &Span {
        let named = self.0.iter().filter(|span| span.name == name);
        let named: Vec<_> = named.collect();
        assert_eq!(named.len(), 1, "{name}: {:#?}", self.0);
        named[0]
    }

    /// The names of a span's children, sorted.
    pub(super) fn children(&self, parent: &Span) -> Vec<&str> {
        let children = self.0.iter().filter(|span| span.parent == parent.id);
        let mut names: Vec<_> = children.map(|span| span.name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

fn spans(request: ExportTraceServiceRequest) -> Vec<Span> {
    let of_resource = request.resource_spans.into_iter().flat_map(|spans| {
        let resource = attributes(spans.resource.unwrap().attributes);
        let of_scope = spans.scope_spans.into_iter().flat_map(|scope| scope.spans);
        of_scope.map(move |span| (resource.clone(), span))
    });
    of_resource
        .map(|(resource, span)| Span {
            trace: hex(&span.trace_id),
            id: hex(&span.span_id),
            parent: hex(&span.parent_span_id),
            state: span.trace_state,
            name: span.name,
            kind: span.kind,
            status: span.status.unwrap_or_default().code,
            attributes: attributes(span.attributes),
            links: span.links.iter().map(|link| hex(&link.span_id)).collect(),
            events: span.events.len(),
            nanoseconds: span.end_time_unix_nano - span.start_time_unix_nano,
            resource,
        })
        .collect()
}

fn attributes(pairs: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |pair: KeyValue| {
        let value = match pair.value.unwrap().value.unwrap() {
            any_value::Value::StringValue(text) => text,
            any_value::Value::IntValue(number) => number.to_string(),
            other => panic!("{} is {other:?}", pair.key),
        };
        (pair.key, value)
    };
    let count = pairs.len();
    let read: BTreeMap<_, _> = pairs.into_iter().map(text).collect();
    assert_eq!(read.len(), count, "an attribute is there twice: {read:?}");
    read
}

fn hex(bytes: &[u8]) -> String {
    domain::hex::encode(bytes)
}
