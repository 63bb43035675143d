//! A customer's server on loopback.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use tokio::net::TcpListener;

/// A message as it arrived.
#[derive(Clone)]
pub(super) struct Message {
    pub(super) headers: HeaderMap,
    body: String,
}

impl Message {
    pub(super) fn body(&self) -> String {
        self.body.clone()
    }

    pub(super) fn header(&self, name: &str) -> String {
        self.headers[name].to_str().unwrap().to_owned()
    }
}

#[derive(Default)]
struct Inbox {
    messages: Mutex<Vec<Message>>,
    hangs: AtomicBool,
}

pub(super) struct Receiver {
    address: SocketAddr,
    inbox: Arc<Inbox>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inbox = Arc::<Inbox>::default();
        let routes = Router::new().route("/hooks", post(receive));
        let served = axum::serve(listener, routes.with_state(Arc::clone(&inbox)));
        tokio::spawn(async move { served.await.unwrap() });
        Self { address, inbox }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hooks", self.address)
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        self.inbox.messages.lock().unwrap().clone()
    }

    /// Answers nothing from now on.
    pub(super) fn hang(&self) {
        self.inbox.hangs.store(true, Ordering::SeqCst);
    }

    pub(super) fn answer(&self) {
        self.inbox.hangs.store(false, Ordering::SeqCst);
    }
}

async fn receive(State(inbox): State<Arc<Inbox>>, headers: HeaderMap, body: String) -> StatusCode {
    let message = Message { headers, body };
    inbox.messages.lock().unwrap().push(message);
    while inbox.hangs.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    StatusCode::NO_CONTENT
}
