//! Problems of single fields.

use std::borrow::Cow;

use chrono::NaiveDate;
use domain::account::AccountError;
use domain::amount::{self, AmountError};
use domain::batch::sheet::{self, CellError, CellErrorKind, RowFault};
use domain::calendar::{self, DateError};
use domain::participant::{NamedParticipant, ParticipantCode, ParticipantError};
use domain::query::{FieldError, FieldErrorKind};
use domain::tracking_key::{self, TrackingKeyError};
use domain::usage::PeriodError;
use domain::webhook::UrlError;

use super::candidate::CandidateDetail;
use super::catalogue::catalogue;
use super::text::List;

catalogue! {
    /// A problem of one field, parameter or member. Its code is the `problem` of the answer's
    /// `details.fields`.
    pub enum FieldProblem -> &'static str {
        /// Required and not given.
        Missing = "missing", "field-missing";
        /// Of another JSON type.
        WrongType { expected: &'static str, found: &'static str }
            = "wrong_type", "field-wrong-type"(expected: expected, found: found);
        /// Of another JSON type than a list of these items.
        NotListOf { items: &'static str, found: &'static str }
            = "wrong_type", "field-not-list-of"(items: items, found: found);
        /// Given more than once.
        Duplicate = "duplicate", "field-duplicate";
        /// The other institution is the same one.
        SameInstitution { code: ParticipantCode }
            = "same_institution", "field-same-institution"(code: code);
        /// Not a date.
        MalformedDate = "malformed_date", "field-malformed-date";
        /// Not a day of the calendar.
        NoSuchDay = "no_such_day", "field-no-such-day";
        /// A date before there was SPEI.
        TooEarly = "too_early", "field-too-early"(earliest: &calendar::EARLIEST);
        /// A date after today's in Mexico City.
        InFuture { today: NaiveDate } = "in_future", "field-in-future"(today: today);
        /// An empty text.
        Empty = "empty", "field-empty";
        /// A text of too many characters.
        TooLong { length: usize }
            = "too_long",
            "field-too-long"(most: &tracking_key::MAX_LENGTH, length: length);
        /// A character that the central bank doesn't accept.
        ForbiddenCharacter { character: char, place: usize }
            = "forbidden_character",
            "field-forbidden-character"(
                character: &format!("U+{:04X}", u32::from(*character)),
                place: place,
            );
        /// Something other than digits in an account.
        NotDigits = "not_digits", "field-not-digits";
        /// An account that is neither a CLABE nor a card nor a phone number.
        WrongLength { digits: usize } = "wrong_length", "field-wrong-length"(digits: digits);
        /// Not a decimal number.
        NotDecimal = "not_decimal", "field-not-decimal";
        /// A number in scientific notation.
        Exponent = "exponent", "field-exponent";
        /// An amount of zero or less.
        NotPositive = "not_positive", "field-not-positive";
        /// Fractions of a centavo.
        TooManyDecimals = "too_many_decimals", "field-too-many-decimals";
        /// An amount of too many digits.
        TooLarge = "too_large", "field-too-large"(digits: &amount::MAX_INTEGER_DIGITS);
        /// Not the code of a participant.
        MalformedCode = "malformed_code", "field-malformed-code";
        /// A code that no participant has.
        UnknownParticipant { list_date: NaiveDate }
            = "unknown_participant", "field-unknown-participant"(list_date: list_date);
        /// A name that no participant has, and none has a similar one.
        UnknownName = "unknown_name", "field-unknown-name";
        /// A name that no participant has, and the participants of similar names.
        SimilarName { candidates: Vec<NamedParticipant> }
            = "unknown_name", "field-similar-name"(candidates: named(candidates));
        /// A name of several participants.
        AmbiguousName { candidates: Vec<NamedParticipant> }
            = "ambiguous_name", "field-ambiguous-name"(candidates: named(candidates));
        /// A name that the route doesn't know.
        Unknown = "unknown", "field-unknown";
        /// A name that the route doesn't know, and that is probably a misspelt one.
        Misspelt { meant: &'static str } = "misspelt", "field-misspelt"(meant: meant);
        /// None of the accepted words.
        NotOneOf { words: &'static [&'static str] }
            = "not_one_of", "field-not-one-of"(words: List::of(*words));
        /// Not a whole number of the range.
        OutOfRange { least: u64, most: u64 }
            = "out_of_range", "field-out-of-range"(least: least, most: most);
        /// Not a name of a key.
        MalformedName = "malformed_name", "field-malformed-name";
        /// Not a text to search for.
        MalformedText
            = "malformed_text", "field-malformed-text"(most: &crate::MAX_SEARCH_LENGTH);
        /// Not an instant.
        MalformedInstant = "malformed_instant", "field-malformed-instant";
        /// Not an id.
        MalformedId = "malformed_id", "field-malformed-id";
        /// A cursor of another list.
        WrongCursor = "wrong_cursor", "field-wrong-cursor";
        /// Given beside a parameter that excludes it.
        Excluded { other: &'static str } = "excluded", "field-excluded"(other: other);
        /// Given without a parameter that it needs.
        Incomplete { other: &'static str } = "incomplete", "field-incomplete"(other: other);
        /// Not an active key of the account.
        NoSuchKey = "no_such_key", "field-no-such-key";
        /// A period that ends before it begins.
        Backwards = "backwards", "field-backwards";
        /// More pairs of metadata than a lookup keeps.
        TooManyPairs { most: usize } = "too_many_pairs", "field-too-many-pairs"(most: most);
        /// A name in the metadata that is empty, too long, or given twice.
        MetadataName = "metadata_name", "field-metadata-name";
        /// A value in the metadata that is too long.
        MetadataValue = "metadata_value", "field-metadata-value";
        /// Items that aren't all texts.
        NotTexts = "not_texts", "field-not-texts";
        /// Not an idempotency key.
        MalformedIdempotencyKey
            = "malformed_idempotency_key", "field-malformed-idempotency-key";
        /// Not an address.
        MalformedUrl = "malformed_url", "field-malformed-url";
        /// An address that isn't https.
        NotHttps = "not_https", "field-not-https";
        /// An address with another port than 443 and 8443.
        WrongPort = "wrong_port", "field-wrong-port";
        /// An address with a user name or a password.
        UserInfo = "user_info", "field-user-info";
        /// An address with a fragment.
        Fragment = "fragment", "field-fragment";
        /// An address whose host isn't of the public internet.
        NotPublic = "not_public", "field-not-public";
        /// A period of more slots than a chart has.
        PeriodTooLong { slots: usize } = "period_too_long", "field-period-too-long"(slots: slots);
        /// More rows than a batch may have.
        TooManyRows { most: u32 } = "too_many_rows", "field-too-many-rows"(most: most);
        /// A header without rows.
        NoRows = "no_rows", "field-no-rows";
        /// A bank that isn't named, and can't be inferred.
        NotInferred = "not_inferred", "field-not-inferred";
        /// Not a mapping of columns.
        MalformedMapping = "malformed_mapping", "field-malformed-mapping";
        /// A mapping of a field that tables don't have.
        MappingField = "mapping_field", "field-mapping-field";
        /// A mapping to a column that the table doesn't have once.
        MappingColumn = "mapping_column", "field-mapping-column";
        /// A field or a column that is mapped twice.
        MappingTwice = "mapping_twice", "field-mapping-twice";
        /// A date whose month stands before its day.
        MonthFirst = "month_first", "field-month-first";
        /// An amount whose separators can be read in two ways.
        AmbiguousAmount = "ambiguous_amount", "field-ambiguous-amount";
        /// A long number that a spreadsheet shortened.
        Shortened { significant: usize }
            = "shortened", "field-shortened"(digits: significant);
        /// A long number that a spreadsheet filled up with zeros.
        Rounded = "rounded", "field-rounded";
        /// A CLABE whose leading zeros a spreadsheet dropped.
        LeadingZerosLost { zeros: usize }
            = "leading_zeros_lost", "field-leading-zeros-lost"(zeros: zeros);
        /// An id of the caller's that is too long.
        IdTooLong { length: usize }
            = "id_too_long", "field-id-too-long"(most: &sheet::MAX_ID_LENGTH, length: length);
        /// An id of the caller's with control characters.
        IdCharacter = "id_character", "field-id-character";
        /// A row with a quote that nothing closes.
        UnclosedQuote = "unclosed_quote", "field-unclosed-quote";
        /// A row of too many characters.
        RowTooLong = "row_too_long", "field-row-too-long"(most: &sheet::MAX_ROW_LENGTH);
        /// A row with more cells than the table has columns.
        MoreCells { cells: usize, columns: usize }
            = "more_cells", "field-more-cells"(cells: cells, columns: columns);
        /// A line that isn't JSON.
        MalformedLine { position: usize }
            = "malformed_json", "field-malformed-json"(position: position);
        /// A line that is JSON, but no object.
        NotAnObject { found: &'static str }
            = "not_an_object", "field-not-an-object"(found: found);
        /// A line that repeats a member.
        RepeatedMember { position: usize }
            = "repeated_member", "field-repeated-member"(position: position);
    }
}

impl FieldProblem {
    /// The known name that a misspelt one is probably meant to be.
    pub(super) fn meant(&self) -> Option<&'static str> {
        match self {
            Self::Misspelt { meant } => Some(*meant),
            _ => None,
        }
    }

    /// The participants of an ambiguous name, or those of similar names, the nearest first.
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
            FieldErrorKind::Account(error) => match error {
                AccountError::NotDigits => Self::NotDigits,
                AccountError::Length { digits } => Self::WrongLength { digits },
            },
            FieldErrorKind::Amount(error) => match error {
                AmountError::NotDecimal => Self::NotDecimal,
                AmountError::Exponent => Self::Exponent,
                AmountError::NotPositive => Self::NotPositive,
                AmountError::TooManyDecimals => Self::TooManyDecimals,
                AmountError::TooLarge => Self::TooLarge,
            },
            FieldErrorKind::Participant(error) => match error {
                ParticipantError::Malformed => Self::MalformedCode,
                ParticipantError::Unknown { list_date } => Self::UnknownParticipant { list_date },
                ParticipantError::UnknownName { nearest } if nearest.is_empty() => {
                    Self::UnknownName
                }
                ParticipantError::UnknownName { nearest } => Self::SimilarName {
                    candidates: nearest,
                },
                ParticipantError::AmbiguousName { candidates } => {
                    Self::AmbiguousName { candidates }
                }
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

/// Names and codes, as a message lists them.
fn named(participants: &[NamedParticipant]) -> List {
    let texts = participants
        .iter()
        .map(|one| format!("{} ({})", one.name, one.code));
    List::of(texts)
}

/// A field and its problem.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFault {
    /// The field's name.
    pub field: Cow<'static, str>,
    /// Its problem.
    pub problem: FieldProblem,
}

impl FieldFault {
    /// Pairs a field with its problem.
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
