//! Explanations in `details`: reasons why a bank could not be inferred, and hints for a missing proof.

use chrono::NaiveDate;
use domain::hints::Hint;
use domain::participants::ParticipantCode;
use domain::participants::inference::InferenceFailure;
use domain::tracking_key::TrackingKey;

use super::catalogue::catalogue;

catalogue! {
    /// Reason why a bank could not be inferred.
    pub enum GapReason -> &'static str {
        /// No participant has the CLABE's prefix.
        ClabePrefix { prefix: u16, list_date: NaiveDate }
            = "unknown_clabe_prefix",
            "gap-unknown-clabe-prefix"(prefix: &format!("{prefix:03}"), list_date: list_date);
        /// The issuer of the card's prefix is unknown.
        CardPrefix = "unknown_card_prefix", "gap-unknown-card-prefix";
        /// The account is a phone number, from which no bank follows.
        PhoneAccount = "phone_account", "gap-phone-account";
        /// The tracking key matches no bank's known format.
        TrackingKeyShape = "unknown_tracking_key_shape", "gap-unknown-tracking-key-shape";
        /// The tracking key looks like a reference number.
        LooksLikeReference = "looks_like_reference", "gap-looks-like-reference";
        /// A reference number identifies no institution.
        ReferenceNumber = "reference_number", "gap-reference-number";
        /// The tracking key is close to a bank's format; `expected` would match it.
        LikelyTrackingKey { expected: TrackingKey }
            = "likely_tracking_key", "gap-likely-tracking-key"(expected: expected);
    }
}

impl GapReason {
    /// The corrected tracking key of [`Self::LikelyTrackingKey`].
    pub(super) fn expected(&self) -> Option<&TrackingKey> {
        match self {
            Self::LikelyTrackingKey { expected } => Some(expected),
            _ => None,
        }
    }
}

impl From<InferenceFailure> for GapReason {
    fn from(gap: InferenceFailure) -> Self {
        match gap {
            InferenceFailure::UnknownClabePrefix { prefix, list_date } => {
                Self::ClabePrefix { prefix, list_date }
            }
            InferenceFailure::UnknownCardPrefix => Self::CardPrefix,
            InferenceFailure::PhoneAccount => Self::PhoneAccount,
            InferenceFailure::UnknownTrackingKeyShape => Self::TrackingKeyShape,
            InferenceFailure::ReferenceNumber => Self::ReferenceNumber,
            InferenceFailure::LooksLikeReference => Self::LooksLikeReference,
            InferenceFailure::LikelyTrackingKey { expected } => {
                Self::LikelyTrackingKey { expected }
            }
        }
    }
}

catalogue! {
    /// A likely mistake in a query whose proof was not found.
    pub enum HintReason -> &'static str {
        /// The tracking key looks like a reference number.
        LooksLikeReference = "looks_like_reference", "hint-looks-like-reference";
        /// The tracking key is close to a bank's format; `expected` would match it.
        LikelyTrackingKey { expected: TrackingKey }
            = "likely_tracking_key", "hint-likely-tracking-key"(expected: expected);
        /// The account's check digit is wrong.
        CheckDigit { given: u8, expected: u8 }
            = "check_digit", "hint-check-digit"(given: given, expected: expected);
        /// The CLABE's prefix belongs to another institution than the given receiver.
        ReceiverDiffers { given: ParticipantCode, expected: ParticipantCode }
            = "receiver_differs", "hint-receiver-differs"(given: given, expected: expected);
        /// No participant has the CLABE's prefix.
        AccountPrefixUnknown { prefix: u16, list_date: NaiveDate }
            = "account_prefix_unknown",
            "hint-account-prefix-unknown"(prefix: &format!("{prefix:03}"), list_date: list_date);
        /// The tracking key has the format of another institution than the given issuer.
        IssuerDiffers { given: ParticipantCode, expected: ParticipantCode }
            = "issuer_differs", "hint-issuer-differs"(given: given, expected: expected);
        /// The issuer was inferred, and the inference may be wrong.
        IssuerWasInferred { given: ParticipantCode }
            = "issuer_was_inferred", "hint-issuer-was-inferred"(given: given);
        /// The institution had another code on the date.
        CodeReplaced { given: ParticipantCode, expected: ParticipantCode }
            = "code_not_valid_on_date", "hint-code-replaced"(given: given, expected: expected);
        /// No participant had the code on the date.
        CodeUnused { given: ParticipantCode }
            = "code_not_valid_on_date", "hint-code-unused"(given: given);
        /// The code isn't in the list of participants, which is older than the transfer.
        ParticipantUnknown { given: ParticipantCode, list_date: NaiveDate }
            = "participant_unknown",
            "hint-participant-unknown"(given: given, list_date: list_date);
        /// Day and month may be swapped.
        DayAndMonthSwapped { date: NaiveDate }
            = "day_and_month_swapped", "hint-day-and-month-swapped"(date: date);
        /// The amount may be in centavos.
        AmountLooksLikeCentavos
            = "amount_looks_like_centavos", "hint-amount-looks-like-centavos";
        /// The tracking key contains another date.
        DateInTrackingKey { date: NaiveDate }
            = "date_in_tracking_key", "hint-date-in-tracking-key"(date: date);
        /// The date is a weekend or a holiday.
        NotABankingDay { operation_date: NaiveDate }
            = "not_a_banking_day",
            "hint-not-a-banking-day"(operation_date: operation_date);
        /// The given date may be the operation date; `date` is the one to try.
        MaybeOperationDate { date: NaiveDate }
            = "maybe_operation_date", "hint-maybe-operation-date"(date: date);
        /// More own accounts fit the account than were asked for.
        MoreOwnAccounts { asked: usize, fitting: usize }
            = "more_own_accounts", "hint-more-own-accounts"(asked: asked, fitting: fitting);
    }
}

impl From<Hint> for HintReason {
    fn from(hint: Hint) -> Self {
        match hint {
            Hint::LooksLikeReference => Self::LooksLikeReference,
            Hint::LikelyTrackingKey { expected } => Self::LikelyTrackingKey { expected },
            Hint::CheckDigit { given, expected } => Self::CheckDigit { given, expected },
            Hint::ReceiverDiffers { given, expected } => Self::ReceiverDiffers { given, expected },
            Hint::AccountPrefixUnknown { prefix, list_date } => {
                Self::AccountPrefixUnknown { prefix, list_date }
            }
            Hint::IssuerDiffers { given, expected } => Self::IssuerDiffers { given, expected },
            Hint::IssuerWasInferred { inferred } => Self::IssuerWasInferred { given: inferred },
            Hint::CodeNotValidOnDate {
                given,
                expected: Some(expected),
            } => Self::CodeReplaced { given, expected },
            Hint::CodeNotValidOnDate {
                given,
                expected: None,
            } => Self::CodeUnused { given },
            Hint::ParticipantUnknown { given, list_date } => {
                Self::ParticipantUnknown { given, list_date }
            }
            Hint::DayAndMonthSwapped { other } => Self::DayAndMonthSwapped { date: other },
            Hint::AmountLooksLikeCentavos => Self::AmountLooksLikeCentavos,
            Hint::DateInTrackingKey { found } => Self::DateInTrackingKey { date: found },
            Hint::NotABankingDay { operation_date } => Self::NotABankingDay { operation_date },
            Hint::MaybeOperationDate { other } => Self::MaybeOperationDate { date: other },
            Hint::MoreOwnAccounts { asked, fitting } => Self::MoreOwnAccounts { asked, fitting },
        }
    }
}
