//! Types of string values: their parsers and schemas.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::keys::KeyName;
use domain::page::Cursor;
use serde::de::{Deserialize, Deserializer, Error as _};
use strum::VariantNames;
use utoipa::PartialSchema;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use uuid::Uuid;
use web::MAX_SEARCH_LENGTH;
use web::problem::FieldProblem;

use crate::openapi::schemas;

/// The name of an enum variant.
#[derive(Debug, PartialEq)]
pub(crate) struct Word<T>(pub(crate) T);

impl<'de, T: FromStr + VariantNames> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let word = text.parse().map(Self);
        word.map_err(|_| D::Error::unknown_variant(&text, T::VARIANTS))
    }
}

impl<T: VariantNames> PartialSchema for Word<T> {
    fn schema() -> RefOr<Schema> {
        schemas::words::<T>().into()
    }
}

/// The name of an enum variant; absent or `null` means the default one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Choice<T>(pub(crate) T);

impl<'de, T: FromStr + VariantNames + Default> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Option::<Word<T>>::deserialize(deserializer)?;
        Ok(Self(word.map_or_else(T::default, |Word(word)| word)))
    }
}

impl<T: VariantNames + Default + Into<&'static str>> PartialSchema for Choice<T> {
    fn schema() -> RefOr<Schema> {
        schemas::choice::<T>().into()
    }
}

/// A value that is parsed from a string.
#[derive(Debug, PartialEq)]
pub(crate) struct Text<T>(pub(crate) T);

// Aliases without type arguments, since utoipa's derives would require schemas for the arguments.
pub(crate) type Id = Text<Uuid>;
pub(crate) type Instant = Text<DateTime<Utc>>;
pub(crate) type Name = Text<KeyName>;
pub(crate) type SearchText = Text<Search>;
pub(crate) type After = Text<Cursor>;

/// Type that is parsed from a string in the input.
trait FromText: Sized {
    /// Parses the value. The error MUST be a problem without data.
    fn from_text(text: &str) -> Result<Self, FieldProblem>;

    /// The schema of the string.
    fn schema() -> ObjectBuilder {
        ObjectBuilder::new().schema_type(Type::String)
    }
}

impl<'de, T: FromText> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let value = T::from_text(&text).map(Self);
        value.map_err(|problem| D::Error::custom(problem.code()))
    }
}

impl<T: FromText> PartialSchema for Text<T> {
    fn schema() -> RefOr<Schema> {
        T::schema().into()
    }
}

impl FromText for Uuid {
    fn from_text(text: &str) -> Result<Self, FieldProblem> {
        Self::try_parse(text).map_err(|_| FieldProblem::MalformedId)
    }

    fn schema() -> ObjectBuilder {
        schemas::formatted("uuid")
    }
}

/// An RFC 3339 instant, such as `2026-11-20T12:00:00Z`.
impl FromText for DateTime<Utc> {
    fn from_text(text: &str) -> Result<Self, FieldProblem> {
        let instant = DateTime::parse_from_rfc3339(text);
        instant
            .map(|instant| instant.to_utc())
            .map_err(|_| FieldProblem::MalformedInstant)
    }

    fn schema() -> ObjectBuilder {
        schemas::formatted("date-time")
    }
}

impl FromText for KeyName {
    fn from_text(text: &str) -> Result<Self, FieldProblem> {
        Self::parse(text).map_err(|_| FieldProblem::MalformedName)
    }
}

/// A search text; `None` when it is blank.
#[derive(Debug, PartialEq)]
pub(crate) struct Search(pub(crate) Option<String>);

impl FromText for Search {
    fn from_text(text: &str) -> Result<Self, FieldProblem> {
        web::search_text(text)
            .map(Self)
            .map_err(|_| FieldProblem::MalformedText)
    }

    fn schema() -> ObjectBuilder {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(MAX_SEARCH_LENGTH))
    }
}

/// The value of `next` in the previous page.
impl FromText for Cursor {
    fn from_text(text: &str) -> Result<Self, FieldProblem> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.and_then(|text| Self::parse(&text).ok())
            .ok_or(FieldProblem::WrongCursor)
    }
}
