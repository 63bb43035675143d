//! Serving a whole proof request: admission, lookup, settlement.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::check::{CheckOutcome, CheckReport};
use domain::inference::InferredBanks;
use domain::key::{Environment, KeyId};
use domain::limits::LimitStatus;
use domain::outcome::Outcome;
use domain::participant::ParticipantCode;
use domain::query::ProofQuery;
use domain::seen::EarlierDeliveries;

use super::{
    AdmissionError, AdmissionRequest, Delivery, FetchError, LookupDetails, LookupExchange,
    NotDurable,
};
use crate::Cause;

/// Port: the use case of a whole proof request.
pub trait ProofRequests: Send + Sync {
    /// Starts to serve one request, in a task of its own: a caller who hangs up loses neither the
    /// count of its request nor the proof that the bank was already asked for.
    ///
    /// Admits the request, decodes its query, looks the proof up, encodes the result and settles
    /// the admission, in this order and each at most once. An admitted request is settled exactly
    /// once, also when decoding, lookup or encoding panics. The last step is
    /// [`ProofExchange::finish`]; a panic in the admission or the settlement itself drops the
    /// exchange without it.
    ///
    /// A request with an idempotency key is compared with earlier ones before its admission. One that
    /// is repeated is neither admitted nor settled: its first answer is made again.
    fn serve(&self, request: AdmissionRequest, exchange: Box<dyn ProofExchange>);

    /// Starts to serve the check of a file, as [`Self::serve`] does a lookup: admits the request,
    /// decodes the file, checks it, looks its payment up if that is asked for, encodes the result and
    /// settles the admission. A key has a few files decoded and checked at a time; more wait.
    fn check(&self, request: AdmissionRequest, exchange: Box<dyn CheckExchange>);

    /// Starts to serve the creation of a stored lookup: admits the request, decodes the question, stores
    /// it, and waits for its end if the caller does. The request is charged once it is stored, and
    /// settled when the lookup ends; one that isn't stored is settled at once.
    fn create(&self, request: AdmissionRequest, exchange: Box<dyn LookupExchange>);
}

/// An inbound adapter's part in recognising a repeated request.
#[async_trait]
pub trait RepeatableExchange: Send {
    /// Method, path and body in a form that is the same for every spelling of one request, for a
    /// request with an idempotency key. `None` if the body can't be read; decoding it fails, too.
    async fn content(&mut self) -> Option<Vec<u8>>;
}

/// An inbound adapter's part in one proof request: decodes the query and encodes the answer.
#[async_trait]
pub trait ProofExchange: RepeatableExchange {
    /// Reads and parses the query. Called only for an admitted or repeated request.
    ///
    /// # Errors
    /// [`InvalidRequest`]: the exchange has encoded what is wrong with it.
    async fn decode(&mut self) -> Result<ProofQuery, InvalidRequest>;

    /// Encodes the result of the lookup, and keeps it until [`Self::finish`]. `inferred` is what the
    /// lookup went by.
    ///
    /// # Errors
    /// The cause, for the log: the result has no encoding. The request counts as a failure of ours.
    async fn encode(
        &mut self,
        result: Result<Delivery, FetchError>,
        inferred: &InferredBanks,
    ) -> Result<(), Cause>;

    /// Sends the answer.
    async fn finish(self: Box<Self>, served: ServedRequest);
}

/// An inbound adapter's part in the check of a file: decodes the file and encodes the answer.
#[async_trait]
pub trait CheckExchange: RepeatableExchange {
    /// Reads the file. Called only for an admitted or repeated request.
    ///
    /// # Errors
    /// [`InvalidRequest`]: the exchange has encoded what is wrong with the request.
    async fn decode(&mut self) -> Result<CheckRequest, InvalidRequest>;

    /// Encodes the result, and keeps it until [`Self::finish`]. A file without a proof, and a ZIP without
    /// any, counts as [`Outcome::InvalidRequest`], every other result as [`Outcome::Delivered`]. An error is
    /// that of the lookup: the bank could not be asked.
    ///
    /// # Errors
    /// The cause, for the log: the result has no encoding. The request counts as a failure of ours.
    async fn encode(&mut self, result: Result<CheckedUpload, FetchError>) -> Result<(), Cause>;

    /// Sends the answer.
    async fn finish(self: Box<Self>, served: ServedRequest);
}

/// A file to check.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Its bytes, at most [`domain::check::MAX_FILE_BYTES`].
    pub file: Bytes,
    /// Comparison with the bank's record of the payment.
    pub bank_comparison: BankComparison,
}

/// Comparison of a file with the bank's record of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankComparison {
    /// Nobody is asked.
    Skipped,
    /// The payment is looked up.
    Wanted,
}

/// The result of checking what was sent.
#[derive(Clone, Debug)]
pub enum CheckedUpload {
    /// A file.
    File(Box<CheckedFile>),
    /// The files of a ZIP, in its order.
    Zip(Vec<ZippedCheck>),
}

/// The result of checking a file of a ZIP.
#[derive(Clone, Debug)]
pub struct ZippedCheck {
    /// The file's name, as it is told.
    pub name: String,
    /// The result.
    pub checked: CheckedFile,
}

impl CheckedUpload {
    /// The checks of the files that are proofs.
    pub fn proofs(&self) -> impl Iterator<Item = &CheckedFile> {
        let files: Vec<&CheckedFile> = match self {
            Self::File(file) => vec![file],
            Self::Zip(files) => files.iter().map(|file| &file.checked).collect(),
        };
        let files = files.into_iter();
        files.filter(|file| file.report.proof.is_some())
    }

    /// The gravest result of its files, of which one that should be a proof and can't be read as one is
    /// `invalid`; `None` without any proof.
    pub fn outcome(&self) -> Option<CheckOutcome> {
        self.proofs().next()?;
        let reports: Vec<&CheckReport> = match self {
            Self::File(file) => vec![&file.report],
            Self::Zip(files) => files.iter().map(|file| &file.checked.report).collect(),
        };
        CheckOutcome::gravest(
            reports
                .into_iter()
                .filter_map(CheckReport::outcome_in_total),
        )
    }
}

/// The result of checking a file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// All checks.
    pub report: CheckReport,
    /// The issuer, by the name that the file gives; `None` when no participant has it.
    pub issuer: Option<ParticipantCode>,
    /// Earlier deliveries and checks of the proof to the same customer; `None` when they can't be
    /// read.
    pub seen: Option<EarlierDeliveries>,
}

/// A query that can't be decoded; the request counts as [`Outcome::InvalidRequest`].
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the request has no valid query")]
pub struct InvalidRequest;

/// A proof request at its end.
#[derive(Clone, Debug)]
pub enum ServedRequest {
    /// Not admitted: nothing was decoded, and there was nothing to settle.
    Refused(AdmissionError),
    /// Admitted and settled.
    Settled(SettledRequest),
    /// Admitted and charged. It is settled when its lookup ends.
    Accepted(AcceptedRequest),
    /// Its first answer was made again; nothing is charged.
    Repeated(RepeatedRequest),
    /// It has the idempotency key of an earlier one, and can't get its answer. Nothing is charged.
    NotRepeated(NotRepeated),
}

/// A repeated request.
#[derive(Clone, Debug)]
pub struct RepeatedRequest {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status; this request changed none of it.
    pub limit_status: LimitStatus,
    /// Facts of the question.
    pub details: LookupDetails,
    /// The reply to the caller.
    pub reply: Reply,
}

/// A request with the idempotency key of an earlier one, whose answer it can't get.
#[derive(Clone, Debug)]
pub struct NotRepeated {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status; this request changed none of it.
    pub limit_status: LimitStatus,
    /// The reason.
    pub error: RepeatError,
}

/// Reason why a request with a known idempotency key doesn't get the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatError {
    /// The key was used for another request.
    KeyReused,
    /// The first request is still running.
    InProgress {
        /// Time after which to try again.
        retry_after: Duration,
    },
    /// The API key repeats requests too often.
    TooManyRepeats {
        /// Repeated requests a minute that an API key may make.
        limit: u32,
        /// Time until it may repeat one.
        retry_after: Duration,
    },
}

/// A charged request, whose lookup is stored.
#[derive(Clone, Debug)]
pub struct AcceptedRequest {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status, as of now.
    pub limit_status: LimitStatus,
    /// Facts of the question.
    pub details: LookupDetails,
}

/// An admitted request, after its settlement.
#[derive(Clone, Debug)]
pub struct SettledRequest {
    /// The key that was presented.
    pub key: KeyId,
    /// The bank that the key asks.
    pub environment: Environment,
    /// The key's limit status, as of now.
    pub limit_status: LimitStatus,
    /// The outcome that the request counts as.
    pub outcome: Outcome,
    /// Facts of the lookup; empty when there was none.
    pub details: LookupDetails,
    /// The reply to the caller.
    pub reply: Reply,
}

/// The reply to the caller of an admitted request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The answer that the exchange encoded.
    Encoded,
    /// An internal error: decoding, lookup or encoding failed or panicked. Nothing was encoded, or
    /// it MUST NOT leave.
    Failed,
    /// The admission couldn't be written down: what was encoded MUST NOT leave.
    NotDurable(NotDurable),
}
