//! `docs/receipts.md`: a receipt is read.

use serde_json::Value;

use super::page::Page;
use super::shell::Shell;
use crate::gateway::Gateway;

#[tokio::test]
async fn a_receipt_becomes_a_question() {
    let (gateway, key) = Gateway::with_key();
    let mut shell = Shell::open(&[]).unwrap();
    let mut page = Page::open("docs/receipts.md");
    let command = page.next("Receipts").text.clone();
    let command = command
        .replace("http://127.0.0.1:8080", &gateway.url(""))
        .replace("$KEY", &key.full);
    let read: Value = serde_json::from_str(&shell.run(&command)).unwrap();
    assert_eq!(read["tipo"], "receipt");
    assert_eq!(read["solicitud"]["emisor"], "40012");
    page.finish();
}
