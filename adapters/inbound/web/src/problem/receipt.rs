//! Messages about receipts, in the caller's language.

use domain::receipts::{MAX_VALUE_LENGTH, MissingField, ReceiptNotice, ReceiptValueProblem};

use super::field::FieldProblem;
use super::text;
use crate::language::Language;

/// A notice in a sentence: the fact, and what to do.
pub fn receipt_notice_message(notice: ReceiptNotice, language: Language) -> String {
    text::of_name(language, "receipt", notice.name())
}

/// What to look for on the receipt.
pub fn missing_field_message(missing: MissingField, language: Language) -> String {
    let name = format!("{}-{}", missing.field.name(), missing.reason.name());
    text::of_name(language, "missing", &name)
}

impl From<ReceiptValueProblem> for FieldProblem {
    fn from(problem: ReceiptValueProblem) -> Self {
        match problem {
            ReceiptValueProblem::Repeated => Self::Duplicate,
            ReceiptValueProblem::TooLong { length } => Self::TextTooLong {
                length,
                most: MAX_VALUE_LENGTH,
            },
            ReceiptValueProblem::Malformed(error) => error.into(),
        }
    }
}
