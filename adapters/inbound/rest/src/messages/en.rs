//! English.

use chrono::{DateTime, Utc};
use domain::account::AccountError;
use domain::amount::{self, AmountError};
use domain::calendar::DateError;
use domain::hints::Hint;
use domain::inference::InferenceFailure;
use domain::participant::{ParticipantCode, ParticipantError};
use domain::payment::PaymentState;
use domain::query::FieldErrorKind;
use domain::tracking_key::{self, TrackingKeyError};

use super::{Messages, join};
use crate::details::FieldProblem;
use crate::json::{JsonFault, MAX_DEPTH};
use crate::people::input::{InputProblem, MAX_SEARCH_LENGTH};

pub(super) struct English;

impl Messages for English {
    fn invalid_fields(&self, fields: &[&str]) -> String {
        let names = join(fields, "and");
        match fields {
            [_] => format!("The request is not valid: correct the field {names}."),
            _ => format!("The request is not valid: correct the fields {names}."),
        }
    }

    fn field_problem(&self, problem: FieldProblem) -> String {
        match problem {
            FieldProblem::Duplicate => "It appears more than once; send it once.".to_owned(),
            FieldProblem::SameInstitution => {
                "The issuer and the receiver are the same institution.".to_owned()
            }
            FieldProblem::Value(problem) => value_problem(problem),
            FieldProblem::Input(problem) => input_problem(problem),
        }
    }

    fn json_fault(&self, fault: JsonFault) -> String {
        match fault {
            JsonFault::Empty => {
                "The body is empty; send a JSON object with the fields of the request.".to_owned()
            }
            JsonFault::NotUtf8 { place } => {
                format!("The body is not UTF-8 (byte {place}); encode it as UTF-8 without a BOM.")
            }
            JsonFault::ByteOrderMark => "The body begins with a byte order mark (BOM); send it in \
                                         UTF-8 without a BOM."
                .to_owned(),
            JsonFault::Malformed { place } => {
                format!("The body is not valid JSON (byte {place}); check the syntax there.")
            }
            JsonFault::NotAnObject { found } => format!(
                "The body must be a JSON object, not {}; send the fields within braces.",
                type_name(found)
            ),
            JsonFault::DuplicateKey { field, place } => format!(
                "The body repeats {} (byte {place}); a key may appear only once.",
                field.map_or("a key".to_owned(), |field| format!("the field {field}"))
            ),
            JsonFault::TooDeep { place } => format!(
                "The body is nested more than {MAX_DEPTH} levels deep (byte {place}); send a flat \
                 object."
            ),
        }
    }

    fn same_institution(&self, code: ParticipantCode) -> String {
        format!(
            "The issuer and the receiver are the same institution ({code}): an internal transfer \
             does not cross SPEI and has no proof. Check emisor, receptor and cuenta."
        )
    }

    fn inference_failed(&self, missing: &[&str], endpoints: &[&str]) -> String {
        format!(
            "Could not infer {}. Name emisor and receptor at {}, or add what is missing to this \
             same request.",
            join(missing, "or"),
            join(endpoints, "and")
        )
    }

    fn gap(&self, gap: InferenceFailure) -> &'static str {
        match gap {
            InferenceFailure::UnknownClabePrefix => {
                "No participant has the prefix of this CLABE on that date; check cuenta and fecha, \
                 or name receptor."
            }
            InferenceFailure::UnknownCardPrefix => {
                "The institution that issued this card is not known; name receptor."
            }
            InferenceFailure::UnknownTrackingKeyShape => {
                "The shape of the tracking key matches no known bank; name emisor."
            }
        }
    }

    fn not_in_spei(&self) -> &'static str {
        "There is no proof with these data. Check that fecha is the day of the transfer and that \
         monto, cuenta and clave_rastreo are exact."
    }

    fn proof_not_issued(&self, state: PaymentState) -> String {
        let label = state.label();
        match state {
            PaymentState::InProcess | PaymentState::Settled | PaymentState::ReturnInProcess => {
                format!(
                    "The payment exists (state: {label}), but its proof has not been issued yet; \
                     try again in about 30 minutes."
                )
            }
            PaymentState::Cancelled
            | PaymentState::Rejected
            | PaymentState::Returned
            | PaymentState::NotSettled
            | PaymentState::NotFound
            | PaymentState::SentBack => format!(
                "The central bank reports the state \"{label}\" and issues no proof of this \
                 payment; ask the issuing bank about it."
            ),
        }
    }

    fn hint(&self, hint: &Hint) -> String {
        match *hint {
            Hint::CheckDigit { given, expected } => format!(
                "The check digit of cuenta is {given} and should be {expected}; check the digits."
            ),
            Hint::ReceiverDiffers { given, expected } => format!(
                "The account belongs to institution {expected}, not to the receiver {given}; try \
                 receptor {expected}."
            ),
            Hint::CodeNotValidOnDate {
                given,
                expected: Some(expected),
            } => {
                format!("On that date {given} was not the code of the institution; try {expected}.")
            }
            Hint::CodeNotValidOnDate {
                given,
                expected: None,
            } => format!(
                "On that date no participant had the code {given}; check the date and the code."
            ),
            Hint::DayAndMonthSwapped { other } => {
                format!("Day and month may be swapped; try fecha {other}.")
            }
            Hint::AmountLooksLikeCentavos => {
                "The amount looks like centavos; give it in pesos, with a decimal point.".to_owned()
            }
            Hint::DateInTrackingKey { found } => {
                format!("The tracking key contains the date {found}; try it as fecha.")
            }
            Hint::NotABankingDay { operation_date } => format!(
                "The date is not a banking day; the transfer was operated on {operation_date}. \
                 Give the day on which the transfer was made."
            ),
            Hint::MaybeOperationDate { other } => format!(
                "The date may be the operation date; if the transfer was made earlier (after 18:00 \
                 or on a day that is no banking day), try fecha {other}."
            ),
        }
    }

    fn invalid_api_key(&self) -> &'static str {
        "Invalid API key. Send a valid key in exactly one x-api-key header."
    }

    fn rate_limited(&self, limit: u32, seconds: u64) -> String {
        format!(
            "The key reached its limit of {limit} requests per minute; try again in {seconds} s."
        )
    }

    fn quota_exceeded(&self, limit: u64, reset_at: DateTime<Utc>) -> String {
        format!(
            "The key used up its quota of {limit} requests for the month; it is renewed on {} UTC. \
             Ask for a higher limit if you need it before.",
            reset_at.format("%Y-%m-%d %H:%M")
        )
    }

    fn bank_protocol(&self) -> &'static str {
        "The central bank gave an answer that could not be understood; the request does not count \
         against the quota. Try later, and tell the operator if it happens again."
    }

    fn bank_unavailable(&self, seconds: u64) -> String {
        format!(
            "The central bank is unavailable; the request does not count against the quota. Try \
             again in {seconds} s."
        )
    }

    fn bank_throttled(&self, seconds: u64) -> String {
        format!(
            "The central bank may not be asked any more for now; the request does not count \
             against the quota. Try again in {seconds} s."
        )
    }

    fn bank_timeout(&self) -> &'static str {
        "The central bank did not answer in time; the request does not count against the quota. \
         Try again in a few minutes."
    }

    fn not_ready(&self, components: &[&str]) -> String {
        format!(
            "The service is not ready: {} failed. The operator's log says why.",
            join(components, "and")
        )
    }

    fn empty_change(&self, fields: &[&str]) -> String {
        format!("The request changes nothing; send {}.", join(fields, "or"))
    }

    fn no_such_thing(&self) -> &'static str {
        "Nothing that this session may see has that id; check the id."
    }

    fn admins_only(&self) -> &'static str {
        "Only admins may do this; ask the operator for the role."
    }

    fn key_revoked(&self) -> &'static str {
        "The key is revoked and will never work again; create a new one."
    }

    fn key_rotated(&self) -> &'static str {
        "The key already has a successor; use the successor."
    }

    fn too_many_keys(&self, most: u64) -> String {
        format!(
            "The account already has {most} active keys, the most it may have; revoke one that is \
             not used and repeat the request."
        )
    }
}

fn value_problem(problem: FieldErrorKind) -> String {
    match problem {
        FieldErrorKind::Missing => "It is required; add it.".to_owned(),
        FieldErrorKind::WrongType { expected, found } => {
            format!(
                "It must be {}, not {}.",
                type_name(expected),
                type_name(found)
            )
        }
        FieldErrorKind::Date(error) => match error {
            DateError::Malformed => "Write it as YYYY-MM-DD, for example 2025-02-03.".to_owned(),
            DateError::NoSuchDay => "There is no such day in the calendar.".to_owned(),
            DateError::InFuture { today } => {
                format!("It must not be after today in Mexico City ({today}).")
            }
        },
        FieldErrorKind::TrackingKey(error) => match error {
            TrackingKeyError::Empty => "It must not be empty.".to_owned(),
            TrackingKeyError::TooLong { length } => format!(
                "It may have up to {} characters and has {length}.",
                tracking_key::MAX_LENGTH
            ),
            TrackingKeyError::Character { character, place } => format!(
                "The character U+{:04X} at place {place} is not accepted; use plain letters, \
                 digits and ASCII signs, without < > \" \\.",
                u32::from(character)
            ),
        },
        FieldErrorKind::Account(error) => match error {
            AccountError::NotDigits => "It may have digits, blanks and hyphens only.".to_owned(),
            AccountError::Length { digits } => {
                format!("It must have 18 digits (CLABE) or 16 (card) and has {digits}.")
            }
        },
        FieldErrorKind::Amount(error) => match error {
            AmountError::NotDecimal => {
                "It must be a decimal number without thousands separators, for example 1234.56."
                    .to_owned()
            }
            AmountError::Exponent => {
                "Scientific notation is not accepted; write the number in full.".to_owned()
            }
            AmountError::NotPositive => "It must be greater than zero.".to_owned(),
            AmountError::TooManyDecimals => "It may have up to two decimals.".to_owned(),
            AmountError::TooLarge => format!(
                "It may have up to {} digits before the point.",
                amount::MAX_INTEGER_DIGITS
            ),
        },
        FieldErrorKind::Participant(error) => match error {
            ParticipantError::Malformed => {
                "It must be the 5-digit code of a participant (2001 is the central bank)."
                    .to_owned()
            }
            ParticipantError::Unknown => {
                "No participant has this code; check the catalogue of participants.".to_owned()
            }
        },
    }
}

fn input_problem(problem: InputProblem) -> String {
    match problem {
        InputProblem::Unknown => "It is not known; remove it or check its spelling.".to_owned(),
        InputProblem::NotOneOf(words) => format!("It must be {}.", join(words, "or")),
        InputProblem::NotWithin { least, most } => {
            format!("It must be a whole number between {least} and {most}, in digits alone.")
        }
        InputProblem::Name => {
            "It must have 1 to 100 characters, none of them invisible or a control character."
                .to_owned()
        }
        InputProblem::Search => format!(
            "It may have up to {MAX_SEARCH_LENGTH} characters, none of them a control character."
        ),
        InputProblem::Instant => {
            "Write it as RFC 3339 does, for example 2026-11-20T12:00:00Z.".to_owned()
        }
        InputProblem::Id => "It must be a UUID.".to_owned(),
        InputProblem::Cursor => "It is no place in this list; use the next of the page before, \
                                 with the same filters and the same order."
            .to_owned(),
        InputProblem::Beside(other) => format!("It can't stand beside {other}; send one of them."),
        InputProblem::Without(other) => format!("It needs {other} too; add it."),
        InputProblem::Backwards => "It must be before to.".to_owned(),
        InputProblem::TooLong(granularity) => format!(
            "The period has more than {} slots; ask for a shorter one, or for longer slots \
             (granularity).",
            granularity.most_slots()
        ),
    }
}

/// A JSON type with its article.
fn type_name(name: &str) -> &str {
    match name {
        "string" => "a string",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}
