//! Places that open files.

use regex::Regex;

use super::sources;

/// Product files that open files, with the reason why none of those is a file of the database.
const OPENING_FILES: [&str; 9] = [
    // Pages in a folder of their own.
    "adapters/outbound/bank-portal/src/diagnostics.rs",
    // Creates the database's file before the process connects to it, once.
    "adapters/outbound/store-seaorm/src/connection/sqlite/create.rs",
    // A file beside the database, kept open while the process serves.
    "adapters/outbound/store-seaorm/src/connection/sqlite/serving_lock.rs",
    // A list that the operator names, before it is imported.
    "src/commands/participants.rs",
    // An institution's certificate, and the export of samples, where the operator says.
    "src/commands/seals.rs",
    // Proofs that somebody names, to be checked.
    "src/commands/verify.rs",
    // Secrets, before anything is connected.
    "src/config/secret.rs",
    // The generated secret, to read it.
    "src/private_files.rs",
    // The generated secret, to make it.
    "src/secret.rs",
];

/// Closing any descriptor of a file drops all POSIX locks of the process on it, those of SQLite's
/// connections too: nothing but SQLite opens the files of a database.
#[test]
fn places_that_open_files_are_known() {
    let opened = r"File::(open|create|options)|OpenOptions|tokio::fs";
    let by_path = r"\bfs::(read\(|read_to_string|write|copy|rename|hard_link)";
    let opens = Regex::new(&format!("{opened}|{by_path}")).unwrap();
    let mut opening = Vec::new();
    let crates = "adapters application domain migrations ports sandbox src";
    for (path, text) in crates.split(' ').flat_map(sources) {
        let root = env!("CARGO_MANIFEST_DIR");
        let place = path.strip_prefix(root).unwrap().display().to_string();
        let is_product = !place.contains("/tests/") && !place.contains("/examples/");
        let product = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        if is_product && opens.is_match(product) {
            opening.push(place);
        }
    }
    assert_eq!(opening, OPENING_FILES);
}
