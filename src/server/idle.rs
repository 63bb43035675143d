//! Connections on which nothing happens are closed, so that they can't take all the places.
//!
//! hyper bounds the time from a head's first byte to its last. It doesn't bound a connection that
//! never sends a byte, sends half of h2's preface, or stays open for ever after an answer.

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
/// Time between an answer and the next request; longer than clients usually keep connections.
const NEXT_REQUEST: Duration = Duration::from_secs(75);

/// What happens on one connection.
pub(super) struct Activity(Mutex<State>);

struct State {
    in_flight: usize,
    /// When the connection is closed if no request begins.
    idle_until: Instant,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        let idle_until = Instant::now() + FIRST_REQUEST;
        Arc::new(Self(Mutex::new(State {
            in_flight: 0,
            idle_until,
        })))
    }

    /// Marks a request as in flight until the answer is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> InFlight {
        self.state().in_flight += 1;
        InFlight(Arc::clone(self))
    }

    /// When to look again, or `None` when the connection has been idle for too long.
    fn look_again(&self, now: Instant) -> Option<Instant> {
        let state = self.state();
        if state.in_flight > 0 {
            return Some(now + NEXT_REQUEST);
        }
        (state.idle_until > now).then_some(state.idle_until)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .expect("nothing panics while it holds the activity")
    }
}

/// A request in flight.
pub(super) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight -= 1;
        state.idle_until = Instant::now() + NEXT_REQUEST;
    }
}

/// A stream that ends with an error once its connection has been idle for too long.
pub(super) struct Watched<S> {
    stream: S,
    activity: Arc<Activity>,
    alarm: Pin<Box<Sleep>>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        let alarm = Box::pin(sleep_until(Instant::now() + FIRST_REQUEST));
        Self {
            stream,
            activity,
            alarm,
        }
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

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(read) => Poll::Ready(read),
            Poll::Pending => self.poll_idle(context),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
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
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends_in_time_even_while_bytes_dribble() {
        let (mut client, server) = duplex(64);
        let mut watched = Watched::new(server, Activity::new());
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
        let mut watched = Watched::new(server, Arc::clone(&activity));
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
}
