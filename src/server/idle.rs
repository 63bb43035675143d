//! Connections on which nothing happens are closed, so that they can't take all the places.
//!
//! hyper's own deadline for heads doesn't cover a connection that never sends a byte or sends half
//! of h2's preface, and it counts from the last answer: clients that keep connections for longer
//! than 5 s would lose requests to it. So heads are timed here, from their first byte, once it is known that
//! the connection has heads: its protocol is told here, too.

use std::future::{Future, poll_fn};
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

/// First bytes of a client that speaks HTTP/2 (RFC 9113, section 3.4).
const H2_PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

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
    /// `None` until the client has sent enough to tell.
    protocol: Option<Protocol>,
    /// Bytes that told the protocol, until they are read as part of it.
    first: Vec<u8>,
}

/// Protocol of a connection, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
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
            protocol: None,
            first: Vec::new(),
        }
    }

    /// Takes note of bytes that arrived.
    fn arrived(&mut self) {
        if self.protocol == Some(Protocol::Http1)
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

impl<S: AsyncRead + Unpin, H> Watched<S, H> {
    /// The protocol that the client speaks, once it has sent enough to tell.
    ///
    /// hyper-util can tell too, but hands over the bytes that told it apart from those that came with them. To
    /// read the rest of a head hyper then doubles its buffer of 8 KiB, on each connection.
    ///
    /// # Errors
    /// Those of reading from the stream, and [`io::ErrorKind::TimedOut`].
    pub(super) async fn protocol(&mut self) -> io::Result<Protocol> {
        while self.first.len() < H2_PREFACE.len() && H2_PREFACE.starts_with(&self.first) {
            let mut bytes = [0; H2_PREFACE.len()];
            let mut buffer = ReadBuf::new(&mut bytes[self.first.len()..]);
            poll_fn(|context| self.poll_stream(context, &mut buffer)).await?;
            if buffer.filled().is_empty() {
                break;
            }
            self.first.extend_from_slice(buffer.filled());
        }
        let protocol = if self.first == H2_PREFACE {
            Protocol::Http2
        } else {
            Protocol::Http1
        };
        self.protocol = Some(protocol);
        if !self.first.is_empty() {
            self.arrived();
        }
        Ok(protocol)
    }

    fn poll_stream(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.arrived();
                Poll::Ready(Ok(()))
            }
            Poll::Ready(read) => Poll::Ready(read),
            Poll::Pending => self.poll_idle(context),
        }
    }
}

impl<S: AsyncRead + Unpin, H: Unpin> AsyncRead for Watched<S, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return self.poll_stream(context, buffer);
        }
        let count = self.first.len().min(buffer.remaining());
        buffer.put_slice(&self.first[..count]);
        self.first.drain(..count);
        if self.first.is_empty() {
            self.first = Vec::new();
            // What came with them is read with them. An error is met again by the next read.
            let _ = self.poll_stream(context, buffer);
        }
        Poll::Ready(Ok(()))
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
mod tests;
