//! Serving of one connection: deadlines, pings, rate limit and closing.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_graphql::Data;
use async_graphql_axum::{GraphQLProtocol, GraphQLWebSocket};
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use domain::limits::rate::{Bucket, Rate, RateExceeded};
use futures::channel::mpsc;
use futures::{FutureExt as _, Sink, SinkExt as _, StreamExt as _};
use tokio::sync::Notify;
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::operations::Operations;
use super::session::Session;
use crate::endpoint::Endpoint;

/// Deadline for the client's `connection_init` message.
const INITIALISATION: Duration = Duration::from_secs(5);
/// Interval of pings, shorter than the usual idle timeout of proxies.
const PING: Duration = Duration::from_secs(20);
/// Time without any message or pong after which a client counts as disconnected.
const SILENCE: Duration = Duration::from_secs(45);
/// Time that a client has to close its side after our close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum rate at which a client's messages are read.
const MESSAGES: Rate = Rate {
    burst: 20,
    interval: Duration::from_millis(50),
};

/// Close code of `graphql-transport-ws`: "Connection initialisation timeout".
const INITIALISATION_TIMEOUT: u16 = 4408;

pub(super) async fn serve(
    mut socket: WebSocket,
    protocol: GraphQLProtocol,
    (endpoint, session): (Arc<Endpoint>, Session),
    stopping: CancellationToken,
) {
    let session = Arc::new(session);
    let context = session.context.clone();
    let operations = Operations::new(endpoint, Arc::clone(&session));
    let connection = Connection {
        incoming: Arc::new(Incoming::new()),
        initialised: Arc::default(),
    };
    let end = {
        let ends = connection.ends(&session, stopping);
        let served = connection.serve(&mut socket, operations, protocol);
        tokio::select! {
            end = served => end,
            end = ends => end,
        }
    };
    let code = end.as_ref().map(|frame| frame.code);
    tracing::debug!(target: "cep::graphql", request_id = %context.request_id, code, "a WebSocket ends");
    // Release the places before the client receives the close frame, so that it can reconnect at once.
    drop(session);
    // Keep reading after the close frame: closing a connection with unread data could discard the frame.
    let closing = async {
        if let Some(frame) = end
            && socket.send(Message::Close(Some(frame))).await.is_err()
        {
            return;
        }
        while let Some(Ok(_)) = socket.recv().await {}
    };
    // After the timeout the connection is dropped in any case.
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

struct Connection {
    incoming: Arc<Incoming>,
    initialised: Arc<Notify>,
}

impl Connection {
    /// Serves until the client closes the connection or sends an unreadable message. Returns the close frame
    /// to send, if any.
    async fn serve(
        &self,
        socket: &mut WebSocket,
        operations: Operations,
        protocol: GraphQLProtocol,
    ) -> Option<CloseFrame> {
        let (sink, stream) = socket.split();
        let (incoming, initialised) = (Arc::clone(&self.incoming), Arc::clone(&self.initialised));
        let incoming = stream.then(move |message| Arc::clone(&incoming).pass(message));
        // async-graphql's messages and our pings share the sink.
        let (outgoing, messages) = mpsc::channel(0);
        let library = GraphQLWebSocket::new_with_pair(outgoing, incoming, operations, protocol)
            .on_connection_init(move |_| async move {
                initialised.notify_one();
                Ok(Data::default())
            });
        let serving = async {
            library.serve().await;
            // Wait for `send` to finish, since the last messages may not be sent yet.
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = serving => None,
            () = send(messages, sink) => self.incoming.fault.get().cloned(),
        }
    }

    /// Waits for a timeout, the end of the session or the server's shutdown. Returns the close frame to send,
    /// if any.
    async fn ends(&self, session: &Session, stopping: CancellationToken) -> Option<CloseFrame> {
        tokio::select! {
            frame = self.uninitialised() => Some(frame),
            frame = session.ended().boxed() => Some(frame),
            () = self.incoming.silence() => None,
            () = stopping.cancelled() => Some(CloseFrame {
                code: close_code::AWAY,
                reason: Utf8Bytes::from_static("the server stops"),
            }),
        }
    }

    /// Waits for the initialisation deadline; never returns once the connection is initialised.
    async fn uninitialised(&self) -> CloseFrame {
        let initialised = self.initialised.notified();
        if timeout(INITIALISATION, initialised).await.is_ok() {
            std::future::pending::<()>().await;
        }
        CloseFrame {
            code: INITIALISATION_TIMEOUT,
            reason: Utf8Bytes::from_static("Connection initialisation timeout"),
        }
    }
}

/// State of the client's incoming messages.
struct Incoming {
    /// Notified of each message.
    heard: Notify,
    began: Instant,
    rate: Mutex<Bucket>,
    /// Close frame for an unreadable message.
    fault: OnceLock<CloseFrame>,
}

impl Incoming {
    fn new() -> Self {
        Self {
            heard: Notify::new(),
            began: Instant::now(),
            rate: Mutex::default(),
            fault: OnceLock::new(),
        }
    }

    /// Forwards a message to async-graphql, delayed to keep [`MESSAGES`].
    async fn pass(
        self: Arc<Self>,
        message: Result<Message, axum::Error>,
    ) -> Result<Message, axum::Error> {
        self.heard.notify_one();
        if message.is_err() {
            // axum's error doesn't say which of the two it is.
            let _ = self.fault.set(CloseFrame {
                code: close_code::SIZE,
                reason: Utf8Bytes::from_static("a message that is too big, or can't be read"),
            });
        }
        while let Err(RateExceeded { retry_after }) = self.take() {
            sleep(retry_after).await;
        }
        message
    }

    /// Takes a token for one message from the rate limit.
    fn take(&self) -> Result<(), RateExceeded> {
        let mut rate = self.rate.lock().unwrap_or_else(PoisonError::into_inner);
        rate.take(MESSAGES, self.began.elapsed())
    }

    /// Waits until no message has arrived for [`SILENCE`].
    async fn silence(&self) {
        while timeout(SILENCE, self.heard.notified()).await.is_ok() {}
    }
}

/// Sends messages, and pings between them, until the channel is closed or sending fails.
async fn send(mut messages: mpsc::Receiver<Message>, mut sink: impl Sink<Message> + Unpin) {
    let mut pings = interval_at(Instant::now() + PING, PING);
    loop {
        let message = tokio::select! {
            message = messages.next() => match message {
                Some(message) => message,
                None => return,
            },
            _ = pings.tick() => Message::Ping(Bytes::new()),
        };
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sink that keeps what it is sent.
    fn kept() -> (impl Sink<Message> + Unpin, mpsc::UnboundedReceiver<Message>) {
        let (sink, messages) = mpsc::unbounded();
        (sink, messages)
    }

    #[tokio::test(start_paused = true)]
    async fn messages_beyond_a_burst_are_read_no_faster_than_twenty_a_second() {
        let incoming = Arc::new(Incoming::new());
        let began = Instant::now();
        let read = async || {
            let message = Ok(Message::Text(Utf8Bytes::from_static("x")));
            Arc::clone(&incoming).pass(message).await.unwrap();
            began.elapsed()
        };
        for number in 1..=20 {
            assert_eq!(read().await, Duration::ZERO, "{number}");
        }
        for number in 1..=40_u32 {
            let expected = MESSAGES.interval * number;
            let read = read().await;
            let late = read.checked_sub(expected);
            // Tokio's clock counts milliseconds.
            assert!(
                late.is_some_and(|late| late < Duration::from_millis(50)),
                "{number}: {read:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_is_considered_disconnected_after_its_last_message() {
        let incoming = Arc::new(Incoming::new());
        let silence = incoming.silence();
        futures::pin_mut!(silence);
        let began = Instant::now();
        for _ in 0..3 {
            assert!(timeout(SILENCE / 2, &mut silence).await.is_err());
            let pong = Ok(Message::Pong(Bytes::new()));
            Arc::clone(&incoming).pass(pong).await.unwrap();
        }
        silence.await;
        let elapsed = began.elapsed();
        assert!(elapsed >= SILENCE * 3 / 2 + SILENCE, "{elapsed:?}");
        assert!(elapsed < SILENCE * 3, "{elapsed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn pings_are_sent_between_messages() {
        let (mut library, messages) = mpsc::channel(0);
        let (sink, mut sent) = kept();
        let sending = tokio::spawn(send(messages, sink));
        for _ in 0..2 {
            assert!(matches!(sent.next().await, Some(Message::Ping(_))));
        }
        library
            .send(Message::Text(Utf8Bytes::from_static("x")))
            .await
            .unwrap();
        assert!(matches!(sent.next().await, Some(Message::Text(_))));
        drop(library);
        sending.await.unwrap();
        assert!(sent.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_sent_to_a_client_that_is_gone() {
        let (library, messages) = mpsc::channel(0);
        let (sink, sent) = kept();
        drop(sent);
        // The first ping finds it gone.
        timeout(PING * 2, send(messages, sink)).await.unwrap();
        drop(library);
    }
}
