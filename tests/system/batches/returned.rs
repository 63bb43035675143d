//! Payments that get no proof end their rows at once, however long rows are tried again.

use super::{count, create, get, once};
use crate::gateway::Gateway;

/// Its first row was returned.
const TABLE: &str = include_str!("../../cases/devuelto-y-sello.csv");

#[tokio::test]
async fn a_batch_with_a_returned_payment_ends_at_once_and_does_not_ask_the_bank_to_look_for_it() {
    let (gateway, key) = Gateway::with_key();
    let path = create(&gateway, &key, TABLE.to_owned()).await;
    let batch = once(&gateway, &key, &path, |batch| batch["state"] == "finished").await;
    assert_eq!(count(&batch, "not_found"), 2, "{batch:#}");
    let table = get(&gateway, &key, &format!("{path}/results?format=csv")).await;
    let table = table.text().await.unwrap();
    let line = table.lines().nth(1).unwrap();
    assert!(line.contains("not_found,payment_returned,"), "{line}");
    assert!(line.contains("Devuelto"), "{line}");
    // What is open alone goes into the bank's own batch.
    let open = get(&gateway, &key, &format!("{path}/banxico.zip")).await;
    assert_eq!(open.status(), 409);
}
