//! Rules of the architecture: dependencies between crates, skipped tests, and places that open
//! files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};
use testkit::files_under;

/// A crate, the workspace's crates that it may depend on, and the allowed external crates.
type Place = (&'static str, &'static [&'static str], Others);

#[derive(Clone, Copy)]
enum Others {
    /// These alone.
    Only(&'static [&'static str]),
    /// Of [`DRIVERS`] these alone; any other crate.
    Drivers(&'static [&'static str]),
}

/// Crates that do I/O or speak a protocol: each belongs to certain crates of the workspace.
const DRIVERS: [&str; 29] = [
    "async-graphql",
    "async-graphql-axum",
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

/// The crates of the workspace.
const WORKSPACE: [Place; 16] = [
    (
        "domain",
        &[],
        // csv, regex and roxmltree read text that is in memory already: no I/O, no driver.
        Others::Only(&[
            "chrono",
            "chrono-tz",
            "csv",
            "hmac",
            "regex",
            "roxmltree",
            "sha2",
            "strum",
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
        Others::Only(&[
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
        Others::Only(&[
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
    // Shared by the inbound adapters, so that none of them depends on another.
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
        Others::Drivers(&["axum", "async-graphql", "async-graphql-axum"]),
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
    // hyper's errors tell whether the server sent any part of an answer.
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
    // Test support: a dev-dependency only.
    ("testkit", &["domain", "ports"], Others::Drivers(&[])),
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
        // The accept loop, the one TLS provider, metrics and traces.
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
            Self::Only(names) => names.contains(&name),
            Self::Drivers(own) => !DRIVERS.contains(&name) || own.contains(&name),
        }
    }
}

#[test]
fn every_crate_depends_only_on_what_it_may() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let workspace: BTreeMap<_, _> = WORKSPACE
        .iter()
        .map(|(name, ours, others)| (*name, (*ours, *others)))
        .collect();
    let mut seen = 0;
    for package in &metadata.packages {
        let Some((ours, others)) = workspace.get(package.name.as_str()) else {
            // Benchmarks are outside of the product: they may depend on anything, and nothing may
            // depend on them.
            assert_eq!(
                package.name.as_str(),
                "bench",
                "a crate without a place in the workspace"
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
            let allowed = if workspace.contains_key(name) || name == "bench" {
                ours.contains(&name)
            } else {
                others.allow(name)
            };
            assert!(allowed, "{} must not depend on {name}", package.name);
        }
    }
    assert_eq!(seen, WORKSPACE.len(), "a crate of the workspace is missing");
}

/// Fakes and contract suites belong to tests: the gateway links neither.
#[test]
fn no_production_crate_depends_on_test_support() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let is_test_support = |name: &str| ["testkit", "bench"].contains(&name);
    let production = metadata.packages.iter();
    for package in production.filter(|package| !is_test_support(&package.name)) {
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind != DependencyKind::Development)
        {
            let name = dependency.name.as_str();
            assert!(!is_test_support(name), "{} links {name}", package.name);
            let contracts = dependency.features.iter().any(|it| it == "contract");
            assert!(!contracts, "{} links contract suites", package.name);
        }
    }
}

#[test]
fn the_inner_crates_depend_on_no_driver() {
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

/// Inbound and outbound ports share a vocabulary, the domain's: neither side takes records from the
/// other.
#[test]
fn neither_side_of_the_ports_names_the_other() {
    let ports = Path::new(env!("CARGO_MANIFEST_DIR")).join("ports/src");
    for (side, other) in [("inbound", "outbound"), ("outbound", "inbound")] {
        let files = files_under(&ports.join(side));
        let files = files
            .into_iter()
            .chain([ports.join(side).with_extension("rs")]);
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains(other), "{} names {other}", path.display());
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

/// Product files that open files, with the reason why none of those is a file of the database.
const OPENING_FILES: [(&str, &str); 5] = [
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
        "src/config/secret.rs",
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
