//! Dependencies between the crates, on drivers, and between the two sides of the ports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::{Dependency, DependencyKind, MetadataCommand, Package};
use regex::Regex;
use testkit::files_under;

use self::Others::{Drivers, Only};

/// A crate, the workspace's crates that it may depend on, and the allowed external crates; names in one text.
type Place = (&'static str, &'static str, Others);

#[derive(Clone, Copy)]
enum Others {
    /// These alone.
    Only(&'static str),
    /// Of [`DRIVERS`] these alone; any other crate.
    Drivers(&'static str),
}

/// Crates that do I/O or speak a protocol: each belongs to certain crates of the workspace.
const DRIVERS: &str = "async-graphql async-graphql-axum axum deadpool-redis hyper hyper-util jsonwebtoken metrics \
    metrics-exporter-prometheus oauth2 opentelemetry opentelemetry-proto opentelemetry_sdk pdf-writer procfs prost \
    redis reqwest rust-embed rustls sea-orm sea-orm-migration sqlx tower tower-http tracing-opentelemetry utoipa \
    utoipa-axum utoipa-swagger-ui";

/// Benchmarks and programs beside the gateway are outside of the product: they may depend on anything,
/// and nothing may depend on them.
const OUTSIDE: [&str; 2] = ["bench", "seal-keys"];

/// The crates of the workspace.
const WORKSPACE: [Place; 21] = [
    // csv, regex, roxmltree, strsim and url read text that is in memory already: no I/O, no driver.
    (
        "domain",
        "",
        Only(
            "base64 chrono chrono-tz csv hkdf hmac regex roxmltree sha2 strsim strum subtle thiserror url uuid zeroize",
        ),
    ),
    // futures: the contract suites alone (an optional dependency).
    (
        "ports",
        "domain",
        Only("async-lock async-trait bytes chrono futures thiserror uuid"),
    ),
    (
        "application",
        "domain ports",
        Only("async-lock async-trait bytes chrono futures moka thiserror tracing uuid"),
    ),
    // Shared by the inbound adapters, so that none of them depends on another.
    ("web", "domain ports", Drivers("axum utoipa")),
    (
        "rest",
        "domain ports web",
        Drivers("axum tower utoipa utoipa-axum utoipa-swagger-ui"),
    ),
    (
        "graphql",
        "domain ports web",
        Drivers("axum async-graphql async-graphql-axum"),
    ),
    ("dashboard", "domain ports web", Drivers("axum rust-embed")),
    ("memory", "domain ports", Drivers("")),
    (
        "store-seaorm",
        "domain ports migrations",
        Drivers("sea-orm sqlx"),
    ),
    ("limiter-redis", "domain ports", Drivers("deadpool-redis")),
    ("pdf-text", "domain ports", Drivers("")),
    ("zip-files", "domain ports", Drivers("")),
    // hyper's errors tell whether the server sent any part of an answer.
    ("bank-portal", "domain ports", Drivers("reqwest hyper")),
    (
        "identity-oidc",
        "domain ports",
        Drivers("jsonwebtoken oauth2 reqwest"),
    ),
    ("seal-rsa", "domain ports", Drivers("")),
    ("cipher-aes", "domain ports", Drivers("")),
    ("webhook-http", "domain ports", Drivers("reqwest")),
    (
        "sandbox",
        "domain",
        Drivers("axum hyper hyper-util jsonwebtoken pdf-writer tower"),
    ),
    ("migrations", "", Drivers("sea-orm-migration")),
    // Test support: a dev-dependency only.
    (
        "testkit",
        "domain ports application memory cipher-aes sandbox zip-files",
        Drivers("axum"),
    ),
    // The accept loop, the one TLS provider, metrics and traces.
    (
        "cep-gateway",
        "domain ports application web rest graphql dashboard memory store-seaorm limiter-redis bank-portal \
         identity-oidc seal-rsa cipher-aes pdf-text zip-files webhook-http sandbox",
        Others::Drivers(
            "axum hyper hyper-util metrics metrics-exporter-prometheus opentelemetry opentelemetry-proto \
             opentelemetry_sdk procfs prost reqwest rustls tower tracing-opentelemetry",
        ),
    ),
];

/// Returns whether a name is one of those in a text.
fn has(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|it| it == name)
}

impl Others {
    fn allow(self, name: &str) -> bool {
        match self {
            Self::Only(names) => has(names, name),
            Self::Drivers(own) => !has(DRIVERS, name) || has(own, name),
        }
    }
}

/// The dependencies of a package but those of its tests.
fn linked(package: &Package) -> impl Iterator<Item = &Dependency> {
    let dependencies = package.dependencies.iter();
    dependencies.filter(|dependency| dependency.kind != DependencyKind::Development)
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
            let name = package.name.as_str();
            assert!(OUTSIDE.contains(&name), "{name} has no place");
            continue;
        };
        seen += 1;
        for dependency in linked(package) {
            let name = dependency.name.as_str();
            let allowed = if workspace.contains_key(name) || OUTSIDE.contains(&name) {
                has(ours, name)
            } else {
                others.allow(name)
            };
            assert!(allowed, "{} must not depend on {name}", package.name);
        }
    }
    assert_eq!(seen, WORKSPACE.len(), "a crate of the workspace is missing");
}

/// Returns the names of a package and of all that it depends on, of tests and of all platforms too.
fn dependency_tree(package: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    // A package's own name, then the names of its dependencies.
    let name = Regex::new(r#"(?m)^(?:name = | )"([^" ]+)"#).unwrap();
    let mut dependencies = BTreeMap::<_, BTreeSet<_>>::new();
    for entry in lock.split("[[package]]\n").skip(1) {
        let mut names = name.captures_iter(entry).map(|it| it[1].to_owned());
        let package = names.next().unwrap();
        dependencies.entry(package).or_default().extend(names);
    }
    let mut tree = BTreeSet::new();
    let mut open = vec![package.to_owned()];
    while let Some(name) = open.pop() {
        if tree.insert(name.clone()) {
            open.extend(dependencies[&name].iter().cloned());
        }
    }
    tree
}

/// The arithmetic of the recovery of keys is under the LGPL-3.0: it stays in a program of its own.
#[test]
fn the_gateway_is_built_without_the_arithmetic_of_the_recovery() {
    let arithmetic = ["malachite-base", "malachite-nz"];
    let gateway = dependency_tree("cep-gateway");
    assert!(gateway.contains("domain") && gateway.contains("aws-lc-rs"));
    let recovery = dependency_tree("seal-keys");
    for name in arithmetic {
        assert!(recovery.contains(name), "seal-keys is built without {name}");
        assert!(!gateway.contains(name), "the gateway links {name}");
    }
    assert!(!gateway.contains("seal-keys"));
}

/// Fakes and contract suites belong to tests: the gateway links neither.
#[test]
fn no_production_crate_depends_on_test_support() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let is_test_support = |name: &str| ["testkit", "bench"].contains(&name);
    let production = metadata.packages.iter();
    for package in production.filter(|package| !is_test_support(&package.name)) {
        for dependency in linked(package) {
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
        let mut packages = metadata.packages.iter();
        let package = packages.find(|package| *package.name == *inside).unwrap();
        let drivers = "tokio axum sea-orm redis reqwest serde serde_json";
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let is_driver = dependency.kind == DependencyKind::Normal && has(drivers, name);
            assert!(!is_driver, "{inside} must not depend on {name}");
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
