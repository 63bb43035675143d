//! Hints why a proof may not have been found, computed from the request alone, without a query.
//!
//! Contradictions within the request come first, then dates that are a day off, then values that
//! may have been meant otherwise.

use chrono::{Datelike, NaiveDate, NaiveTime};

use crate::account::Account;
use crate::amount::Amount;
use crate::calendar;
use crate::inference::{self, Confidence, InferredBanks};
use crate::participant::{Catalogue, ParticipantCode};
use crate::query::Field;
use crate::tracking_key::TrackingKey;
use crate::transfer::Transfer;

/// A hint for the caller. It names the given and the expected value, but never repeats the account
/// or the amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The tracking key is a number of few digits, or a date: perhaps the payment's reference.
    LooksLikeReference,
    /// The tracking key has the shape of no bank's, but would have with capitals, or with digits in place
    /// of letters.
    LikelyTrackingKey {
        /// The key that was probably meant.
        expected: TrackingKey,
    },

    /// The account's last digit doesn't follow from the others.
    CheckDigit {
        /// The digit that was given, 0–9.
        given: u8,
        /// The digit computed from the others, 0–9.
        expected: u8,
    },
    /// The CLABE belongs to another institution than the receiver named.
    ReceiverDiffers {
        /// The receiver named.
        given: ParticipantCode,
        /// The institution of the CLABE on the date.
        expected: ParticipantCode,
    },
    /// No participant has the CLABE's prefix on the date, and the receiver named never had it.
    AccountPrefixUnknown {
        /// The CLABE's first three digits.
        prefix: u16,
        /// Date of the list.
        list_date: NaiveDate,
    },
    /// The shape of the tracking key names another institution than the issuer named.
    IssuerDiffers {
        /// The issuer named.
        given: ParticipantCode,
        /// The institution whose tracking keys have this shape.
        expected: ParticipantCode,
    },
    /// The issuer wasn't named, and its inference is of less than high confidence.
    IssuerWasInferred {
        /// The institution inferred.
        inferred: ParticipantCode,
    },
    /// An institution's code isn't its code on the date.
    CodeNotValidOnDate {
        /// The code named.
        given: ParticipantCode,
        /// The code of that institution on the date, when there is one.
        expected: Option<ParticipantCode>,
    },
    /// A code isn't in the list of participants, which is older than the transfer.
    ParticipantUnknown {
        /// The code named.
        given: ParticipantCode,
        /// Date of the list.
        list_date: NaiveDate,
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

impl Hint {
    /// Returns `true` if parts of the request contradict each other, so one of them is wrong; `false` if the
    /// request may be right as it is.
    pub fn is_contradiction(&self) -> bool {
        match self {
            Self::LooksLikeReference
            | Self::LikelyTrackingKey { .. }
            | Self::CheckDigit { .. }
            | Self::ReceiverDiffers { .. }
            | Self::AccountPrefixUnknown { .. }
            | Self::IssuerDiffers { .. }
            | Self::CodeNotValidOnDate { .. }
            | Self::DateInTrackingKey { .. } => true,
            Self::IssuerWasInferred { .. }
            | Self::ParticipantUnknown { .. }
            | Self::DayAndMonthSwapped { .. }
            | Self::AmountLooksLikeCentavos
            | Self::NotABankingDay { .. }
            | Self::MaybeOperationDate { .. } => false,
        }
    }

    /// The field to look at, of a question about this transfer.
    fn field(&self, transfer: &Transfer) -> Field {
        match self {
            Self::LooksLikeReference | Self::LikelyTrackingKey { .. } => Field::TrackingKey,
            Self::CheckDigit { .. } | Self::AccountPrefixUnknown { .. } => Field::Account,
            Self::IssuerDiffers { .. } | Self::IssuerWasInferred { .. } => Field::Issuer,
            Self::CodeNotValidOnDate { given, .. } | Self::ParticipantUnknown { given, .. }
                if *given == transfer.issuer() =>
            {
                Field::Issuer
            }
            Self::ReceiverDiffers { .. }
            | Self::CodeNotValidOnDate { .. }
            | Self::ParticipantUnknown { .. } => Field::Receiver,
            Self::DayAndMonthSwapped { .. }
            | Self::DateInTrackingKey { .. }
            | Self::NotABankingDay { .. }
            | Self::MaybeOperationDate { .. } => Field::Date,
            Self::AmountLooksLikeCentavos => Field::Amount,
        }
    }
}

/// Amounts from here on may have been meant in centavos. Below, a mistake by a factor of 100 would
/// mean a payment of less than 100 pesos.
const SUSPICIOUS_CENTAVOS: u64 = 10_000 * 100;
/// Maximum distance of a date inside the tracking key from the given one: farther away it is digits
/// that happen to read as a date.
const PLAUSIBLE_DAYS: u64 = 366;

/// Hints about a transfer that wasn't found, most likely first; `today` is Mexico City's.
pub fn hints(
    transfer: &Transfer,
    inferred: &InferredBanks,
    today: NaiveDate,
    catalogue: &Catalogue,
) -> Vec<Hint> {
    let date = transfer.date();
    let looks_like_reference = transfer.tracking_key().looks_like_reference();
    let inside = if looks_like_reference {
        Vec::new()
    } else {
        dates_in_tracking_key(transfer, today)
    };
    let codes = [transfer.receiver(), transfer.issuer()];
    let mut hints = Vec::new();
    hints.extend(looks_like_reference.then_some(Hint::LooksLikeReference));
    hints.extend(likely_tracking_key(transfer, catalogue));
    hints.extend(check_digit(transfer.account()));
    hints.extend(
        codes
            .map(|code| code_not_valid(code, date, catalogue))
            .into_iter()
            .flatten(),
    );
    hints.extend(receiver_differs(transfer, catalogue));
    hints.extend(issuer_differs(transfer, catalogue));
    hints.extend(issuer_was_inferred(inferred));
    hints.extend(date_in_tracking_key(date, &inside));
    hints.push(operation_date(date));
    if !inside.contains(&date) {
        hints.extend(day_and_month_swapped(date, today));
    }
    hints.extend(looks_like_centavos(transfer.amount()));
    hints
}

/// Contradictions within a question that nobody was asked yet, each with the field to look at.
pub fn contradictions(
    transfer: &Transfer,
    inferred: &InferredBanks,
    today: NaiveDate,
    catalogue: &Catalogue,
) -> Vec<(Field, Hint)> {
    let hints = hints(transfer, inferred, today, catalogue).into_iter();
    let contradictions = hints.filter(Hint::is_contradiction);
    contradictions
        .map(|hint| (hint.field(transfer), hint))
        .collect()
}

fn likely_tracking_key(transfer: &Transfer, catalogue: &Catalogue) -> Option<Hint> {
    let expected = inference::likely_key(transfer.tracking_key(), transfer.date(), catalogue)?;
    Some(Hint::LikelyTrackingKey { expected })
}

fn check_digit(account: &Account) -> Option<Hint> {
    let (given, expected) = (account.last_digit(), account.expected_check_digit()?);
    (given != expected).then_some(Hint::CheckDigit { given, expected })
}

fn code_not_valid(given: ParticipantCode, date: NaiveDate, catalogue: &Catalogue) -> Option<Hint> {
    if catalogue
        .on(date)
        .any(|participant| participant.code == given)
    {
        return None;
    }
    if catalogue.find(given).is_none() {
        let list_date = catalogue.as_of();
        return Some(Hint::ParticipantUnknown { given, list_date });
    }
    let expected = catalogue
        .by_institution(catalogue.institution(given), date)
        .map(|participant| participant.code);
    Some(Hint::CodeNotValidOnDate { given, expected })
}

/// Only when it isn't a mere change of the receiver's code, which [`code_not_valid`] reports, as it does a
/// code that is as unknown as the CLABE's prefix. Cards are exempt: the lists of card prefixes are too old
/// to doubt a caller.
fn receiver_differs(transfer: &Transfer, catalogue: &Catalogue) -> Option<Hint> {
    let Account::Clabe(clabe) = transfer.account() else {
        return None;
    };
    let given = transfer.receiver();
    let prefix = clabe.prefix();
    let Some(holder) = catalogue.by_clabe_prefix(prefix, transfer.date()) else {
        let unknown = Hint::AccountPrefixUnknown {
            prefix: prefix.parse().unwrap_or_default(),
            list_date: catalogue.as_of(),
        };
        return (given.clabe_prefix() != prefix).then_some(unknown);
    };
    let expected = holder.code;
    (catalogue.institution(given) != holder.institution)
        .then_some(Hint::ReceiverDiffers { given, expected })
}

/// Never of an inferred issuer, which is the one that the shape names.
fn issuer_differs(transfer: &Transfer, catalogue: &Catalogue) -> Option<Hint> {
    let given = transfer.issuer();
    let named = inference::infer_issuer(transfer.tracking_key(), transfer.date(), catalogue);
    let expected = named.ok()?.code;
    (catalogue.institution(given) != catalogue.institution(expected))
        .then_some(Hint::IssuerDiffers { given, expected })
}

fn issuer_was_inferred(inferred: &InferredBanks) -> Option<Hint> {
    let issuer = inferred.issuer.as_ref()?;
    let inferred = issuer.code;
    (issuer.evidence.confidence() < Confidence::High)
        .then_some(Hint::IssuerWasInferred { inferred })
}

/// Dates inside the tracking key that `fecha` could be: not in the future, not years away.
fn dates_in_tracking_key(transfer: &Transfer, today: NaiveDate) -> Vec<NaiveDate> {
    let date = transfer.date();
    inference::dates_in(transfer.tracking_key(), date)
        .filter(|found| *found <= today)
        .filter(|found| (*found - date).num_days().unsigned_abs() <= PLAUSIBLE_DAYS)
        .collect()
}

fn date_in_tracking_key(date: NaiveDate, inside: &[NaiveDate]) -> Option<Hint> {
    let found = *inside.first()?;
    (!inside.contains(&date)).then_some(Hint::DateInTrackingKey { found })
}

/// Hint that calendar date and operation date may have been mixed up. The day before a banking day
/// always leads to it: as a whole when it is no banking day, otherwise from 18:00 on.
fn operation_date(date: NaiveDate) -> Hint {
    if !calendar::is_banking_day(date) {
        let operation_date = calendar::operation_date(date.and_time(NaiveTime::MIN));
        return Hint::NotABankingDay { operation_date };
    }
    Hint::MaybeOperationDate {
        other: date.pred_opt().unwrap_or(date),
    }
}

fn day_and_month_swapped(date: NaiveDate, today: NaiveDate) -> Option<Hint> {
    let other = NaiveDate::from_ymd_opt(date.year(), date.day(), date.month())?;
    (other != date && other <= today).then_some(Hint::DayAndMonthSwapped { other })
}

/// Whole pesos, and at least [`SUSPICIOUS_CENTAVOS`].
fn looks_like_centavos(amount: Amount) -> Option<Hint> {
    let centavos = amount.centavos();
    let suspicious = centavos >= SUSPICIOUS_CENTAVOS && centavos.is_multiple_of(100);
    suspicious.then_some(Hint::AmountLooksLikeCentavos)
}

#[cfg(test)]
mod tests;
