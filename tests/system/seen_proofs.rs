//! Presentations of one proof at the same time: each has seen those before it.

use futures::future::join_all;
use serde_json::Value;

use crate::file_checks::{checked, xml};
use crate::gateway::{Gateway, json_of, request};

/// Numbers of earlier deliveries, in order.
fn times(mut answers: Vec<Value>) -> Vec<u64> {
    answers.sort_by_key(|answer| answer["visto"]["veces"].as_u64());
    let times = answers.iter().map(|answer| &answer["visto"]["veces"]);
    times.map(|times| times.as_u64().unwrap()).collect()
}

#[tokio::test]
async fn simultaneous_checks_and_deliveries_of_one_proof_are_all_counted() {
    let (gateway, key) = Gateway::with_key();
    let transfer = request(1, "1234.56");
    let xml = xml(&gateway, &key, 1, "1234.56").await;

    // The XML was the first.
    let checks = (0..16).map(|_| checked(&gateway, &key, "", &xml));
    assert_eq!(times(join_all(checks).await), (1..17).collect::<Vec<_>>());

    let both = (0..8).map(async |_| {
        let checked = checked(&gateway, &key, "", &xml);
        let delivered = gateway.post("json", &key, &transfer);
        let (checked, delivered) = tokio::join!(checked, delivered);
        [checked, json_of(delivered, 200).await]
    });
    let both = join_all(both).await.into_iter().flatten();
    assert_eq!(times(both.collect()), (17..33).collect::<Vec<_>>());
}
