//! A router under the guard, people with sessions, and answers as text.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{Caller, Person};
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, get, on};
use domain::people::customer::Role;
use http_body_util::BodyExt as _;
use ports::outbound::TokenError;
use testkit::answers::header_lines;
use testkit::people::PeopleServices;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use tracing::Span;
use web::trace::TraceContext;
use web::{Incoming, MetricsSink, Origin, Problem, RequestLayer, SessionGuard, Site};

pub(crate) const TOKEN: &str = "a-good-token";
pub(crate) const OURS: &str = "https://cep.example";
pub(crate) const ALLOWED: &str = "https://panel.example";
/// Most bytes of a body that the router reads.
pub(crate) const MOST: usize = 64;

/// Remembers the routes and statuses that it hears of.
#[derive(Default)]
pub(crate) struct Answers(pub(crate) Mutex<Vec<(String, u16)>>);

impl MetricsSink for Answers {
    fn answered(&self, route: &str, status: StatusCode) {
        let answer = (route.to_owned(), status.as_u16());
        self.0.lock().unwrap().push(answer);
    }
}

/// Counts the spans that it is asked about.
#[derive(Default)]
pub(crate) struct Spans(pub(crate) AtomicUsize);

impl TraceContext for Spans {
    fn follow(&self, _span: &Span, _headers: &HeaderMap) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// State of the identity provider.
#[derive(Clone, Copy)]
pub(crate) enum Provider {
    Up,
    Down,
}

/// A guarded router, and how often anything behind the guard was reached.
pub(crate) struct Harness {
    router: Router,
    reached: Arc<AtomicUsize>,
    tasks: TaskTracker,
    pub(crate) bodies: Arc<Mutex<Vec<String>>>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) spans: Arc<Spans>,
    services: PeopleServices,
}

impl Harness {
    /// With a page of somebody else's that may ask.
    pub(crate) fn new() -> Self {
        Self::with_allowed(&[ALLOWED])
    }

    pub(crate) fn with_allowed(allowed: &[&str]) -> Self {
        let origin = |text: &str| Origin::parse(text).unwrap();
        let allowed = allowed.iter().map(|text| origin(text)).collect();
        let reached = Arc::new(AtomicUsize::new(0));
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let tasks = TaskTracker::new();
        let answers = Arc::new(Answers::default());
        let spans = Arc::new(Spans::default());
        let services = PeopleServices::at("2026-11-20T12:00:00Z".parse().unwrap());
        services.sign_in(TOKEN, "somebody", Role::Member);
        let guard = Arc::new(SessionGuard {
            sessions: services.sessions.clone(),
            site: Arc::new(Site::new(origin(OURS), allowed, None).unwrap()),
        });
        let request_layer = Arc::new(RequestLayer {
            clock: services.clock.clone(),
            random: services.random.clone(),
            tasks: tasks.clone(),
            body_deadline: Duration::from_millis(200),
            metrics_sink: answers.clone(),
            trace_context: spans.clone(),
        });
        let count = Arc::clone(&reached);
        let answer = move |Extension(caller): Extension<Caller>, person: Extension<Person>| async move {
            count.fetch_add(1, Ordering::Relaxed);
            assert_eq!(caller.owner, person.owner);
            format!("{} in {}", caller.owner.subject, caller.request_id)
        };
        let kept = Arc::clone(&bodies);
        let read = move |Extension(incoming): Extension<Incoming>, headers: HeaderMap| async move {
            let body = incoming.read(&headers, MOST).await?;
            let body = String::from_utf8_lossy(&body).into_owned();
            kept.lock().unwrap().push(body);
            Ok::<_, Problem>("read")
        };
        let reading = MethodFilter::GET.or(MethodFilter::POST);
        let changing = MethodFilter::PUT.or(MethodFilter::PATCH);
        let methods = reading.or(changing).or(MethodFilter::DELETE);
        let panic = async || -> &'static str { panic!("it panics") };
        let router = Router::new()
            .route("/thing", on(methods, answer))
            .route("/body", get(async || "unread").post(read))
            .route("/panic", get(panic))
            .method_not_allowed_fallback(web::method_not_allowed);
        let shows_key = |headers: &HeaderMap| headers.contains_key("x-api-key");
        let served = Arc::clone(&reached);
        let serve = move || async move {
            served.fetch_add(1, Ordering::Relaxed);
            "served"
        };
        let beside = Router::new().route("/batch", get(serve.clone()).post(serve));
        let beside = web::guard_without_key(beside, &guard, shows_key);
        let router = web::guard(router, &guard).merge(beside);
        let router = web::observe(router, &request_layer);
        Self {
            router,
            reached,
            tasks,
            bodies,
            answers,
            spans,
            services,
        }
    }

    /// Makes the identity provider's keys unavailable, or available again.
    pub(crate) fn set_provider(&self, provider: Provider) {
        let failure = match provider {
            Provider::Up => None,
            Provider::Down => {
                let cause = Arc::new(std::io::Error::other("a synthetic cause"));
                Some(TokenError::Unavailable(cause))
            }
        };
        self.services.identity.fail_verifying_with(failure);
    }

    pub(crate) async fn send(&self, request: Request) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// The status of the answer to a request.
    pub(crate) async fn status(&self, request: Request) -> u16 {
        self.send(request).await.status().as_u16()
    }

    /// The Spanish and the English answer to a request that wishes for a language.
    pub(crate) async fn in_both_languages(
        &self,
        request: impl Fn((&'static str, &'static str)) -> Request,
    ) -> String {
        let answer = async |language| {
            let request = request(("accept-language", language));
            transcript(self.send(request).await).await
        };
        format!("{}\n\n{}", answer("es").await, answer("en").await)
    }

    /// Waits until all tasks have ended.
    pub(crate) async fn all_ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    pub(crate) fn reached(&self) -> usize {
        self.reached.load(Ordering::Relaxed)
    }
}

/// A request with these headers and a fixed id.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-request-id", "test-1");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from("{}")).unwrap()
}

/// The same, with a good session.
pub(crate) fn session(method: &str, path: &str, headers: &[(&str, &str)]) -> Request {
    let cookie = format!("__Host-cep_session={TOKEN}");
    let headers = [&[("cookie", cookie.as_str())], headers].concat();
    request(method, path, &headers)
}

/// Status, headers (see [`header_lines`]) and body as text.
pub(crate) async fn transcript(response: Response) -> String {
    let mut text = format!("{}\n", response.status());
    let headers = response.headers().iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    writeln!(text, "{}\n", header_lines(headers)).unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    text.push_str(&String::from_utf8_lossy(&body));
    text
}
