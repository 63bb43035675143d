//! Reading of request bodies: media type, size limit, deadline, and draining of what is left after the
//! response.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::EXPECT;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

use crate::body_memory::{BodyMemory, HeldMemory};
use crate::problem::Problem;

mod media_type;

pub use media_type::{TableBody, TableType, is_json};
use media_type::{is_archive, is_plain};
pub(crate) use media_type::{is_form, is_json_or_file};

/// Time in which a whole body must arrive, so that slow clients don't hold connections.
pub const BODY_DEADLINE: Duration = Duration::from_secs(10);

/// Time within which [`PROGRESS`] more bytes of a large body must arrive: a stalled client must not hold
/// the body's memory until the deadline.
const PROGRESS_PERIOD: Duration = Duration::from_secs(10);
/// Bytes of a large body that must arrive in each period until its end: about 0.1 Mbit/s.
const PROGRESS: usize = 128 * 1024;

/// Maximum bytes of a refused body that are still read: a client that sends its whole body before it
/// reads the response would lose the response if the connection were closed.
const MAX_DRAINED_BYTES: usize = 16 * 1024 * 1024;

/// Limits for a body that may be larger than JSON bodies.
pub struct LargeBody {
    pub max_bytes: usize,
    /// Time in which the whole body must arrive.
    pub deadline: Duration,
    /// Shared memory from which the body's share is taken.
    pub memory: BodyMemory,
}

/// A body, and its share of the memory for large bodies.
pub type HeldBody = (Bytes, HeldMemory);

/// Bytes of a file with their share of the memory.
struct HeldFile {
    bytes: Bytes,
    _held: HeldMemory,
}

impl AsRef<[u8]> for HeldFile {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A request body. When the client sent `Expect`, the first read sends `100 Continue`.
pub struct Upload {
    body: Body,
    deadline: Duration,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The client waits for `100 Continue` before it sends the body.
    Awaited,
    /// The client is sending the body, or has sent it.
    Arriving,
    /// Reading failed or timed out; the rest isn't drained.
    GivenUp,
}

impl Upload {
    /// A body with these headers, which must arrive within `deadline`.
    pub fn new(headers: &HeaderMap, body: Body, deadline: Duration) -> Self {
        let state = if headers.contains_key(EXPECT) {
            State::Awaited
        } else {
            State::Arriving
        };
        Self {
            body,
            deadline,
            state,
        }
    }

    /// Reads the body, if it is JSON of at most `max_bytes`.
    ///
    /// # Errors
    /// [`Problem::UnsupportedMediaType`], [`Problem::PayloadTooLarge`],
    /// [`Problem::RequestTimeout`], [`Problem::StalledBody`] or [`Problem::IncompleteBody`].
    pub async fn read(&mut self, headers: &HeaderMap, max_bytes: usize) -> Result<Bytes, Problem> {
        if !is_json(headers) {
            return Err(Problem::UnsupportedMediaType);
        }
        self.receive(max_bytes).await
    }

    /// Reads the body as a file of at most `max_bytes`, without a `Content-Encoding`. The `Content-Type` is
    /// ignored: clients often send a wrong one, and the file's bytes show its format. Its share of `memory` is free
    /// again once the bytes are dropped.
    ///
    /// # Errors
    /// [`Problem::UnsupportedFileType`], [`Problem::Unavailable`] without memory, and those of [`Self::read`].
    pub async fn read_file(
        &mut self,
        headers: &HeaderMap,
        (max_bytes, memory): (usize, &BodyMemory),
    ) -> Result<Bytes, Problem> {
        if !is_plain(headers) {
            return Err(Problem::UnsupportedFileType);
        }
        let mut held = memory.nothing();
        let bytes = self.receive_within(max_bytes, Pace::Any, |bytes| held.grow(bytes));
        let bytes = bytes.await?;
        Ok(Bytes::from_owner(HeldFile { bytes, _held: held }))
    }

    /// Checks a ZIP file by its headers and its declared length, before anything of it is read.
    ///
    /// # Errors
    /// [`Problem::UnsupportedArchiveType`] or [`Problem::PayloadTooLarge`].
    pub fn check_archive(&self, headers: &HeaderMap, max_bytes: usize) -> Result<(), Problem> {
        if !is_archive(headers) {
            return Err(Problem::UnsupportedArchiveType);
        }
        self.check_length(max_bytes)
    }

    /// Checks the declared length of the body, before anything of it is read.
    ///
    /// # Errors
    /// [`Problem::PayloadTooLarge`].
    pub fn check_length(&self, max_bytes: usize) -> Result<(), Problem> {
        let fits = self.body.size_hint().lower() <= max_bytes as u64;
        fits.then_some(())
            .ok_or(Problem::PayloadTooLarge { max_bytes })
    }

    /// Reads the body, if its `Content-Type` is that of a ZIP file.
    ///
    /// # Errors
    /// [`Problem::UnsupportedArchiveType`], [`Problem::Unavailable`] without memory, and those of
    /// [`Self::read`].
    pub async fn read_archive(
        &mut self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<HeldBody, Problem> {
        self.check_archive(headers, bounds.max_bytes)?;
        self.read_large(bounds).await
    }

    /// Reads the body, whose headers the caller has checked.
    ///
    /// # Errors
    /// [`Problem::Unavailable`] without memory, and those of [`Self::read`].
    pub async fn read_large(&mut self, bounds: &LargeBody) -> Result<HeldBody, Problem> {
        self.deadline = bounds.deadline;
        let mut held = bounds.memory.nothing();
        let pace = Pace::of_large();
        let body = self.receive_within(bounds.max_bytes, pace, |bytes| held.grow(bytes));
        Ok((body.await?, held))
    }

    async fn receive(&mut self, max_bytes: usize) -> Result<Bytes, Problem> {
        self.receive_within(max_bytes, Pace::Any, |_| Ok(())).await
    }

    /// Reads the body. Before each chunk is kept, `hold` is called with the total bytes so far.
    async fn receive_within(
        &mut self,
        max_bytes: usize,
        pace: Pace,
        hold: impl FnMut(usize) -> Result<(), Problem>,
    ) -> Result<Bytes, Problem> {
        self.check_length(max_bytes)?;
        self.state = State::Arriving;
        let deadline = self.deadline;
        let read = timeout(deadline, read_up_to(&mut self.body, max_bytes, pace, hold));
        let result = read
            .await
            .unwrap_or(Err(Problem::RequestTimeout { deadline }));
        if matches!(
            result,
            Err(Problem::RequestTimeout { .. }
                | Problem::StalledBody { .. }
                | Problem::IncompleteBody)
        ) {
            self.state = State::GivenUp;
        }
        result
    }

    /// Returns true when the body has been read to its end.
    pub fn is_over(&self) -> bool {
        self.body.is_end_stream()
    }

    /// Reads and discards the rest, up to [`MAX_DRAINED_BYTES`] and the deadline. If more is left, the
    /// connection is closed.
    pub async fn drain(&mut self) {
        if self.state == State::Arriving && !self.is_over() {
            let _ = timeout(
                self.deadline,
                discard_up_to(&mut self.body, MAX_DRAINED_BYTES),
            )
            .await;
        }
    }
}

/// Request extension with the body of a request under [`crate::observe()`]; the request's own body is
/// empty. The part that the handler doesn't read is drained after the response.
#[derive(Clone)]
pub struct Incoming(Arc<Mutex<Upload>>);

impl Incoming {
    pub(crate) fn new(upload: Upload) -> Self {
        Self(Arc::new(Mutex::new(upload)))
    }

    /// Reads the body, if it is JSON of at most `max_bytes`.
    ///
    /// # Errors
    /// Those of [`Upload::read`].
    pub async fn read(&self, headers: &HeaderMap, max_bytes: usize) -> Result<Bytes, Problem> {
        self.0.lock().await.read(headers, max_bytes).await
    }

    /// See [`Upload::check_length`].
    ///
    /// # Errors
    /// Those of [`Upload::check_length`].
    pub async fn check_length(&self, max_bytes: usize) -> Result<(), Problem> {
        self.0.lock().await.check_length(max_bytes)
    }

    /// See [`Upload::check_archive`].
    ///
    /// # Errors
    /// Those of [`Upload::check_archive`].
    pub async fn check_archive(
        &self,
        headers: &HeaderMap,
        max_bytes: usize,
    ) -> Result<(), Problem> {
        self.0.lock().await.check_archive(headers, max_bytes)
    }

    /// See [`Upload::read_large`].
    ///
    /// # Errors
    /// Those of [`Upload::read_large`].
    pub async fn read_large(&self, bounds: &LargeBody) -> Result<HeldBody, Problem> {
        self.0.lock().await.read_large(bounds).await
    }

    /// See [`Upload::read_archive`].
    ///
    /// # Errors
    /// Those of [`Upload::read_archive`].
    pub async fn read_archive(
        &self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<HeldBody, Problem> {
        self.0.lock().await.read_archive(headers, bounds).await
    }

    pub(crate) async fn is_over(&self) -> bool {
        self.0.lock().await.is_over()
    }

    pub(crate) async fn drain(self) {
        self.0.lock().await.drain().await;
    }
}

/// Minimum rate at which a body must arrive.
enum Pace {
    Any,
    /// At least `arrived` + [`PROGRESS`] bytes must have arrived at the instant `by`.
    AtLeast {
        arrived: usize,
        by: Instant,
    },
}

impl Pace {
    fn of_large() -> Self {
        Self::AtLeast {
            arrived: 0,
            by: Instant::now() + PROGRESS_PERIOD,
        }
    }

    /// The next chunk of the body, if it arrives in time; trailers count as an empty chunk.
    async fn next(&self, body: &mut Body) -> Result<Option<Bytes>, Problem> {
        let stalled = Problem::StalledBody {
            bytes: PROGRESS,
            period: PROGRESS_PERIOD,
        };
        let frame = match self {
            Self::Any => body.frame().await,
            Self::AtLeast { by, .. } => {
                let frame = timeout_at(*by, body.frame()).await;
                frame.map_err(|_| stalled)?
            }
        };
        let frame = frame.transpose().map_err(|_| Problem::IncompleteBody)?;
        Ok(frame.map(|frame| frame.into_data().unwrap_or_default()))
    }

    /// Starts the next period once enough bytes have arrived.
    fn advance(&mut self, bytes: usize) {
        if let Self::AtLeast { arrived, by } = self
            && bytes >= *arrived + PROGRESS
        {
            (*arrived, *by) = (bytes, Instant::now() + PROGRESS_PERIOD);
        }
    }
}

async fn read_up_to(
    body: &mut Body,
    max_bytes: usize,
    mut pace: Pace,
    mut hold: impl FnMut(usize) -> Result<(), Problem>,
) -> Result<Bytes, Problem> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(data) = pace.next(body).await? {
        let bytes = first.len() + all.len() + data.len();
        pace.advance(bytes);
        if bytes > max_bytes {
            return Err(Problem::PayloadTooLarge { max_bytes });
        }
        hold(bytes)?;
        if first.is_empty() && all.is_empty() {
            first = data;
            continue;
        }
        if all.is_empty() {
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        all.extend_from_slice(&data);
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

async fn discard_up_to(body: &mut Body, most: usize) {
    let mut discarded = 0;
    while discarded <= most {
        let Some(Ok(frame)) = body.frame().await else {
            return;
        };
        discarded += frame.data_ref().map_or(0, Bytes::len);
    }
}

#[cfg(test)]
mod tests;
