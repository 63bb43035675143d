//! Messages about receipts, in the caller's language.

use domain::receipts::{MissingField, ReceiptNotice};

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
