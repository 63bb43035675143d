//! The schema: checked in, and with complete descriptions.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::Harness;

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    root.join(path)
}

#[test]
fn the_schema_is_the_one_checked_in() {
    let checked_in = std::fs::read_to_string(repository("schema.graphql")).unwrap();
    assert!(
        checked_in == graphql::schema_sdl(),
        "schema.graphql is stale: cargo run -p graphql --example sdl > schema.graphql"
    );
}

/// Collects everything without a description.
fn undescribed(path: &str, thing: &Value, bare: &mut Vec<String>) {
    let path = format!("{path}{}", thing["name"].as_str().unwrap());
    let description = thing["description"].as_str().unwrap_or_default();
    if description.trim().is_empty() {
        bare.push(path.clone());
    }
    for member in ["fields", "inputFields", "enumValues", "args"] {
        for inner in thing[member].as_array().into_iter().flatten() {
            undescribed(&format!("{path}."), inner, bare);
        }
    }
}

#[tokio::test]
async fn everything_has_a_description() {
    let query = "{ __schema { types { name description \
                 fields { name description args { name description } } \
                 inputFields { name description } enumValues { name description } } } }";
    let data = Harness::new().await.member(query).await.data();
    let types = data["__schema"]["types"].as_array().unwrap().iter();
    let ours = types.filter(|ty| !ty["name"].as_str().unwrap().starts_with("__"));
    let (mut seen, mut bare) = (0, Vec::new());
    for ty in ours {
        undescribed("", ty, &mut bare);
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
    assert_eq!(bare, Vec::<String>::new());
}
