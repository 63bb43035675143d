//! What fields cost, by their names. A test compares these names with the schema.

use domain::page::MAX_PAGE;
use domain::usage::MAX_SERIES;

/// What a field costs that visits the store, however little it then answers.
pub(super) const VISIT: u64 = 250;

/// What a report of use costs: it adds up slots of up to two years, a row for each key, endpoint and
/// outcome.
pub(super) const REPORT: u64 = 1_000;

/// Items of a page when nobody says how many (the default of every `first`).
const DEFAULT_PAGE: u64 = 20;

/// What a field with fields of its own costs by itself.
pub(super) fn branch(field: &str) -> u64 {
    match field {
        "account" | "accounts" | "audit" | "key" | "keys" | "requests" | "createKey"
        | "renameKey" | "revokeKey" | "rotateKey" | "adminRevokeKey" | "adminSetLimits"
        | "adminSetPlan" => VISIT,
        "usage" => REPORT,
        _ => 1,
    }
}

/// What a field without fields of its own costs.
pub(super) fn leaf(field: &str) -> u64 {
    match field {
        // Long lists of plain numbers: up to 744 of them.
        "counts" | "slots" => 10,
        _ => 1,
    }
}

/// How many items a field has; 1 for one that isn't a list. The items of a page are counted at the
/// field that is paged, and not again at `edges` and `nodes`.
pub(super) fn items(field: &str) -> u64 {
    match field {
        "accounts" | "audit" | "keys" | "requests" => DEFAULT_PAGE,
        "participants" => MAX_PAGE.into(),
        "series" => MAX_SERIES as u64 + 1,
        // An entry of the audit log names up to six fields; the others are of the schema.
        "changes" | "inputFields" | "args" | "directives" => 6,
        // A mutation can refuse that many of its fields at once.
        "userErrors" => 3,
        // Of the schema, too.
        "types" => 60,
        "fields" | "enumValues" => 12,
        _ => 1,
    }
}
