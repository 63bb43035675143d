//! Catalogue of problems: every error that the gateway answers with, its code, its status, the
//! members of its `details` and its message in each language.
//!
//! A new error is one entry in a table here and one message in each of `i18n/es.ftl` and
//! `i18n/en.ftl`; a test fails when a message is missing, unused, or takes other parameters.

use std::time::Duration;

use application::{Component, ComponentState};
use chrono::{DateTime, Utc};
use domain::batch::sheet::{SheetColumn, headers_of};
use domain::inference::InferredBanks;
use domain::participant::ParticipantCode;
use domain::payment::{Payment, PaymentState};
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
mod response;
mod row;
#[cfg(test)]
mod tests;
mod text;

pub use advice::{Advice, what_to_do};
pub use candidate::CandidateDetail;
pub use check::{CheckExplanation, CheckPassed, explanation};
pub use code::Code;
pub use column::{TableColumn, TableNotice};
pub use details::{
    ComponentDetail, Details, FieldDetail, FileDetail, GapDetail, GapDetails, HintDetail,
    HintSubject, InferredDetails, PaymentDetail,
};
pub use field::{FieldFault, FieldProblem};
pub use graphql::{GraphqlProblem, UserErrorCode, UserProblem};
pub use hint::{GapReason, HintReason};
pub use notice::{NoticeDetail, NoticeMessage};
pub use response::ErrorBody;
pub(crate) use response::render;
pub use row::{LineError, LineErrorDetail, RowError, RowErrorDetail};

use catalogue::catalogue;
use text::{Count, List};

/// Path at which a browser gets a session.
pub const SIGN_IN_PATH: &str = "/login";

catalogue! {
    /// An error that answers a whole request, as REST and the shared middleware tell it.
    pub enum Problem -> Code {
        /// The body ended early.
        IncompleteBody = Code::InvalidRequest, "incomplete-body";
        /// The body holds nothing but blanks.
        EmptyBody = Code::InvalidRequest, "empty-body";
        /// The body isn't UTF-8; places in a body are bytes, from 1.
        NotUtf8 { position: usize } = Code::InvalidRequest, "not-utf8"(position: position);
        /// A byte order mark stands before the JSON, where a sender must not put one (RFC 8259,
        /// 8.1).
        ByteOrderMark = Code::InvalidRequest, "byte-order-mark";
        /// The body isn't JSON.
        MalformedJson { position: usize }
            = Code::InvalidRequest, "malformed-json"(position: position);
        /// The body is JSON, but no object.
        NotAnObject { found: &'static str }
            = Code::InvalidRequest, "not-an-object"(found: found);
        /// The body repeats a member that the route knows.
        DuplicateKey { field: &'static str, position: usize }
            = Code::InvalidRequest, "duplicate-key"(field: field, position: position);
        /// The body repeats a member that the route doesn't know, so it isn't repeated either.
        DuplicateUnknownKey { position: usize }
            = Code::InvalidRequest, "duplicate-unknown-key"(position: position);
        /// The body has too many levels.
        TooDeep { position: usize, levels: usize }
            = Code::InvalidRequest, "too-deep"(position: position, levels: levels);
        /// Fields are faulty; all of them are named.
        InvalidFields { faults: Vec<FieldFault> }
            = Code::InvalidRequest,
            "invalid-fields"(
                count: Count(faults.len()),
                fields: List::of(faults.iter().map(|fault| &fault.field)),
            );
        /// The issuer and the receiver are one institution.
        SameInstitution { code: ParticipantCode, inferred: Box<InferredBanks> }
            = Code::InvalidRequest, "same-institution"(code: code);
        /// A change of nothing; the fields are those that could be changed.
        EmptyChange { fields: &'static [&'static str] }
            = Code::InvalidRequest, "empty-change"(fields: List::of(*fields));
        /// The file that was sent is no proof; `element` is the part that the reason is about.
        NotAProof { explanation: CheckExplanation, element: Option<&'static str> }
            = Code::InvalidRequest, "not-a-proof";
        /// Banks could not be inferred.
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
        /// The API key is missing, invalid or revoked: nobody is told which.
        InvalidApiKey = Code::InvalidApiKey, "invalid-api-key";
        /// No session, or none that is good: nobody is told which.
        Unauthenticated = Code::Unauthenticated, "unauthenticated";
        /// Neither an API key nor a session, where either will do.
        NoCredential = Code::Unauthenticated, "no-credential";
        /// The month's quota is used up.
        QuotaExceeded { limit: u64, used: u64, reset_at: DateTime<Utc> }
            = Code::QuotaExceeded,
            "quota-exceeded"(limit: limit, reset_at: &reset_at.format("%Y-%m-%d %H:%M"));
        /// A page of a foreign site had a browser send the request.
        CrossSite = Code::Forbidden, "cross-site";
        /// Only admins may do this.
        AdminsOnly = Code::Forbidden, "admins-only";
        /// The bank has no such payment.
        NotInSpei { missing: Box<MissingProof> } = Code::NotFound, "not-in-spei";
        /// The payment was settled, and its proof isn't issued yet.
        ProofNotIssued { missing: Box<MissingProof> }
            = Code::NotFound, "proof-not-issued"(state: missing.state());
        /// The payment is still in process.
        PaymentInProcess { missing: Box<MissingProof> }
            = Code::NotFound, "payment-in-process"(state: missing.state());
        /// Its return is still in process.
        ReturnInProcess { missing: Box<MissingProof> }
            = Code::NotFound, "return-in-process"(state: missing.state());
        /// The payment was returned, and gets no proof; nor after the two that follow.
        PaymentReturned { missing: Box<MissingProof> }
            = Code::NotFound, "payment-returned"(state: missing.state());
        /// The payment was rejected.
        PaymentRejected { missing: Box<MissingProof> }
            = Code::NotFound, "payment-rejected"(state: missing.state());
        /// The payment was canceled.
        PaymentCanceled { missing: Box<MissingProof> }
            = Code::NotFound, "payment-canceled"(state: missing.state());
        /// Nothing within the caller's reach has the id: nobody is told whether anything has.
        NoSuchResource = Code::NotFound, "no-such-resource";
        /// The key's customer has no such lookup, in the key's environment.
        NoSuchLookup = Code::NotFound, "no-such-lookup";
        /// A table without a row.
        EmptyTable = Code::InvalidRequest, "empty-table";
        /// A workbook, or another file that isn't text.
        TableNotText = Code::InvalidRequest, "table-not-text";
        /// A table that begins with a payment.
        TableNoHeader { columns: Vec<SheetColumn> } = Code::InvalidRequest, "table-no-header";
        /// A header that can't be read.
        TableHeader { line: u64 } = Code::InvalidRequest, "table-header"(line: line);
        /// A table without columns that each row needs.
        MissingColumns { missing: Vec<&'static str>, columns: Vec<SheetColumn> }
            = Code::InvalidRequest,
            "missing-columns"(missing: List::of(missing), found: List::of(headers_of(columns)));
        /// A table with several columns for one field.
        RepeatedColumn { column: &'static str, found: Vec<String>, columns: Vec<SheetColumn> }
            = Code::InvalidRequest,
            "repeated-column"(column: column, found: List::of(found));
        /// A table none of whose rows can be looked up.
        NothingToLookUp { rows: u32, faults: Vec<LineError> }
            = Code::InvalidRequest, "nothing-to-look-up"(rows: rows);
        /// A file that is no ZIP.
        NotAnArchive = Code::InvalidRequest, "not-an-archive";
        /// A ZIP that is cut off, or contradicts itself.
        DamagedArchive = Code::InvalidRequest, "damaged-archive";
        /// A ZIP with more files than the bank's have.
        ArchiveTooLarge = Code::InvalidRequest, "archive-too-large";
        /// The caller has no such batch.
        NoSuchBatch = Code::NotFound, "no-such-batch";
        /// The lookup keeps no PDF.
        FileNotKept = Code::NotFound, "file-not-kept";
        /// No handshake of a WebSocket, or one without the route's sub-protocol.
        WebSocketRequired { protocol: &'static str }
            = Code::InvalidRequest, "web-socket-required"(protocol: protocol);
        /// No such route.
        RouteNotFound = Code::RouteNotFound, "route-not-found";
        /// The route has other methods.
        MethodNotAllowed = Code::MethodNotAllowed, "method-not-allowed";
        /// Too little of the body arrived for so long.
        StalledBody { bytes: usize, period: Duration }
            = Code::RequestTimeout, "stalled-body"(bytes: bytes, seconds: &period.as_secs());
        /// The body didn't arrive within its deadline.
        RequestTimeout { deadline: Duration }
            = Code::RequestTimeout, "request-timeout"(seconds: &deadline.as_secs());
        /// The key is revoked.
        KeyRevoked = Code::Conflict, "key-revoked";
        /// The key has a successor.
        KeyRotated = Code::Conflict, "key-rotated";
        /// The lookup has no proof (yet).
        LookupNotDelivered = Code::Conflict, "lookup-not-delivered";
        /// The batch has ended.
        BatchEnded = Code::Conflict, "batch-ended";
        /// The batch hasn't ended.
        BatchNotEnded = Code::Conflict, "batch-not-ended";
        /// The batch was canceled.
        BatchCanceled = Code::Conflict, "batch-canceled";
        /// The account has as many open batches as it may have.
        TooManyBatches { most: u32 } = Code::Conflict, "too-many-batches"(most: most);
        /// The account's batches, with those that have ended, have too many rows.
        TooManyBatchRows { most: u64 } = Code::Conflict, "too-many-stored-rows"(most: most);
        /// The bank takes no file of fewer rows.
        TooFewRows { rows: usize, least: usize }
            = Code::Conflict, "too-few-rows"(rows: rows, least: least);
        /// The account has as many active keys as it may have.
        TooManyKeys { most: u64 } = Code::Conflict, "too-many-keys"(most: most);
        /// The account has as many webhooks as it may have.
        TooManyWebhooks { most: u64 } = Code::Conflict, "too-many-webhooks"(most: most);
        /// The webhook is disabled.
        WebhookDisabled = Code::Conflict, "webhook-disabled";
        /// The delivery is still tried.
        DeliveryPending = Code::Conflict, "delivery-pending";
        /// The idempotency key was used for another request.
        IdempotencyKeyReused = Code::IdempotencyKeyReused, "idempotency-key-reused";
        /// The first request with the idempotency key is still running.
        IdempotencyKeyInProgress { retry_after: Duration }
            = Code::IdempotencyKeyInProgress,
            "idempotency-key-in-progress"(seconds: &retry_after_seconds(*retry_after));
        /// The body is larger than the route takes.
        PayloadTooLarge { max_bytes: usize }
            = Code::PayloadTooLarge, "payload-too-large"(max_bytes: max_bytes);
        /// The body isn't declared as JSON.
        UnsupportedMediaType = Code::UnsupportedMediaType, "unsupported-media-type";
        /// The body is a compressed file.
        UnsupportedFileType = Code::UnsupportedMediaType, "unsupported-file-type";
        /// The body isn't declared as a table.
        UnsupportedTableType = Code::UnsupportedMediaType, "unsupported-table-type";
        /// The body isn't declared as anything that a route for programs takes from a person.
        UnsupportedBodyType = Code::UnsupportedMediaType, "unsupported-body-type";
        /// The body isn't declared as a ZIP file.
        UnsupportedArchiveType = Code::UnsupportedMediaType, "unsupported-archive-type";
        /// The minute's limit is used up.
        RateLimited { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "rate-limited"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// The account created or rotated as many keys in an hour as it may.
        TooManyNewKeys { most: usize, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-new-keys"(most: most, minutes: &minutes(*retry_after));
        /// A session, or its account, sends too many requests.
        TooManyRequests { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-requests"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// A session has as many open connections for subscriptions as it may have.
        TooManyWebSockets { most: usize }
            = Code::RateLimitExceeded, "too-many-web-sockets"(most: most);
        /// A key reads lookups too often.
        TooManyReads { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-reads"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// A key repeats requests with an idempotency key too often.
        TooManyRepeats { limit: u32, retry_after: Duration }
            = Code::RateLimitExceeded,
            "too-many-repeats"(limit: limit, seconds: &retry_after_seconds(*retry_after));
        /// A fault of the gateway.
        Internal { request_id: RequestId } = Code::InternalError, "internal-error";
        /// The bank's answer could not be understood.
        BankProtocol = Code::BankProtocolError, "bank-protocol";
        /// The bank can't be reached.
        BankUnavailable { retry_after: Duration }
            = Code::BankUnavailable,
            "bank-unavailable"(seconds: &retry_after_seconds(*retry_after));
        /// The bank may not be asked now.
        BankThrottled { retry_after: Duration }
            = Code::BankThrottled,
            "bank-throttled"(seconds: &retry_after_seconds(*retry_after));
        /// The bank didn't answer in time.
        BankTimeout = Code::BankTimeout, "bank-timeout";
        /// The account, or all accounts, download as many batches as they may.
        TooManyDownloads { retry_after: Duration }
            = Code::ServiceUnavailable, "too-many-downloads"(seconds: &retry_after_seconds(*retry_after));
        /// A dependency of the gateway can't be reached.
        Unavailable { retry_after: Duration }
            = Code::ServiceUnavailable,
            "service-unavailable"(seconds: &retry_after_seconds(*retry_after));
        /// Components of the gateway have failed.
        NotReady { components: Vec<Component> }
            = Code::ServiceUnavailable,
            "not-ready"(components: List::of(failed(components)));
    }
}

/// Facts of a lookup whose proof the bank doesn't have.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingProof {
    /// The bank's record of the payment, if it has one.
    pub payment: Option<Payment>,
    /// The banks that were inferred.
    pub inferred: InferredBanks,
    /// Likely mistakes.
    pub hints: Vec<HintReason>,
}

impl MissingProof {
    /// The bank's own word for the payment's state.
    fn state(&self) -> &'static str {
        self.payment.map_or("", |payment| payment.state.label())
    }
}

impl Problem {
    /// Faulty fields, at least one.
    pub fn invalid_fields<F: Into<FieldFault>>(faults: impl IntoIterator<Item = F>) -> Self {
        Self::InvalidFields {
            faults: faults.into_iter().map(Into::into).collect(),
        }
    }

    /// One faulty field.
    pub fn invalid_field(field: &'static str, problem: impl Into<FieldProblem>) -> Self {
        Self::invalid_fields([FieldFault::new(field, problem)])
    }

    /// A proof that the bank doesn't have, by the state of its payment.
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

    /// A fault of the gateway in this request.
    pub fn internal(request_id: &RequestId) -> Self {
        Self::Internal {
            request_id: request_id.clone(),
        }
    }
}

/// Whole minutes of a wait, rounded up.
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
