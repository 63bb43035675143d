//! Batches of many payments.

use application::BatchView;
use async_graphql::{ID, SimpleObject};
use domain::lookups;
use domain::page::{Page, PageRequest};
use domain::proofs::file::Format;
use web::BatchPaths;

use super::connection::{PageInfo, connection};
use super::enums::{BatchState, Environment, Reason};
use super::numbers::seconds;
use super::scalars::DateTime;

/// A batch: a table of payments whose rows are looked up one after another.
#[derive(SimpleObject)]
pub(crate) struct Batch {
    /// Its identity.
    id: ID,
    /// The key that it was created with, or for.
    key_id: ID,
    /// The bank that is asked.
    environment: Environment,
    /// Its state.
    state: BatchState,
    /// `QUOTA_EXCEEDED` while it is paused; null otherwise.
    reason: Option<Reason>,
    /// Its creator's name for it.
    name: Option<String>,
    /// Formats of the files that are kept: `xml`, `pdf`.
    formats: Vec<&'static str>,
    /// Seconds during which a row is tried again.
    retry_for_seconds: u32,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change of its state.
    updated_at: DateTime,
    /// Time at which it is erased; null until it is final.
    erase_at: Option<DateTime>,
    /// Its rows, by what became of them.
    counts: BatchCounts,
    /// Rows that have ended, of those that are looked up, in percent.
    progress: f64,
    /// Estimated time at which each row was looked up once, while nobody else asks the bank; null once
    /// that is so, and while it is paused.
    eta: Option<DateTime>,
    /// Paths of what it gives.
    files: BatchFiles,
}

/// Rows of a batch by what became of them.
#[derive(SimpleObject)]
pub(crate) struct BatchCounts {
    /// All rows.
    rows: u32,
    /// Rows with errors.
    faulty: u32,
    /// Rows that ask the same as an earlier one.
    duplicates: u32,
    /// Rows that nobody began to look up.
    not_begun: u32,
    /// Rows that wait for their first attempt.
    queued: u32,
    /// Rows that are being looked up.
    running: u32,
    /// Rows that wait for their next attempt.
    waiting: u32,
    /// Rows whose proof was delivered, but for those of `deliveredSealInvalid` and `deliveredSealNotChecked`.
    delivered: u32,
    /// Rows with a file whose seal was invalid at its delivery: no proof of a payment.
    delivered_seal_invalid: u32,
    /// Rows with a file whose seal wasn't checked at its delivery: nothing speaks for or against it.
    delivered_seal_not_checked: u32,
    /// Rows whose transfer the bank doesn't know.
    not_found: u32,
    /// Rows that the bank gave no answer for.
    failed: u32,
    /// Rows whose proof the bank didn't issue in time.
    expired: u32,
    /// Rows whose lookup was canceled.
    canceled: u32,
    /// Rows whose lookup was erased. Until the batch is finished they count as `notBegun`.
    erased: u32,
}

/// Paths of what a batch gives, to `GET` with the session.
#[derive(SimpleObject)]
pub(crate) struct BatchFiles {
    /// Its rows, as CSV or JSON lines.
    results: String,
    /// The files of its proofs.
    zip: String,
    /// Its open rows, for the bank's own batch.
    banxico: String,
}

impl From<&BatchView> for Batch {
    fn from(view: &BatchView) -> Self {
        let paths = BatchPaths::of(view.id);
        Self {
            id: view.id.into(),
            key_id: view.key.into(),
            environment: view.environment.into(),
            state: view.state.into(),
            reason: view.reason.map(Reason::from),
            name: view.name.clone(),
            formats: formats(view),
            retry_for_seconds: seconds(view.retry_for.duration()),
            created_at: view.created_at.into(),
            updated_at: view.updated_at.into(),
            erase_at: view.erase_at.map(DateTime::from),
            counts: BatchCounts::from(view),
            progress: view.progress(),
            eta: view.eta.map(DateTime::from),
            files: BatchFiles {
                results: paths.results,
                zip: paths.zip,
                banxico: paths.banxico,
            },
        }
    }
}

/// File extensions of the formats that a batch stores.
fn formats(view: &BatchView) -> Vec<&'static str> {
    let pdf = view.files.includes_pdf().then_some(Format::Pdf);
    let kept = std::iter::once(Format::Xml).chain(pdf);
    kept.map(Format::extension).collect()
}

impl From<&BatchView> for BatchCounts {
    fn from(view: &BatchView) -> Self {
        use lookups::LookupState as State;
        Self {
            rows: view.counts.rows,
            faulty: view.counts.faulty,
            duplicates: view.counts.duplicates,
            not_begun: view.not_begun,
            queued: view.in_state(State::Queued),
            running: view.in_state(State::Running),
            waiting: view.in_state(State::Waiting),
            delivered: view.delivered(),
            delivered_seal_invalid: view.seal_invalid,
            delivered_seal_not_checked: view.seal_not_checked,
            not_found: view.in_state(State::NotFound),
            failed: view.in_state(State::Failed),
            expired: view.in_state(State::Expired),
            canceled: view.in_state(State::Canceled),
            erased: view.erased,
        }
    }
}

connection! {
    /// One page of the batches, newest first.
    BatchConnection,
    /// A batch and its place in the list.
    BatchEdge of Batch
}

impl BatchConnection {
    pub(super) fn new(page: Page<BatchView>, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: BatchEdge::of(page.items, |view| Batch::from(&view)),
        }
    }
}
