//! Words of results of batches, in the caller's language.

use domain::batches::RowState;
use domain::payment::PaymentState;
use domain::seals::SealVerdict;
use strum::{IntoStaticStr, VariantArray};

use super::catalogue::catalogue;
use super::text::{self, Count};
use crate::language::Language;

/// Kind of the messages of [`ResultWord`].
pub(super) const KIND: &str = "results";

/// Words of results: verdicts on seals, and headings of the columns that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ResultWord {
    /// A seal is valid.
    SealValid,
    /// A seal is invalid.
    SealInvalid,
    /// A seal was not checked.
    SealNotChecked,
    /// State of a row whose file has an invalid seal.
    StateSealInvalid,
    /// State of a row whose seal was not checked.
    StateSealNotChecked,
    /// Heading of the state, with which the columns of results begin.
    State,
    /// Heading of the sentences about a row.
    Explanation,
    /// Heading of the next step.
    WhatToDo,
    /// Heading of the verdict on the seal.
    Seal,
    /// Heading of the credit date.
    CreditDate,
    /// Heading of the credit time.
    CreditTime,
    /// Heading of the payer's name.
    Payer,
    /// Heading of the payer's RFC or CURP.
    PayerTaxId,
    /// Heading of the payee's name.
    Payee,
    /// Heading of the payee's RFC or CURP.
    PayeeTaxId,
    /// Heading of the payee's account.
    PayeeAccount,
    /// Heading of the concept.
    Concept,
    /// Heading of the issuing bank.
    Issuer,
    /// Heading of the receiving bank.
    Receiver,
    /// Heading of the link to the proof.
    Link,
    /// Text of that link.
    Open,
}

catalogue! {
    /// A sentence about a row of results.
    pub enum RowRemark -> &'static str {
        /// The row asks the same as an earlier one.
        Repeats { row: u32 } = "repeats", "row-repeats"(row: row);
        /// Several transfers have the reference number; `candidates` tells them.
        Candidates { candidates: String } = "candidates", "row-candidates"(candidates: candidates);
        /// The verdict on the seal of one of these transfers.
        CandidateSeal { seal: String } = "candidate_seal", "row-candidate-seal"(seal: seal);
        /// The proof was delivered before.
        Seen { times: usize } = "seen", "row-seen"(times: Count(*times));
    }
}

impl ResultWord {
    /// The word in one language.
    pub fn text(self, language: Language) -> String {
        text::of_name(language, KIND, self.into())
    }
}

/// The state of a row, and the verdict on the seal of a delivered one unless it is valid: a file isn't a payment yet.
pub fn row_state(state: RowState, seal: Option<SealVerdict>, language: Language) -> String {
    match seal {
        Some(SealVerdict::Invalid) => ResultWord::StateSealInvalid.text(language),
        Some(SealVerdict::NotChecked) => ResultWord::StateSealNotChecked.text(language),
        Some(SealVerdict::Valid) | None => text::of_name(language, "row-state", state.name()),
    }
}

/// The verdict on a seal.
pub fn seal_word(verdict: SealVerdict, language: Language) -> String {
    let word = match verdict {
        SealVerdict::Valid => ResultWord::SealValid,
        SealVerdict::Invalid => ResultWord::SealInvalid,
        SealVerdict::NotChecked => ResultWord::SealNotChecked,
    };
    word.text(language)
}

/// The state of a payment.
pub fn payment_word(state: PaymentState, language: Language) -> String {
    text::of_name(language, "payment-state", state.name())
}
