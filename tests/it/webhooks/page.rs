//! The code of `docs/webhooks.md` verifies messages that a gateway sent.

use std::fs;
use std::path::Path;
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use reqwest::Method;
use serde_json::json;

use super::receiver::{Message, Receiver};
use super::{arrived, plan, subscribed};
use crate::gateway::json_of;
use crate::person::{Demo, Person};

/// A language of the page, its program, the file's name, and what calls the page's function with a message
/// from a file.
const LANGUAGES: [(&str, &str, &str, &str); 3] = [
    (
        "python",
        "python3",
        "receiver.py",
        "import json, sys\nm = json.load(open(sys.argv[1]))\n\
         print(verify(m['secret'], m['headers'], m['body'].encode()))\n",
    ),
    (
        "js",
        "node",
        "receiver.js",
        "const m = JSON.parse(require('node:fs').readFileSync(process.argv[2]));\n\
         console.log(verify(m.secret, m.headers, Buffer.from(m.body)) ? 'True' : 'False');\n",
    ),
    (
        "php",
        "php",
        "receiver.php",
        "$m = json_decode(file_get_contents($argv[1]), true);\n\
         echo verify($m['secret'], $m['headers'], $m['body']) ? 'True' : 'False', \"\\n\";\n",
    ),
];

/// The block of a language on the page.
fn block(language: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/webhooks.md")).unwrap();
    let mut wanted = false;
    let mut found = String::new();
    for event in Parser::new(&page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))) => {
                wanted = &*name == language;
            }
            Event::End(TagEnd::CodeBlock) => wanted = false,
            Event::Text(text) if wanted => found.push_str(&text),
            _ => {}
        }
    }
    assert!(!found.is_empty(), "the page has code in {language}");
    found
}

/// Verdict of the page's code on a message.
fn verdict(
    (language, program, file, call): (&str, &str, &str, &str),
    (secret, message, body): (&str, &Message, &str),
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join(file);
    fs::write(&code, format!("{}\n{call}", block(language))).unwrap();
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers = headers.map(|name| (name.to_owned(), json!(message.header(name))));
    let headers: serde_json::Map<_, _> = headers.into_iter().collect();
    let input = folder.path().join("message.json");
    let text = json!({ "secret": secret, "headers": headers, "body": body }).to_string();
    fs::write(&input, text).unwrap();
    let output = Command::new(program).arg(&code).arg(&input).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn the_code_of_the_page_verifies_messages() {
    let receiver = Receiver::start().await;
    let gateway = plan().start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let webhook = subscribed(&person, &receiver).await;
    let rotation = person.sending(
        Method::POST,
        &format!("{}/secret", webhook.path),
        &json!({}),
    );
    let rotated = json_of(rotation.send().await.unwrap(), 200).await;
    let newer = rotated["secret"].as_str().unwrap();
    let test = person.sending(Method::POST, &format!("{}/test", webhook.path), &json!({}));
    json_of(test.send().await.unwrap(), 202).await;
    let message = &arrived(&receiver, 1).await[0];
    let body = message.body();
    for language in LANGUAGES {
        let (name, program, ..) = language;
        if Command::new(program).arg("--version").output().is_err() {
            testkit::skip(&format!("{program} is not installed"));
            continue;
        }
        for secret in [&webhook.secret, newer] {
            assert_eq!(
                verdict(language, (secret, message, &body)),
                "True",
                "{name}"
            );
        }
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let forged = [(newer, "{}"), (other, &*body)];
        for (secret, body) in forged {
            assert_eq!(
                verdict(language, (secret, message, body)),
                "False",
                "{name}"
            );
        }
    }
}
