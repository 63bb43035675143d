//! Fixture: the router over fake sessions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use dashboard::DashboardState;
use http_body_util::BodyExt as _;
use ports::inbound::{Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError};
use ports::outbound::{Clock, Random};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use web::{BODY_DEADLINE, Origin, RequestLayer, Site};

pub(crate) const TLS: &str = "https://cep.example";
pub(crate) const LOOPBACK: &str = "http://127.0.0.1:8080";
pub(crate) const ALLOWED: &str = "https://panel.example";
pub(crate) const REQUEST_ID: &str = "0198f3c2-0000-7000-8000-000000000001";

/// The authorization code that the provider issued.
pub(crate) const CODE: &str = "good-code";
/// The access token for that code.
pub(crate) const TOKEN: &str = "head.body.seal";
/// URL at which the provider ends its own session.
pub(crate) const PROVIDER_SIGN_OUT: &str = "https://id.example/end?back=https%3A%2F%2Fcep.example";

/// Fake: sign-ins and sessions without a provider.
#[derive(Default)]
pub(crate) struct FakeSessions {
    begun: Mutex<HashMap<String, String>>,
    ended: Mutex<Vec<String>>,
    /// Error of the next call.
    pub(crate) failure: Mutex<Option<SignInError>>,
    /// Access token, [`TOKEN`] by default.
    pub(crate) token: Mutex<Option<String>>,
    /// Error of every attempt to end a session.
    pub(crate) store_is_down: Mutex<Option<SessionError>>,
}

impl FakeSessions {
    /// Return paths of the pending sign-ins.
    pub(crate) fn return_paths(&self) -> Vec<String> {
        self.begun.lock().unwrap().values().cloned().collect()
    }

    /// Tokens of the ended sessions.
    pub(crate) fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }
}

#[async_trait]
impl Sessions for FakeSessions {
    async fn begin(&self, return_to: &str) -> Result<SignIn, SignInError> {
        if let Some(error) = self.failure.lock().unwrap().take() {
            return Err(error);
        }
        let mut begun = self.begun.lock().unwrap();
        let number = begun.len() + 1;
        begun.insert(format!("state-{number}"), return_to.to_owned());
        Ok(SignIn {
            redirect: format!("https://id.example/authorize?state=state-{number}"),
            binding: format!("binding-of-state-{number}"),
        })
    }

    async fn finish(&self, answer: SignInAnswer<'_>) -> Result<Session, SignInError> {
        if answer.binding != format!("binding-of-{}", answer.state) {
            return Err(SignInError::NotUnderWay);
        }
        let return_to = self.begun.lock().unwrap().remove(answer.state);
        let return_to = return_to.ok_or(SignInError::NotUnderWay)?;
        if let Some(error) = self.failure.lock().unwrap().take() {
            return Err(error);
        }
        match answer.outcome {
            Ok(CODE) => Ok(Session {
                token: self
                    .token
                    .lock()
                    .unwrap()
                    .clone()
                    .unwrap_or_else(|| TOKEN.to_owned()),
                expires_at: now() + TimeDelta::hours(1),
                return_to,
            }),
            Ok(other) => Err(SignInError::Unusable(format!("no such code: {other}"))),
            Err(code) => Err(SignInError::Refused(code.to_owned())),
        }
    }

    async fn person(&self, _: &str) -> Result<Person, SessionError> {
        unreachable!("no route of this crate identifies a person")
    }

    async fn end(&self, token: &str) -> Result<Option<String>, SessionError> {
        if let Some(error) = self.store_is_down.lock().unwrap().clone() {
            return Err(error);
        }
        self.ended.lock().unwrap().push(token.to_owned());
        Ok(Some(PROVIDER_SIGN_OUT.to_owned()))
    }
}

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T06:23:27Z".parse().unwrap()
}

struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> DateTime<Utc> {
        now()
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

/// Deterministic: different bytes in each call, the same in every run.
#[derive(Default)]
struct CountingRandom(AtomicU8);

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}

pub(crate) struct Harness {
    pub(crate) sessions: Arc<FakeSessions>,
    router: Router,
}

impl Harness {
    pub(crate) fn at(public: &str) -> Self {
        let sessions = Arc::new(FakeSessions::default());
        let allowed = vec![Origin::parse(ALLOWED).unwrap()];
        let clock: Arc<dyn Clock> = Arc::new(StoppedClock);
        let request_layer = RequestLayer {
            clock: Arc::clone(&clock),
            random: Arc::new(CountingRandom::default()),
            tasks: TaskTracker::new(),
            body_deadline: BODY_DEADLINE,
            metrics_sink: Arc::new(()),
            trace_context: Arc::new(()),
        };
        let router = dashboard::router(DashboardState {
            sessions: sessions.clone(),
            clock,
            site: Arc::new(Site::new(Origin::parse(public).unwrap(), allowed, None).unwrap()),
            request_layer: Arc::new(request_layer),
        });
        Self { sessions, router }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        Answer::of(self.router.clone().oneshot(request).await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(get(path)).await
    }

    /// Calls the redirect URI, with the cookie of the sign-in in this state.
    pub(crate) async fn callback(&self, query: &str, state: &str) -> Answer {
        let cookie = format!("__Host-cep_session_sign_in=binding-of-{state}");
        let mut request = get(&format!("/auth/callback?{query}"));
        request
            .headers_mut()
            .insert("cookie", cookie.parse().unwrap());
        self.send(request).await
    }
}

pub(crate) fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header("x-request-id", REQUEST_ID);
    request.body(Body::empty()).unwrap()
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn cookies(&self) -> Vec<&str> {
        let cookies = self.headers.get_all("set-cookie").iter();
        cookies.map(|value| value.to_str().unwrap()).collect()
    }

    /// The status and all headers, without the digests of files.
    pub(crate) fn head(&self) -> String {
        let mut lines: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .map(|line| match line.split_once('"') {
                Some(("etag: ", _)) => "etag: [digest]".to_owned(),
                _ => line,
            })
            .filter(|line| !line.starts_with("content-length"))
            .collect();
        lines.sort();
        format!("{}\n{}", self.status, lines.join("\n"))
    }
}
