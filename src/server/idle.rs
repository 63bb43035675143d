//! Connections on which nothing happens are closed, so that they can't take all the places.
//!
//! hyper's own deadline for heads doesn't cover a connection that never sends a byte or sends half
//! of h2's preface, and it counts from the last answer: clients that keep connections for longer
//! than 5 s would lose requests to it. So heads are timed here, from their first byte.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Time until the first request of a connection.
const FIRST_REQUEST: Duration = Duration::from_secs(5);
/// Time from a head's first byte to its last (HTTP/1.1; h2 bounds heads by their size).
const HEAD: Duration = Duration::from_secs(5);
/// Time in which a client must take something of what it is sent.
const STALLED: Duration = Duration::from_secs(30);
/// Time between an answer and the next request; longer than clients usually keep connections.
const NEXT_REQUEST: Duration = Duration::from_secs(75);

/// Activity on one connection.
pub(super) struct Activity(Mutex<State>);

struct State {
    in_flight: usize,
    /// Instant at which the connection is closed if no request begins.
    idle_until: Instant,
    /// The same, once a head has begun to arrive.
    head_until: Option<Instant>,
    /// The connection speaks another protocol, which bounds its own silence.
    is_upgraded: bool,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        let idle_until = Instant::now() + FIRST_REQUEST;
        Arc::new(Self(Mutex::new(State {
            in_flight: 0,
            idle_until,
            head_until: None,
            is_upgraded: false,
        })))
    }

    /// Marks a request as in flight until the mark is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> InFlight {
        let mut state = self.state();
        state.in_flight += 1;
        state.head_until = None;
        drop(state);
        InFlight(Arc::clone(self))
    }

    /// Marks the connection as one that speaks another protocol from now on.
    pub(super) fn upgraded(&self) {
        self.state().is_upgraded = true;
    }

    /// Returns the instant of the next check, or `None` when the connection has been idle for too long.
    fn look_again(&self, now: Instant) -> Option<Instant> {
        let state = self.state();
        if state.in_flight > 0 || state.is_upgraded {
            return Some(now + NEXT_REQUEST);
        }
        let until = state
            .head_until
            .map_or(state.idle_until, |head| head.min(state.idle_until));
        (until > now).then_some(until)
    }

    /// Bytes arrived: without a request in flight they belong to a head. Returns by when it must be
    /// complete if this is its beginning.
    fn head_begins(&self, now: Instant) -> Option<Instant> {
        let mut state = self.state();
        let is_head = state.in_flight == 0 && !state.is_upgraded;
        if !is_head || state.head_until.is_some() {
            return None;
        }
        state.head_until = Some(now + HEAD);
        state.head_until
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .expect("nothing panics while it holds the activity")
    }
}

/// A request, or its body, is in flight.
pub(super) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight -= 1;
        state.idle_until = Instant::now() + NEXT_REQUEST;
    }
}

/// A stream that ends with an error once its connection has been idle for too long, or its client
/// hasn't taken for as long what it is sent.
pub(super) struct Watched<S, H> {
    stream: S,
    #[expect(dead_code, reason = "dropping it tells that the connection is closed")]
    held: H,
    activity: Arc<Activity>,
    alarm: Pin<Box<Sleep>>,
    /// While the client takes nothing: when that ends.
    stalled: Option<Pin<Box<Sleep>>>,
    protocol: Protocol,
}

/// Protocol of a connection, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Unknown,
    Http1,
    Http2,
}

impl<S, H> Watched<S, H> {
    /// A stream that holds something until the connection is closed, also once it is upgraded.
    pub(super) fn new(stream: S, activity: Arc<Activity>, held: H) -> Self {
        let alarm = Box::pin(sleep_until(Instant::now() + FIRST_REQUEST));
        Self {
            stream,
            held,
            activity,
            alarm,
            stalled: None,
            protocol: Protocol::Unknown,
        }
    }

    /// Takes note of bytes that arrived.
    fn arrived(&mut self, bytes: &[u8]) {
        if self.protocol == Protocol::Unknown {
            // A client that means h2 sends its preface in one piece; POST, PUT and PATCH differ.
            let preface = bytes.starts_with(b"PRI");
            self.protocol = if preface {
                Protocol::Http2
            } else {
                Protocol::Http1
            };
        }
        if self.protocol == Protocol::Http1
            && let Some(until) = self.activity.head_begins(Instant::now())
            && until < self.alarm.deadline()
        {
            self.alarm.as_mut().reset(until);
        }
    }

    /// Bounds the time for which a write waits.
    fn taken(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let begin = || Box::pin(sleep_until(Instant::now() + STALLED));
        let stalled = self.stalled.get_or_insert_with(begin);
        stalled
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.alarm.as_mut().poll(context).is_ready() {
            let Some(later) = self.activity.look_again(Instant::now()) else {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            };
            self.alarm.as_mut().reset(later);
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin, H: Unpin> AsyncRead for Watched<S, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.arrived(&buffer.filled()[before..]);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(read) => Poll::Ready(read),
            Poll::Pending => self.poll_idle(context),
        }
    }
}

impl<S: AsyncWrite + Unpin, H: Unpin> AsyncWrite for Watched<S, H> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.taken(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.taken(context, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends_in_time_even_while_bytes_dribble() {
        let (mut client, server) = duplex(64);
        let mut watched = Watched::new(server, Activity::new(), ());
        let dribble = tokio::spawn(async move {
            while client.write_all(b"P").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        });
        let started = Instant::now();
        let mut bytes = Vec::new();
        let error = watched.read_to_end(&mut bytes).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() < FIRST_REQUEST + Duration::from_secs(1));
        dribble.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_in_flight_keeps_the_connection_and_an_answer_gives_it_time() {
        let (_client, server) = duplex(64);
        let activity = Activity::new();
        let mut watched = Watched::new(server, Arc::clone(&activity), ());
        let request = activity.begin();
        let mut byte = [0];
        let busy = tokio::time::timeout(Duration::from_mins(10), watched.read(&mut byte)).await;
        assert!(
            busy.is_err(),
            "a connection with a request in flight was closed"
        );
        drop(request);
        let answered = Instant::now();
        assert!(watched.read(&mut byte).await.is_err());
        assert!(answered.elapsed() >= NEXT_REQUEST);
    }

    #[tokio::test(start_paused = true)]
    async fn an_upgraded_connection_may_be_silent_and_its_bytes_are_no_head() {
        let (mut client, server) = duplex(64);
        let activity = Activity::new();
        let mut watched = Watched::new(server, Arc::clone(&activity), ());
        activity.upgraded();
        let mut byte = [0];
        client.write_all(b"G").await.unwrap();
        watched.read_exact(&mut byte).await.unwrap();
        let silence = tokio::time::timeout(Duration::from_mins(10), watched.read(&mut byte)).await;
        assert!(silence.is_err(), "an upgraded connection was closed");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_let_go_and_a_slow_one_is_not() {
        let (mut client, server) = duplex(64);
        let mut watched = Watched::new(server, Activity::new(), ());
        let reading = tokio::spawn(async move {
            let mut byte = [0];
            for _ in 0..10 {
                tokio::time::sleep(STALLED.mul_f32(0.9)).await;
                client.read_exact(&mut byte).await.unwrap();
            }
            (client, Instant::now())
        });
        let error = watched.write_all(&[0; 1_000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let (_client, last) = reading.await.unwrap();
        assert!((STALLED..STALLED + Duration::from_secs(1)).contains(&last.elapsed()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_head_has_as_much_time_as_the_first_and_waiting_for_it_more() {
        let (mut client, server) = duplex(64);
        let activity = Activity::new();
        let mut watched = Watched::new(server, Arc::clone(&activity), ());
        let mut byte = [0];
        client.write_all(b"G").await.unwrap();
        watched.read_exact(&mut byte).await.unwrap();
        drop(activity.begin());
        tokio::time::advance(Duration::from_mins(1)).await;
        client.write_all(b"G").await.unwrap();
        watched.read_exact(&mut byte).await.unwrap();
        let began = Instant::now();
        assert!(watched.read(&mut byte).await.is_err());
        assert!(began.elapsed() >= HEAD && began.elapsed() < HEAD + Duration::from_secs(1));
    }
}
