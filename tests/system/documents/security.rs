//! The page of threats names tests; each of them exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use testkit::files_under;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = ["adapters", "application", "domain", "ports", "src", "tests"];
    let files = crates
        .into_iter()
        .flat_map(|name| files_under(&root.join(name)));
    let sources = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let sources: Vec<_> = sources
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let known: BTreeSet<_> = sources
        .iter()
        .flat_map(|source| functions(source))
        .collect();

    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let rows: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1)
        .collect();
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
