//! A row whose file has an invalid seal is told apart wherever the batch is read.

use std::io::Cursor;

use serde_json::{Value, json};

use super::{count, create, get, once};
use crate::gateway::{Plan, soon};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// Its second row gives a proof with the seal of another text.
const TABLE: &str = include_str!("../../cases/devuelto-y-sello.csv");

#[tokio::test]
async fn an_invalid_seal_is_no_success_wherever_the_batch_is_read() {
    let receiver = Receiver::start().await;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    person
        .add_webhook(&receiver.url(), &["lookup.delivered"])
        .await;
    let key = person.create_key("caja 4", "test").await;
    let unknown = "20/11/2026;MBAN01002611200000000034;002010077777777771;600.01\n";
    let path = create(&gateway, &key, format!("{TABLE}{unknown}")).await;
    let batch = once(&gateway, &key, &path, |batch| {
        count(batch, "delivered_seal_invalid") == 1
            && count(batch, "delivered_seal_not_checked") == 1
    });
    assert_eq!(count(&batch.await, "delivered"), 0);

    let rows = get(&gateway, &key, &format!("{path}/results?format=ndjson")).await;
    let rows = rows.text().await.unwrap();
    let row: Value = serde_json::from_str(rows.lines().nth(1).unwrap()).unwrap();
    assert_eq!(row["state"], "delivered");
    assert_eq!(row["lookup"]["seal"], "invalid");
    assert_eq!(row["lookup"]["sello"]["estado"], "invalid");

    let zip = get(&gateway, &key, &format!("{path}/files.zip")).await;
    let zip = zip.bytes().await.unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(zip)).unwrap();
    let names: Vec<_> = zip
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "sello_invalido/00002_CEP-20261120-MBAN01002611200000000032.xml",
            "00004_CEP-20261120-MBAN01002611200000000034.xml",
            "resumen.csv"
        ]
    );
    let summary = std::io::read_to_string(zip.by_name("resumen.csv").unwrap()).unwrap();
    let line = summary.lines().nth(2).unwrap();
    assert!(line.contains(",invalid,"), "{line}");

    let id = path.trim_start_matches('/');
    let seen = person.ask(
        "query($id: ID!) {
           batch(id: $id) { counts { delivered deliveredSealInvalid deliveredSealNotChecked } }
           batchRows(id: $id, first: 1, after: 1) { rows { state seal } }
         }",
        json!({ "id": id }),
    );
    let expected = json!({
        "batch": { "counts": { "delivered": 0, "deliveredSealInvalid": 1, "deliveredSealNotChecked": 1 } },
        "batchRows": { "rows": [{ "state": "DELIVERED", "seal": "INVALID" }] },
    });
    assert_eq!(seen.await, expected);

    let lookups = "{ lookups(first: 10, filter: { states: [DELIVERED] }) { nodes { seal } } }";
    let lookups = person.ask(lookups, json!({})).await;
    let nodes = lookups["lookups"]["nodes"].as_array().unwrap();
    assert!(nodes.contains(&json!({ "seal": "INVALID" })), "{lookups}");

    let told = || {
        let messages = receiver.messages();
        let told = messages
            .iter()
            .map(|message| serde_json::from_str::<Value>(&message.body()).unwrap());
        { told }.find(|told| told["data"]["seal"] == "invalid")
    };
    soon("the end is told", async || told().is_some()).await;
    assert_eq!(told().unwrap()["data"]["state"], "delivered");
}
