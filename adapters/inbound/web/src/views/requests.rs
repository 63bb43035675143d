//! Endpoints and outcomes of requests.

use async_graphql::Enum;
use serde::Serialize;
use utoipa::ToSchema;

/// Proof endpoint: the last segment of the REST path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::outcome::Endpoint")]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
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
    /// A stored lookup, by a receipt as well.
    Lookups,
    /// A row of a batch, which is a stored lookup.
    Batches,
    /// The reading of a receipt, unless it stored a lookup.
    Receipts,
}

/// Outcome of a request with a valid key, or of an attempt of a lookup.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Enum,
    Serialize,
    ToSchema,
    strum::EnumString,
    strum::VariantNames,
)]
#[graphql(remote = "domain::outcome::Outcome")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// The proof was delivered.
    Delivered,
    /// A receipt was read, whatever was found in it, and no lookup was stored.
    ReceiptRead,
    /// The request was malformed, or its body came too slowly.
    InvalidRequest,
    /// A bank could not be inferred.
    InferenceFailed,
    /// Several transfers have the reference number.
    Ambiguous,
    /// The bank knows no such transfer.
    #[graphql(name = "NOT_IN_SPEI")]
    #[serde(rename = "not_in_spei")]
    #[strum(serialize = "not_in_spei")]
    NotFound,
    /// The payment was settled, and the bank has no proof of it yet.
    #[graphql(name = "PROOF_NOT_ISSUED")]
    #[serde(rename = "proof_not_issued")]
    #[strum(serialize = "proof_not_issued")]
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
    /// The program that reads such a file isn't installed, or reads as many as it can.
    ReaderUnavailable,
    /// The gateway failed. Given back to the quota.
    InternalError,
    /// The caller canceled the lookup before it ended.
    Canceled,
}
