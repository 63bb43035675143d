//! The schema: checked in, described in full, and fitting the examples.

use std::path::{Path, PathBuf};

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(path)
}

/// To accept a change: `UPDATE_SCHEMA=1 cargo test -p graphql the_schema_is_the_one_checked_in`.
#[test]
fn the_schema_is_the_one_checked_in() {
    let path = repository("schema.graphql");
    let generated = graphql::schema_sdl();
    if option_env!("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == generated, "schema.graphql has drifted");
}
