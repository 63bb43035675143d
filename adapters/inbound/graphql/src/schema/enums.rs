//! Enums of the API. Each mirrors a type of the domain or of a port, and a new variant there fails to
//! compile here until it is added.

use async_graphql::Enum;
use domain::keys::KeySort;
use domain::page::Direction;
use domain::participants::inference::Evidence;

mod lookups;
mod webhooks;

pub(crate) use lookups::{BatchState, LookupState, PaymentState, RowState};
pub(crate) use webhooks::{DeliveryState, DisabledReason, SendFailure, WebhookEvent};

/// Bank that a key asks.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::keys::Environment")]
pub(crate) enum Environment {
    /// The central bank's portal.
    Live,
    /// The sandbox bank.
    Test,
}

/// State of a key.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::keys::KeyStatus")]
pub(crate) enum KeyStatus {
    /// It admits requests.
    Active,
    /// It admits requests until it revokes itself: it has a successor.
    Retiring,
    /// It admits nothing any more. There is no way back.
    Revoked,
}

/// Plan of an account: the limits that its new keys start with.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::limits::Plan")]
pub(crate) enum Plan {
    /// 60 requests a minute, 1,000 a month.
    Startup,
    /// 600 requests a minute, no monthly cap.
    Enterprise,
}

/// Permissions of a person.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::people::customer::Role")]
pub(crate) enum Role {
    /// Manage its own keys.
    Member,
    /// Manage everybody's keys, limits and plans besides.
    Admin,
}

/// Proof endpoint: the last segment of the REST path.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::outcome::Endpoint")]
pub(crate) enum Endpoint {
    /// The XML; the banks may be left out.
    XmlAuto,
    /// The XML.
    Xml,
    /// The PDF.
    Pdf,
    /// The PDF; the banks may be left out.
    PdfAuto,
    /// XML and PDF in a ZIP file; the banks may be left out.
    ZipAuto,
    /// The PDF in Base64.
    #[graphql(name = "BASE64")]
    Base64,
    /// The XML in Base64.
    #[graphql(name = "XML_BASE64")]
    XmlBase64,
    /// The fields of the XML in JSON; the banks may be left out.
    JsonAuto,
    /// The fields of the XML in JSON.
    Json,
    /// The check of a file.
    Verify,
    /// A stored lookup.
    Lookups,
    /// A row of a batch, which is a stored lookup.
    Batches,
}

/// Outcome of a request with a valid key.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::outcome::Outcome")]
pub(crate) enum Outcome {
    /// The proof was delivered.
    Delivered,
    /// The request was malformed, or its body came too slowly.
    InvalidRequest,
    /// A bank could not be inferred.
    InferenceFailed,
    /// The bank knows no such transfer.
    NotFound,
    /// The payment was settled, and the bank has no proof of it yet.
    NotIssued,
    /// The payment, or its return, is still in process.
    PaymentInProcess,
    /// The payment was returned to the payer. The bank issues no proof of it, nor after the two that follow.
    PaymentReturned,
    /// The payment was rejected, or could not be settled.
    PaymentRejected,
    /// The payment was canceled.
    PaymentCanceled,
    /// Refused by the key's limit of a minute. Counts against nothing.
    RateLimited,
    /// Refused by the key's monthly quota. Counts against nothing.
    QuotaExceeded,
    /// The bank answered something that the gateway doesn't understand. Given back to the quota.
    BankProtocolError,
    /// The bank could not be reached, or said that it is closed. Given back to the quota.
    BankUnavailable,
    /// The bank's own limit, or the gateway's budget of it, was used up. Given back to the quota.
    BankThrottled,
    /// The bank did not answer in time. Given back to the quota.
    BankTimeout,
    /// The gateway failed. Given back to the quota.
    InternalError,
    /// The caller canceled the lookup before it ended.
    Canceled,
}

/// Outcome of an attempt of a lookup, by the names of the REST API's reasons.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::outcome::Outcome")]
pub(crate) enum Reason {
    /// The proof was delivered.
    Delivered,
    /// The question was malformed.
    InvalidRequest,
    /// A bank could not be inferred.
    InferenceFailed,
    /// The bank knows no such transfer.
    #[graphql(name = "NOT_IN_SPEI")]
    NotFound,
    /// The payment was settled, and the bank has no proof of it yet.
    #[graphql(name = "PROOF_NOT_ISSUED")]
    NotIssued,
    /// The payment, or its return, is still in process.
    PaymentInProcess,
    /// The payment was returned to the payer. The bank issues no proof of it, nor after the two that follow.
    PaymentReturned,
    /// The payment was rejected, or could not be settled.
    PaymentRejected,
    /// The payment was canceled.
    PaymentCanceled,
    /// Refused by the key's limit of a minute.
    RateLimited,
    /// Refused by the key's monthly quota.
    QuotaExceeded,
    /// The bank answered something that the gateway doesn't understand.
    BankProtocolError,
    /// The bank could not be reached, or said that it is closed.
    BankUnavailable,
    /// The bank's own limit, or the gateway's budget of it, was used up.
    BankThrottled,
    /// The bank did not answer in time.
    BankTimeout,
    /// The gateway failed.
    InternalError,
    /// The caller canceled it before it ended.
    Canceled,
}

/// Result of checking a proof's seal, the signature of the receiving institution.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::seals::SealVerdict")]
pub(crate) enum SealVerdict {
    /// A key of its certificate is known, and the seal is its signature of the proof's chain.
    Valid,
    /// A key of its certificate is known, and the seal is not its signature of the proof's chain.
    Invalid,
    /// No key of its certificate is known, or the seal can't be read. It says nothing against the
    /// proof.
    NotChecked,
}

/// Reason for a seal that isn't checked.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "SealNotCheckedReason", remote = "domain::seals::NotChecked")]
pub(crate) enum NotChecked {
    /// The certificate's key isn't known here.
    UnknownCertificate,
    /// The seal or the certificate's number can't be read.
    Unreadable,
}

/// Confidence in an inferred bank.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::participants::inference::Confidence")]
pub(crate) enum Confidence {
    /// It is that bank.
    High,
    /// It may also be another bank.
    Medium,
}

/// Datum that a bank was inferred from.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InferenceSource {
    /// The first digits of the CLABE.
    ClabePrefix,
    /// The first digits of the card.
    CardPrefix,
    /// The shape of the tracking key.
    TrackingKeyShape,
}

impl From<&Evidence> for InferenceSource {
    fn from(evidence: &Evidence) -> Self {
        match evidence {
            Evidence::ClabePrefix { .. } => Self::ClabePrefix,
            Evidence::CardPrefix(_) => Self::CardPrefix,
            Evidence::TrackingKeyShape { .. } => Self::TrackingKeyShape,
        }
    }
}

/// The length of a slot. Slots begin at full UTC hours, days and months.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::usage::Granularity")]
pub(crate) enum Granularity {
    /// One hour; a report has at most 744 of them.
    Hour,
    /// One day; a report has at most 400 of them.
    Day,
    /// One calendar month; a report has at most 36 of them.
    Month,
}

/// Breakdown of a usage report into series.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::usage::Breakdown")]
pub(crate) enum Breakdown {
    /// Nothing: one series of everything.
    Total,
    /// One series a key; the largest 20, and one of all others.
    Key,
    /// One series an endpoint.
    Endpoint,
    /// One series an outcome.
    Outcome,
}

/// State of a bank.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "application::BankState")]
pub(crate) enum BankState {
    /// Nobody asked it in the last hour.
    Unknown,
    /// It answers.
    Operational,
    /// Some of the last lookups failed.
    Degraded,
    /// All of the last lookups failed.
    Down,
    /// It wants to be left alone for a while.
    Paused,
}

/// Effect of a new plan on the account's existing keys.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::people::customer::ExistingKeys")]
pub(crate) enum ExistingKeys {
    /// They keep the limits that they have.
    Keep,
    /// Those that aren't revoked take the plan's limits.
    Follow,
}

/// Kind of a change.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::audit::Action")]
pub(crate) enum AuditAction {
    /// A key was made.
    KeyCreated,
    /// A key got another name.
    KeyRenamed,
    /// A key was revoked, by a person or because its time of grace was over.
    KeyRevoked,
    /// A key was given a successor, and will revoke itself.
    KeyRotated,
    /// A key's limits were set.
    LimitsSet,
    /// An account's plan was set.
    PlanSet,
    /// A webhook was added.
    WebhookAdded,
    /// A webhook was changed by its owner.
    WebhookChanged,
    /// A webhook was given a new secret.
    WebhookSecretRotated,
    /// A webhook was removed.
    WebhookRemoved,
}

/// Field that orders a list of keys.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "KeyOrderField")]
pub(crate) enum KeySortField {
    /// Time of creation.
    CreatedAt,
    /// Their names.
    Name,
}

impl From<KeySortField> for KeySort {
    fn from(field: KeySortField) -> Self {
        match field {
            KeySortField::CreatedAt => Self::Created,
            KeySortField::Name => Self::Name,
        }
    }
}

/// From which end a list is read.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderDirection {
    /// The smallest, or oldest, first.
    Asc,
    /// The largest, or newest, first.
    Desc,
}

impl From<OrderDirection> for Direction {
    fn from(direction: OrderDirection) -> Self {
        match direction {
            OrderDirection::Asc => Self::Ascending,
            OrderDirection::Desc => Self::Descending,
        }
    }
}

/// Kind of refusal of a mutation.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "web::problem::UserErrorCode")]
pub(crate) enum UserErrorCode {
    /// A value is out of its range or of the wrong shape; `field` says which.
    Invalid,
    /// It doesn't exist, or it isn't yours.
    NotFound,
    /// Only admins may.
    Forbidden,
    /// The key is revoked, and has to be active for this.
    Revoked,
    /// The key has a successor already.
    AlreadyRotated,
    /// The account has as many active keys as its plan allows.
    TooManyKeys,
    /// The account created or rotated as many keys in an hour as it may.
    TooManyNewKeys,
    /// The lookup has ended, so it can't be canceled.
    LookupFinal,
    /// The lookup hasn't ended, so it can't be erased.
    LookupNotFinal,
    /// The batch has ended, so it can't be canceled.
    BatchFinal,
    /// The batch hasn't ended, so it can't be erased.
    BatchNotFinal,
    /// The account has as many webhooks as it may have.
    TooManyWebhooks,
    /// The webhook is disabled, so nothing is sent to it.
    WebhookDisabled,
    /// The delivery is still tried, so it can't be sent again.
    DeliveryPending,
}
