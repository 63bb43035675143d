//! The members of an error's `details`, in the order in which they are written.

use std::borrow::Cow;

use domain::hints::Hint;
use domain::inference::InferenceFailure;
use domain::payment::Payment;
use domain::query::FieldErrorKind;
use ports::inbound::{Component, ComponentState};
use serde::Serialize;

use crate::messages::Messages;
use crate::people::input::InputProblem;

/// Free-form additional members of an error; those that have nothing to say are left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldDetail>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasons: Option<Reasons>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) explicit_endpoints: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payment: Option<PaymentDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hints: Option<Vec<HintDetail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reset_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) components: Option<Vec<ComponentDetail>>,
}

/// A field and what is wrong with it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) field: Cow<'static, str>,
    pub(crate) problem: FieldProblem,
}

impl Fault {
    pub(crate) fn new(field: &'static str, problem: impl Into<FieldProblem>) -> Self {
        Self {
            field: Cow::Borrowed(field),
            problem: problem.into(),
        }
    }
}

/// The same, as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct FieldDetail {
    field: String,
    problem: &'static str,
    message: String,
}

impl FieldDetail {
    pub(crate) fn new(fault: &Fault, messages: &dyn Messages) -> Self {
        Self {
            field: fault.field.to_string(),
            problem: fault.problem.code(),
            message: messages.field_problem(fault.problem),
        }
    }
}

/// What can be wrong with a field: the domain's problems, and those of a body or of two fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldProblem {
    /// The value itself.
    Value(FieldErrorKind),
    /// The field stands there twice.
    Duplicate,
    /// The other institution is the same one.
    SameInstitution,
    /// A value of a person's request.
    Input(InputProblem),
}

impl From<InputProblem> for FieldProblem {
    fn from(problem: InputProblem) -> Self {
        Self::Input(problem)
    }
}

impl FieldProblem {
    /// The word that machines read.
    pub(crate) fn code(self) -> &'static str {
        use domain::account::AccountError;
        use domain::amount::AmountError;
        use domain::calendar::DateError;
        use domain::participant::ParticipantError;
        use domain::tracking_key::TrackingKeyError;
        match self {
            Self::Duplicate => "duplicate",
            Self::SameInstitution => "same_institution",
            Self::Input(problem) => match problem {
                InputProblem::Unknown => "unknown",
                InputProblem::NotOneOf(_) => "not_one_of",
                InputProblem::NotWithin { .. } => "out_of_range",
                InputProblem::Name => "malformed_name",
                InputProblem::Search => "malformed_text",
                InputProblem::Instant => "malformed_instant",
                InputProblem::Id => "malformed_id",
                InputProblem::Cursor => "wrong_cursor",
                InputProblem::Beside(_) => "excluded",
                InputProblem::Without(_) => "incomplete",
                InputProblem::Backwards => "backwards",
                InputProblem::TooLong(_) => "period_too_long",
            },
            Self::Value(problem) => match problem {
                FieldErrorKind::Missing => "missing",
                FieldErrorKind::WrongType { .. } => "wrong_type",
                FieldErrorKind::Date(DateError::Malformed) => "malformed_date",
                FieldErrorKind::Date(DateError::NoSuchDay) => "no_such_day",
                FieldErrorKind::Date(DateError::InFuture { .. }) => "in_future",
                FieldErrorKind::TrackingKey(TrackingKeyError::Empty) => "empty",
                FieldErrorKind::TrackingKey(TrackingKeyError::TooLong { .. }) => "too_long",
                FieldErrorKind::TrackingKey(TrackingKeyError::Character { .. }) => {
                    "forbidden_character"
                }
                FieldErrorKind::Account(AccountError::NotDigits) => "not_digits",
                FieldErrorKind::Account(AccountError::Length { .. }) => "wrong_length",
                FieldErrorKind::Amount(AmountError::NotDecimal) => "not_decimal",
                FieldErrorKind::Amount(AmountError::Exponent) => "exponent",
                FieldErrorKind::Amount(AmountError::NotPositive) => "not_positive",
                FieldErrorKind::Amount(AmountError::TooManyDecimals) => "too_many_decimals",
                FieldErrorKind::Amount(AmountError::TooLarge) => "too_large",
                FieldErrorKind::Participant(ParticipantError::Malformed) => "malformed_code",
                FieldErrorKind::Participant(ParticipantError::Unknown) => "unknown_participant",
            },
        }
    }
}

/// Why each side that is missing could not be inferred.
#[derive(Debug, Serialize)]
pub(crate) struct Reasons {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) emisor: Option<GapDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receptor: Option<GapDetail>,
}

/// Why one side could not be inferred.
#[derive(Debug, Serialize)]
pub(crate) struct GapDetail {
    reason: &'static str,
    message: &'static str,
}

impl GapDetail {
    pub(crate) fn new(gap: InferenceFailure, messages: &dyn Messages) -> Self {
        let reason = match gap {
            InferenceFailure::UnknownClabePrefix => "unknown_clabe_prefix",
            InferenceFailure::UnknownCardPrefix => "unknown_card_prefix",
            InferenceFailure::UnknownTrackingKeyShape => "unknown_tracking_key_shape",
        };
        Self {
            reason,
            message: messages.gap(gap),
        }
    }
}

/// What the bank knows of a payment without a proof. Times are Mexico City's.
#[derive(Debug, Serialize)]
pub(crate) struct PaymentDetail {
    state: &'static str,
    received_at: Option<String>,
    processed_at: Option<String>,
}

impl PaymentDetail {
    pub(crate) fn new(payment: &Payment) -> Self {
        let text = |at: chrono::NaiveDateTime| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        Self {
            state: payment.state.label(),
            received_at: payment.received_at.map(text),
            processed_at: payment.processed_at.map(text),
        }
    }
}

/// One thing to check, with what it speaks of.
#[derive(Debug, Serialize)]
pub(crate) struct HintDetail {
    code: &'static str,
    message: String,
    #[serde(flatten)]
    data: HintData,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum HintData {
    Digits {
        given: u8,
        expected: u8,
    },
    Institutions {
        given: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        expected: Option<String>,
    },
    Date {
        date: String,
    },
    OperationDate {
        operation_date: String,
    },
    Nothing {},
}

impl HintDetail {
    pub(crate) fn new(hint: &Hint, messages: &dyn Messages) -> Self {
        let on = |date: chrono::NaiveDate| HintData::Date {
            date: date.to_string(),
        };
        let (code, data) = match *hint {
            Hint::CheckDigit { given, expected } => {
                ("check_digit", HintData::Digits { given, expected })
            }
            Hint::ReceiverDiffers { given, expected } => (
                "receiver_differs",
                HintData::Institutions {
                    given: given.to_string(),
                    expected: Some(expected.to_string()),
                },
            ),
            Hint::CodeNotValidOnDate { given, expected } => (
                "code_not_valid_on_date",
                HintData::Institutions {
                    given: given.to_string(),
                    expected: expected.map(|code| code.to_string()),
                },
            ),
            Hint::DayAndMonthSwapped { other } => ("day_and_month_swapped", on(other)),
            Hint::AmountLooksLikeCentavos => ("amount_looks_like_centavos", HintData::Nothing {}),
            Hint::DateInTrackingKey { found } => ("date_in_tracking_key", on(found)),
            Hint::NotABankingDay { operation_date } => (
                "not_a_banking_day",
                HintData::OperationDate {
                    operation_date: operation_date.to_string(),
                },
            ),
            Hint::MaybeOperationDate { other } => ("maybe_operation_date", on(other)),
        };
        Self {
            code,
            message: messages.hint(hint),
            data,
        }
    }
}

/// The state of one thing that we stand on.
#[derive(Debug, Serialize)]
pub(crate) struct ComponentDetail {
    name: &'static str,
    state: &'static str,
}

impl ComponentDetail {
    pub(crate) fn new(component: &Component) -> Self {
        let state = match component.state {
            ComponentState::Up => "up",
            ComponentState::Degraded => "degraded",
            ComponentState::Failed => "failed",
        };
        Self {
            name: component.name,
            state,
        }
    }
}
