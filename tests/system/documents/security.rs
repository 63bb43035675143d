//! The page of threats names tests; each of them exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::ROOT;
use crate::architecture::sources;

/// Names of the functions of a source file.
fn functions(source: &str) -> impl Iterator<Item = &str> {
    let definitions = source.split("fn ").skip(1);
    definitions.filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        Some(&rest[..end])
    })
}

#[test]
fn every_test_that_the_page_of_threats_names_exists() {
    let crates = ["adapters", "application", "domain", "ports", "src", "tests"];
    let sources: Vec<_> = crates.into_iter().flat_map(sources).collect();
    let known: BTreeSet<_> = sources.iter().flat_map(|(_, it)| functions(it)).collect();

    let page = fs::read_to_string(Path::new(ROOT).join("docs/security.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<_> = rows.skip(1).collect();
    assert!(rows.len() >= 48, "{} threats", rows.len());
    for row in rows {
        let tests = row.split(" | ").nth(2).unwrap();
        let names: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        let is_of_the_pipeline = row.contains("`.ci/run`");
        assert!(!names.is_empty() || is_of_the_pipeline, "no test: {row}");
        for name in names {
            assert!(known.contains(name), "no test is called {name}: {row}");
        }
    }
}
