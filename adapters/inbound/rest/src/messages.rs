//! What answers say to people; what other adapters say too is in [`web`]. Each language implements one trait, so that none can lack a
//! sentence.
//!
//! A message says what was wrong with which input and what to do next. It never repeats an
//! account, an amount or a tracking key.

use chrono::{DateTime, Utc};
use domain::hints::Hint;
use domain::inference::InferenceFailure;
use domain::participant::ParticipantCode;
use domain::payment::PaymentState;
use web::Language;

use crate::details::FieldProblem;
use crate::json::JsonFault;

mod en;
mod es;

/// The sentences of one language.
pub(crate) trait Messages: Sync {
    fn invalid_fields(&self, fields: &[&str]) -> String;
    fn field_problem(&self, problem: FieldProblem) -> String;
    fn json_fault(&self, fault: JsonFault) -> String;
    fn same_institution(&self, code: ParticipantCode) -> String;
    fn inference_failed(&self, missing: &[&str], endpoints: &[&str]) -> String;
    fn gap(&self, gap: InferenceFailure) -> &'static str;
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
    fn not_ready(&self, components: &[&str]) -> String;
    fn empty_change(&self, fields: &[&str]) -> String;
    fn no_such_thing(&self) -> &'static str;
    fn admins_only(&self) -> &'static str;
    fn key_revoked(&self) -> &'static str;
    fn key_rotated(&self) -> &'static str;
    fn too_many_keys(&self, most: u64) -> String;
}

/// The sentences of a language.
pub(crate) fn of(language: Language) -> &'static dyn Messages {
    match language {
        Language::Spanish => &es::Spanish,
        Language::English => &en::English,
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
