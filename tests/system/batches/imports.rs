//! ZIP files as people have them: other names than the bank's, and what macOS adds.

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, post};
use crate::gateway::{CountingBank, Gateway, Key, json_of};

const DASH: &[u8] = include_bytes!("../../cases/import-dash.zip");
const MACOS: &[u8] = include_bytes!("../../cases/macosx.zip");

/// The payments of both files.
const TABLE: &str = "fecha,clave_rastreo,cuenta,monto\n\
                     2026-11-20,MBAN01002611200000000005,002010077777777771,1250.00\n\
                     2026-11-24,MBAN01002611240000000001,002010077777777771,1234.56\n";

async fn import(gateway: &Gateway, key: &Key, path: &str, zip: &[u8]) -> Value {
    let path = format!("/v1/cep/batches{path}/import");
    let posting = gateway.keyed(Method::POST, &path, key);
    let posting = posting.header("content-type", "application/zip");
    json_of(posting.body(zip.to_vec()).send().await.unwrap(), 200).await
}

#[tokio::test]
async fn a_zip_is_matched_by_content_and_the_sandboxs_seals_are_refused_for_a_live_key() {
    let (bank, gateway, key) = CountingBank::with_gateway().await;
    bank.hang();
    let created = post(&gateway, &key, "?formats=xml,pdf", TABLE.to_owned()).await;
    let batch = json_of(created, 202).await;
    let path = format!("/{}", batch["id"].as_str().unwrap());
    for (zip, row, name) in [
        (DASH, 1, "CEP-20260925-MBAN01002611200000000005.xml"),
        (MACOS, 2, "[2026-11-20]MBAN01002611200000009005.xml"),
    ] {
        let report = import(&gateway, &key, &path, zip).await;
        assert_eq!(report["delivered"], json!([]));
        let files = report["unused"].as_array().unwrap();
        let (xml, pdfs): (Vec<_>, Vec<_>) = files.iter().partition(|file| file["name"] == name);
        // Its key is published: anybody could have made it.
        assert_eq!(xml[0]["row"], row);
        assert_eq!(xml[0]["reason"], "seal_invalid");
        assert!(pdfs.iter().all(|pdf| pdf["reason"] == "pdf_alone"));
    }
    let rows = get(&gateway, &key, &format!("{path}/results?format=ndjson")).await;
    for row in rows.text().await.unwrap().lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        assert_ne!(row["state"], "delivered");
    }
    bank.answer();
}
