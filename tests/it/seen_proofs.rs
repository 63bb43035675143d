//! Presentations of one proof at the same time: each has seen those before it.

use futures::future::join_all;
use reqwest::Response;
use serde_json::Value;

use crate::gateway::{Gateway, Key, json_of, request};

/// Numbers of earlier deliveries, in order.
fn times(mut answers: Vec<Value>) -> Vec<u64> {
    answers.sort_by_key(|answer| answer["visto"]["veces"].as_u64());
    let times = answers.iter().map(|answer| &answer["visto"]["veces"]);
    times.map(|times| times.as_u64().unwrap()).collect()
}

async fn verify(gateway: &Gateway, key: &Key, xml: String) -> Response {
    let request = gateway.client.post(gateway.url("/v1/cep/verify"));
    let request = request.header("x-api-key", &key.full);
    let request = request.header("content-type", "application/xml");
    request.body(xml).send().await.unwrap()
}

#[tokio::test]
async fn simultaneous_checks_and_deliveries_of_one_proof_are_all_counted() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let transfer = request(1, "1234.56");
    let xml = gateway.post("xml", &key, &transfer).await;
    let xml = xml.text().await.unwrap();

    // The XML was the first.
    let checks =
        (0..16).map(async |_| json_of(verify(&gateway, &key, xml.clone()).await, 200).await);
    assert_eq!(times(join_all(checks).await), (1..17).collect::<Vec<_>>());

    let both = (0..8).map(async |_| {
        let checked = verify(&gateway, &key, xml.clone());
        let delivered = gateway.post("json", &key, &transfer);
        let (checked, delivered) = tokio::join!(checked, delivered);
        [json_of(checked, 200).await, json_of(delivered, 200).await]
    });
    let both = join_all(both).await.into_iter().flatten();
    assert_eq!(times(both.collect()), (17..33).collect::<Vec<_>>());
}
