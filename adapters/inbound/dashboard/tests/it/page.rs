//! Rules for the page's sources: nothing inline, nothing from other hosts, a licence for everything.

use std::fs;
use std::path::{Path, PathBuf};

use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use domain::proofs::check::MAX_FILE_BYTES;
use domain::request::RequestId;
use regex::Regex;
use testkit::files_under;

pub(crate) fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
}

/// All files of the page, by their names within it.
fn files() -> Vec<String> {
    let name = |path: PathBuf| {
        let name = path.strip_prefix(page()).unwrap();
        name.to_str().unwrap().replace('\\', "/")
    };
    let mut names: Vec<_> = files_under(&page()).into_iter().map(name).collect();
    names.sort();
    names
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(page().join(name)).unwrap()
}

fn ending_with(endings: &[&str]) -> Vec<(String, String)> {
    let names = files().into_iter();
    let names = names.filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
    names.map(|name| (name.clone(), read(&name))).collect()
}

/// The page's own scripts, by name and content.
pub(crate) fn scripts() -> Vec<(String, String)> {
    let ours = ending_with(&[".js"]).into_iter();
    ours.filter(|(name, _)| !name.starts_with("vendor/"))
        .collect()
}

#[test]
fn nothing_is_inline() {
    // A style that is an object is set by script, which the policy allows; a text in markup isn't.
    let inline = Regex::new(
        r#"(?i)<style|\sstyle\s*=\s*["']|\son[a-z]+\s*=\s*["']|javascript:|<script(>|\s[^>]*[^>\w]>)"#,
    )
    .unwrap();
    let sourced =
        Regex::new(r#"<script( type="module")? src="/dashboard/assets/[^"]+"></script>"#).unwrap();
    let mut seen = 0;
    for (name, text) in ending_with(&[".html", ".svg"]).into_iter().chain(scripts()) {
        let text = sourced.replace_all(&text, "");
        let found = inline.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{name}");
        seen += 1;
    }
    assert!(seen > 30);
}

#[test]
fn no_script_evaluates_text_as_code_or_markup() {
    let unsafe_call = Regex::new(
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|setAttribute\('style",
    )
    .unwrap();
    for (name, text) in scripts() {
        let found = unsafe_call.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{name}");
    }
}

#[test]
fn nothing_comes_from_another_host() {
    let address = r#"(?i)(?:[a-z]+:)?//[a-z0-9][-a-z0-9.]*\.[a-z]{2,}[^\s"'`)]*|@import"#;
    let address = Regex::new(address).unwrap();
    let namespaces = [
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/1999/xhtml",
    ];
    for (name, text) in ending_with(&[".html", ".js", ".css", ".svg"]) {
        for found in address.find_iter(&text) {
            let found = found.as_str();
            assert!(namespaces.contains(&found), "{name}: {found}");
        }
    }
}

#[test]
fn no_style_or_picture_loads_a_resource() {
    // In a script it is a function's call.
    let resource = Regex::new(r"(?i)\burl\(").unwrap();
    for (name, text) in ending_with(&[".html", ".css", ".svg"]) {
        assert!(!resource.is_match(&text), "{name}");
    }
}

#[test]
fn every_import_is_a_file_beside_it() {
    // Not within a text.
    let import = Regex::new(r#"(?m)^[^'"`\n]*\b(?:from|import)\s*['"]([^'"]+)['"]"#).unwrap();
    let mut seen = 0;
    for (name, text) in ending_with(&[".js"]) {
        let folder = page().join(Path::new(&name).parent().unwrap());
        for found in import.captures_iter(&text) {
            let is_file = found[1].starts_with('.') && folder.join(&found[1]).is_file();
            assert!(is_file, "{name} imports {}", &found[1]);
            seen += 1;
        }
    }
    assert!(seen > 100);
}

#[test]
fn every_import_is_used() {
    let import = Regex::new(r"import (?:(\w+)|\{([^}]+)\}) from").unwrap();
    for (name, text) in scripts() {
        for found in import.captures_iter(&text) {
            let names = found.get(1).or(found.get(2)).unwrap().as_str();
            let names = names.split(',').map(str::trim);
            for given in names.filter(|given| !given.is_empty()) {
                let word = Regex::new(&format!(r"\b{given}\b")).unwrap();
                assert!(word.find_iter(&text).count() > 1, "{name}: {given}");
            }
        }
    }
}

#[test]
fn index_html_names_every_module_once() {
    let index = read("index.html");
    let named = Regex::new(r#"(?:href|src)="/dashboard/assets/([^"]+)""#).unwrap();
    let named = named.captures_iter(&index).map(|found| found[1].to_owned());
    let mut named: Vec<_> = named.collect();
    named.sort();
    let mut needed = files();
    let endings = [".js", ".css", "favicon.svg"];
    needed.retain(|name| endings.iter().any(|ending| name.ends_with(ending)));
    assert_eq!(named, needed);
}

#[test]
fn the_page_refuses_what_the_domain_refuses() {
    let (keys, files) = ("dialogs/key-dialogs", "file-checks");
    for (file, most) in [
        (keys, format!("MOSTPERMINUTE = {MAX_PER_MINUTE};")),
        (keys, format!("MOSTAMONTH = {MAX_MONTHLY_QUOTA};")),
        (files, format!("MOSTBYTES = {MAX_FILE_BYTES};")),
    ] {
        let script = read(&format!("js/{file}.js")).replace('_', "");
        assert!(script.contains(&most), "{most}");
    }
    let ids = read("js/ids.js");
    let shape = Regex::new("REQUEST_ID = /(.+)/;").unwrap();
    let shape = Regex::new(&shape.captures(&ids).unwrap()[1]).unwrap();
    let characters = (0..=255_u8).map(|byte| char::from(byte).to_string());
    let lengths = [0, 1, 64, 65].map(|length| "x".repeat(length));
    for text in characters.chain(lengths) {
        let is_one = RequestId::parse(&text).is_some();
        assert_eq!(shape.is_match(&text), is_one, "{text:?}");
    }
}

#[test]
fn every_library_has_its_licence_and_its_source() {
    let sources = read("vendor/README.md");
    let mut libraries = ending_with(&[".js"]);
    libraries.retain(|(name, _)| name.starts_with("vendor/"));
    let libraries: Vec<_> = libraries.into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        libraries,
        [
            "vendor/graphql-ws-common.js",
            "vendor/graphql-ws.js",
            "vendor/htm.js",
            "vendor/preact-hooks.js",
            "vendor/preact.js"
        ]
    );
    for library in libraries {
        let licence = read(&library.replace(".js", ".LICENSE"));
        let mut free = ["Apache License", "MIT License"].iter();
        assert!(free.any(|name| licence.contains(name)), "{library}");
        let file = library.trim_start_matches("vendor/");
        assert!(sources.contains(&format!("| `{file}` |")), "{file}");
    }
}

#[test]
fn every_script_begins_with_a_comment_and_is_short() {
    for (name, text) in scripts() {
        assert!(text.starts_with("// "), "{name}");
        assert!(text.lines().count() <= 400, "{name} is more than one idea");
    }
}
