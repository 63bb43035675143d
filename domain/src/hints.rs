//! Hints why a proof may not have been found, computed from the request without querying the bank.
//!
//! Order: contradictions within the request, dates that are one day off, other likely mistakes.

use chrono::{Datelike, NaiveDate, NaiveTime};

use crate::account::Account;
use crate::amount::Amount;
use crate::calendar;
use crate::participants::inference::{self, Confidence, InferredBanks};
use crate::participants::{Catalogue, ParticipantCode};
use crate::query::{Field, ProofQuery};
use crate::tracking_key::TrackingKey;
use crate::transfer::Transfer;

/// A hint for the caller. It holds the given and the expected value, but never the account or the
/// amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The tracking key is a short number or a date, so it may be the payment's reference.
    LooksLikeReference,
    /// The tracking key matches no known shape, but would with capital letters, or with digits in place
    /// of letters that look like them.
    LikelyTrackingKey {
        /// The corrected key.
        expected: TrackingKey,
    },

    /// The account's check digit is wrong.
    CheckDigit {
        /// The digit that was given, 0–9.
        given: u8,
        /// The digit computed from the others, 0–9.
        expected: u8,
    },
    /// The CLABE belongs to another institution than the given receiver.
    ReceiverDiffers {
        /// The given receiver.
        given: ParticipantCode,
        /// The institution that has the CLABE's prefix on the date.
        expected: ParticipantCode,
    },
    /// No participant has the CLABE's prefix on the date, and it isn't the given receiver's prefix.
    AccountPrefixUnknown {
        /// The CLABE's first three digits.
        prefix: u16,
        /// Date of the list of participants.
        list_date: NaiveDate,
    },
    /// The shape of the tracking key belongs to another institution than the given issuer.
    IssuerDiffers {
        /// The given issuer.
        given: ParticipantCode,
        /// The institution whose tracking keys have this shape.
        expected: ParticipantCode,
    },
    /// The issuer wasn't given, and was inferred with less than high confidence.
    IssuerWasInferred {
        /// The inferred institution.
        inferred: ParticipantCode,
    },
    /// The institution doesn't use this code on the date.
    CodeNotValidOnDate {
        /// The given code.
        given: ParticipantCode,
        /// The institution's code on the date; `None` if it has none.
        expected: Option<ParticipantCode>,
    },
    /// The code isn't in the list of participants.
    ParticipantUnknown {
        /// The given code.
        given: ParticipantCode,
        /// Date of the list of participants.
        list_date: NaiveDate,
    },
    /// The date with day and month swapped is also valid and not in the future.
    DayAndMonthSwapped {
        /// The swapped date.
        other: NaiveDate,
    },
    /// The amount is large and in whole pesos, so it may have been given in centavos.
    AmountLooksLikeCentavos,
    /// The tracking key contains another date than the given one.
    DateInTrackingKey {
        /// The date inside the tracking key.
        found: NaiveDate,
    },
    /// The date is a weekend or a holiday. The portal expects the calendar date of the transfer, not
    /// the operation date.
    NotABankingDay {
        /// The operation date of a transfer made on that day.
        operation_date: NaiveDate,
    },
    /// The given date may be the operation date of a transfer made earlier: on a non-banking day, or
    /// after 18:00 of the day before.
    MaybeOperationDate {
        /// The calendar day before the given date.
        other: NaiveDate,
    },
    /// More own accounts fit a masked or missing account than are asked for.
    MoreOwnAccounts {
        /// Number of accounts that are asked for.
        asked: usize,
        /// Number of accounts that fit.
        fitting: usize,
    },
}

impl Hint {
    /// Returns `true` if parts of the request contradict each other, so that one of them is wrong;
    /// `false` if the request may be correct.
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
            | Self::MaybeOperationDate { .. }
            | Self::MoreOwnAccounts { .. } => false,
        }
    }

    /// The request field that the hint is about.
    fn field(&self, transfer: &Transfer) -> Field {
        match self {
            Self::LooksLikeReference | Self::LikelyTrackingKey { .. } => Field::TrackingKey,
            Self::CheckDigit { .. }
            | Self::AccountPrefixUnknown { .. }
            | Self::MoreOwnAccounts { .. } => Field::Account,
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

/// Smallest amount that is suspected to be in centavos. Smaller ones would mean a payment of less than
/// 100 pesos.
const SUSPICIOUS_CENTAVOS: u64 = 10_000 * 100;
/// Maximum distance in days of a date inside the tracking key from the given one; digits that read as a
/// more distant date are a coincidence.
const PLAUSIBLE_DAYS: u64 = 366;

/// Hints about a transfer that wasn't found, most likely first; `today` is Mexico City's.
pub fn hints(
    transfer: &Transfer,
    inferred: &InferredBanks,
    today: NaiveDate,
    catalogue: &Catalogue,
) -> Vec<Hint> {
    let date = transfer.date();
    let looks_like_reference = transfer
        .tracking_key()
        .is_some_and(TrackingKey::looks_like_reference);
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

/// Hint at own accounts that fit a query's masked or missing account, and for which the bank isn't asked.
pub fn more_own_accounts(query: &ProofQuery) -> Option<Hint> {
    let unasked = query.completion.as_ref()?.unasked;
    let asked = query.own_accounts().len();
    let fitting = asked + unasked;
    (unasked > 0).then_some(Hint::MoreOwnAccounts { asked, fitting })
}

/// Contradictions within a transfer before the bank is queried, each with the field that it is about.
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
    let expected = inference::likely_key(transfer.tracking_key()?, transfer.date(), catalogue)?;
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

/// No hint if the institution only changed its code, or if receiver and prefix are unknown alike:
/// [`code_not_valid`] reports both. None for cards, because the lists of card prefixes are too old to
/// doubt the caller.
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

/// Never applies to an inferred issuer, because it was inferred from the shape.
fn issuer_differs(transfer: &Transfer, catalogue: &Catalogue) -> Option<Hint> {
    let given = transfer.issuer();
    let named = inference::infer_issuer(transfer.tracking_key()?, transfer.date(), catalogue);
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

/// Dates inside the tracking key that could be meant: not in the future, at most [`PLAUSIBLE_DAYS`]
/// away.
fn dates_in_tracking_key(transfer: &Transfer, today: NaiveDate) -> Vec<NaiveDate> {
    let date = transfer.date();
    let key = transfer.tracking_key().into_iter();
    key.flat_map(|key| inference::dates_in(key, date))
        .filter(|found| *found <= today)
        .filter(|found| (*found - date).num_days().unsigned_abs() <= PLAUSIBLE_DAYS)
        .collect()
}

fn date_in_tracking_key(date: NaiveDate, inside: &[NaiveDate]) -> Option<Hint> {
    let found = *inside.first()?;
    (!inside.contains(&date)).then_some(Hint::DateInTrackingKey { found })
}

/// Hint that calendar date and operation date may have been confused. Any day before a banking day can
/// have that operation date: a non-banking day at any time, a banking day from 18:00 on.
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

/// Applies to whole pesos from [`SUSPICIOUS_CENTAVOS`] on.
fn looks_like_centavos(amount: Amount) -> Option<Hint> {
    let centavos = amount.centavos();
    let suspicious = centavos >= SUSPICIOUS_CENTAVOS && centavos.is_multiple_of(100);
    suspicious.then_some(Hint::AmountLooksLikeCentavos)
}

#[cfg(test)]
mod tests;
