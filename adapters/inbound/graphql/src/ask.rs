//! The body of a request: one operation, as JSON.

use std::fmt;

use async_graphql::Variables;
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::refusal::{BodyProblem, Refusal};

/// What was asked.
pub(crate) struct Ask {
    /// The document.
    pub(crate) query: String,
    /// Which operation of it, when it has several.
    pub(crate) operation_name: Option<String>,
    /// The values of its variables.
    pub(crate) variables: Variables,
}

impl Ask {
    /// Reads a body. How deep it may nest is bounded by the JSON reader, at 128 levels.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Refusal> {
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(Refusal::Body(BodyProblem::Batch));
        }
        serde_json::from_slice(body).map_err(|error| {
            Refusal::Body(if error.is_data() {
                BodyProblem::Shape
            } else {
                BodyProblem::NotJson {
                    line: error.line(),
                    column: error.column(),
                }
            })
        })
    }
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Reads the members that count, each at most once; clients may send others.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Ask;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Ask, A::Error> {
        let (mut query, mut operation_name, mut variables) = (None, None, None);
        while let Some(name) = members.next_key::<String>()? {
            let repeated = match name.as_str() {
                "query" => query.replace(members.next_value()?).is_some(),
                "operationName" => operation_name.replace(members.next_value()?).is_some(),
                "variables" => variables.replace(members.next_value()?).is_some(),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if repeated {
                return Err(de::Error::custom("a member twice"));
            }
        }
        Ok(Ask {
            query: query.ok_or_else(|| de::Error::missing_field("query"))?,
            operation_name: operation_name
                .flatten()
                .filter(|name: &String| !name.is_empty()),
            variables: variables.flatten().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn problem(body: &str) -> Option<BodyProblem> {
        match Ask::read(body.as_bytes()) {
            Err(Refusal::Body(problem)) => Some(problem),
            _ => None,
        }
    }

    #[test]
    fn a_body_has_a_query_a_name_and_variables() {
        let body = r#"{"query":"{a}","operationName":"A","variables":{"x":[1]},"extensions":{}}"#;
        let ask = Ask::read(body.as_bytes()).ok().unwrap();
        assert_eq!(ask.query, "{a}");
        assert_eq!(ask.operation_name.as_deref(), Some("A"));
        assert_eq!(ask.variables.len(), 1);
    }

    #[rstest]
    #[case(r#"{"query":"{a}"}"#)]
    #[case(r#"{"query":"{a}","operationName":null,"variables":null}"#)]
    #[case(r#"{"query":"{a}","operationName":"","variables":{}}"#)]
    fn name_and_variables_may_be_left_out(#[case] body: &str) {
        let ask = Ask::read(body.as_bytes()).ok().unwrap();
        assert_eq!(ask.operation_name, None);
        assert!(ask.variables.is_empty());
    }

    #[rstest]
    #[case("{}")]
    #[case(r#"{"query":null}"#)]
    #[case(r#"{"query":1}"#)]
    #[case(r#"{"query":"{a}","query":"{b}"}"#)]
    #[case(r#"{"query":"{a}","variables":[1]}"#)]
    #[case(r#"{"query":"{a}","variables":"{}"}"#)]
    #[case(r#"{"query":"{a}","operationName":{}}"#)]
    #[case("\"{a}\"")]
    #[case("null")]
    fn another_shape_is_refused(#[case] body: &str) {
        assert_eq!(problem(body), Some(BodyProblem::Shape));
    }

    #[rstest]
    #[case("[]")]
    #[case(" [{\"query\":\"{a}\"},{\"query\":\"{a}\"}]")]
    #[case("[{\"query\":\"{a}\"}]")]
    fn a_batch_is_refused(#[case] body: &str) {
        assert_eq!(problem(body), Some(BodyProblem::Batch));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        let place = |line, column| Some(BodyProblem::NotJson { line, column });
        assert_eq!(problem(""), place(1, 0));
        assert_eq!(problem("{\"query\":\n \"{a}\""), place(2, 6));
        assert!(matches!(
            problem("query=%7Ba%7D"),
            Some(BodyProblem::NotJson { .. })
        ));
    }

    #[test]
    fn deep_variables_are_refused() {
        let deep = |depth: usize| {
            let value = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            problem(&format!(
                r#"{{"query":"{{a}}","variables":{{"x":{value}}}}}"#
            ))
        };
        assert_eq!(deep(100), None);
        assert!(matches!(deep(20_000), Some(BodyProblem::NotJson { .. })));
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused_without_panic(body: Vec<u8>) {
            let _ = Ask::read(&body);
        }
    }
}
