//! A customer's server on loopback.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Text of the answers with a status that a test chose.
const ANSWER: &str = "lo que dice el receptor";

/// A message as it arrived.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) headers: HeaderMap,
    body: String,
}

impl Message {
    pub(crate) fn body(&self) -> String {
        self.body.clone()
    }

    pub(crate) fn header(&self, name: &str) -> String {
        self.headers[name].to_str().unwrap().to_owned()
    }
}

#[derive(Default)]
struct Inbox {
    messages: Mutex<Vec<Message>>,
    hangs: watch::Sender<bool>,
    /// Status of the answers; 204 when it is `None`.
    status: Mutex<Option<StatusCode>>,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    inbox: Arc<Inbox>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inbox = Arc::<Inbox>::default();
        let routes = Router::new().route("/hooks", post(receive));
        let served = axum::serve(listener, routes.with_state(Arc::clone(&inbox)));
        tokio::spawn(async move { served.await.unwrap() });
        Self { address, inbox }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hooks", self.address)
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        self.inbox.messages.lock().unwrap().clone()
    }

    /// The JSON of the messages.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let messages = self.messages().into_iter();
        let bodies = messages.map(|message| serde_json::from_str(&message.body).unwrap());
        bodies.collect()
    }

    /// Answers nothing from now on.
    pub(crate) fn hang(&self) {
        self.inbox.hangs.send_replace(true);
    }

    /// Answers with a status from now on.
    pub(crate) fn answer_with(&self, status: StatusCode) {
        *self.inbox.status.lock().unwrap() = Some(status);
    }

    pub(crate) fn answer(&self) {
        self.inbox.hangs.send_replace(false);
    }
}

async fn receive(
    State(inbox): State<Arc<Inbox>>,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, &'static str) {
    let message = Message { headers, body };
    inbox.messages.lock().unwrap().push(message);
    let mut hangs = inbox.hangs.subscribe();
    // Without a sender the test is over.
    let _ = hangs.wait_for(|hangs| !hangs).await;
    let status = *inbox.status.lock().unwrap();
    status.map_or((StatusCode::NO_CONTENT, ""), |status| (status, ANSWER))
}
