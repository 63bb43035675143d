//! The description against what it describes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use web::Problem;
use web::problem::FieldProblem;

fn json() -> Value {
    serde_json::from_str(&openapi_json()).unwrap()
}

#[test]
fn the_description_is_the_reviewed_one() {
    insta::assert_snapshot!(openapi_json());
}

#[test]
fn every_reference_leads_somewhere() {
    fn visit(value: &Value, root: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    let pointer = target.trim_start_matches('#');
                    assert!(root.pointer(pointer).is_some(), "{target}");
                }
                members.values().for_each(|value| visit(value, root));
            }
            Value::Array(items) => items.iter().for_each(|value| visit(value, root)),
            _ => {}
        }
    }
    let document = json();
    visit(&document, &document);
}

#[test]
fn every_code_has_an_example() {
    let described: BTreeSet<String> = json()
        .pointer("/components/responses")
        .and_then(Value::as_object)
        .unwrap()
        .values()
        .flat_map(|response| {
            let examples = response.pointer("/content/application~1json/examples");
            examples.and_then(Value::as_object).unwrap().values()
        })
        .map(|example| example["value"]["error"].as_str().unwrap().to_owned())
        .collect();
    let expected: BTreeSet<String> = Problem::CODES
        .iter()
        .map(|code| code.name().to_owned())
        .collect();
    assert_eq!(described, expected);
}

#[test]
fn every_endpoint_describes_every_status() {
    let document = json();
    for endpoint in Endpoint::ALL {
        let responses =
            &document["paths"][format!("/v1/cep/{}", endpoint.name())]["post"]["responses"];
        let described: Vec<_> = responses.as_object().unwrap().keys().collect();
        assert_eq!(
            described,
            [
                "200", "400", "401", "402", "404", "408", "413", "415", "429", "500", "502", "503",
                "504"
            ]
        );
    }
}

#[test]
fn every_problem_of_a_field_is_described() {
    let document = json();
    let described = document
        .pointer("/components/schemas/FieldProblem/properties/problem/enum")
        .and_then(Value::as_array)
        .unwrap();
    for code in FieldProblem::CODES {
        assert!(described.iter().any(|word| word == code), "{code}");
    }
}
