//! The body of a request: its media type, its size, its deadline, and what to do with the rest of
//! it once the answer is known.

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

pub(crate) use media_type::is_json_or_file;
pub use media_type::{TableType, is_json};
use media_type::{is_archive, is_plain, table_type};

/// Time in which a whole body must arrive: a client that sends a byte a second must not hold its place.
pub const BODY_DEADLINE: Duration = Duration::from_secs(10);

/// Time within which [`PROGRESS`] more of a large body must arrive: it holds memory, and who stops sending mustn't
/// keep it until the deadline.
const PROGRESS_PERIOD: Duration = Duration::from_secs(10);
/// Bytes of a large body that must arrive in each period, unless it ends: some 0.1 Mbit/s.
const PROGRESS: usize = 128 * 1024;

/// Most bytes of a refused body that are still taken in, so that a caller who sends before it listens gets
/// to hear the answer; a closed connection would lose it.
const MAX_DRAINED_BYTES: usize = 16 * 1024 * 1024;

/// Bounds of a body that is larger than JSON is.
pub struct LargeBody {
    /// Most bytes.
    pub max_bytes: usize,
    /// Time in which it has to arrive.
    pub deadline: Duration,
    /// Memory that it takes a part of.
    pub memory: BodyMemory,
}

/// A body, and the memory that it takes.
pub type HeldBody = (Bytes, HeldMemory);

/// A body that may not have been asked for yet.
pub struct Upload {
    body: Body,
    deadline: Duration,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The caller waits for `100 Continue` before it sends.
    Awaited,
    /// It is on its way.
    Arriving,
    /// There is no point in reading on.
    GivenUp,
}

impl Upload {
    /// A body that comes with these headers, and has to arrive within `deadline`.
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

    /// Reads the body as a file, if it isn't compressed and has at most `max_bytes`. Its declared type isn't
    /// asked for: people's programs declare anything, and the file's bytes tell.
    ///
    /// # Errors
    /// [`Problem::UnsupportedFileType`], and those of [`Self::read`].
    pub async fn read_file(
        &mut self,
        headers: &HeaderMap,
        max_bytes: usize,
    ) -> Result<Bytes, Problem> {
        if !is_plain(headers) {
            return Err(Problem::UnsupportedFileType);
        }
        self.receive(max_bytes).await
    }

    /// Reads the body, if it is declared as a table.
    ///
    /// # Errors
    /// [`Problem::UnsupportedTableType`], [`Problem::Unavailable`] without memory, and those of
    /// [`Self::read`].
    pub async fn read_table(
        &mut self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<(TableType, HeldBody), Problem> {
        let declared = table_type(headers).ok_or(Problem::UnsupportedTableType)?;
        Ok((declared, self.receive_large(bounds).await?))
    }

    /// Reads the body, if it is declared as a ZIP file.
    ///
    /// # Errors
    /// [`Problem::UnsupportedArchiveType`], [`Problem::Unavailable`] without memory, and those of
    /// [`Self::read`].
    pub async fn read_archive(
        &mut self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<HeldBody, Problem> {
        if !is_archive(headers) {
            return Err(Problem::UnsupportedArchiveType);
        }
        self.receive_large(bounds).await
    }

    async fn receive_large(&mut self, bounds: &LargeBody) -> Result<HeldBody, Problem> {
        self.deadline = bounds.deadline;
        let mut held = bounds.memory.nothing();
        let pace = Pace::of_large();
        let body = self.receive_within(bounds.max_bytes, pace, |bytes| held.grow(bytes));
        Ok((body.await?, held))
    }

    async fn receive(&mut self, max_bytes: usize) -> Result<Bytes, Problem> {
        self.receive_within(max_bytes, Pace::Any, |_| Ok(())).await
    }

    /// Reads the body. `hold` is told before each part of it how much there is with it.
    async fn receive_within(
        &mut self,
        max_bytes: usize,
        pace: Pace,
        hold: impl FnMut(usize) -> Result<(), Problem>,
    ) -> Result<Bytes, Problem> {
        if self.body.size_hint().lower() > max_bytes as u64 {
            return Err(Problem::PayloadTooLarge { max_bytes });
        }
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

    /// Returns true when nothing of it can arrive any more.
    pub fn is_over(&self) -> bool {
        self.body.is_end_stream()
    }

    /// Takes in what is left, within bounds. After them the connection is closed.
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

/// The body of a request under [`crate::observe()`], for its handler to read: an extension of the
/// request, whose own body is empty. What a handler leaves of it is taken in after the answer.
#[derive(Clone)]
pub struct Incoming(Arc<Mutex<Upload>>);

impl Incoming {
    pub(crate) fn new(upload: Upload) -> Self {
        Self(Arc::new(Mutex::new(upload)))
    }

    /// Reads the body, if it is JSON of at most `max_bytes`.
    ///
    /// # Errors
    /// As [`Upload::read`].
    pub async fn read(&self, headers: &HeaderMap, max_bytes: usize) -> Result<Bytes, Problem> {
        self.0.lock().await.read(headers, max_bytes).await
    }

    /// As [`Upload::read_table`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_table(
        &self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<(TableType, HeldBody), Problem> {
        self.0.lock().await.read_table(headers, bounds).await
    }

    /// As [`Upload::read_archive`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_archive(
        &self,
        headers: &HeaderMap,
        bounds: &LargeBody,
    ) -> Result<HeldBody, Problem> {
        self.0.lock().await.read_archive(headers, bounds).await
    }

    /// As [`Upload::is_over`].
    pub(crate) async fn is_over(&self) -> bool {
        self.0.lock().await.is_over()
    }

    /// As [`Upload::drain`].
    pub(crate) async fn drain(self) {
        self.0.lock().await.drain().await;
    }
}

/// Pace at which a body has to arrive.
enum Pace {
    Any,
    /// With [`PROGRESS`] bytes more than these by the instant.
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

    /// The next part of the body, if it arrives in time; trailers are an empty one.
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

    /// Notes how many bytes have arrived.
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
