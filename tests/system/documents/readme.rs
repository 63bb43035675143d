//! `README.md` and the short pages: the first five minutes, GraphQL, API documents.

use std::fs;

use serde_json::Value;

use super::page::{Block, Page};
use super::shell::Shell;
use crate::person::{Demo, Person};

/// The address that pages show.
const SHOWN_ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn first_five_minutes() {
    let Some(mut shell) = Shell::open(&["curl", "jq"]) else {
        return;
    };
    let mut page = Page::open("README.md");
    let server = shell.serve(&page.next("Two commands").text);
    let address = server.address.to_string();
    let printed = server.printed();
    let mut words = printed.split_whitespace();
    let key = words.find(|word| word.starts_with("cep_test_")).unwrap();
    let here = |block: Block| block.with(SHOWN_ADDRESS, &address);

    let paste = here(page.next("The first five minutes")).with("cep_test_…", key);
    shell.run(&paste.text);
    let proof = fs::read(shell.file("cep.xml")).unwrap();
    assert!(domain::proofs::Proof::parse(&proof).is_ok());

    let not_found = here(page.next("The first five minutes"));
    let answer = shell.json(&not_found.text);
    let shown = page.example("json").replace(", …", "");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert!(has(&answer, &shown), "{answer:#} isn't {shown:#}");

    let stored = here(page.next("The first five minutes")).with("$KEY", key);
    let (create, read) = stored.text.split_once("\ncurl").unwrap();
    let read = format!("curl{read}");
    let both = format!("{create}\necho $LOOKUP");
    let id = shell.run(&both).trim().to_owned();
    let read = read.replace("$LOOKUP", &id);
    let reads = (0..20).map(|_| shell.json(&read));
    let mut reads = reads.filter(|lookup| lookup["state"] == "delivered");
    let delivered = reads.next().expect("it is delivered within some waits");
    assert_eq!(delivered["attempt_count"], 3, "{delivered}");
    assert_eq!(delivered["cep"]["monto"], "700.00");

    let batch = here(page.next("The first five minutes")).with("$KEY", key);
    shell.run(&batch.text);
    let results = fs::read_to_string(shell.file("resultados.csv")).unwrap();
    let rows = results.lines().skip(1);
    let states = rows.map(|row| row.split(',').nth(4).unwrap());
    let expected = ["delivered", "delivered", "faulty"];
    assert!(states.eq(expected), "{results}");
    assert!(results.contains("Excel"), "{results}");
    let zip = fs::read(shell.file("comprobantes.zip")).unwrap();
    assert!(zip.starts_with(b"PK"));

    let heads = shell.run(&here(page.next("The first five minutes")).text);
    let statuses = heads.split("HTTP/1.1 ").skip(1);
    let statuses = statuses.map(|rest| &rest[..3]);
    assert!(statuses.eq(["200", "200", "429"]), "{heads}");
    let left = "ratelimit: \"minute\";r=1;t=60, \"month\";r=999;t=";
    assert!(heads.contains(left), "{heads}");

    let checked = shell.json(&here(page.next("What a proof is")).text);
    assert_eq!(checked["resultado"], "valid", "{checked}");

    let made = shell.json(&page.next("Going live").text);
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

#[tokio::test]
async fn graphql_with_the_cookie_of_a_session() {
    let Some(mut shell) = Shell::open(&["curl"]) else {
        return;
    };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let session = member.cookie("cep_session").unwrap();
    let mut page = Page::open("docs/graphql/README.md");
    let request = page
        .next("How to call")
        .with(SHOWN_ADDRESS, &gateway.address.to_string())
        .with("SESSION=…", &format!("SESSION='{session}'"));
    let answer = shell.json(&request.text);
    assert_eq!(answer["data"]["viewer"]["role"], "MEMBER", "{answer}");
    page.finish();
}

#[test]
fn documents_of_apis() {
    let mut shell = Shell::open(&[]).unwrap();
    let mut page = Page::open("CONTRIBUTING.md");
    let written = [
        "docs/openapi.json",
        "schema.graphql",
        "docs/configuration.md",
    ];
    let read = |shell: &Shell| written.map(|name| fs::read(shell.file(name)).unwrap());
    let kept = read(&shell);
    for name in written {
        fs::write(shell.file(name), "stale").unwrap();
    }
    shell.run(&page.next("Contributing").text);
    assert!(read(&shell) == kept, "a generated document is stale");
    page.finish();
}
