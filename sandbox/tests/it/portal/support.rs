//! Test portal, and a client with a cookie jar.

use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{COOKIE, HeaderMap, SET_COOKIE};
use sandbox::SandboxConfig;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Noon of a Friday in Mexico City.
pub(crate) const NOON: &str = "2026-11-20T18:00:00Z";

/// A portal on a port of its own; dropping it stops the server.
pub(crate) struct Portal {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: Option<oneshot::Sender<()>>,
    pub(crate) served: JoinHandle<()>,
}

impl Portal {
    pub(crate) async fn start() -> Self {
        Self::start_at(NOON, Duration::ZERO).await
    }

    /// Starts a portal with a fixed clock.
    pub(crate) async fn start_at(now: &str, latency: Duration) -> Self {
        let now: DateTime<Utc> = now.parse().unwrap();
        let config = SandboxConfig {
            latency,
            now: Arc::new(move || now),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (shutdown, ended) = oneshot::channel::<()>();
        let served = tokio::spawn(async move {
            let shutdown = async { drop(ended.await) };
            sandbox::serve(listener, sandbox::router(config), shutdown).await;
        });
        Self {
            address,
            shutdown: Some(shutdown),
            served,
        }
    }

    /// Answers a new visitor's question.
    pub(crate) async fn answer(&self, form: &Form) -> Answer {
        self.visitor().validate(form).await
    }

    pub(crate) fn visitor(&self) -> Visitor {
        let client = reqwest::Client::builder()
            .timeout(Duration::from_secs(20))
            .build()
            .unwrap();
        Visitor {
            client,
            base: format!("http://{}/cep", self.address),
            cookies: Vec::new(),
        }
    }
}

/// Asks a new portal for a payment, and downloads its file.
pub(crate) async fn downloaded(form: &Form, format: &str) -> Answer {
    Portal::start().await.visitor().fetch(form, format).await
}

/// A client with its cookie jar.
pub(crate) struct Visitor {
    client: reqwest::Client,
    base: String,
    pub(crate) cookies: Vec<(String, String)>,
}

/// A response, read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

impl Visitor {
    pub(crate) async fn validate(&mut self, form: &Form) -> Answer {
        let request = self.client.post(format!("{}/valida.do", self.base));
        self.send(request.form(&form.0)).await
    }

    /// Asks for a payment, and downloads its file.
    pub(crate) async fn fetch(&mut self, form: &Form, format: &str) -> Answer {
        self.validate(form).await;
        self.download(format).await
    }

    pub(crate) async fn download(&mut self, format: &str) -> Answer {
        self.get(&format!("descarga.do?formato={format}")).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let request = self.client.get(format!("{}/{path}", self.base));
        self.send(request).await
    }

    async fn send(&mut self, mut request: reqwest::RequestBuilder) -> Answer {
        if !self.cookies.is_empty() {
            request = request.header(COOKIE, joined(&self.cookies, "; "));
        }
        let answer = request.send().await.unwrap();
        for line in answer.headers().get_all(SET_COOKIE) {
            let cookie = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = cookie.split_once('=').unwrap();
            self.cookies.retain(|(kept, _)| kept != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        Answer {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            body: answer.bytes().await.unwrap().to_vec(),
        }
    }
}

fn joined<N: Display>(pairs: &[(N, String)], separator: &str) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(separator)
}

/// The form of a payment that is found.
#[derive(Clone)]
pub(crate) struct Form(Vec<(&'static str, String)>);

impl Form {
    pub(crate) fn new() -> Self {
        let fields = [
            ("tipoCriterio", "T"),
            ("captcha", "c"),
            ("tipoConsulta", "1"),
            ("fecha", "20-11-2026"),
            ("criterio", "MBAN01002611200001234567"),
            ("emisor", "40012"),
            ("receptor", "40002"),
            ("cuenta", "002010077777777771"),
            ("monto", "1234.56"),
            ("receptorParticipante", "0"),
        ];
        Self(fields.map(|(name, value)| (name, value.to_owned())).into())
    }

    pub(crate) fn of(amount: &str) -> Self {
        Self::new().with("monto", amount)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        for field in &mut self.0 {
            if field.0 == name {
                value.clone_into(&mut field.1);
            }
        }
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(field, _)| *field != name);
        self
    }

    /// Encodes the form; none of its values needs escaping.
    pub(crate) fn encoded(&self) -> String {
        joined(&self.0, "&")
    }
}
