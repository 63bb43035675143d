//! The description against what it describes.

use std::collections::BTreeSet;

use domain::outcome::Endpoint;
use domain::participants::{Catalogue, ParticipantError};
use proptest::prelude::*;
use serde_json::{Value, json as value};

use super::*;
use web::Problem;
use web::problem::FieldProblem;

fn json() -> Value {
    serde_json::from_str(&openapi_json()).unwrap()
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
    let document = json();
    let responses = document["components"]["responses"].as_object().unwrap();
    let examples = responses.values().flat_map(|response| {
        let examples = &response["content"]["application/json"]["examples"];
        examples.as_object().unwrap().values()
    });
    let described = examples.map(|example| example["value"]["error"].as_str().unwrap());
    let described: BTreeSet<_> = described.collect();
    let expected: BTreeSet<_> = Problem::CODES.iter().map(|code| code.name()).collect();
    assert_eq!(described, expected);
}

#[test]
fn every_endpoint_describes_every_status() {
    let document = json();
    // Rows of batches are no requests of their own.
    let endpoints = Endpoint::ALL.into_iter();
    for endpoint in endpoints.filter(|endpoint| *endpoint != Endpoint::Batches) {
        let responses =
            &document["paths"][format!("/v1/cep/{}", endpoint.name())]["post"]["responses"];
        let described: Vec<_> = responses.as_object().unwrap().keys().collect();
        let mut expected = vec![
            "200", "400", "401", "402", "404", "408", "409", "413", "415", "422", "429", "500",
            "502", "503", "504",
        ];
        if matches!(
            endpoint,
            Endpoint::Verify | Endpoint::Receipts | Endpoint::Lookups
        ) {
            // A page of another site may send a session.
            expected.insert(4, "403");
        }
        if endpoint == Endpoint::Verify {
            // A payment that the bank doesn't know is a result of the check.
            expected.retain(|status| *status != "404");
        }
        if endpoint == Endpoint::Receipts {
            expected.retain(|status| !matches!(*status, "404" | "502" | "504"));
            let after = expected.iter().position(|status| *status == "503");
            expected.insert(after.unwrap(), "501");
        }
        if endpoint == Endpoint::Lookups {
            // The bank isn't asked yet.
            expected.retain(|status| !matches!(*status, "404" | "502" | "504"));
            expected.insert(1, "202");
        }
        assert_eq!(described, expected);
    }
}

#[test]
fn every_problem_of_a_field_is_described() {
    let document = json();
    let schema = &document["components"]["schemas"]["FieldProblem"];
    let described = schema["properties"]["problem"]["enum"].as_array();
    let described = described.unwrap();
    for code in FieldProblem::CODES {
        assert!(described.iter().any(|word| word == code), "{code}");
    }
}

/// Validates a value against a schema of the document.
fn validate(document: &Value, schema: &Value, example: &Value) {
    let schema = value!({ "components": document["components"], "allOf": [schema] });
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let errors: Vec<_> = validator.iter_errors(example).collect();
    assert!(errors.is_empty(), "{example} {errors:?}");
}

/// Every schema of a body, with its examples.
fn bodies(value: &Value) -> Vec<(&Value, Vec<&Value>)> {
    let inner: Vec<_> = match value {
        Value::Object(members) => members.values().flat_map(bodies).collect(),
        Value::Array(items) => items.iter().flat_map(bodies).collect(),
        _ => vec![],
    };
    let Some(json) = value.pointer("/content/application~1json") else {
        return inner;
    };
    let named = json["examples"].as_object().into_iter().flatten();
    let examples = json.get("example").into_iter();
    let examples = examples.chain(named.map(|(_, example)| &example["value"]));
    vec![(&json["schema"], examples.collect())]
}

#[test]
fn every_json_body_has_an_example_and_every_example_fits_its_schema() {
    let document = json();
    let bodies = bodies(&document);
    assert!(bodies.len() > 40, "{}", bodies.len());
    for (schema, examples) in bodies {
        assert!(!examples.is_empty(), "{schema}");
        for example in examples {
            validate(&document, schema, example);
        }
    }
}

#[test]
fn a_parameter_of_a_path_is_required() {
    let document = json();
    let operations = document["paths"].as_object().unwrap().values();
    let operations = operations.flat_map(|item| item.as_object().unwrap().values());
    let parameters = operations.flat_map(|operation| operation["parameters"].as_array().unwrap());
    let of_paths: Vec<_> = parameters.filter(|it| it["in"] == "path").collect();
    assert_eq!(of_paths.len(), 29);
    assert!(of_paths.iter().all(|it| it["required"] == true));
}

/// Texts of the pattern of a member of a proof request. Those of proptest have no anchors.
fn texts(member: &str) -> impl Strategy<Value = String> + use<> {
    let request = &json()["components"]["schemas"]["ProofRequest"];
    let pattern = request["properties"][member]["pattern"].as_str().unwrap();
    let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
    proptest::string::string_regex(pattern).unwrap()
}

proptest! {
    #[test]
    fn what_the_schema_takes_the_parser_takes(
        account in texts("cuenta"),
        code in texts("emisor"),
        key in texts("clave_rastreo"),
    ) {
        prop_assert!(domain::account::Account::parse(&account).is_ok());
        let catalogue = Catalogue::embedded();
        let read = catalogue.participant(&code, catalogue.as_of());
        prop_assert_ne!(read, Err(ParticipantError::Malformed));
        prop_assert!(domain::tracking_key::TrackingKey::parse(&key).is_ok());
    }
}
