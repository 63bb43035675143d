//! Fixture: the router over the real sessions, and an identity provider that signs people in.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use dashboard::DashboardState;
use domain::people::customer::Role;
use http_body_util::BodyExt as _;
use ports::outbound::Claims;
use regex::Regex;
use testkit::fakes::ScriptedIdentity;
use testkit::people::PeopleServices;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use web::{BODY_DEADLINE, Origin, RequestLayer, Site};

pub(crate) const TLS: &str = "https://cep.example";
pub(crate) const LOOPBACK: &str = "http://127.0.0.1:8080";
pub(crate) const ALLOWED: &str = "https://panel.example";
pub(crate) const REQUEST_ID: &str = "0198f3c2-0000-7000-8000-000000000001";

/// The access token of every session.
pub(crate) const TOKEN: &str = "head.body.seal";
/// URL at which the provider ends its own session.
pub(crate) const PROVIDER_SIGN_OUT: &str =
    "https://identity.example/sign-out?return_to=https://gateway.example";

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T06:23:27Z".parse().unwrap()
}

fn claims() -> Claims {
    Claims {
        issuer: "https://identity.example".to_owned(),
        subject: "member".to_owned(),
        role: Role::Member,
        display_name: None,
        issued_at: Some(now()),
        expires_at: now() + TimeDelta::hours(1),
    }
}

/// A sign-in that was begun in a browser, whose person the provider knows by now.
pub(crate) struct Begun {
    pub(crate) state: String,
    /// The authorization code.
    pub(crate) code: String,
    /// Value of the cookie that binds the sign-in to the browser.
    pub(crate) binding: String,
}

impl Begun {
    /// The provider's answer.
    pub(crate) fn answer(&self) -> String {
        format!("code={}&state={}", self.code, self.state)
    }
}

pub(crate) struct Harness {
    pub(crate) identity: Arc<ScriptedIdentity>,
    router: Router,
}

impl Harness {
    /// A gateway at this origin. [`TOKEN`] is a session.
    pub(crate) fn at(public: &str) -> Self {
        let services = PeopleServices::at(now());
        services.identity.accept(TOKEN, claims());
        let allowed = vec![Origin::parse(ALLOWED).unwrap()];
        let request_layer = RequestLayer {
            clock: services.clock.clone(),
            random: services.random,
            tasks: TaskTracker::new(),
            body_deadline: BODY_DEADLINE,
            metrics_sink: Arc::new(()),
            trace_context: Arc::new(()),
        };
        let router = dashboard::router(DashboardState {
            sessions: services.sessions,
            clock: services.clock,
            site: Arc::new(Site::new(Origin::parse(public).unwrap(), allowed, None).unwrap()),
            request_layer: Arc::new(request_layer),
        });
        Self {
            identity: services.identity,
            router,
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        Answer::of(self.router.clone().oneshot(request).await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(get(path)).await
    }

    /// Begins a sign-in, at the end of which the session has the token [`TOKEN`].
    pub(crate) async fn begin(&self, path: &str) -> Begun {
        self.begin_with(path, TOKEN).await
    }

    pub(crate) async fn begin_with(&self, path: &str, token: &str) -> Begun {
        let answer = self.get(path).await;
        let [cookie] = answer.cookies()[..] else {
            panic!("{path} begins a sign-in");
        };
        let (_, state) = answer.header("location").split_once("?state=").unwrap();
        let (state, _) = state.split_once('&').unwrap();
        let (binding, _) = cookie.split_once(';').unwrap();
        let (_, binding) = binding.split_once('=').unwrap();
        let code = self
            .identity
            .sign_in_with(state, token.to_owned(), claims());
        Begun {
            state: state.to_owned(),
            code,
            binding: binding.to_owned(),
        }
    }

    /// Brings an answer of the provider back in the browser of a sign-in.
    pub(crate) async fn callback(&self, query: &str, begun: &Begun) -> Answer {
        let cookie = format!("__Host-cep_session_sign_in={}", begun.binding);
        let request = get(&format!("/auth/callback?{query}"));
        self.send(with_header(request, "cookie", &cookie)).await
    }
}

pub(crate) fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header("x-request-id", REQUEST_ID);
    request.body(Body::empty()).unwrap()
}

/// The same request with another header.
pub(crate) fn with_header(
    mut request: Request<Body>,
    name: &'static str,
    value: &str,
) -> Request<Body> {
    request.headers_mut().append(name, value.parse().unwrap());
    request
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
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// The status, and where it redirects to.
    pub(crate) fn redirect(&self) -> (u16, &str) {
        (self.status.as_u16(), self.header("location"))
    }

    pub(crate) fn cookies(&self) -> Vec<&str> {
        let cookies = self.headers.get_all("set-cookie").iter();
        cookies.map(|value| value.to_str().unwrap()).collect()
    }

    /// The status and all headers, without the digests of files and the secrets of sign-ins.
    pub(crate) fn head(&self) -> String {
        let mut lines = Vec::new();
        for (name, value) in &self.headers {
            let value = value.to_str().unwrap();
            lines.push(match name.as_str() {
                "content-length" => continue,
                "etag" if value.starts_with('"') => "etag: [digest]".to_owned(),
                name => format!("{name}: {value}"),
            });
        }
        lines.sort();
        without_secrets(&format!("{}\n{}", self.status, lines.join("\n")))
    }
}

/// Replaces the random values of a sign-in.
pub(crate) fn without_secrets(text: &str) -> String {
    let secret = Regex::new("(state|nonce|sign_in)=[^&; ]+").unwrap();
    secret.replace_all(text, "$1=[$1]").into_owned()
}
