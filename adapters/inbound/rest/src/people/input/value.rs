//! Deserialiser of the value of one member or one parameter.

use std::borrow::Cow;
use std::str::FromStr;

use domain::query::Token;
use serde::de::value::SeqDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use web::problem::FieldProblem;

use super::error::Error;
use crate::json::type_name;

/// An unparsed value.
#[derive(Clone)]
pub(super) enum Raw<'a> {
    /// Value of a query parameter, which has no JSON type.
    Parameter(Cow<'a, str>),
    /// Value of a member of a JSON body.
    Member(Token<'a>),
}

impl<'a> Raw<'a> {
    /// The value as a string; `null` counts as missing.
    fn text(self) -> Result<Cow<'a, str>, FieldProblem> {
        match self {
            Self::Parameter(text) | Self::Member(Token::Text(text)) => Ok(text),
            Self::Member(Token::Absent) => Err(FieldProblem::Missing),
            Self::Member(other) => Err(wrong_type("string", &other)),
        }
    }

    /// The value as an integer written in digits. Any other number is parsed as `beyond`, which is outside
    /// every range, so that the error reports the member's range.
    fn whole<T: FromStr>(self, beyond: T) -> Result<T, FieldProblem> {
        let digits = match self {
            Self::Parameter(text) => text,
            Self::Member(Token::Number(number)) => number.into(),
            Self::Member(other) => return Err(wrong_type("number", &other)),
        };
        let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        Ok(digits.parse().ok().filter(|_| is_whole).unwrap_or(beyond))
    }
}

fn wrong_type(expected: &'static str, found: &Token<'_>) -> FieldProblem {
    FieldProblem::WrongType {
        expected,
        found: type_name(found),
    }
}

/// All values of one name, since query parameters may be repeated.
#[derive(Clone)]
pub(super) struct Value<'a>(pub(super) Vec<Raw<'a>>);

impl<'a> Value<'a> {
    fn one(self) -> Result<Raw<'a>, FieldProblem> {
        let [value] = self.0.try_into().map_err(|_| FieldProblem::Duplicate)?;
        Ok(value)
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.one()?.text()?.into_owned())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        const WORDS: &[&str] = &["true", "false"];
        let text = self.one()?.text()?;
        let value = text
            .parse()
            .map_err(|_| FieldProblem::NotOneOf { words: WORDS })?;
        visitor.visit_bool(value)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.one()?.whole(u32::MAX)?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.one()?.whole(u64::MAX)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0[..] {
            [Raw::Member(Token::Absent)] => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    /// Deserialises a list: repeated parameters, or one parameter with commas.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let texts: Vec<_> = self
            .0
            .into_iter()
            .map(Raw::text)
            .collect::<Result<_, _>>()?;
        let words = texts.iter().flat_map(|text| text.split(','));
        visitor.visit_seq(SeqDeserializer::new(words.map(str::to_owned)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
