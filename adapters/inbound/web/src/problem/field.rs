//! Problems of single fields, parameters and members.

use std::borrow::Cow;

use application::OwnAccountFailure;
use chrono::NaiveDate;
use domain::account::AccountError;
use domain::amount::{self, AmountError};
use domain::batches::sheet::{self, CellError, CellErrorKind, RowFault};
use domain::calendar::{self, DateError};
use domain::criterion::ReferenceNumberError;
use domain::own_accounts::{MAX_OWN_ACCOUNTS, OwnAccountError};
use domain::participants::{NamedParticipant, ParticipantCode, ParticipantError};
use domain::query::{Field, FieldError, FieldErrorKind};
use domain::tracking_key::{self, TrackingKeyError};
use domain::usage::PeriodError;
use domain::webhooks::UrlError;

use super::candidate::CandidateDetail;
use super::catalogue::catalogue;
use super::text::List;

catalogue! {
    /// A problem of one field, parameter or member. Its code is `problem` in the response's
    /// `details.fields`.
    pub enum FieldProblem -> &'static str {
        /// A required field is absent.
        Missing = "missing", "field-missing";
        /// The value has another JSON type than expected.
        WrongType { expected: &'static str, found: &'static str }
            = "wrong_type", "field-wrong-type"(expected: expected, found: found);
        /// The value isn't an array of `items`.
        NotListOf { items: &'static str, found: &'static str }
            = "wrong_type", "field-not-list-of"(items: items, found: found);
        /// The field is given more than once.
        Duplicate = "duplicate", "field-duplicate";
        /// The issuer and the receiver are the same institution.
        SameInstitution { code: ParticipantCode }
            = "same_institution", "field-same-institution"(code: code);
        /// The value isn't written as a date.
        MalformedDate = "malformed_date", "field-malformed-date";
        /// The date doesn't exist, such as 30 February.
        NoSuchDay = "no_such_day", "field-no-such-day";
        /// The date is before SPEI existed.
        TooEarly = "too_early", "field-too-early"(earliest: &calendar::EARLIEST);
        /// The date is after today's date in Mexico City.
        InFuture { today: NaiveDate } = "in_future", "field-in-future"(today: today);
        /// The value is an empty string.
        Empty = "empty", "field-empty";
        /// The tracking key has too many characters.
        TooLong { length: usize }
            = "too_long",
            "field-too-long"(most: &tracking_key::MAX_LENGTH, length: length);
        /// The value has a character that the central bank doesn't accept; `place` counts from 1.
        ForbiddenCharacter { character: char, place: usize }
            = "forbidden_character",
            "field-forbidden-character"(
                character: &format!("U+{:04X}", u32::from(*character)),
                place: place,
            );
        /// The account contains characters other than digits.
        NotDigits = "not_digits", "field-not-digits";
        /// The account's length fits neither a CLABE nor a card nor a phone number.
        WrongLength { digits: usize } = "wrong_length", "field-wrong-length"(digits: digits);
        /// The account is masked, and none of the caller's own accounts fits.
        NoOwnAccount = "no_own_account", "field-no-own-account";
        /// The check digit of an own account is wrong.
        WrongCheckDigit = "wrong_check_digit", "field-wrong-check-digit";
        /// The institution isn't that of the CLABE.
        OtherBank = "other_bank", "field-other-bank";
        /// The caller has the own account already.
        KnownAccount = "known_account", "field-known-account";
        /// The caller has as many own accounts as are kept.
        TooManyOwnAccounts { most: usize }
            = "too_many_accounts", "field-too-many-accounts"(most: most);
        NotDecimal = "not_decimal", "field-not-decimal";
        /// The number is in scientific notation.
        Exponent = "exponent", "field-exponent";
        /// The amount is zero or negative.
        NotPositive = "not_positive", "field-not-positive";
        /// The amount has more than two decimals.
        TooManyDecimals = "too_many_decimals", "field-too-many-decimals";
        /// The amount has too many integer digits.
        TooLarge = "too_large", "field-too-large"(digits: &amount::MAX_INTEGER_DIGITS);
        /// The value isn't written as a participant code.
        MalformedCode = "malformed_code", "field-malformed-code";
        /// No participant in the list of `list_date` has the code.
        UnknownParticipant { list_date: NaiveDate }
            = "unknown_participant", "field-unknown-participant"(list_date: list_date);
        /// No participant has this name or a similar one.
        UnknownName = "unknown_name", "field-unknown-name";
        /// No participant has this name; `candidates` have similar ones.
        SimilarName { candidates: Vec<NamedParticipant> }
            = "unknown_name", "field-similar-name"(candidates: named(candidates));
        /// Several participants have this name.
        AmbiguousName { candidates: Vec<NamedParticipant> }
            = "ambiguous_name", "field-ambiguous-name"(candidates: named(candidates));
        /// The route has no field of this name.
        Unknown = "unknown", "field-unknown";
        /// The route has no field of this name; `meant` is the known name closest to it.
        Misspelt { meant: &'static str } = "misspelt", "field-misspelt"(meant: meant);
        /// The value isn't one of the accepted words.
        NotOneOf { words: &'static [&'static str] }
            = "not_one_of", "field-not-one-of"(words: List::of(*words));
        /// The value isn't an integer within the range.
        OutOfRange { least: u64, most: u64 }
            = "out_of_range", "field-out-of-range"(least: least, most: most);
        /// Neither the tracking key nor the reference number is given.
        NoCriterion = "missing", "field-no-criterion";
        /// A masked account shows too few digits, or too many.
        MaskedDigits = "masked_digits", "field-masked-digits";
        /// The reference number isn't 1 to 7 digits.
        MalformedReference = "malformed_reference", "field-malformed-reference";
        /// The field is taken by stored lookups and batches alone.
        StoredOnly = "stored_only", "field-stored-only";
        /// The key's name is invalid.
        MalformedName = "malformed_name", "field-malformed-name";
        /// The search text is too long or has control characters.
        MalformedText
            = "malformed_text", "field-malformed-text"(most: &crate::MAX_SEARCH_LENGTH);
        /// The value isn't an RFC 3339 instant.
        MalformedInstant = "malformed_instant", "field-malformed-instant";
        MalformedId = "malformed_id", "field-malformed-id";
        /// The value isn't a cursor of this list.
        WrongCursor = "wrong_cursor", "field-wrong-cursor";
        /// The parameter can't be combined with `other`.
        Excluded { other: &'static str } = "excluded", "field-excluded"(other: other);
        /// The parameter requires `other`, which is absent.
        Incomplete { other: &'static str } = "incomplete", "field-incomplete"(other: other);
        /// The account has no active key with this id.
        NoSuchKey = "no_such_key", "field-no-such-key";
        /// The period ends before it begins.
        Backwards = "backwards", "field-backwards";
        /// The metadata has more pairs than a lookup stores.
        TooManyPairs { most: usize } = "too_many_pairs", "field-too-many-pairs"(most: most);
        /// A metadata name is empty, too long, or given twice.
        MetadataName = "metadata_name", "field-metadata-name";
        /// A metadata value is too long.
        MetadataValue = "metadata_value", "field-metadata-value";
        /// The array has items that aren't strings.
        NotTexts = "not_texts", "field-not-texts";
        MalformedIdempotencyKey
            = "malformed_idempotency_key", "field-malformed-idempotency-key";
        MalformedUrl = "malformed_url", "field-malformed-url";
        NotHttps = "not_https", "field-not-https";
        /// The URL's port is neither 443 nor 8443.
        WrongPort = "wrong_port", "field-wrong-port";
        /// The URL contains a user name or a password.
        UserInfo = "user_info", "field-user-info";
        /// The URL has a fragment.
        Fragment = "fragment", "field-fragment";
        /// The URL's host isn't on the public internet.
        NotPublic = "not_public", "field-not-public";
        /// The period has more slots than a chart allows.
        PeriodTooLong { slots: usize } = "period_too_long", "field-period-too-long"(slots: slots);
        /// The table has more rows than a batch allows.
        TooManyRows { most: u32 } = "too_many_rows", "field-too-many-rows"(most: most);
        /// The form has a part that isn't known.
        UnknownPart = "unknown", "field-unknown-part";
        /// The form has no table.
        NoFile = "missing", "field-no-file";
        /// The part isn't JSON; `position` counts bytes from 1, here and below.
        NotJson { position: usize } = "malformed_json", "field-not-json"(position: position);
        /// An object in the part repeats a member.
        RepeatedKey { position: usize }
            = "repeated_member", "field-repeated-key"(position: position);
        /// There are more corrections than apply to a table.
        TooManyCorrections { most: usize }
            = "too_many_corrections", "field-too-many-corrections"(most: most);
        /// The correction doesn't say to which rows it applies.
        NoCorrectedRows = "missing", "field-no-corrected-rows";
        /// The text of the correction has too many characters.
        TextTooLong { length: usize, most: usize }
            = "too_long", "field-text-too-long"(most: most, length: length);
        /// No row of a payment begins on the line of the correction.
        NoSuchLine = "no_such_line", "field-no-such-line";
        /// No row has the value that the correction replaces.
        NoSuchValue = "no_such_value", "field-no-such-value";
        /// An earlier correction is of the same rows and field.
        CorrectedTwice = "corrected_twice", "field-corrected-twice";
        /// The table has a header and no rows.
        NoRows = "no_rows", "field-no-rows";
        /// The bank isn't given and can't be inferred.
        NotInferred = "not_inferred", "field-not-inferred";
        /// The column mapping can't be parsed.
        MalformedMapping = "malformed_mapping", "field-malformed-mapping";
        /// The mapping names an unknown field.
        MappingField = "mapping_field", "field-mapping-field";
        /// The mapping names a column that is absent or ambiguous in the table.
        MappingColumn = "mapping_column", "field-mapping-column";
        /// The mapping names a field or a column twice.
        MappingTwice = "mapping_twice", "field-mapping-twice";
        /// The date has its month before its day.
        MonthFirst = "month_first", "field-month-first";
        /// The amount's separators can be read in two ways.
        AmbiguousAmount = "ambiguous_amount", "field-ambiguous-amount";
        /// A spreadsheet shortened a long number to scientific notation.
        Shortened { significant: usize }
            = "shortened", "field-shortened"(digits: significant);
        /// A spreadsheet replaced the last digits of a long number with zeros.
        Rounded = "rounded", "field-rounded";
        /// A spreadsheet dropped the CLABE's leading zeros.
        LeadingZerosLost { zeros: usize }
            = "leading_zeros_lost", "field-leading-zeros-lost"(zeros: zeros);
        /// The caller's row id is too long.
        IdTooLong { length: usize }
            = "id_too_long", "field-id-too-long"(most: &sheet::MAX_ID_LENGTH, length: length);
        /// The caller's row id has control characters.
        IdCharacter = "id_character", "field-id-character";
        /// The row has an opening quote without a closing one.
        UnclosedQuote = "unclosed_quote", "field-unclosed-quote";
        /// The row has too many characters.
        RowTooLong = "row_too_long", "field-row-too-long"(most: &sheet::MAX_ROW_LENGTH);
        /// The row has more cells than the table has columns.
        MoreCells { cells: usize, columns: usize }
            = "more_cells", "field-more-cells"(cells: cells, columns: columns);
        /// The line isn't JSON.
        MalformedLine { position: usize }
            = "malformed_json", "field-malformed-json"(position: position);
        /// The line is JSON of another type; `found` names it.
        NotAnObject { found: &'static str }
            = "not_an_object", "field-not-an-object"(found: found);
        /// The line's object repeats a member.
        RepeatedMember { position: usize }
            = "repeated_member", "field-repeated-member"(position: position);
    }
}

impl FieldProblem {
    /// The known name closest to a misspelt one.
    pub(super) fn meant(&self) -> Option<&'static str> {
        match self {
            Self::Misspelt { meant } => Some(*meant),
            _ => None,
        }
    }

    /// The participants with an ambiguous or similar name, most similar first.
    pub(super) fn candidates(&self) -> Vec<CandidateDetail> {
        match self {
            Self::SimilarName { candidates } | Self::AmbiguousName { candidates } => {
                candidates.iter().map(CandidateDetail::from).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl From<FieldErrorKind> for FieldProblem {
    fn from(error: FieldErrorKind) -> Self {
        match error {
            FieldErrorKind::Missing => Self::Missing,
            FieldErrorKind::WrongType { expected, found } => Self::WrongType { expected, found },
            FieldErrorKind::Date(error) => match error {
                DateError::Malformed => Self::MalformedDate,
                DateError::NoSuchDay => Self::NoSuchDay,
                DateError::TooEarly => Self::TooEarly,
                DateError::InFuture { today } => Self::InFuture { today },
            },
            FieldErrorKind::TrackingKey(error) => match error {
                TrackingKeyError::Empty => Self::Empty,
                TrackingKeyError::TooLong { length } => Self::TooLong { length },
                TrackingKeyError::Character { character, place } => {
                    Self::ForbiddenCharacter { character, place }
                }
            },
            FieldErrorKind::NoCriterion => Self::NoCriterion,
            FieldErrorKind::MaskedDigits => Self::MaskedDigits,
            FieldErrorKind::Reference(ReferenceNumberError) => Self::MalformedReference,
            FieldErrorKind::WithTrackingKey => Self::Excluded {
                other: Field::TrackingKey.name(),
            },
            FieldErrorKind::StoredOnly => Self::StoredOnly,
            FieldErrorKind::Account(error) => error.into(),
            FieldErrorKind::NoOwnAccount => Self::NoOwnAccount,
            FieldErrorKind::Amount(error) => match error {
                AmountError::NotDecimal => Self::NotDecimal,
                AmountError::Exponent => Self::Exponent,
                AmountError::NotPositive => Self::NotPositive,
                AmountError::TooManyDecimals => Self::TooManyDecimals,
                AmountError::TooLarge => Self::TooLarge,
            },
            FieldErrorKind::Participant(error) => error.into(),
        }
    }
}

impl From<AccountError> for FieldProblem {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::NotDigits => Self::NotDigits,
            AccountError::Length { digits } => Self::WrongLength { digits },
        }
    }
}

impl From<ParticipantError> for FieldProblem {
    fn from(error: ParticipantError) -> Self {
        match error {
            ParticipantError::Malformed => Self::MalformedCode,
            ParticipantError::Unknown { list_date } => Self::UnknownParticipant { list_date },
            ParticipantError::UnknownName { nearest } if nearest.is_empty() => Self::UnknownName,
            ParticipantError::UnknownName { nearest } => Self::SimilarName {
                candidates: nearest,
            },
            ParticipantError::AmbiguousName { candidates } => Self::AmbiguousName { candidates },
        }
    }
}

impl FieldProblem {
    /// The member of a new own account that is refused, and why; the failure if it is about none.
    ///
    /// # Errors
    /// The account isn't there, or the store failed.
    pub fn of_own_account(
        error: OwnAccountFailure,
    ) -> Result<(&'static str, Self), OwnAccountFailure> {
        Ok(match error {
            OwnAccountFailure::Name(_) => ("name", Self::MalformedName),
            OwnAccountFailure::Account(error) => ("cuenta", error.into()),
            OwnAccountFailure::Bank(error) => ("receptor", error.into()),
            OwnAccountFailure::Refused(error) => match error {
                OwnAccountError::BankNeeded | OwnAccountError::OtherBank => {
                    ("receptor", error.into())
                }
                OwnAccountError::CheckDigit | OwnAccountError::Known | OwnAccountError::TooMany => {
                    ("cuenta", error.into())
                }
            },
            error @ (OwnAccountFailure::NotFound | OwnAccountFailure::Store(_)) => {
                return Err(error);
            }
        })
    }
}

impl From<OwnAccountError> for FieldProblem {
    fn from(error: OwnAccountError) -> Self {
        match error {
            OwnAccountError::CheckDigit => Self::WrongCheckDigit,
            OwnAccountError::BankNeeded => Self::Missing,
            OwnAccountError::OtherBank => Self::OtherBank,
            OwnAccountError::Known => Self::KnownAccount,
            OwnAccountError::TooMany => Self::TooManyOwnAccounts {
                most: MAX_OWN_ACCOUNTS,
            },
        }
    }
}

impl From<CellErrorKind> for FieldProblem {
    fn from(error: CellErrorKind) -> Self {
        match error {
            CellErrorKind::Field(error) => error.into(),
            CellErrorKind::MonthFirst => Self::MonthFirst,
            CellErrorKind::AmbiguousAmount => Self::AmbiguousAmount,
            CellErrorKind::Shortened { significant } => Self::Shortened { significant },
            CellErrorKind::Rounded => Self::Rounded,
            CellErrorKind::LeadingZerosLost { zeros } => Self::LeadingZerosLost { zeros },
            CellErrorKind::IdTooLong { length } => Self::IdTooLong { length },
            CellErrorKind::IdCharacter => Self::IdCharacter,
            CellErrorKind::Row(fault) => match fault {
                RowFault::UnclosedQuote => Self::UnclosedQuote,
                RowFault::TooLong => Self::RowTooLong,
                RowFault::MoreCells { cells, columns } => Self::MoreCells { cells, columns },
                RowFault::MalformedJson { position } => Self::MalformedLine { position },
                RowFault::NotAnObject { found } => Self::NotAnObject { found },
                RowFault::RepeatedMember { position } => Self::RepeatedMember { position },
                RowFault::UnknownMember { meant: None, .. } => Self::Unknown,
                RowFault::UnknownMember {
                    meant: Some(meant), ..
                } => Self::Misspelt { meant },
            },
        }
    }
}

impl From<PeriodError> for FieldProblem {
    fn from(error: PeriodError) -> Self {
        match error {
            PeriodError::Backwards => Self::Backwards,
            PeriodError::TooLong(granularity) => Self::PeriodTooLong {
                slots: granularity.most_slots(),
            },
        }
    }
}

impl From<UrlError> for FieldProblem {
    fn from(error: UrlError) -> Self {
        match error {
            UrlError::TooLong | UrlError::Malformed => Self::MalformedUrl,
            UrlError::Scheme => Self::NotHttps,
            UrlError::Port => Self::WrongPort,
            UrlError::UserInfo => Self::UserInfo,
            UrlError::Fragment => Self::Fragment,
            UrlError::Host => Self::NotPublic,
        }
    }
}

/// Formats participants as `name (code)` for a message.
fn named(participants: &[NamedParticipant]) -> List {
    let texts = participants
        .iter()
        .map(|one| format!("{} ({})", one.name, one.code));
    List::of(texts)
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldFault {
    pub field: Cow<'static, str>,
    pub problem: FieldProblem,
}

impl FieldFault {
    pub fn new(field: impl Into<Cow<'static, str>>, problem: impl Into<FieldProblem>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

impl From<&FieldError> for FieldFault {
    fn from(error: &FieldError) -> Self {
        Self::new(error.field.name(), error.problem.clone())
    }
}

impl From<&CellError> for FieldFault {
    fn from(error: &CellError) -> Self {
        Self::new(error.name().to_owned(), error.problem.clone())
    }
}
