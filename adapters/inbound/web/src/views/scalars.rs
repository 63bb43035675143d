//! Scalars: ids, instants, and integers beyond 32 bits.

use std::borrow::Cow;
use std::fmt::Display;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{
    ContextSelectionSet, Description, ID, InputValueError, InputValueResult, Number, OutputType,
    Positioned, Scalar, ScalarType, ServerResult, Value,
};
use chrono::{Datelike as _, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// Id of a resource.
#[derive(Serialize, ToSchema)]
#[schema(value_type = String, format = "uuid")]
pub struct Id(ID);

impl<T: Display> From<T> for Id {
    fn from(id: T) -> Self {
        Self(ID::from(id))
    }
}

/// GraphQL's own `ID`.
impl OutputType for Id {
    fn type_name() -> Cow<'static, str> {
        <ID as OutputType>::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <ID as OutputType>::create_type_info(registry)
    }

    async fn resolve(
        &self,
        context: &ContextSelectionSet<'_>,
        field: &Positioned<Field>,
    ) -> ServerResult<Value> {
        OutputType::resolve(&self.0, context, field).await
    }
}

/// An instant, as RFC 3339 writes it. Answers are in UTC with milliseconds:
/// `2026-11-21T06:23:27.000Z`. Input may have any offset, and be of the years 0 to 9999; what is
/// finer than a millisecond is dropped.
#[derive(Description, Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, format = "date-time")]
pub struct DateTime(pub chrono::DateTime<Utc>);

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.text())
    }
}

impl DateTime {
    fn text(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    fn read(text: &str) -> Option<Self> {
        // chrono also accepts a space between date and time; RFC 3339 requires `T`.
        let separated = text.as_bytes().get(10).is_some_and(|byte| *byte == b'T');
        let instant = chrono::DateTime::parse_from_rfc3339(text).ok()?;
        let kept = chrono::DateTime::from_timestamp_millis(instant.timestamp_millis())?;
        // The conversion to UTC can leave the range of four-digit years.
        (separated && (0..=9999).contains(&kept.year())).then_some(Self(kept))
    }
}

#[Scalar(
    use_type_description,
    specified_by_url = "https://www.rfc-editor.org/rfc/rfc3339"
)]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        match &value {
            Value::String(text) => Self::read(text).ok_or(()),
            _ => Err(()),
        }
        .map_err(|()| InputValueError::custom("an instant as RFC 3339 writes it is wanted"))
    }

    fn is_valid(value: &Value) -> bool {
        matches!(value, Value::String(text) if Self::read(text).is_some())
    }

    fn to_value(&self) -> Value {
        Value::String(self.text())
    }
}

/// A whole number from 0 to 2⁵³, as a JSON number.
#[derive(Description, Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Count(pub u64);

/// Largest integer that all JSON implementations represent exactly (RFC 8259, 6).
const MAX_EXACT: u64 = 1 << 53;

impl Count {
    fn read(value: &Value) -> Option<Self> {
        let Value::Number(number) = value else {
            return None;
        };
        let count = number.as_u64()?;
        (count <= MAX_EXACT).then_some(Self(count))
    }
}

#[Scalar(use_type_description)]
impl ScalarType for Count {
    fn parse(value: Value) -> InputValueResult<Self> {
        Self::read(&value)
            .ok_or_else(|| InputValueError::custom("a whole number from 0 to 2^53 is wanted"))
    }

    fn is_valid(value: &Value) -> bool {
        Self::read(value).is_some()
    }

    fn to_value(&self) -> Value {
        Value::Number(Number::from(self.0.min(MAX_EXACT)))
    }
}

/// Caps a number at the maximum of a GraphQL `Int`, 2³¹ - 1.
pub fn int(number: u128) -> u32 {
    const MAX: u32 = i32::MAX.unsigned_abs();
    u32::try_from(number).map_or(MAX, |number| number.min(MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("2026-11-21T06:23:27Z", Some("2026-11-21T06:23:27.000Z"))]
    #[case("2026-11-21T00:23:27.123987-06:00", Some("2026-11-21T06:23:27.123Z"))]
    #[case("2026-11-21 06:23:27Z", None)]
    #[case("2026-11-21T06:23:27", None)]
    #[case("2026-11-21", None)]
    #[case("2026-02-30T06:23:27Z", None)]
    #[case("1969-12-31T23:59:59.9999Z", Some("1969-12-31T23:59:59.999Z"))]
    #[case("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00.000Z"))]
    #[case("9999-12-31T23:59:59Z", Some("9999-12-31T23:59:59.000Z"))]
    #[case("0000-01-01T00:00:00+00:01", None)]
    #[case("9999-12-31T23:59:59-00:01", None)]
    #[case("1700000000", None)]
    #[case("", None)]
    fn an_instant_is_read_as_rfc_3339_writes_it(
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let written = DateTime::read(text).map(|instant| ScalarType::to_value(&instant));
        assert_eq!(written, expected.map(Value::from));
    }

    #[test]
    fn a_count_is_a_whole_number_that_json_keeps_exactly() {
        let read = |value: Value| Count::read(&value).map(|count| count.0);
        assert_eq!(read(Value::from(0)), Some(0));
        assert_eq!(read(Value::from(MAX_EXACT)), Some(MAX_EXACT));
        assert_eq!(read(Value::from(MAX_EXACT + 1)), None);
        assert_eq!(read(Value::from(-1)), None);
        assert_eq!(read(Value::from(1.5)), None);
        assert_eq!(read(Value::from("1")), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC*") {
            let _ = DateTime::read(&text);
        }
    }
}
