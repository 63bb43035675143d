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
    fn on(platform: &str) -> Self {
        let filter = format!("--filter-platform={platform}");
        let mut command = MetadataCommand::new();
        command.other_options(["--locked".to_owned(), filter]);
        let metadata = command.exec().unwrap();
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
fn dependencies_have_licences_sources_and_versions_that_are_allowed() {
    let rules = rules();
    let allowed = strings(&rules["licenses"]["allow"]);
    let exceptions = of_crates(&rules["licenses"]["exceptions"], "allow");
    let banned = of_crates(&rules["bans"]["deny"], "wrappers");
    assert!(banned.len() > 3);
    let platforms = strings(&rules["graph"]["targets"]);
    assert!(!platforms.is_empty());
    for platform in platforms {
        let built = Built::on(&platform);
        let others = built.others();
        assert!(others.len() > 400);
        for package in others {
            assert_licence(package, &allowed, &exceptions);
            let source = package.source.as_ref().map(|it| it.repr.as_str());
            assert_eq!(source, Some(CRATES_IO), "{}", package.name);
        }
        let metadata = &built.metadata;
        let nodes = metadata.resolve.as_ref().unwrap().nodes.iter();
        for node in nodes.filter(|node| built.has(&metadata[&node.id])) {
            let user = &metadata[&node.id].name;
            let dependencies = node.deps.iter().map(|it| &metadata[&it.pkg]);
            for Package { name, .. } in dependencies.filter(|it| built.has(it)) {
                let ban = banned.iter().find(|(banned, _)| *banned == **name);
                let is_allowed = ban.is_none_or(|(_, users)| users.contains(user));
                assert!(is_allowed, "{name} of {user}");
            }
        }
        for package in metadata.workspace_packages() {
            let mut others = package.dependencies.iter().filter(|it| it.path.is_none());
            let open = others.find(|it| it.req == VersionReq::STAR);
            assert_eq!(open.map(|it| &it.name), None, "of {}", package.name);
        }
    }
}

/// Asserts that a package states a licence that all may have, or that it is excepted for.
fn assert_licence(package: &Package, allowed: &[String], exceptions: &[(String, Vec<String>)]) {
    let name = &package.name;
    let excepted = exceptions
        .iter()
        .filter(|(excepted, _)| *excepted == **name);
    let excepted = excepted.flat_map(|(_, licences)| licences);
    let allowed: Vec<_> = allowed.iter().chain(excepted).collect();
    let is_allowed = |licence: &LicenseReq| allowed.contains(&&licence.to_string());
    let stated = package.license.as_deref();
    let stated = stated.unwrap_or_else(|| panic!("{name} states no licence"));
    // Older crates write "MIT/Apache-2.0".
    let expression = Expression::parse_mode(stated, ParseMode::LAX).unwrap();
    assert!(expression.evaluate(is_allowed), "{name}: {stated}");
}
