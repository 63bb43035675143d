//! Explanations of the checks of a proof, in the caller's language.

use domain::proofs::check::{Check, CheckReason};
use domain::seals::SecondOpinion;

use super::text;
use crate::language::Language;

pub fn explanation(check: &Check, language: Language) -> String {
    match check.reason {
        Some(reason) => explain(reason, language),
        None => text::of_name(language, "check-ok", check.name.name()),
    }
}

/// Explanation of a check that failed, or could not be made.
pub fn explain(reason: CheckReason, language: Language) -> String {
    text::of_name(language, "check", reason.name())
}

/// Explanation of the validator's verdict on a seal, or of its absence.
pub fn explain_opinion(opinion: SecondOpinion, language: Language) -> String {
    match opinion {
        Ok(verdict) => text::of_name(language, "opinion", verdict.name()),
        Err(reason) => text::of_name(language, "no-opinion", reason.name()),
    }
}
