//! Tests that are skipped where a server, a browser or a program is missing.

use std::fs;
use std::path::Path;

/// The statement by which a test is skipped.
const SKIPS: [&str; 2] = [
    "else {\n        return;\n    };",
    "]) {\n        return;\n    }",
];

/// Finds tests that are skipped where a server, a browser or a program is missing.
fn may_skip(module: &str) -> bool {
    let mut tests = ["\n#[test]", "\n#[tokio::test", "\n#[rstest]"].into_iter();
    tests.any(|test| module.contains(test)) && SKIPS.iter().any(|skip| module.contains(skip))
}

/// The texts of a module and of its submodules.
fn files_of(module: &Path) -> Vec<String> {
    let folder = fs::read_dir(module.with_extension(""))
        .into_iter()
        .flatten();
    let files = folder.map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let files = files.chain([module.to_owned()]);
    files
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// A skipped test passes: only its output tells, and nextest hides that unless it is configured to
/// show it.
#[test]
fn output_of_tests_that_may_be_skipped_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nextest = fs::read_to_string(root.join(".config/nextest.toml")).unwrap();
    let (_, shown) = nextest.split_once("test(/^(").unwrap();
    let (shown, _) = shown.split_once(")::/)").unwrap();
    let files = fs::read_dir(root.join("tests/system")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let modules = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let mut skipping: Vec<_> = modules
        .filter(|path| files_of(path).iter().any(|text| may_skip(text)))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    skipping.sort_unstable();
    assert_eq!(skipping.join("|"), shown);
}
