//! A receiver on the loopback interface.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::net::TcpListener;

/// A message as it arrived.
#[derive(Clone)]
pub(crate) struct Arrived {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Arrived {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// An answer of the receiver.
pub(crate) struct Scripted {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Scripted {
    pub(crate) fn with(status: u16, name: &'static str, value: &str) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]),
            body: format!("status {status}").into_bytes(),
        }
    }
}

/// Receiver that answers as it was told to, then with 204.
#[derive(Clone, Default)]
pub(crate) struct Receiver {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    script: Arc<Mutex<VecDeque<Scripted>>>,
}

impl Receiver {
    pub(crate) async fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Router::new().route("/hooks", post(receive));
        let served = axum::serve(listener, routes.with_state(self.clone()));
        tokio::spawn(async move { served.await.unwrap() });
        address
    }

    pub(crate) fn answers(&self, answers: impl IntoIterator<Item = Scripted>) {
        self.script.lock().unwrap().extend(answers);
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let arrived = Arrived { headers, body };
    receiver.arrived.lock().unwrap().push(arrived);
    match receiver.script.lock().unwrap().pop_front() {
        Some(answer) => (answer.status, answer.headers, answer.body).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}
