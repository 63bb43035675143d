//! A sandbox bank of a test's own.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderValue};
use tempfile::TempDir;
use tokio::sync::watch;

use super::{Gateway, Key, Plan};

/// A sandbox bank of a test's own that keeps its requests, and hangs when it is told to.
pub(crate) struct CountingBank {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    hangs: watch::Sender<bool>,
}

/// A request to the bank.
struct Asked {
    at: Instant,
    /// Its path and query.
    question: String,
    headers: HeaderMap,
}

impl CountingBank {
    pub(crate) async fn start(latency: Duration) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bank = Self {
            url: format!("http://{}/cep", listener.local_addr().unwrap()),
            asked: Arc::default(),
            hangs: watch::Sender::new(false),
        };
        let (seen, receiver) = (Arc::clone(&bank.asked), bank.hangs.subscribe());
        let counted = axum::middleware::map_request(move |request: axum::extract::Request| {
            seen.lock().unwrap().push(Asked {
                at: Instant::now(),
                question: request.uri().to_string(),
                headers: request.headers().clone(),
            });
            let mut receiver = receiver.clone();
            async move {
                // Without a sender the test is over.
                let _ = receiver.wait_for(|hangs| !hangs).await;
                request
            }
        });
        let now = || "2026-11-20T18:00:00Z".parse().unwrap();
        let config = sandbox::SandboxConfig {
            latency,
            now: Arc::new(now),
        };
        let router = sandbox::router(config).layer(counted);
        tokio::spawn(sandbox::serve(listener, router, std::future::pending()));
        bank
    }

    /// Answers nothing from now on.
    pub(crate) fn hang(&self) {
        self.hangs.send_replace(true);
    }

    /// Answers again.
    pub(crate) fn answer(&self) {
        self.hangs.send_replace(false);
    }

    /// The plan of a gateway whose `live` keys query this bank, without a budget that matters.
    pub(crate) fn known_to(&self, plan: Plan) -> Plan {
        plan.with("CEP_BANK_URL", &self.url)
            .with("CEP_BANK_BUDGET", 1_000_000)
    }

    /// Such a gateway.
    pub(crate) fn gateway(&self) -> Gateway {
        self.known_to(Plan::new()).start()
    }

    /// Such a gateway in the folder of one that has ended.
    pub(crate) fn gateway_in(&self, folder: TempDir) -> Gateway {
        self.known_to(Plan::in_folder(folder)).start()
    }

    /// A bank that answers at once, such a gateway, and a `live` key.
    pub(crate) async fn with_gateway() -> (Self, Gateway, Key) {
        let bank = Self::start(Duration::ZERO).await;
        let gateway = bank.gateway();
        let key = gateway.live_key();
        (bank, gateway, key)
    }

    /// The requests so far, without the path before the last name.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let name = |it: &Asked| it.question.trim_start_matches("/cep/").to_owned();
        asked.iter().map(name).collect()
    }

    /// The values of this header so far; `None` for a request without it.
    pub(crate) fn told(&self, name: &str) -> Vec<Option<String>> {
        let asked = self.asked.lock().unwrap();
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let value = |it: &Asked| it.headers.get(name).map(text);
        asked.iter().map(value).collect()
    }

    /// The times at which cycles began.
    pub(crate) fn cycles(&self) -> Vec<Instant> {
        let asked = self.asked.lock().unwrap();
        let cycles = asked.iter().filter(|it| it.question.contains("valida.do"));
        cycles.map(|it| it.at).collect()
    }
}
