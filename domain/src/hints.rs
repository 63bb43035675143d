//! Why a proof may not have been found: hints computed from the request alone, asking nobody.

use chrono::NaiveDate;

use crate::participant::{Catalogue, ParticipantCode};
use crate::transfer::Transfer;

/// One thing that a caller should check. It names what was given and what was expected, but
/// never repeats the account or the amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The account's last digit doesn't follow from the others.
    CheckDigit {
        /// The digit that was given, 0–9.
        given: u8,
        /// The digit that the others demand, 0–9.
        expected: u8,
    },
    /// The CLABE belongs to another institution than the receiver named.
    ReceiverDiffers {
        /// The receiver named.
        given: ParticipantCode,
        /// The institution of the CLABE on the date.
        expected: ParticipantCode,
    },
    /// An institution's code isn't the one that it has on the date.
    CodeNotValidOnDate {
        /// The code named.
        given: ParticipantCode,
        /// The code of that institution on the date, when there is one.
        expected: Option<ParticipantCode>,
    },
    /// Day and month can be swapped, and the other date isn't in the future.
    DayAndMonthSwapped {
        /// The date with day and month swapped.
        other: NaiveDate,
    },
    /// The amount is a large number of whole pesos: perhaps it was given in centavos.
    AmountLooksLikeCentavos,
    /// A date stands inside the tracking key, and it isn't the one given.
    DateInTrackingKey {
        /// The date inside the tracking key.
        found: NaiveDate,
    },
    /// The date is a weekend or a holiday: the portal wants the calendar date of the transfer, not
    /// the operation date.
    NotABankingDay {
        /// The operation date of a transfer made on that day.
        operation_date: NaiveDate,
    },
    /// The day before isn't a banking day, or the transfer was made after 18:00: the date given may
    /// be the operation date instead of the calendar date.
    MaybeOperationDate {
        /// The previous calendar day that leads to this operation date.
        other: NaiveDate,
    },
}

/// What to check about a transfer that wasn't found, most likely first; `today` is Mexico City's.
pub fn hints(_transfer: &Transfer, _today: NaiveDate, _catalogue: &Catalogue) -> Vec<Hint> {
    Vec::new()
}
