//! Circles: files of a crate that use each other, so that none can be read or moved alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cargo_metadata::MetadataCommand;
use cargo_metadata::camino::Utf8Path;
use regex::Regex;

use super::sources;

/// A module's names from the crate's root on.
type Module = Vec<String>;

/// Reads the modules of a source folder, a file each, without comments and inline modules (tests).
fn modules(source: &Utf8Path) -> BTreeMap<Module, String> {
    let omitted = Regex::new(r"//.*|(?m)^(?:pub\S* )?mod \w+ \{\n(?s:.*?)^\}").unwrap();
    let mut modules = BTreeMap::<Module, String>::new();
    for (path, text) in sources(source.as_str()) {
        let names = path.strip_prefix(source).unwrap().with_extension("");
        let names = names.iter().map(|name| name.to_str().unwrap().to_owned());
        let names: Module = names.filter(|it| it != "lib" && it != "main").collect();
        if !names.contains(&"tests".to_owned()) {
            let code = modules.entry(names).or_default();
            code.push_str(&omitted.replace_all(&text, ""));
        }
    }
    modules
}

/// A path from the crate's root or from a parent, with its items in braces.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(crate|super)((?:::super)*)((?:::\w+)*)(?:::(\{[^;]*))?").unwrap()
});
static ITEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[{,]\s*([\w:]+)").unwrap());

/// A visibility, which names a module and uses nothing of it.
static VISIBILITY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bpub\((?:in )?[\w:]+\)").unwrap());
static CHILD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^(?:pub )?mod (\w+);").unwrap());

/// Crates in which nothing that a module uses may use the module. In others a module and its children may use each
/// other.
const STRICT: [&str; 1] = ["cep-gateway"];

/// Returns the children that a module uses.
fn children(module: &[String], code: &str) -> Vec<Module> {
    let code = VISIBILITY.replace_all(code, "pub");
    let declared = CHILD.captures_iter(&code).map(|it| it[1].to_owned());
    let is_used = |child: &String| {
        let path = Regex::new(&format!(r"(?:^|[^\w:]){child}::")).unwrap();
        path.is_match(&code)
    };
    let used = declared.filter(is_used);
    used.map(|child| [module, &[child]].concat()).collect()
}

/// Returns the paths that a module names from the crate's root or from a parent.
fn paths(module: &[String], code: &str) -> Vec<Module> {
    let code = VISIBILITY.replace_all(code, "pub");
    let names = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let mut paths = Vec::new();
    for found in PATH.captures_iter(&code) {
        let parents = usize::from(&found[1] == "super") + found[2].matches("super").count();
        let depth = if parents == 0 {
            0
        } else {
            module.len() - parents
        };
        let prefix = [&module[..depth], &names(&found[3])[1..]].concat();
        let Some(items) = found.get(4) else {
            paths.push(prefix);
            continue;
        };
        for item in ITEM.captures_iter(items.as_str()) {
            paths.push([&prefix[..], &names(&item[1])].concat());
        }
    }
    paths
}

/// Returns the modules that are in a circle, or between two.
fn in_circles(modules: &BTreeMap<Module, String>, is_strict: bool) -> BTreeSet<&Module> {
    let mut edges = BTreeSet::new();
    for (module, code) in modules {
        let mut used = paths(module, code);
        if is_strict {
            used.extend(children(module, code));
        }
        for path in used {
            let mut prefixes = (0..=path.len()).rev().map(|length| &path[..length]);
            let target = prefixes.find_map(|prefix| modules.get_key_value(prefix));
            let target = target.map(|(target, _)| target);
            edges.extend(target.filter(|it| *it != module).map(|it| (module, it)));
        }
    }
    // An edge into a module without any out of it, or the other way round, is in no circle.
    loop {
        let sources: BTreeSet<_> = edges.iter().map(|(source, _)| *source).collect();
        let targets: BTreeSet<_> = edges.iter().map(|(_, target)| *target).collect();
        let before = edges.len();
        edges.retain(|(source, target)| targets.contains(source) && sources.contains(target));
        if edges.len() == before {
            return sources;
        }
    }
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for package in metadata.packages {
        let modules = modules(&package.manifest_path.with_file_name("src"));
        let circles = in_circles(&modules, STRICT.contains(&package.name.as_str()));
        assert_eq!(circles, BTreeSet::new(), "of {}", package.name);
    }
}
