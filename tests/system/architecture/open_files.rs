//! Places that open files.

use std::fs;
use std::path::Path;

use testkit::files_under;

/// Product files that open files, with the reason why none of those is a file of the database.
const OPENING_FILES: [(&str, &str); 9] = [
    (
        "adapters/outbound/bank-portal/src/diagnostics.rs",
        "pages in a folder of their own",
    ),
    (
        "adapters/outbound/store-seaorm/src/connection/sqlite/create.rs",
        "creates the database's file before the process connects to it, once",
    ),
    (
        "adapters/outbound/store-seaorm/src/connection/sqlite/serving_lock.rs",
        "a file beside the database, kept open while the process serves",
    ),
    (
        "src/commands/participants.rs",
        "a list that the operator names, before it is imported",
    ),
    (
        "src/commands/seals.rs",
        "an institution's certificate, and the export of samples, where the operator says",
    ),
    (
        "src/commands/verify.rs",
        "proofs that somebody names, to be checked",
    ),
    (
        "src/config/secret.rs",
        "secrets, before anything is connected",
    ),
    ("src/private_files.rs", "the generated secret, to read it"),
    ("src/secret.rs", "the generated secret, to make it"),
];

/// Closing any descriptor of a file drops all POSIX locks of the process on it, those of SQLite's
/// connections too: nothing but SQLite opens the files of a database.
#[test]
fn places_that_open_files_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = [
        "adapters",
        "application",
        "domain",
        "migrations",
        "ports",
        "sandbox",
        "src",
    ];
    let files = crates
        .into_iter()
        .flat_map(|name| files_under(&root.join(name)));
    let mut opening = Vec::new();
    for path in files {
        let place = path.strip_prefix(root).unwrap().display().to_string();
        let is_product = !place.contains("/tests/") && !place.contains("/examples/");
        if !is_product || path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let product = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let opens = [
            "File::open",
            "File::create",
            "File::options",
            "OpenOptions",
            "fs::read(",
            "fs::read_to_string",
            "fs::write",
            "fs::copy",
            "fs::rename",
            "fs::hard_link",
            "tokio::fs",
        ];
        if opens.iter().any(|open| product.contains(open)) {
            opening.push(place);
        }
    }
    assert_eq!(opening, OPENING_FILES.map(|(place, _)| place));
}
