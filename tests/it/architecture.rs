//! The folders draw the architecture; this is what holds the lines.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// A crate, the crates of the house that it may depend on, and which others; `None`: any.
type Place = (
    &'static str,
    &'static [&'static str],
    Option<&'static [&'static str]>,
);

/// The crates of the house.
const HOUSE: [Place; 10] = [
    (
        "domain",
        &[],
        // csv, regex and roxmltree read text that is in memory already: no I/O, no driver.
        Some(&[
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
        Some(&[
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
        Some(&[
            "async-trait",
            "bytes",
            "chrono",
            "futures",
            "moka",
            "tracing",
            "uuid",
        ]),
    ),
    ("rest", &["domain", "ports"], None),
    ("memory", &["domain", "ports"], None),
    ("store-seaorm", &["domain", "ports", "migrations"], None),
    ("bank-portal", &["domain", "ports"], None),
    ("sandbox", &["domain"], None),
    ("migrations", &[], None),
    (
        "cep-gateway",
        &[
            "domain",
            "ports",
            "application",
            "rest",
            "memory",
            "store-seaorm",
            "bank-portal",
            "sandbox",
        ],
        None,
    ),
];

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
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
        {
            let name = dependency.name.as_str();
            let allowed = if house.contains_key(name) || name == "bench" {
                ours.contains(&name)
            } else {
                others.is_none_or(|others| others.contains(&name))
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
