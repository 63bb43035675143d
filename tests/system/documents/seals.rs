//! `docs/seals.md`: a file is checked.

use std::fs;

use super::page::Page;
use super::shell::Shell;
use crate::gateway::{Gateway, request};

#[tokio::test]
async fn check_of_a_file() {
    let mut shell = Shell::open(&[]).unwrap();
    let (gateway, key) = Gateway::with_key();
    let proof = gateway.post("xml", &key, &request(1, "1234.56")).await;
    fs::write(shell.file("cep.xml"), proof.bytes().await.unwrap()).unwrap();
    let mut page = Page::open("docs/seals.md");
    let said = shell.run(&page.next("Checking a file").text);
    assert!(said.starts_with("cep.xml: valid\n"), "{said}");
    page.finish();
}
