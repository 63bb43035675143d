//! Dependencies between the crates, and on drivers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};
use regex::Regex;

/// Crates that do I/O or speak a protocol: each belongs to certain crates of the workspace.
const DRIVERS: &str = "async-graphql async-graphql-axum axum deadpool-redis hyper hyper-util jsonwebtoken metrics \
    metrics-exporter-prometheus oauth2 opentelemetry opentelemetry-proto opentelemetry_sdk pdf-writer procfs prost \
    redis reqwest rust-embed rustls sea-orm sea-orm-migration sqlx tower tower-http tracing-opentelemetry utoipa \
    utoipa-axum utoipa-swagger-ui";

/// Benchmarks and programs beside the gateway are outside of the product: they may depend on anything,
/// and nothing may depend on them.
const OUTSIDE: [&str; 2] = ["bench", "seal-keys"];

/// Crates without I/O, of which all dependencies are listed.
const INNER: [&str; 3] = ["domain", "ports", "application"];

/// The crates of the workspace, and those that each may depend on: of the workspace's and of [`DRIVERS`] these alone,
/// and any others unless it is an inner crate.
const WORKSPACE: [(&str, &str); 23] = [
    // csv, regex, roxmltree, strsim and url read text that is in memory already: no I/O, no driver.
    (
        "domain",
        "base64 chrono chrono-tz csv hkdf hmac regex roxmltree sha2 strsim strum subtle thiserror url uuid zeroize",
    ),
    // futures: the contract suites alone (an optional dependency).
    (
        "ports",
        "domain async-lock async-trait bytes chrono futures thiserror uuid",
    ),
    (
        "application",
        "domain ports async-lock async-trait bytes chrono futures metrics moka thiserror tracing uuid",
    ),
    // Shared by the inbound adapters, so that none of them depends on another. Its views are those of both APIs.
    ("web", "domain ports application async-graphql axum utoipa"),
    (
        "rest",
        "domain ports application web axum tower utoipa utoipa-axum utoipa-swagger-ui",
    ),
    (
        "graphql",
        "domain ports application web axum async-graphql async-graphql-axum",
    ),
    ("dashboard", "domain ports application web axum rust-embed"),
    ("memory", "domain ports"),
    ("store-seaorm", "domain ports migrations sea-orm sqlx"),
    ("limiter-redis", "domain ports deadpool-redis"),
    ("pdf-text", "domain ports"),
    ("receipt-files", "domain ports"),
    ("workbook-files", "domain ports"),
    ("zip-files", "domain ports"),
    // hyper's errors tell whether the server sent any part of an answer.
    ("bank-portal", "domain ports metrics reqwest hyper"),
    ("identity-oidc", "domain ports jsonwebtoken oauth2 reqwest"),
    ("seal-rsa", "domain ports"),
    ("cipher-aes", "domain ports"),
    ("webhook-http", "domain ports reqwest"),
    (
        "sandbox",
        "domain axum hyper hyper-util jsonwebtoken pdf-writer tower",
    ),
    ("migrations", "sea-orm-migration"),
    // Test support: a dev-dependency only.
    (
        "testkit",
        "domain ports application memory cipher-aes sandbox zip-files axum",
    ),
    // The accept loop, the one TLS provider, metrics and traces.
    (
        "cep-gateway",
        "domain ports application web rest graphql dashboard memory store-seaorm limiter-redis bank-portal \
         identity-oidc seal-rsa cipher-aes pdf-text receipt-files workbook-files zip-files webhook-http sandbox axum hyper hyper-util metrics \
         metrics-exporter-prometheus opentelemetry opentelemetry-proto opentelemetry_sdk procfs prost reqwest rustls \
         tower tracing-opentelemetry",
    ),
];

/// Returns whether a name is one of those in a text.
fn has(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|it| it == name)
}

/// Fakes and contract suites belong to tests: the gateway links neither.
#[test]
fn every_crate_depends_only_on_what_it_may() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let workspace = BTreeMap::from(WORKSPACE);
    let mut seen = 0;
    for package in &metadata.packages {
        let user = package.name.as_str();
        let allowed = workspace.get(user);
        assert!(
            allowed.is_some() || OUTSIDE.contains(&user),
            "{user} has no place"
        );
        seen += usize::from(allowed.is_some());
        let dependencies = package.dependencies.iter();
        for dependency in dependencies.filter(|it| it.kind != DependencyKind::Development) {
            let name = dependency.name.as_str();
            if let Some(allowed) = allowed {
                let is_ours = workspace.contains_key(name) || OUTSIDE.contains(&name);
                let is_listed = is_ours || has(DRIVERS, name) || INNER.contains(&user);
                assert!(
                    !is_listed || has(allowed, name),
                    "{user} must not depend on {name}"
                );
            }
            let has_suites = dependency.features.iter().any(|it| it == "contract");
            let is_test_support = ["testkit", "bench"].contains(&name) || has_suites;
            let may = ["testkit", "bench"].contains(&user);
            assert!(
                may || !is_test_support,
                "{user} links {name} with suites or fakes"
            );
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
