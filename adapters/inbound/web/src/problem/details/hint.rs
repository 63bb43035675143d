//! Serialised form of hints in `details`.

use std::fmt;

use async_graphql::{ComplexObject, SimpleObject};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{ObjectBuilder, Type};

use super::words;
use crate::language::Language;
use crate::problem::hint::HintReason;

/// One thing to check in a question whose transfer the bank doesn't know.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
#[graphql(complex, name = "Hint")]
#[schema(as = Hint)]
pub struct HintDetail {
    /// Its code, which never changes with the language.
    #[schema(schema_with = hint)]
    code: &'static str,
    /// The hint, in the caller's language.
    message: String,
    /// The value that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = subject)]
    #[graphql(skip)]
    given: Option<HintSubject>,
    /// The value that it should perhaps be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, schema_with = subject)]
    #[graphql(skip)]
    expected: Option<HintSubject>,
    /// A date to try as `fecha`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    date: Option<String>,
    /// The operation date of that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    operation_date: Option<String>,
    /// Date of the list of participants in which the code or the CLABE prefix isn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = "date")]
    participants_list_date: Option<String>,
}

#[ComplexObject]
impl HintDetail {
    /// A digit, or the code of a bank, as it was given.
    async fn given(&self) -> Option<String> {
        self.given.as_ref().map(ToString::to_string)
    }

    /// The digit, or the code of a bank, that it should perhaps be.
    async fn expected(&self) -> Option<String> {
        self.expected.as_ref().map(ToString::to_string)
    }
}

fn hint() -> ObjectBuilder {
    words("Which hint.", HintReason::CODES)
}

fn subject() -> OneOfBuilder {
    let item = |schema_type: Type, description| {
        let item = ObjectBuilder::new().schema_type(schema_type);
        item.description(Some(description))
    };
    OneOfBuilder::new()
        .item(item(Type::Integer, "A digit."))
        .item(item(
            Type::String,
            "A participant code, a CLABE prefix, or a tracking key.",
        ))
}

/// Value that a hint is about, serialised as a number or a string.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum HintSubject {
    /// A check digit.
    Digit(u8),
    /// A participant code or a CLABE prefix.
    Institution(String),
    TrackingKey(String),
}

impl fmt::Display for HintSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digit(digit) => digit.fmt(f),
            Self::Institution(text) | Self::TrackingKey(text) => text.fmt(f),
        }
    }
}

impl HintDetail {
    pub fn new(hint: &HintReason, language: Language) -> Self {
        let mut detail = Self {
            code: hint.code(),
            message: hint.message(language),
            given: None,
            expected: None,
            date: None,
            operation_date: None,
            participants_list_date: None,
        };
        match hint {
            HintReason::CheckDigit { given, expected } => {
                detail.given = Some(HintSubject::Digit(*given));
                detail.expected = Some(HintSubject::Digit(*expected));
            }
            HintReason::LikelyTrackingKey { expected } => {
                detail.expected = Some(HintSubject::TrackingKey(expected.to_string()));
            }
            HintReason::ParticipantUnknown { given, list_date } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
                detail.participants_list_date = Some(list_date.to_string());
            }
            HintReason::AccountPrefixUnknown { prefix, list_date } => {
                detail.given = Some(HintSubject::Institution(format!("{prefix:03}")));
                detail.participants_list_date = Some(list_date.to_string());
            }
            HintReason::ReceiverDiffers { given, expected }
            | HintReason::IssuerDiffers { given, expected }
            | HintReason::CodeReplaced { given, expected } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
                detail.expected = Some(HintSubject::Institution(expected.to_string()));
            }
            HintReason::CodeUnused { given } | HintReason::IssuerWasInferred { given } => {
                detail.given = Some(HintSubject::Institution(given.to_string()));
            }
            HintReason::DayAndMonthSwapped { date }
            | HintReason::DateInTrackingKey { date }
            | HintReason::MaybeOperationDate { date } => detail.date = Some(date.to_string()),
            HintReason::NotABankingDay { operation_date } => {
                detail.operation_date = Some(operation_date.to_string());
            }
            HintReason::AmountLooksLikeCentavos
            | HintReason::LooksLikeReference
            | HintReason::MoreOwnAccounts { .. } => {}
        }
        detail
    }
}
