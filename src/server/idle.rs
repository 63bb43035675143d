//! Closes idle connections, so that they can't take all the places.
//!
//! hyper's own deadline for heads doesn't cover a connection that never sends a byte or sends half
//! of h2's preface, and it counts from the last answer: a client that reuses a connection after
//! more than 5 s would lose its request. So heads are timed here, from their first byte. That
//! applies to HTTP/1.1 alone, so the protocol is detected here, too.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Time limit for the first request of a connection.
const FIRST_REQUEST: Duration = Duration::from_secs(5);
/// Time from a head's first byte to its last (HTTP/1.1; h2 bounds heads by their size).
const HEAD: Duration = Duration::from_secs(5);
/// Longest time for which a write may make no progress.
const STALLED: Duration = Duration::from_secs(30);
/// Time limit between an answer and the next request; longer than clients usually keep connections.
const NEXT_REQUEST: Duration = Duration::from_secs(75);

/// First bytes of a client that speaks HTTP/2 (RFC 9113, section 3.4).
const H2_PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Activity on one connection.
pub(super) struct Activity(Mutex<State>);

struct State {
    in_flight: usize,
    /// Instant at which the connection is closed if no request begins.
    idle_until: Instant,
    /// Instant at which an incomplete head closes the connection; `None` while no head arrives.
    head_until: Option<Instant>,
    /// The connection was upgraded to another protocol, which limits its own idle time.
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

    /// Counts a request as in flight until the guard is dropped.
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
    pub(super) fn look_again(&self, now: Instant) -> Option<Instant> {
        let state = self.state();
        if state.in_flight > 0 || state.is_upgraded {
            return Some(now + NEXT_REQUEST);
        }
        let until = state
            .head_until
            .map_or(state.idle_until, |head| head.min(state.idle_until));
        (until > now).then_some(until)
    }

    /// Records that bytes arrived; without a request in flight they belong to a head. Returns the
    /// head's deadline if they are its beginning.
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

/// Guard: a request, or its body, is in flight until it is dropped.
pub(super) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight -= 1;
        state.idle_until = Instant::now() + NEXT_REQUEST;
    }
}

/// A stream that fails once its connection has been idle for too long, or once a write has made no
/// progress for too long.
pub(super) struct Watched<S, H> {
    stream: S,
    #[expect(dead_code, reason = "dropping it tells that the connection is closed")]
    held: H,
    activity: Arc<Activity>,
    alarm: Pin<Box<Sleep>>,
    /// Deadline of a write that makes no progress; `None` while no write waits.
    stalled: Option<Pin<Box<Sleep>>>,
    /// `None` until enough bytes have arrived to detect it.
    protocol: Option<Protocol>,
    /// Bytes read to detect the protocol, until they are read again as part of it.
    first: Vec<u8>,
}

/// Protocol of a connection, detected from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

impl<S, H> Watched<S, H> {
    /// Wraps a stream; `held` is kept until the connection is closed, even after an upgrade.
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

    /// Starts the deadline of a head when its first bytes arrive.
    fn arrived(&mut self) {
        if self.protocol == Some(Protocol::Http1)
            && let Some(until) = self.activity.head_begins(Instant::now())
            && until < self.alarm.deadline()
        {
            self.alarm.as_mut().reset(until);
        }
    }

    /// Limits how long a write may wait.
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
    /// Detects the client's protocol, once enough bytes have arrived.
    ///
    /// hyper-util can detect it too, but returns the bytes that it read for that separately from
    /// those that came with them. To read the rest of a head hyper then doubles its buffer of 8
    /// KiB, on each connection.
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
            // Also reads what arrived after them. An error will recur at the next read.
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
