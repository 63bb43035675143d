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
mod seals;
mod security;
mod shell;
mod single_machine;

use std::fs;
use std::path::Path;

use testkit::files_under;

use crate::person::{Demo, Person};
use crate::servers::Servers;
use page::Page;
pub(crate) use shell::ENVIRONMENT;
use shell::Shell;

/// Every page for readers, and the number of its blocks that aren't run.
const PAGES: [(&str, usize); 14] = [
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
    ("docs/seals.md", 1),
    ("docs/security.md", 0),
    ("docs/single-machine.md", 12),
    ("docs/webhooks.md", 0),
];

#[test]
fn first_five_minutes() {
    let Some(mut shell) = Shell::open(&["curl", "jq"]) else {
        return;
    };
    readme::first_five_minutes(&mut shell);
}

#[tokio::test]
async fn graphql_with_the_cookie_of_a_session() {
    let Some(mut shell) = Shell::open(&["curl"]) else {
        return;
    };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let session = member.cookie("cep_session").unwrap();
    readme::graphql(&mut shell, &gateway.address.to_string(), session);
}

#[test]
fn documents_of_apis() {
    let Some(mut shell) = Shell::open(&[]) else {
        return;
    };
    readme::documents_of_apis(&mut shell);
}

#[test]
fn secrets_of_one_machine_with_containers() {
    let Some(mut shell) = Shell::open(&["openssl", "redis-cli", "redis-server"]) else {
        return;
    };
    deploy::one_machine(&mut shell);
}

#[test]
fn one_machine_with_systemd() {
    let Some(mut shell) = Shell::open(&["curl", "flock", "openssl", "sqlite3"]) else {
        return;
    };
    single_machine::whole_page(&mut shell);
}

#[tokio::test]
async fn operations_of_one_machine_and_of_replicas() {
    let tools = ["flock", "jq", "openssl", "pg_dump", "psql", "sqlite3"];
    let Some((machine, replicas)) = Shell::open(&tools).zip(Shell::open(&["redis-cli"])) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("users.acl");
    fs::write(&users, "").unwrap();
    let Some(servers) = Servers::start_own(&["--aclfile", users.to_str().unwrap()]) else {
        return;
    };
    operations::whole_page(machine, replicas, servers, &users).await;
}

#[tokio::test]
async fn check_of_a_file() {
    let Some(mut shell) = Shell::open(&[]) else {
        return;
    };
    seals::check_of_a_file(&mut shell).await;
}

/// Pages that readers paste from, by their paths from the root.
fn existing_pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at_root = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let in_folders = ["deploy", "docs"]
        .into_iter()
        .flat_map(|name| files_under(&root.join(name)));
    let pages = at_root.chain(in_folders);
    let pages = pages.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut found: Vec<_> = pages
        .map(|path| {
            path.strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/documents");
    let tests: String = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
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
