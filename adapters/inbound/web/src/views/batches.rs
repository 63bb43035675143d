//! Batches of many payments, and their rows.

use application::{BatchView, RowOutcome, RowView};
use async_graphql::{Enum, SimpleObject};
use domain::batches::sheet::{Column, PassedOverRows};
use domain::lookups::LookupState;
use domain::proofs::file::Format;
use serde::Serialize;
use utoipa::ToSchema;

use super::keys::Environment;
use super::lookups::Question;
use super::requests::Outcome;
use super::scalars::{DateTime, Id, int};
use crate::batch_paths::BatchPaths;
use crate::language::Language;
use crate::problem::{RowError, RowErrorDetail, what_to_do_with_row};

/// State of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::batches::BatchState")]
#[serde(rename_all = "snake_case")]
pub enum BatchState {
    /// None of its rows was looked up yet.
    Queued,
    /// Its rows are being looked up.
    Running,
    /// Its rows wait for quota.
    Paused,
    /// Each of its rows has ended. Final, as the one that follows.
    Finished,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
}

/// State of a row of a batch: that of its lookup, or the reason for which it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::batches::RowState")]
#[serde(rename_all = "snake_case")]
pub enum BatchRowState {
    /// It has errors, and is never looked up.
    Faulty,
    /// It asks the same as an earlier row, and is never looked up.
    Duplicate,
    /// Nobody began to look it up; or never will, in a canceled batch.
    NotBegun,
    /// It waits for its first attempt.
    Queued,
    /// An attempt is being made.
    Running,
    /// It waits for its next attempt.
    Waiting,
    /// The proof was delivered. Final, as all that follow.
    Delivered,
    /// Several transfers have the reference number: its lookup tells them.
    Ambiguous,
    /// The bank knows no such transfer, or issues no proof of it: it was returned, rejected or canceled.
    NotFound,
    /// The bank gave no usable answer. Given back to the quota.
    Failed,
    /// The bank knows the transfer, and issued no proof in time.
    Expired,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
    /// It ended, and somebody erased its lookup.
    Erased,
}

/// A batch: a table of payments whose rows are looked up one after another.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct Batch {
    /// Id of the batch.
    id: Id,
    /// The key that it was created with, or for.
    key_id: Id,
    /// The bank that is asked.
    env: Environment,
    /// Its state.
    state: BatchState,
    /// The exceeded quota while it is paused; null otherwise.
    #[schema(required)]
    reason: Option<Outcome>,
    /// Its creator's name for it.
    #[schema(required)]
    name: Option<String>,
    /// Formats of the files that are kept: `xml`, `pdf`.
    formats: Vec<&'static str>,
    /// Seconds during which a row is tried again.
    retry_for: u32,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change of its state.
    updated_at: DateTime,
    /// Time at which it is erased; null until it is final.
    #[schema(required)]
    erase_at: Option<DateTime>,
    /// Its rows, by what became of them.
    counts: BatchCounts,
    /// Rows of its table that aren't rows of the batch, by the reason.
    passed_over: Vec<PassedOver>,
    /// Rows that have ended, of those that are looked up, in percent.
    progress: f64,
    /// Estimated time at which each row was looked up once, while nobody else asks the bank; null once
    /// that is so, and while it is paused.
    #[schema(required)]
    eta: Option<DateTime>,
    /// Paths of what it gives.
    files: BatchFiles,
}

/// Reason for which rows of a table aren't rows of its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(
    name = "BatchPassedOverReason",
    remote = "domain::batches::sheet::PassedOver"
)]
#[schema(as = BatchPassedOverReason)]
#[serde(rename_all = "snake_case")]
pub enum PassedOverReason {
    /// A sum below the payments.
    Total,
    /// A movement of a bank statement in whose text nothing could be a tracking key or an account.
    NoPayment,
    /// A row of results whose lookup, which is stored here, has a proof with a valid seal, or is of a payment of which
    /// the bank will issue none.
    Answered,
    /// A row that asks the same as an answered one.
    AnsweredBefore,
    /// With `skip_answered`: a row that the file calls delivered with a valid seal, and whose lookup isn't stored any
    /// more.
    CalledAnswered,
}

/// Rows of a table that aren't rows of its batch, for the same reason.
#[derive(SimpleObject, Serialize, ToSchema)]
#[graphql(name = "BatchPassedOver")]
#[schema(as = BatchPassedOver)]
pub struct PassedOver {
    /// The reason.
    reason: PassedOverReason,
    /// The number of rows.
    rows: u32,
    /// Lines in the file of the first 100 of them, from 1 on.
    lines: Vec<u32>,
}

impl From<&PassedOverRows> for PassedOver {
    fn from(group: &PassedOverRows) -> Self {
        Self {
            reason: group.reason.into(),
            rows: group.rows,
            lines: group.lines.clone(),
        }
    }
}

/// Rows of a batch by what became of them.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct BatchCounts {
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
    /// Rows whose proof was delivered with a valid seal.
    delivered: u32,
    /// Rows with a file whose seal was invalid at its delivery: no proof of a payment.
    delivered_seal_invalid: u32,
    /// Rows with a file whose seal wasn't checked at its delivery: nothing speaks for or against it.
    delivered_seal_not_checked: u32,
    /// Rows whose reference number several transfers have.
    ambiguous: u32,
    /// Rows whose transfer the bank doesn't know.
    not_found: u32,
    /// Rows that the bank gave no answer for.
    failed: u32,
    /// Rows whose proof the bank didn't issue in time.
    expired: u32,
    /// Rows whose lookup was canceled.
    canceled: u32,
    /// Rows whose lookup was erased. Until the batch is finished they count as not begun.
    erased: u32,
}

/// Paths of what a batch gives.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct BatchFiles {
    /// Its rows, as a workbook, CSV or JSON lines.
    results: String,
    /// The files of its proofs.
    zip: String,
    /// Its open rows, for the bank's own batch.
    banxico: String,
}

impl From<&BatchView> for Batch {
    fn from(view: &BatchView) -> Self {
        let paths = BatchPaths::of(view.id);
        let pdf = view.files.includes_pdf().then_some(Format::Pdf);
        let formats = std::iter::once(Format::Xml).chain(pdf);
        Self {
            id: view.id.into(),
            key_id: view.key.into(),
            env: view.environment.into(),
            state: view.state.into(),
            reason: view.reason.map(Outcome::from),
            name: view.name.clone(),
            formats: formats.map(Format::extension).collect(),
            retry_for: int(view.retry_for.duration().as_secs().into()),
            created_at: DateTime(view.created_at),
            updated_at: DateTime(view.updated_at),
            erase_at: view.erase_at.map(DateTime),
            counts: BatchCounts::from(view),
            passed_over: view.passed_over.iter().map(PassedOver::from).collect(),
            progress: view.progress(),
            eta: view.eta.map(DateTime),
            files: BatchFiles {
                results: paths.results,
                zip: paths.zip,
                banxico: paths.banxico,
            },
        }
    }
}

impl From<&BatchView> for BatchCounts {
    fn from(view: &BatchView) -> Self {
        Self {
            rows: view.counts.rows,
            faulty: view.counts.faulty,
            duplicates: view.counts.duplicates,
            not_begun: view.not_begun,
            queued: view.in_state(LookupState::Queued),
            running: view.in_state(LookupState::Running),
            waiting: view.in_state(LookupState::Waiting),
            delivered: view.delivered(),
            delivered_seal_invalid: view.seal_invalid,
            delivered_seal_not_checked: view.seal_not_checked,
            ambiguous: view.in_state(LookupState::Ambiguous),
            not_found: view.in_state(LookupState::NotFound),
            failed: view.in_state(LookupState::Failed),
            expired: view.in_state(LookupState::Expired),
            canceled: view.in_state(LookupState::Canceled),
            erased: view.erased,
        }
    }
}

/// A row of a batch without its lookup.
#[derive(SimpleObject, Serialize, ToSchema)]
#[graphql(name = "BatchRowSummary")]
#[schema(as = BatchRowSummary)]
pub struct BatchRow {
    /// Its number, from 1 on.
    row: u32,
    /// Its line in the file, from 1 on.
    line: u32,
    /// The id that its creator gave it.
    #[graphql(name = "callerId")]
    #[schema(required)]
    id: Option<String>,
    /// Its state.
    state: BatchRowState,
    /// The question; null for a row that can't be read.
    #[schema(required)]
    question: Option<Question>,
    /// The values of a row with errors, as they stand in the table, to be corrected; null for another row.
    #[schema(required)]
    written: Option<WrittenQuestion>,
    /// The number of the row that asks the same and is looked up, if this is a duplicate.
    #[schema(required)]
    duplicate_of: Option<u32>,
    /// Its errors.
    errors: Vec<RowErrorDetail>,
    /// The next step, in the caller's language: that of its lookup, or what a row without one waits for; null once a
    /// proof with a valid seal is delivered, and for a row that is never looked up.
    #[schema(required)]
    what_to_do: Option<String>,
}

/// The values of a row of a table, as they came.
#[derive(Default, SimpleObject, Serialize, ToSchema)]
#[graphql(rename_fields = "camelCase")]
pub struct WrittenQuestion {
    /// Date of the payment.
    #[schema(required)]
    fecha: Option<String>,
    /// Tracking key.
    #[schema(required)]
    clave_rastreo: Option<String>,
    /// Reference number.
    #[schema(required)]
    numero_referencia: Option<String>,
    /// The beneficiary's account.
    #[schema(required)]
    cuenta: Option<String>,
    /// Amount.
    #[schema(required)]
    monto: Option<String>,
    /// Code or name of the issuing bank.
    #[schema(required)]
    emisor: Option<String>,
    /// Code or name of the receiving bank.
    #[schema(required)]
    receptor: Option<String>,
    /// The creator's id of the row.
    #[schema(required)]
    id: Option<String>,
}

impl WrittenQuestion {
    fn of(view: &RowView) -> Option<Self> {
        let mut written = Self::default();
        for (column, text) in &view.written {
            let text = Some(text.clone());
            match column {
                Column::Date => written.fecha = text,
                Column::TrackingKey => written.clave_rastreo = text,
                Column::Reference => written.numero_referencia = text,
                Column::Account => written.cuenta = text,
                Column::Amount => written.monto = text,
                Column::Issuer => written.emisor = text,
                Column::Receiver => written.receptor = text,
                Column::Id => written.id = text,
                _ => {}
            }
        }
        (!view.written.is_empty()).then_some(written)
    }
}

impl BatchRow {
    /// A row with its messages in one language.
    pub fn new(view: &RowView, language: Language) -> Self {
        let duplicate_of = match &view.outcome {
            RowOutcome::Duplicate { of, .. } => Some(of.0 + 1),
            _ => None,
        };
        let errors = RowError::all_of(&view.outcome).into_iter();
        Self {
            row: view.row.0 + 1,
            line: view.line,
            id: view.caller_id.clone(),
            state: view.outcome.state().into(),
            question: view.query.as_ref().map(Question::from),
            written: WrittenQuestion::of(view),
            duplicate_of,
            errors: errors
                .map(|error| RowErrorDetail::new(error, language))
                .collect(),
            what_to_do: what_to_do_with_row(&view.outcome, language),
        }
    }
}
