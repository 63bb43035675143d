//! Licences, sources and banned crates among the dependencies, by the rules of `deny.toml`. `cargo deny` reads the
//! same file, and needs more time to be built than these checks take.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use cargo_metadata::semver::VersionReq;
use cargo_metadata::{Metadata, MetadataCommand, Package};
use spdx::{Expression, LicenseReq, ParseMode};
use toml_edit::{DocumentMut, Item};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn rules() -> DocumentMut {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    fs::read_to_string(path).unwrap().parse().unwrap()
}

/// The strings of a list.
fn strings(list: &Item) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// A list of tables: the crate that each is about, and another member's strings.
fn of_crates(list: &Item, member: &str) -> Vec<(String, Vec<String>)> {
    let list = list.as_array().unwrap().iter();
    let tables = list.map(|it| it.as_inline_table().unwrap());
    let of_crate = |it: &toml_edit::InlineTable| {
        let strings = it.get(member).and_then(toml_edit::Value::as_array);
        let strings = strings.into_iter().flatten();
        let strings = strings.map(|it| it.as_str().unwrap().to_owned());
        (it["crate"].as_str().unwrap().to_owned(), strings.collect())
    };
    tables.map(of_crate).collect()
}

/// What programs are made of on a platform.
struct Built {
    metadata: Metadata,
    /// Names and versions. The metadata has packages of tests, too, and of features that nothing turns on.
    packages: BTreeSet<(String, String)>,
}

impl Built {
    fn on_each_platform(rules: &DocumentMut) -> Vec<Self> {
        let platforms = strings(&rules["graph"]["targets"]);
        assert!(!platforms.is_empty());
        platforms.iter().map(|it| Self::on(it)).collect()
    }

    fn on(platform: &str) -> Self {
        let options = [
            "--locked".to_owned(),
            format!("--filter-platform={platform}"),
        ];
        let mut command = MetadataCommand::new();
        let metadata = command.other_options(options).exec().unwrap();
        let listed = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--workspace", "--edges=normal,build"])
            .args(["--prefix=none", "--format={p}", "--target", platform])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(listed.status.success(), "cargo tree failed");
        let listed = String::from_utf8(listed.stdout).unwrap();
        let package = |line: &str| {
            let (name, rest) = line.split_once(" v")?;
            let version = rest.split(' ').next()?;
            Some((name.to_owned(), version.to_owned()))
        };
        let packages = listed.lines().filter_map(package).collect();
        Self { metadata, packages }
    }

    fn has(&self, package: &Package) -> bool {
        let Package { name, version, .. } = package;
        let package = (name.to_string(), version.to_string());
        self.packages.contains(&package)
    }

    /// The packages that aren't the workspace's.
    fn others(&self) -> Vec<&Package> {
        let all = self.metadata.packages.iter();
        let is_other = |it: &&Package| !self.metadata.workspace_members.contains(&it.id);
        all.filter(|it| self.has(it)).filter(is_other).collect()
    }
}

#[test]
fn dependencies_have_licences_that_are_allowed() {
    let rules = rules();
    let allowed = strings(&rules["licenses"]["allow"]);
    let exceptions = of_crates(&rules["licenses"]["exceptions"], "allow");
    for built in Built::on_each_platform(&rules) {
        assert!(built.others().len() > 400);
        for package in built.others() {
            let excepted = exceptions.iter().filter(|(name, _)| *name == *package.name);
            let excepted = excepted.flat_map(|(_, licences)| licences);
            let allowed: Vec<_> = allowed.iter().chain(excepted).collect();
            let is_allowed = |licence: &LicenseReq| {
                let licence = licence.to_string();
                allowed.iter().any(|it| **it == licence)
            };
            let stated = package.license.as_deref();
            let stated = stated.unwrap_or_else(|| panic!("{} states no licence", package.name));
            // Older crates write "MIT/Apache-2.0".
            let expression = Expression::parse_mode(stated, ParseMode::LAX).unwrap();
            assert!(
                expression.evaluate(is_allowed),
                "{}: {stated}",
                package.name
            );
        }
    }
}

#[test]
fn dependencies_come_from_the_registry() {
    for built in Built::on_each_platform(&rules()) {
        for package in built.others() {
            let source = package.source.as_ref().map(|it| it.repr.as_str());
            assert_eq!(source, Some(CRATES_IO), "{}", package.name);
        }
    }
}

#[test]
fn no_crate_is_used_that_is_banned_and_no_version_is_open() {
    let rules = rules();
    let banned = of_crates(&rules["bans"]["deny"], "wrappers");
    assert!(banned.len() > 3);
    for built in Built::on_each_platform(&rules) {
        let metadata = &built.metadata;
        for node in &metadata.resolve.as_ref().unwrap().nodes {
            let package = &metadata[&node.id];
            if !built.has(package) {
                continue;
            }
            let dependencies = node.deps.iter().map(|it| &metadata[&it.pkg]);
            for Package { name, .. } in dependencies.filter(|it| built.has(it)) {
                let ban = banned.iter().find(|(banned, _)| *banned == **name);
                let is_allowed = ban.is_none_or(|(_, users)| users.contains(&package.name));
                assert!(is_allowed, "{name} of {}", package.name);
            }
        }
        for package in metadata.workspace_packages() {
            let mut others = package.dependencies.iter().filter(|it| it.path.is_none());
            let open = others.find(|it| it.req == VersionReq::STAR);
            assert_eq!(open.map(|it| &it.name), None, "of {}", package.name);
        }
    }
}
