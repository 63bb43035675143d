//! Costs of fields by name. A test compares these names with the schema.

use domain::batch::sheet::Column;
use domain::lookup::MAX_PAIRS;
use domain::page::MAX_PAGE;
use domain::usage::MAX_SERIES;
use domain::webhook::MAX_ENDPOINTS;

/// Cost of a field that accesses the store or a bank's budget, however little it returns.
pub(super) const STORE_ACCESS: u64 = 250;

/// Cost of reading one key's limits. All of a request are one call of the limiter, which decides on
/// no admission meanwhile.
pub(super) const LIMITER_ACCESS: u64 = 25;

/// Cost of a usage report: it adds up slots of up to two years, a row for each key, endpoint and
/// outcome.
pub(super) const REPORT: u64 = 1_000;

/// Cost of reading rows of a batch: up to two chunks of 100 rows, with their lookups, are decrypted.
pub(super) const ROWS: u64 = 1_000;

/// Page size without `first`: the schema's default.
const DEFAULT_PAGE: u64 = 20;
/// Rows of a batch without `first`.
const DEFAULT_ROWS: u64 = 50;

/// Own cost of a field with subfields.
pub(super) fn branch(field: &str) -> u64 {
    match field {
        "account"
        | "accounts"
        | "audit"
        | "bank"
        | "batch"
        | "batches"
        | "batchChanged"
        | "key"
        | "keys"
        | "lookup"
        | "lookups"
        | "lookupChanged"
        | "requests"
        | "webhook"
        | "webhooks"
        | "webhookDeliveries"
        | "cancelBatch"
        | "cancelLookup"
        | "eraseBatch"
        | "eraseLookup"
        | "createKey"
        | "createWebhook"
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
        | "adminSetPlan" => STORE_ACCESS,
        "batchRows" => ROWS,
        "usage" => REPORT,
        "window" => LIMITER_ACCESS,
        _ => 1,
    }
}

/// Cost of a field without subfields.
pub(super) fn leaf(field: &str) -> u64 {
    match field {
        // Long lists of plain numbers: up to 744 of them.
        "counts" | "slots" => 10,
        _ => 1,
    }
}

/// Number of items of a field; 1 for one that isn't a list. The items of a page are counted at the
/// paged field, and not again at `edges` and `nodes`.
pub(super) fn items(field: &str) -> u64 {
    match field {
        "accounts" | "audit" | "batches" | "keys" | "lookups" | "requests"
        | "webhookDeliveries" => DEFAULT_PAGE,
        "batchRows" => DEFAULT_ROWS,
        "webhooks" => MAX_ENDPOINTS as u64,
        // A lookup that the bank answers for three days, the longest time, has 78 attempts.
        "participants" | "attempts" => MAX_PAGE.into(),
        "series" => MAX_SERIES as u64 + 1,
        "metadata" => MAX_PAIRS as u64,
        // An entry of the audit log names up to six fields; the others are introspection.
        "changes" | "inputFields" | "args" | "directives" => 6,
        // A row of a batch has an error for each of its columns at most.
        "errors" => Column::ALL.len() as u64,
        // A payment that isn't found has a few hints, a proof one notice or two, and a name a few participants.
        "hints" | "notices" | "candidates" => 4,
        // The files of a lookup, and the most input fields of a mutation that can be invalid at once.
        "files" | "userErrors" => 3,
        // Introspection, too.
        "types" => 60,
        "fields" | "enumValues" => 12,
        _ => 1,
    }
}
