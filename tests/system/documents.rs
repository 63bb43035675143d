//! Documents with commands: each command that a page shows is run, in the page's order, and has the
//! result that the page promises.
//!
//! A page of [`PAGES`] has a test that takes its blocks one by one ([`page::Page::next`]), runs
//! them in a [`shell::Shell`], does between them what the text describes, and ends with
//! [`page::Page::finish`]. A block that can't be run follows `<!-- not run: the reason -->`.

mod deploy;
mod operations;
mod page;
mod privacy;
mod readme;
mod receipts;
mod seals;
mod security;
mod shell;
mod single_machine;

use std::fs;
use std::path::{Path, PathBuf};

use testkit::files_under;

use page::Page;
pub(crate) use shell::ENVIRONMENT;
use shell::Shell;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every page for readers, and the number of its blocks that aren't run.
const PAGES: [(&str, usize); 15] = [
    ("ARCHITECTURE.md", 0),
    ("CONTRIBUTING.md", 0),
    ("README.md", 1),
    ("deploy/README.md", 11),
    ("docs/batches.md", 0),
    ("docs/configuration.md", 0),
    ("docs/glossary.md", 0),
    ("docs/graphql/README.md", 0),
    ("docs/operations.md", 1),
    ("docs/privacy.md", 0),
    ("docs/receipts.md", 1),
    ("docs/seals.md", 1),
    ("docs/security.md", 0),
    ("docs/single-machine.md", 12),
    ("docs/webhooks.md", 0),
];

/// Pages that readers paste from, by their paths from the root.
fn existing_pages() -> Vec<String> {
    let at_root = fs::read_dir(ROOT).unwrap();
    let at_root = at_root.map(|entry| entry.unwrap().path());
    let in_folders = ["deploy", "docs"].map(|name| files_under(&Path::new(ROOT).join(name)));
    let pages = at_root.chain(in_folders.into_iter().flatten());
    let pages = pages.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let name = |path: PathBuf| path.strip_prefix(ROOT).unwrap().display().to_string();
    let mut found: Vec<_> = pages.map(name).collect();
    found.sort_unstable();
    found
}

#[test]
fn every_page_is_known_and_each_block_is_run_or_marked() {
    assert_eq!(existing_pages(), PAGES.map(|(name, _)| name));
    for (name, not_run) in PAGES {
        let page = Page::open(name);
        assert!(page.faults.is_empty(), "{name}: {:#?}", page.faults);
        let reasons = &page.not_run;
        assert_eq!(reasons.len(), not_run, "{name}: {reasons:#?}");
        assert!(reasons.iter().all(|reason| !reason.is_empty()), "{name}");
    }
}

/// A page with commands that no test opens would not be run.
#[test]
fn every_page_with_commands_has_a_test() {
    let tests = fs::read_dir(Path::new(ROOT).join("tests/system/documents")).unwrap();
    let tests = tests.map(|entry| entry.unwrap().path());
    let tests = tests.filter(|path| path.is_file());
    let tests: String = tests.map(|it| fs::read_to_string(it).unwrap()).collect();
    for (name, _) in PAGES {
        let opened = tests.contains(&format!("Page::open(\"{name}\")"));
        assert_eq!(opened, Page::open(name).remaining() > 0, "{name}");
    }
}

#[test]
fn faults_of_a_page_are_found() {
    for (text, fault) in [
        ("```\nls\n```\n", "without a language"),
        ("    ls\n", "without a language"),
        ("```bash\nls\n```\n", "is to be `sh`"),
        ("Run `curl http://localhost`.\n", "in no block"),
        ("| a |\n|---|\n| `psql -c x` |\n", "in no block"),
        ("Then `DELETE FROM keys`.\n", "in no block"),
        ("Run `deploy/redis-password add`.\n", "in no block"),
        ("Run `cep-gateway keys erase`.\n", "no such command"),
        ("<!-- not run: no cluster -->\ntext\n", "no block follows"),
        (
            "<!-- not run: no cluster -->\n```json\n1\n```\n",
            "no commands follow",
        ),
    ] {
        let faults = Page::parse("page", text).faults;
        assert!(
            matches!(&faults[..], [found] if found.contains(fault)),
            "{text}: {faults:?}"
        );
    }
    let sound = "`jq`, `DELETE /keys/{id}`, `cep-gateway keys …`\n\n<!-- not run: why -->\n```sh\nls\n```\n";
    let page = Page::parse("page", sound);
    assert_eq!(page.faults, [""; 0]);
    assert_eq!(page.not_run, ["why"]);
}

#[test]
fn a_block_fails_with_any_of_its_commands() {
    for block in [
        "false\ntrue",
        "false | true",
        "echo \"$NOT_SET_ANYWHERE\"",
        "no-such-program",
    ] {
        let mut shell = Shell::open(&[]).unwrap();
        let failure = shell.attempt(block).unwrap_err();
        assert!(failure.starts_with("this fails"), "{failure}");
    }
}
