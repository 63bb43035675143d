//! What answers say to people. Each language implements one trait, so that none can lack a
//! sentence.
//!
//! A message says what was wrong with which input and what to do next. It never repeats an
//! account, an amount or a tracking key.

use chrono::{DateTime, Utc};
use domain::hints::Hint;
use domain::inference::Gap;
use domain::participant::ParticipantCode;
use domain::payment::PaymentState;

use crate::details::FieldProblem;
use crate::json::JsonFault;
use crate::language::Language;

mod en;
mod es;

/// The sentences of one language.
pub(crate) trait Messages: Sync {
    fn invalid_fields(&self, fields: &[&str]) -> String;
    fn field_problem(&self, problem: FieldProblem) -> String;
    fn json_fault(&self, fault: JsonFault) -> String;
    fn interrupted_body(&self) -> &'static str;
    fn same_institution(&self, code: ParticipantCode) -> String;
    fn media_type(&self) -> &'static str;
    fn too_large(&self, max_bytes: usize) -> String;
    fn request_timeout(&self, seconds: u64) -> String;
    fn inference_failed(&self, missing: &[&str], endpoints: &[&str]) -> String;
    fn gap(&self, gap: Gap) -> &'static str;
    fn not_in_spei(&self) -> &'static str;
    fn proof_not_issued(&self, state: PaymentState) -> String;
    fn hint(&self, hint: &Hint) -> String;
    fn invalid_api_key(&self) -> &'static str;
    fn rate_limited(&self, limit: u32, seconds: u64) -> String;
    fn quota_exceeded(&self, limit: u64, reset_at: DateTime<Utc>) -> String;
    fn bank_protocol(&self) -> &'static str;
    fn bank_unavailable(&self, seconds: u64) -> String;
    fn bank_throttled(&self, seconds: u64) -> String;
    fn bank_timeout(&self) -> &'static str;
    fn service_unavailable(&self, seconds: u64) -> String;
    fn not_ready(&self, components: &[&str]) -> String;
    fn internal_error(&self) -> &'static str;
    fn route_not_found(&self) -> &'static str;
    fn method_not_allowed(&self) -> &'static str;
}

impl Language {
    pub(crate) fn messages(self) -> &'static dyn Messages {
        match self {
            Self::Spanish => &es::Spanish,
            Self::English => &en::English,
        }
    }
}

/// Joins names as a sentence does: `a`, `a and b`, `a, b and c`.
fn join(names: &[&str], and: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} {and} {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!(join(&["a"], "y"), "a");
        assert_eq!(join(&["a", "b"], "y"), "a y b");
        assert_eq!(join(&["a", "b", "c"], "y"), "a, b y c");
    }
}
