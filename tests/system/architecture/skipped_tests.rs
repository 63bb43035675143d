//! Tests that are skipped where a server, a browser or a program is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::sources;

/// The statements by which a test is skipped.
const SKIPS: [&str; 3] = [
    "else { return };\n",
    "else {\n        return;\n    };",
    "]) {\n        return;\n    }",
];

/// Finds tests that are skipped where a server, a browser or a program is missing.
fn may_skip(module: &str) -> bool {
    let mut tests = ["\n#[test]", "\n#[tokio::test", "\n#[rstest]"].into_iter();
    tests.any(|test| module.contains(test)) && SKIPS.iter().any(|skip| module.contains(skip))
}

/// A skipped test passes: only its output tells, and nextest hides that unless it is configured to
/// show it.
#[test]
fn output_of_tests_that_may_be_skipped_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nextest = fs::read_to_string(root.join(".config/nextest.toml")).unwrap();
    let (_, shown) = nextest.split_once("test(/^(").unwrap();
    let (shown, _) = shown.split_once(")::/)").unwrap();
    let folder = root.join("tests/system");
    let skipping = sources("tests/system").into_iter();
    let skipping = skipping.filter(|(_, text)| may_skip(text));
    let skipping: BTreeSet<_> = skipping
        .map(|(path, _)| path.strip_prefix(&folder).unwrap().with_extension(""))
        .map(|module| module.iter().next().unwrap().to_str().unwrap().to_owned())
        .collect();
    let skipping: Vec<_> = skipping.into_iter().collect();
    assert_eq!(skipping.join("|"), shown);
}
