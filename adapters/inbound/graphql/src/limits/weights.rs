//! Costs of fields by name. A test compares these names with the schema.

use domain::batches::sheet::{Column, PassedOver};
use domain::lookups::MAX_PAIRS;
use domain::own_accounts::{MAX_CANDIDATES, MAX_OWN_ACCOUNTS};
use domain::page::MAX_PAGE;
use domain::receipts::ReceiptField;
use domain::usage::MAX_SERIES;
use domain::webhooks::MAX_ENDPOINTS;

/// Cost of a field that reads the store or a bank's rate limit, whatever its size.
pub(super) const STORE_ACCESS: u64 = 250;

/// Cost of reading one key's limits. All reads of a request share one call to the limiter, which admits no
/// request during that call.
pub(super) const LIMITER_ACCESS: u64 = 25;

/// Cost of a usage report, which aggregates up to two years with a row for each key, endpoint and outcome.
pub(super) const REPORT: u64 = 1_000;

/// Cost of reading rows of a batch, which decrypts up to two chunks of 100 rows with their lookups.
pub(super) const ROWS: u64 = 1_000;

/// Cost of a mutation, of which an operation has at most three.
pub(super) const MUTATION: u64 = 3_000;

/// Cost of a subscription, of which an operation has one (GraphQL, October 2021, 5.2.3.1).
pub(super) const SUBSCRIPTION: u64 = 6_000;

/// Default page size of the schema, when `first` is absent.
const DEFAULT_PAGE: u64 = 20;
/// Default page size of a batch's rows.
const DEFAULT_ROWS: u64 = 50;

/// Cost of a field with subfields, without that of the subfields.
pub(super) fn branch(field: &str) -> u64 {
    match field {
        "account" | "accounts" | "audit" | "bank" | "batch" | "batches" | "key" | "keys"
        | "lookup" | "lookups" | "ownAccounts" | "requests" | "webhook" | "webhooks"
        | "webhookDeliveries" => STORE_ACCESS,
        "addOwnAccount"
        | "cancelBatch"
        | "cancelLookup"
        | "eraseBatch"
        | "eraseLookup"
        | "createKey"
        | "createWebhook"
        | "removeOwnAccount"
        | "removeWebhook"
        | "renameKey"
        | "resendWebhookDelivery"
        | "revokeKey"
        | "rotateKey"
        | "rotateWebhookSecret"
        | "testWebhook"
        | "updateWebhook"
        | "adminRevokeKey"
        | "adminSetLimits"
        | "adminSetPlan" => MUTATION,
        "batchChanged" | "lookupChanged" => SUBSCRIPTION,
        "batchRows" => ROWS,
        "usage" => REPORT,
        "window" => LIMITER_ACCESS,
        _ => 1,
    }
}

/// Returns `true` for a field that reads the store by the id in its argument, while another one of the same
/// name has no arguments and belongs to what was read already: the lookup of a row, the key of a payload.
pub(super) fn is_also_a_member(field: &str) -> bool {
    matches!(field, "batch" | "key" | "lookup" | "webhook")
}

/// Cost of a field without subfields.
pub(super) fn leaf(field: &str) -> u64 {
    match field {
        // Lists of up to 744 numbers.
        "counts" | "slots" => 10,
        _ => 1,
    }
}

/// Number of items of a field; 1 if it isn't a list. The items of a page are counted at the paged field,
/// and not again at `edges` and `nodes`.
pub(super) fn items(field: &str) -> u64 {
    match field {
        "accounts" | "audit" | "batches" | "keys" | "lookups" | "requests"
        | "webhookDeliveries" => DEFAULT_PAGE,
        "batchRows" => DEFAULT_ROWS,
        "ownAccounts" => MAX_OWN_ACCOUNTS as u64,
        "otrasCuentas" => MAX_CANDIDATES as u64 - 1,
        "webhooks" => MAX_ENDPOINTS as u64,
        "comparison" => ReceiptField::ALL.len() as u64,
        // A lookup that is retried for three days, the maximum, has 78 attempts.
        "participants" | "attempts" => MAX_PAGE.into(),
        "series" => MAX_SERIES as u64 + 1,
        "metadata" => MAX_PAIRS as u64,
        // An audit log entry has up to six changes; the other fields belong to introspection.
        "changes" | "inputFields" | "args" | "directives" => 6,
        // A row of a batch has at most one error for each column.
        "errors" => Column::ALL.len() as u64,
        "passedOver" => PassedOver::ALL.len() as u64,
        // Typical maximum of hints for a missing payment, notices on a proof, and candidates for a name.
        "hints" | "notices" | "candidates" => 4,
        // Files of a lookup, and the maximum of invalid input fields in one mutation.
        "files" | "userErrors" => 3,
        // Fields of introspection.
        "types" => 60,
        "fields" | "enumValues" => 12,
        _ => 1,
    }
}
