//! Comparison of what was read on a receipt with the proof of its payment, field by field.
//!
//! Anybody can edit a receipt, so a value that tells nothing is never the same as the proof's: a mask without digits
//! is refused, and a letter isn't a name. A value that can't be compared isn't in the result.

use std::mem::discriminant;

use chrono::{NaiveDate, Timelike};

use super::field::{MAX_VALUE_LENGTH, ReadConfidence, ReceiptField};
use super::reading::AROUND_MIDNIGHT;
use crate::account::Account;
use crate::amount::{Amount, pesos};
use crate::calendar;
use crate::folding::folded;
use crate::masked_account::is_written_mask;
use crate::name_match::{MatchLevel, match_cut_names};
use crate::own_accounts::GivenAccount;
use crate::participants::{Catalogue, ParticipantCode, ParticipantError};
use crate::proofs::{Proof, ProofField};
use crate::query::FieldErrorKind;
use crate::tracking_key::TrackingKey;

/// A value that was read on a receipt, to be compared.
#[derive(Clone, Copy)]
pub struct ReceiptValue<'a> {
    /// The field.
    pub field: ReceiptField,
    /// Its value, in the form that requests take.
    pub text: &'a str,
    /// Confidence in the value.
    pub confidence: ReadConfidence,
}

/// A field of a receipt beside the proof's.
#[derive(Clone, PartialEq, Eq)]
pub struct ComparedField {
    /// The field.
    pub field: ReceiptField,
    /// The value of the receipt, as it was given.
    pub read: String,
    /// The value of the proof; of two dates the one that is the same, or else that of the credit.
    pub proved: String,
    /// Receipt and proof say the same.
    pub is_same: bool,
}

impl ComparedField {
    /// Returns `true` if a difference contradicts the receipt. The beneficiary's name on a receipt is what the payer
    /// typed, and no bank compares it with the account's.
    pub fn decides(&self) -> bool {
        self.field != ReceiptField::Beneficiary
    }
}

/// Error of a value of a receipt that is to be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("value {place}: {problem}")]
pub struct ReceiptValueError {
    /// Place of the value in the list, from 0.
    pub place: usize,
    /// The fault of the value.
    pub problem: ReceiptValueProblem,
}

/// Fault of a value of a receipt that is to be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptValueProblem {
    /// The list has the field twice.
    #[error("the field is given twice")]
    Repeated,
    /// The value is longer than [`MAX_VALUE_LENGTH`].
    #[error("at most {MAX_VALUE_LENGTH} characters, {length} were given")]
    TooLong {
        /// Number of characters in the value.
        length: usize,
    },
    /// The value isn't one of its field.
    #[error(transparent)]
    Malformed(#[from] FieldErrorKind),
}

/// Compares values of a receipt with the proof of its payment, in the order of the values. `issuer` is the institution
/// that was asked for, since the proof has its name alone.
///
/// In the result are the fields that both have and that can be compared. Not in it are values in doubt, which may be
/// misread; the time, the reference number and the concept; names that are masked; and accounts of another kind than
/// the proof's, since a card or a phone number and a CLABE may lead to one account.
///
/// # Errors
/// The first value that isn't one of its field, or whose field is given twice.
pub fn compare(
    receipt: &[ReceiptValue<'_>],
    proof: &Proof,
    issuer: ParticipantCode,
    catalogue: &Catalogue,
) -> Result<Vec<ComparedField>, ReceiptValueError> {
    let payment = Payment {
        proof,
        issuer,
        catalogue,
    };
    let mut compared = Vec::new();
    for (place, value) in receipt.iter().enumerate() {
        let is_repeated = receipt[..place].iter().any(|it| it.field == value.field);
        let beside = if is_repeated {
            Err(ReceiptValueProblem::Repeated)
        } else {
            payment.beside(value)
        };
        let beside = beside.map_err(|problem| ReceiptValueError { place, problem })?;
        if let Some(beside) = beside.filter(|_| value.confidence > ReadConfidence::Low) {
            compared.push(ComparedField {
                field: value.field,
                read: value.text.to_owned(),
                proved: beside.proved,
                is_same: beside.is_same,
            });
        }
    }
    Ok(compared)
}

/// A value of the proof beside one of the receipt.
struct Beside {
    proved: String,
    is_same: bool,
}

/// The proved payment.
struct Payment<'a> {
    proof: &'a Proof,
    issuer: ParticipantCode,
    catalogue: &'a Catalogue,
}

impl Payment<'_> {
    /// The proof's value beside that of the receipt; `None` if they can't be compared.
    fn beside(&self, value: &ReceiptValue<'_>) -> Result<Option<Beside>, ReceiptValueProblem> {
        let text = value.text;
        let length = text.chars().count();
        if length > MAX_VALUE_LENGTH {
            return Err(ReceiptValueProblem::TooLong { length });
        }
        let beside = match value.field {
            ReceiptField::Date => self.date(text).map(Some),
            ReceiptField::TrackingKey => self.tracking_key(text),
            ReceiptField::Account => self.account(text),
            ReceiptField::Amount => self.amount(text).map(Some),
            ReceiptField::Issuer => self.institution(text, self.issuer).map(Some),
            ReceiptField::Receiver => self.institution(text, self.proof.receiver()).map(Some),
            ReceiptField::Beneficiary => Ok(self.name(text)),
            ReceiptField::Time | ReceiptField::Reference | ReceiptField::Concept => Ok(None),
        };
        Ok(beside?)
    }

    /// The operation date or that of the credit: after 18:00 and on holidays they differ.
    fn date(&self, text: &str) -> Result<Beside, FieldErrorKind> {
        let read = calendar::parse_date(text)?;
        let credit = self.proof.chain.credit_date();
        let operation = self.proof.operation_date();
        let is_operation = read == operation;
        let proved = if is_operation { operation } else { credit };
        Ok(Beside {
            proved: proved.to_string(),
            is_same: is_operation || read == credit || self.was_sent_on_the_day_before(read),
        })
    }

    /// Returns `true` if the payment was credited a few minutes after the midnight that ends the day.
    fn was_sent_on_the_day_before(&self, day: NaiveDate) -> bool {
        let minutes = self.proof.credit_time().num_seconds_from_midnight() / 60;
        day.succ_opt() == Some(self.proof.chain.credit_date()) && minutes < AROUND_MIDNIGHT
    }

    /// The tracking key, in which receipts put blanks, hyphens and another case.
    fn tracking_key(&self, text: &str) -> Result<Option<Beside>, FieldErrorKind> {
        let bare = |key: &str| {
            let signs = folded(key).filter(|c| !c.is_whitespace() && *c != '-');
            signs.collect::<String>()
        };
        let read = bare(TrackingKey::parse(text)?.as_str());
        let key = self.proof.tracking_key();
        let beside = Beside {
            proved: key.to_owned(),
            is_same: !read.is_empty() && read == bare(key),
        };
        Ok((!key.is_empty()).then_some(beside))
    }

    /// The beneficiary's account; of a masked one the digits that are shown.
    fn account(&self, text: &str) -> Result<Option<Beside>, FieldErrorKind> {
        let read = GivenAccount::parse(text)?;
        let account = self.proof.text(ProofField::BeneficiaryAccount);
        let Some(Ok(account)) = account.map(Account::parse) else {
            return Ok(None);
        };
        let is_same = match read {
            GivenAccount::Masked(masked) => masked.fits(&account),
            GivenAccount::Whole(whole) if discriminant(&whole) == discriminant(&account) => {
                whole == account
            }
            GivenAccount::Whole(_) | GivenAccount::Missing => return Ok(None),
        };
        Ok(Some(Beside {
            proved: account.as_str().to_owned(),
            is_same,
        }))
    }

    fn amount(&self, text: &str) -> Result<Beside, FieldErrorKind> {
        let read = Amount::parse(text)?;
        let centavos = self.proof.centavos();
        Ok(Beside {
            proved: pesos(centavos),
            is_same: read.centavos() == centavos,
        })
    }

    /// An institution, which may have several codes.
    fn institution(&self, text: &str, proved: ParticipantCode) -> Result<Beside, FieldErrorKind> {
        let read = if text.chars().any(char::is_alphabetic) {
            self.catalogue
                .participant(text, self.proof.operation_date())?
        } else {
            ParticipantCode::parse(text).ok_or(ParticipantError::Malformed)?
        };
        let institution = |code| self.catalogue.institution(code);
        Ok(Beside {
            proved: proved.to_string(),
            is_same: institution(read) == institution(proved),
        })
    }

    /// The beneficiary's name, of which receipts and proofs leave out words or cut them short.
    fn name(&self, text: &str) -> Option<Beside> {
        // The sign of a cut name hides no letters of a word.
        if text.contains(|c| is_written_mask(c) && c != '…') {
            return None;
        }
        let name = self.proof.text(ProofField::BeneficiaryName)?;
        let is_same = match match_cut_names(text, name) {
            MatchLevel::Exact | MatchLevel::Partial => true,
            MatchLevel::None => false,
            MatchLevel::Unavailable | MatchLevel::NotAsked => return None,
        };
        Some(Beside {
            proved: name.to_owned(),
            is_same,
        })
    }
}

#[cfg(test)]
mod tests;
