//! `README.md` and the short pages: the first five minutes, GraphQL, API documents.

use std::fs;

use serde_json::Value;

use super::page::{Block, Page};
use super::shell::Shell;

/// The address that pages show.
const SHOWN_ADDRESS: &str = "127.0.0.1:8080";

pub(super) fn first_five_minutes(shell: &mut Shell) {
    let mut page = Page::open("README.md");
    let server = shell.serve(&page.next("Two commands").text);
    let address = server.address.to_string();
    let printed = server.printed();
    let key = printed
        .split_whitespace()
        .find(|word| word.starts_with("cep_test_"));

    let key = key.expect("the first start prints a key");
    let here = |block: Block| block.with(SHOWN_ADDRESS, &address);

    let paste = here(page.next("The first five minutes")).with("cep_test_…", key);
    shell.run(&paste.text);
    let proof = fs::read(shell.file("cep.xml")).unwrap();
    assert!(domain::proof::Proof::parse(&proof).is_ok());

    let not_found = here(page.next("The first five minutes"));
    let answer = shell.run(&not_found.text);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let shown = page.example("json").replace(", …", "");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert!(has(&answer, &shown), "{answer:#} isn't {shown:#}");

    let stored = here(page.next("The first five minutes")).with("$KEY", key);
    let (create, read) = stored.text.split_once("\ncurl").unwrap();
    let read = format!("curl{read}");
    let both = format!("{create}\necho $LOOKUP");
    let id = shell.run(&both).trim().to_owned();
    let read = read.replace("$LOOKUP", &id);
    let reads = (0..20).map(|_| -> Value { serde_json::from_str(&shell.run(&read)).unwrap() });
    let mut reads = reads.filter(|lookup| lookup["state"] == "delivered");
    let delivered = reads.next().expect("it is delivered within some waits");
    assert_eq!(delivered["attempts"], 3, "{delivered}");
    assert_eq!(delivered["cep"]["monto"], "700.00");

    let batch = here(page.next("The first five minutes")).with("$KEY", key);
    shell.run(&batch.text);
    let results = fs::read_to_string(shell.file("resultados.csv")).unwrap();
    let states: Vec<_> = results
        .lines()
        .skip(1)
        .filter_map(|row| row.split(',').nth(3))
        .collect();
    assert_eq!(states, ["delivered", "delivered", "faulty"], "{results}");
    assert!(results.contains("Excel"), "{results}");
    let zip = fs::read(shell.file("comprobantes.zip")).unwrap();
    assert!(zip.starts_with(b"PK"));

    let heads = shell.run(&here(page.next("The first five minutes")).text);
    let statuses: Vec<_> = heads
        .lines()
        .filter_map(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3))
        .collect();
    assert_eq!(statuses, ["200", "200", "429"], "{heads}");
    let left = "ratelimit: \"minute\";r=1;t=60, \"month\";r=999;t=";
    assert!(heads.contains(left), "{heads}");

    let checked = shell.run(&here(page.next("What a proof is")).text);
    let checked: Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["resultado"], "valid", "{checked}");

    let made = shell.run(&page.next("Going live").text);
    let made: Value = serde_json::from_str(&made).unwrap();
    assert!(made["api_key"].as_str().unwrap().starts_with("cep_live_"));
    page.finish();
}

/// Compares an answer with the part of it that a page shows: of a list as many as are shown.
fn has(answer: &Value, shown: &Value) -> bool {
    match (answer, shown) {
        (Value::Object(answer), Value::Object(shown)) => shown
            .iter()
            .all(|(name, shown)| answer.get(name).is_some_and(|answer| has(answer, shown))),
        (Value::Array(answer), Value::Array(shown)) => {
            answer.len() >= shown.len() && answer.iter().zip(shown).all(|(a, b)| has(a, b))
        }
        (answer, shown) => answer == shown,
    }
}

/// Runs the page's request with the cookie of a member's session.
pub(super) fn graphql(shell: &mut Shell, address: &str, session: &str) {
    let mut page = Page::open("docs/graphql/README.md");
    let request = page
        .next("How to call")
        .with(SHOWN_ADDRESS, address)
        .with("SESSION=…", &format!("SESSION='{session}'"));
    let answer = shell.run(&request.text);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["data"]["viewer"]["role"], "MEMBER", "{answer}");
    page.finish();
}

pub(super) fn documents_of_apis(shell: &mut Shell) {
    let mut page = Page::open("CONTRIBUTING.md");
    let written = [
        "docs/openapi.json",
        "schema.graphql",
        "docs/configuration.md",
    ];
    let read = |shell: &Shell| written.map(|name| fs::read(shell.file(name)).unwrap());
    let kept = read(shell);
    for name in written {
        fs::write(shell.file(name), "stale").unwrap();
    }
    shell.run(&page.next("Contributing").text);
    assert!(read(shell) == kept, "a generated document is stale");
    page.finish();
}
