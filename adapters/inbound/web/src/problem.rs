//! Catalogue of problems: every error response of the gateway, with its code, its status, the members of
//! its `details` and its message in each language.
//!
//! A new error is one entry in a table here and one message in each of `i18n/es.ftl` and
//! `i18n/en.ftl`; a test fails when a message is missing, unused, or takes other parameters.

use std::time::Duration;

use application::{Component, ComponentState};
use chrono::{DateTime, Utc};
use domain::batches::sheet::{SheetColumn, headers_of};
use domain::participants::ParticipantCode;
use domain::participants::inference::InferredBanks;
use domain::payment::{Payment, PaymentState};
use domain::proofs::check::CheckReason;
use domain::query::Field;
use domain::request::RequestId;

use crate::headers::retry_after_seconds;

mod advice;
mod candidate;
mod catalogue;
mod check;
mod code;
mod column;
mod details;
mod field;
mod graphql;
mod hint;
mod members;
mod notice;
mod reason;
mod receipt;
mod response;
mod results;
mod row;
#[cfg(test)]
mod tests;
mod text;

pub use advice::{Advice, failure_of, what_to_do, what_to_do_with_row};
pub use candidate::CandidateDetail;
pub use check::{explain, explain_opinion, explanation};
pub use code::Code;
pub use column::{TableColumn, TableNotice};
use column::{number_of, unread_number};
pub use details::{
    ComponentDetail, Details, FieldDetail, FileDetail, GapDetail, GapDetails, HintDetail,
    InferredDetails, PaymentDetail,
};
pub use field::{FieldFault, FieldProblem};
pub use graphql::{GraphqlProblem, UserErrorCode, UserProblem};
pub use hint::{GapReason, HintReason};
pub use notice::{NoticeDetail, notice_message};
pub use receipt::{missing_field_message, receipt_notice_message};
pub(crate) use response::render;
pub use response::{ErrorBody, LoggedProblem};
pub use results::{ResultWord, RowRemark, payment_word, row_state, seal_word};
pub use row::{LineError, LineErrorDetail, RowError, RowErrorDetail};

use catalogue::catalogue;
use text::{Count, List};

/// Path of the sign-in page.
pub const SIGN_IN_PATH: &str = "/login";

catalogue! {
    /// An error of a whole request, as REST and the shared middleware return it.
    pub enum Problem -> Code {
        /// The connection failed before the whole body arrived.
        IncompleteBody = Code::InvalidRequest, "incomplete-body";
        /// The body is empty or only whitespace.
        EmptyBody = Code::InvalidRequest, "empty-body";
        /// The body isn't UTF-8. `position` counts bytes from 1, here and below.
        NotUtf8 { position: usize } = Code::InvalidRequest, "not-utf8"(position: position);
        /// The JSON begins with a byte order mark, which RFC 8259, 8.1 forbids.
        ByteOrderMark = Code::InvalidRequest, "byte-order-mark";
        MalformedJson { position: usize }
            = Code::InvalidRequest, "malformed-json"(position: position);
        /// The body is JSON of another type; `found` names it.
        NotAnObject { found: &'static str }
            = Code::InvalidRequest, "not-an-object"(found: found);
        /// The body repeats a known member.
        DuplicateKey { field: &'static str, position: usize }
            = Code::InvalidRequest, "duplicate-key"(field: field, position: position);
        /// The body repeats an unknown member. The message doesn't echo its name, which is the caller's text.
        DuplicateUnknownKey { position: usize }
            = Code::InvalidRequest, "duplicate-unknown-key"(position: position);
        /// The JSON is nested deeper than `levels`.
        TooDeep { position: usize, levels: usize }
            = Code::InvalidRequest, "too-deep"(position: position, levels: levels);
        /// All invalid fields of the request.
        InvalidFields { faults: Vec<FieldFault> }
            = Code::InvalidRequest,
            "invalid-fields"(
                count: Count(faults.len()),
                fields: List::of(faults.iter().map(|fault| &fault.field)),
            );
        /// The issuer and the receiver are the same institution.
        SameInstitution { code: ParticipantCode, inferred: Box<InferredBanks> }
            = Code::InvalidRequest, "same-institution"(code: code);
        /// A PATCH without a field to change; `fields` lists those that can be changed.
        EmptyChange { fields: &'static [&'static str] }
            = Code::InvalidRequest, "empty-change"(fields: List::of(*fields));
        /// The uploaded file isn't a proof; `element` is the XML element or attribute at fault.
        NotAProof { reason: CheckReason, element: Option<&'static str> }
            = Code::InvalidRequest, "not-a-proof";
        /// The receipt has no content.
        EmptyReceipt = Code::InvalidRequest, "empty-receipt";
        /// The file is damaged, or of another kind than it seems.
        ReceiptDamaged = Code::InvalidRequest, "receipt-damaged";
        /// The PDF needs a password.
        ReceiptEncrypted = Code::InvalidRequest, "receipt-encrypted";
        /// The file has more pages, pixels or text than are read.
        ReceiptTooLarge = Code::InvalidRequest, "receipt-too-large";
        /// The picture took longer to read than allowed.
        ReceiptTooSlow = Code::InvalidRequest, "receipt-too-slow";
        /// At least one bank could not be inferred.
        InferenceFailed {
            issuer: Option<GapReason>,
            receiver: Option<GapReason>,
            explicit_endpoints: Vec<String>,
        }
            = Code::InferenceFailed,
            "inference-failed"(
                missing: List::of(missing(issuer.as_ref(), receiver.as_ref())),
                endpoints: List::of(explicit_endpoints),
            );
        /// The API key is missing, invalid or revoked; the caller isn't told which.
        InvalidApiKey = Code::InvalidApiKey, "invalid-api-key";
        /// The session is missing or invalid; the caller isn't told which.
        Unauthenticated = Code::Unauthenticated, "unauthenticated";
        /// Neither an API key nor a session, on a route that accepts either.
        NoCredential = Code::Unauthenticated, "no-credential";
        /// The monthly quota is used up.
        QuotaExceeded { limit: u64, used: u64, reset_at: DateTime<Utc> }
            = Code::QuotaExceeded,
            "quota-exceeded"(limit: limit, reset_at: &reset_at.format("%Y-%m-%d %H:%M"));
        /// The request comes from a page of another site.
        CrossSite = Code::Forbidden, "cross-site";
        AdminsOnly = Code::Forbidden, "admins-only";
        NotInSpei { missing: Box<MissingProof> } = Code::NotFound, "not-in-spei";
        ProofNotIssued { missing: Box<MissingProof> }
            = Code::NotFound, "proof-not-issued"(state: missing.state());
        PaymentInProcess { missing: Box<MissingProof> }
            = Code::NotFound, "payment-in-process"(state: missing.state());
        /// The payment's return is still in process.
        ReturnInProcess { missing: Box<MissingProof> }
            = Code::NotFound, "return-in-process"(state: missing.state());
        /// The payment was returned, so the bank will issue no proof.
        PaymentReturned { missing: Box<MissingProof> }
            = Code::NotFound, "payment-returned"(state: missing.state());
        PaymentRejected { missing: Box<MissingProof> }
            = Code::NotFound, "payment-rejected"(state: missing.state());
        PaymentCanceled { missing: Box<MissingProof> }
            = Code::NotFound, "payment-canceled"(state: missing.state());
        /// The id is unknown or belongs to another account; the caller isn't told which.
        NoSuchResource = Code::NotFound, "no-such-resource";
        /// The key's account has no such lookup in the key's environment.
        NoSuchLookup = Code::NotFound, "no-such-lookup";
        /// The lookup or batch of the first request with this idempotency key was erased.
        FirstErased = Code::NotFound, "first-erased";
        EmptyTable = Code::InvalidRequest, "empty-table";
        /// The table is neither text nor a workbook.
        TableNotText = Code::InvalidRequest, "table-not-text";
        /// The `Content-Type` of a form has no boundary, or none that RFC 2046 allows.
        NoBoundary = Code::InvalidRequest, "no-boundary";
        /// The form isn't separated by its boundary, or is cut off between its parts.
        MalformedForm = Code::InvalidRequest, "malformed-form";
        /// The form is cut off within a part.
        IncompletePart { part: &'static str }
            = Code::InvalidRequest, "incomplete-part"(part: part);
        /// The workbook is cut off, or isn't what it seems to be.
        WorkbookUnreadable = Code::InvalidRequest, "workbook-unreadable";
        WorkbookEncrypted = Code::InvalidRequest, "workbook-encrypted";
        /// The workbook holds more, once it is inflated, than is read.
        WorkbookTooLarge = Code::InvalidRequest, "workbook-too-large";
        /// The workbook has no sheet of this name.
        NoSuchSheet { wanted: String, sheets: Vec<String> }
            = Code::InvalidRequest, "no-such-sheet"(wanted: wanted, sheets: List::of(sheets));
        /// The table's first line is data, not a header.
        TableNoHeader { columns: Vec<SheetColumn>, sheets: Vec<String> } = Code::InvalidRequest, "table-no-header";
        /// The table's header, in this line, can't be parsed.
        TableHeader { line: u64 } = Code::InvalidRequest, "table-header"(line: line);
        /// The table lacks required columns.
        MissingColumns { missing: Vec<&'static str>, columns: Vec<SheetColumn>, sheets: Vec<String> }
            = Code::InvalidRequest,
            "missing-columns"(
                missing: List::of(missing),
                found: List::of(headers_of(columns)),
                field: missing.first().copied().unwrap_or_default(),
                number: &unread_number(columns)
            );
        /// Several columns of the table map to one field.
        RepeatedColumn {
            column: &'static str, found: Vec<String>, columns: Vec<SheetColumn>, sheets: Vec<String>
        }
            = Code::InvalidRequest,
            "repeated-column"(
                column: column,
                found: List::of(found),
                number: &number_of(columns, found)
            );
        /// Every row of the table is invalid.
        NothingToLookUp { rows: u32, faults: Vec<LineError> }
            = Code::InvalidRequest, "nothing-to-look-up"(rows: rows);
        /// No row of the table asks for a payment: all are totals, other movements, or answered.
        AllPassedOver { rows: usize } = Code::InvalidRequest, "all-passed-over"(rows: rows);
        /// The file isn't a ZIP.
        NotAnArchive = Code::InvalidRequest, "not-an-archive";
        /// The ZIP is truncated or inconsistent.
        DamagedArchive = Code::InvalidRequest, "damaged-archive";
        /// The ZIP has more files than the bank's ZIPs can have.
        ArchiveTooLarge = Code::InvalidRequest, "archive-too-large";
        NoSuchBatch = Code::NotFound, "no-such-batch";
        /// The proof's PDF isn't stored.
        FileNotKept = Code::NotFound, "file-not-kept";
        /// The request isn't a WebSocket handshake, or lacks the route's sub-protocol.
        WebSocketRequired { protocol: &'static str }
            = Code::InvalidRequest, "web-socket-required"(protocol: protocol);
        RouteNotFound = Code::RouteNotFound, "route-not-found";
        MethodNotAllowed = Code::MethodNotAllowed, "method-not-allowed";
        /// Fewer than `bytes` of the body arrived within `period`.
        StalledBody { bytes: usize, period: Duration }
            = Code::RequestTimeout, "stalled-body"(bytes: bytes, seconds: &period.as_secs());
        RequestTimeout { deadline: Duration }
            = Code::RequestTimeout, "request-timeout"(seconds: &deadline.as_secs());
        KeyRevoked = Code::Conflict, "key-revoked";
        /// The key has already been rotated.
        KeyRotated = Code::Conflict, "key-rotated";
        /// The lookup has no proof, or none yet.
        LookupNotDelivered = Code::Conflict, "lookup-not-delivered";
        BatchEnded = Code::Conflict, "batch-ended";
        BatchNotEnded = Code::Conflict, "batch-not-ended";
        BatchCanceled = Code::Conflict, "batch-canceled";
        /// The account has the maximum number of open batches.
        TooManyBatches { most: u32 } = Code::Conflict, "too-many-batches"(most: most);
        /// The account's batches, ended ones included, have too many rows in total.
        TooManyStoredRows { most: u64 } = Code::Conflict, "too-many-stored-rows"(most: most);
        /// The bank's batch service accepts no file of fewer than `least` rows.
        TooFewRows { rows: usize, least: usize }
            = Code::Conflict, "too-few-rows"(rows: rows, least: least);
        /// The account has the maximum number of active keys.
        TooManyKeys { most: u64 } = Code::Conflict, "too-many-keys"(most: most);
        /// The account has the maximum number of webhooks.
        TooManyWebhooks { most: u64 } = Code::Conflict, "too-many-webhooks"(most: most);
        WebhookDisabled = Code::Conflict, "webhook-disabled";
        /// The delivery is still being attempted.
        DeliveryPending = Code::Conflict, "delivery-pending";
        IdempotencyKeyReused = Code::IdempotencyKeyReused, "idempotency-key-reused";
        IdempotencyKeyInProgress { retry_after: Duration }
            = Code::IdempotencyKeyInProgress,
            "idempotency-key-in-progress"(seconds: &retry_after_seconds(*retry_after));
        PayloadTooLarge { max_bytes: usize }
            = Code::PayloadTooLarge, "payload-too-large"(max_bytes: max_bytes);
        /// A part of a form is too large.
        PartTooLarge { part: &'static str, max_bytes: usize }
            = Code::PayloadTooLarge, "part-too-large"(part: part, max_bytes: max_bytes);
        LargeReceipt { max_bytes: usize }
            = Code::PayloadTooLarge, "large-receipt"(mebibytes: &(max_bytes >> 20));
        /// The `Content-Type` isn't JSON.
        UnsupportedMediaType = Code::UnsupportedMediaType, "unsupported-media-type";
        /// The file has a `Content-Encoding`.
        UnsupportedFileType = Code::UnsupportedMediaType, "unsupported-file-type";
        /// The receipt has a `Content-Encoding`.
        EncodedReceipt = Code::UnsupportedMediaType, "encoded-receipt";
        /// The file is neither a text, a PDF nor a picture.
        UnsupportedReceipt = Code::UnsupportedMediaType, "unsupported-receipt";
        /// A picture in a format that isn't read.
        UnsupportedPicture = Code::UnsupportedMediaType, "unsupported-picture";
        /// The `Content-Type` isn't that of a table.
        UnsupportedTableType = Code::UnsupportedMediaType, "unsupported-table-type";
        /// Neither type nor name of a form's file are those of a table.
        UnsupportedPartType = Code::UnsupportedMediaType, "unsupported-part-type";
        /// The `Content-Type` isn't JSON, a table or a ZIP file, on a route that takes keys and sessions.
        UnsupportedBodyType = Code::UnsupportedMediaType, "unsupported-body-type";
        /// The `Content-Type` isn't that of a ZIP file.
        UnsupportedArchiveType = Code::UnsupportedMediaType, "unsupported-archive-type";
        /// The key's limit per minute is used up.
        RateLimited { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "rate-limited"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// The account reached the limit of keys created or rotated in an hour.
        TooManyNewKeys { most: usize, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-new-keys"(most: most, minutes: &minutes(*retry_after));
        /// The session or its account exceeds its request rate.
        TooManyRequests { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-requests"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// The session has the maximum number of open `WebSocket`s.
        TooManyWebSockets { most: usize }
            = Code::RateLimitExceeded, "too-many-web-sockets"(most: most);
        /// The key exceeds the rate of lookup reads.
        TooManyReads { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-reads"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// The key exceeds the rate of repeated requests with an idempotency key.
        TooManyRepeats { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-repeats"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// The program that recognises text in pictures isn't installed.
        NoRecognition = Code::NotImplemented, "no-recognition";
        /// Recognition is busy with other pictures.
        RecognitionBusy { retry_after: Duration }
            = Code::ServiceUnavailable, "recognition-busy"(seconds: &retry_after_seconds(*retry_after));
        /// A bug or an unexpected failure in the gateway.
        Internal { request_id: RequestId } = Code::InternalError, "internal-error";
        /// The bank's response could not be parsed.
        BankProtocol = Code::BankProtocolError, "bank-protocol";
        BankUnavailable { retry_after: Duration }
            = Code::BankUnavailable,
            "bank-unavailable"(seconds: &retry_after_seconds(*retry_after));
        /// The rate limit of bank queries is used up.
        BankThrottled { retry_after: Duration }
            = Code::BankThrottled,
            "bank-throttled"(seconds: &retry_after_seconds(*retry_after));
        BankTimeout = Code::BankTimeout, "bank-timeout";
        /// The account, or all accounts together, have the maximum number of downloads running.
        TooManyDownloads { retry_after: Duration }
            = Code::ServiceUnavailable, "too-many-downloads"(seconds: &retry_after_seconds(*retry_after));
        /// The account sends as many files of this kind as it may at the same time.
        TooManyUploads { retry_after: Duration }
            = Code::ServiceUnavailable, "too-many-uploads"(seconds: &retry_after_seconds(*retry_after));
        /// The database, the limiter or another dependency is unavailable.
        Unavailable { retry_after: Duration }
            = Code::ServiceUnavailable,
            "service-unavailable"(seconds: &retry_after_seconds(*retry_after));
        /// The readiness check found failed components.
        NotReady { components: Vec<Component> }
            = Code::ServiceUnavailable,
            "not-ready"(components: List::of(failed(components)));
    }
}

/// Facts of a lookup whose proof the bank doesn't have.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingProof {
    /// The bank's record of the payment; `None` when it has none.
    pub payment: Option<Payment>,
    /// The banks that were inferred rather than given.
    pub inferred: InferredBanks,
    /// Likely mistakes in the query.
    pub hints: Vec<HintReason>,
}

impl MissingProof {
    /// The payment's state in the bank's own words.
    fn state(&self) -> &'static str {
        self.payment.map_or("", |payment| payment.state.label())
    }
}

impl Problem {
    /// An [`Self::InvalidFields`] of these faults, at least one.
    pub fn invalid_fields<F: Into<FieldFault>>(faults: impl IntoIterator<Item = F>) -> Self {
        Self::InvalidFields {
            faults: faults.into_iter().map(Into::into).collect(),
        }
    }

    /// An [`Self::InvalidFields`] of a single fault.
    pub fn invalid_field(field: &'static str, problem: impl Into<FieldProblem>) -> Self {
        Self::invalid_fields([FieldFault::new(field, problem)])
    }

    /// The problem of a missing proof, by the state of its payment.
    pub fn no_proof(missing: MissingProof) -> Self {
        let state = missing.payment.map(|payment| payment.state);
        let missing = Box::new(missing);
        match state {
            None | Some(PaymentState::NotFound) => Self::NotInSpei { missing },
            Some(PaymentState::Settled) => Self::ProofNotIssued { missing },
            Some(PaymentState::InProcess) => Self::PaymentInProcess { missing },
            Some(PaymentState::ReturnInProcess) => Self::ReturnInProcess { missing },
            Some(PaymentState::Returned | PaymentState::SentBack) => {
                Self::PaymentReturned { missing }
            }
            Some(PaymentState::Rejected | PaymentState::NotSettled) => {
                Self::PaymentRejected { missing }
            }
            Some(PaymentState::Canceled) => Self::PaymentCanceled { missing },
        }
    }

    pub fn internal(request_id: &RequestId) -> Self {
        Self::Internal {
            request_id: request_id.clone(),
        }
    }
}

/// Whole minutes, rounded up.
fn minutes(wait: Duration) -> u64 {
    retry_after_seconds(wait).div_ceil(60)
}

/// The fields of the banks that could not be inferred.
fn missing(
    issuer: Option<&GapReason>,
    receiver: Option<&GapReason>,
) -> impl Iterator<Item = &'static str> + use<> {
    let gaps = [
        (Field::Issuer, issuer.is_some()),
        (Field::Receiver, receiver.is_some()),
    ];
    gaps.into_iter()
        .filter_map(|(field, is_missing)| is_missing.then_some(field.name()))
}

fn failed(components: &[Component]) -> impl Iterator<Item = &'static str> {
    let failed = |component: &&Component| component.state == ComponentState::Failed;
    components
        .iter()
        .filter(failed)
        .map(|component| component.name)
}
