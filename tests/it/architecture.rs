//! The folders draw the architecture; this is what holds the lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};
use testkit::files_under;

/// A crate, the crates of the house that it may depend on, and which others.
type Place = (&'static str, &'static [&'static str], Others);

#[derive(Clone, Copy)]
enum Others {
    /// These alone.
    RequestCriteria(&'static [&'static str]),
    /// Of the drivers, these alone; anything else.
    Drivers(&'static [&'static str]),
}

/// What talks to the outside: each belongs to somebody.
const DRIVERS: [&str; 27] = [
    "async-graphql",
    "axum",
    "deadpool-redis",
    "hyper",
    "hyper-util",
    "jsonwebtoken",
    "metrics",
    "metrics-exporter-prometheus",
    "oauth2",
    "opentelemetry",
    "opentelemetry-proto",
    "opentelemetry_sdk",
    "pdf-writer",
    "procfs",
    "prost",
    "redis",
    "reqwest",
    "rust-embed",
    "rustls",
    "sea-orm",
    "sea-orm-migration",
    "sqlx",
    "tower",
    "tower-http",
    "tracing-opentelemetry",
    "utoipa",
    "utoipa-axum",
    "utoipa-swagger-ui",
];

/// The crates of the house.
const HOUSE: [Place; 16] = [
    (
        "domain",
        &[],
        // csv, regex and roxmltree read text that is in memory already: no I/O, no driver.
        Others::RequestCriteria(&[
            "chrono",
            "chrono-tz",
            "csv",
            "hmac",
            "regex",
            "roxmltree",
            "sha2",
            "subtle",
            "thiserror",
            "uuid",
            "zeroize",
        ]),
    ),
    // futures: the contract suites alone (an optional dependency).
    (
        "ports",
        &["domain"],
        Others::RequestCriteria(&[
            "async-trait",
            "bytes",
            "chrono",
            "futures",
            "thiserror",
            "uuid",
        ]),
    ),
    (
        "application",
        &["domain", "ports"],
        Others::RequestCriteria(&[
            "async-trait",
            "bytes",
            "chrono",
            "futures",
            "moka",
            "thiserror",
            "tracing",
            "uuid",
        ]),
    ),
    // What the inbound adapters share, so that none of them knows another.
    (
        "web",
        &["domain", "ports"],
        Others::Drivers(&["axum", "utoipa"]),
    ),
    (
        "rest",
        &["domain", "ports", "web"],
        Others::Drivers(&[
            "axum",
            "tower",
            "utoipa",
            "utoipa-axum",
            "utoipa-swagger-ui",
        ]),
    ),
    (
        "graphql",
        &["domain", "ports", "web"],
        Others::Drivers(&["axum", "async-graphql"]),
    ),
    (
        "dashboard",
        &["domain", "ports", "web"],
        Others::Drivers(&["axum", "rust-embed"]),
    ),
    ("memory", &["domain", "ports"], Others::Drivers(&[])),
    (
        "store-seaorm",
        &["domain", "ports", "migrations"],
        Others::Drivers(&["sea-orm", "sqlx"]),
    ),
    (
        "limiter-redis",
        &["domain", "ports"],
        Others::Drivers(&["deadpool-redis"]),
    ),
    // hyper's errors say whether anything was answered.
    (
        "bank-portal",
        &["domain", "ports"],
        Others::Drivers(&["reqwest", "hyper"]),
    ),
    (
        "identity-oidc",
        &["domain", "ports"],
        Others::Drivers(&["jsonwebtoken", "oauth2", "reqwest"]),
    ),
    (
        "sandbox",
        &["domain"],
        Others::Drivers(&[
            "axum",
            "hyper",
            "hyper-util",
            "jsonwebtoken",
            "pdf-writer",
            "tower",
        ]),
    ),
    ("migrations", &[], Others::Drivers(&["sea-orm-migration"])),
    // For tests alone: nobody's dependency but theirs.
    ("testkit", &[], Others::Drivers(&[])),
    (
        "cep-gateway",
        &[
            "domain",
            "ports",
            "application",
            "web",
            "rest",
            "graphql",
            "dashboard",
            "memory",
            "store-seaorm",
            "limiter-redis",
            "bank-portal",
            "identity-oidc",
            "sandbox",
        ],
        // The accept loop, the one TLS provider, what operators measure, and traces.
        Others::Drivers(&[
            "axum",
            "hyper",
            "hyper-util",
            "metrics",
            "metrics-exporter-prometheus",
            "opentelemetry",
            "opentelemetry-proto",
            "opentelemetry_sdk",
            "procfs",
            "prost",
            "reqwest",
            "rustls",
            "tower",
            "tracing-opentelemetry",
        ]),
    ),
];

impl Others {
    fn allow(self, name: &str) -> bool {
        match self {
            Self::RequestCriteria(names) => names.contains(&name),
            Self::Drivers(own) => !DRIVERS.contains(&name) || own.contains(&name),
        }
    }
}

#[test]
fn every_crate_depends_on_what_its_place_allows() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let house: BTreeMap<_, _> = HOUSE
        .iter()
        .map(|(name, ours, others)| (*name, (*ours, *others)))
        .collect();
    let mut seen = 0;
    for package in &metadata.packages {
        let Some((ours, others)) = house.get(package.name.as_str()) else {
            // Benchmarks stand outside: they may use anything, and nothing may use them.
            assert_eq!(
                package.name.as_str(),
                "bench",
                "a crate without a place in the house"
            );
            continue;
        };
        seen += 1;
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind != DependencyKind::Development)
        {
            let name = dependency.name.as_str();
            let allowed = if house.contains_key(name) || name == "bench" {
                ours.contains(&name)
            } else {
                others.allow(name)
            };
            assert!(allowed, "{} must not depend on {name}", package.name);
        }
    }
    assert_eq!(seen, HOUSE.len(), "a crate of the house is missing");
}

#[test]
fn no_adapters_driver_is_shared_with_the_inside() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for inside in ["domain", "ports", "application"] {
        let package = metadata
            .packages
            .iter()
            .find(|package| package.name.as_str() == inside)
            .unwrap();
        for driver in [
            "tokio",
            "axum",
            "sea-orm",
            "redis",
            "reqwest",
            "serde",
            "serde_json",
        ] {
            let depends = package.dependencies.iter().any(|dependency| {
                dependency.name == driver && dependency.kind == DependencyKind::Normal
            });
            assert!(!depends, "{inside} must not depend on {driver}");
        }
    }
}

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

/// The texts of a module and of those in its folder.
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

/// A skipped test passes: only what it prints tells, and nextest hides that where it isn't asked to.
#[test]
fn what_may_be_skipped_is_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nextest = fs::read_to_string(root.join(".config/nextest.toml")).unwrap();
    let (_, shown) = nextest.split_once("test(/^(").unwrap();
    let (shown, _) = shown.split_once(")::/)").unwrap();
    let files = fs::read_dir(root.join("tests/it")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let modules = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let mut skipping: Vec<_> = modules
        .filter(|path| files_of(path).iter().any(|text| may_skip(text)))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    skipping.sort_unstable();
    assert_eq!(skipping.join("|"), shown);
}

/// Places of the product that open files, and why none of them is a file of the database.
const OPENING_FILES: [(&str, &str); 5] = [
    (
        "adapters/outbound/bank-portal/src/diagnosis.rs",
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
        "src/config/files.rs",
        "secrets, before anything is connected",
    ),
    ("src/secret.rs", "the generated secret"),
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
