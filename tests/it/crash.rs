//! `kill -9` at any moment loses no count of a delivered proof; a graceful stop loses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::gateway::{Gateway, Key, Plan, eventually, headers, request};

/// What the month has left for the key, by one more request.
async fn month_used(gateway: &Gateway, key: &Key, quota: usize) -> usize {
    let answer = gateway.post("xml", key, &request(1, "10.00")).await;
    let limit = answer.headers()["ratelimit"].to_str().unwrap().to_owned();
    let (_, month) = limit.split_once("\"month\";r=").unwrap();
    let left: usize = month.split(';').next().unwrap().parse().unwrap();
    quota - left - 1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_gateway_has_counted_every_proof_that_it_delivered() {
    let mut gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "100000", "--monthly-quota", "1000000"]);
    let delivered = Arc::new(AtomicUsize::new(0));
    for (round, until) in [40, 300, 700].into_iter().enumerate() {
        let askers: Vec<_> = (0..16)
            .map(|_| {
                let (url, key) = (gateway.url("/v1/cep/xml"), key.clone());
                let (client, delivered) = (gateway.client.clone(), Arc::clone(&delivered));
                tokio::spawn(async move {
                    loop {
                        let sent = client
                            .post(&url)
                            .headers(headers(&[
                                ("x-api-key", &key.full),
                                ("content-type", "application/json"),
                            ]))
                            .body(request(1, "10.00").to_string())
                            .send()
                            .await;
                        // The head of the answer is enough: from there on it was delivered.
                        match sent {
                            Ok(answer) if answer.status() == 200 => {
                                delivered.fetch_add(1, Ordering::SeqCst)
                            }
                            _ => return,
                        };
                    }
                })
            })
            .collect();
        eventually(
            "enough proofs were delivered",
            Duration::from_secs(30),
            async || delivered.load(Ordering::SeqCst) >= until,
        )
        .await;
        let folder = gateway.kill();
        for asker in askers {
            asker.await.unwrap();
        }
        gateway = Plan::in_folder(folder).start();
        let (delivered, counted) = (
            delivered.load(Ordering::SeqCst),
            month_used(&gateway, &key, 1_000_000).await,
        );
        // Up to 16 admissions a round were on disk when their answers were cut off.
        assert!(
            counted >= delivered,
            "round {round}: {delivered} delivered, {counted} counted"
        );
        assert!(
            counted <= delivered + 17 * (round + 1),
            "round {round}: {delivered} delivered, {counted} counted"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graceful_stop_finishes_what_is_in_flight_and_writes_everything_down() {
    let gateway = Plan::new().with("CEP_SANDBOX_LATENCY", 700).start();
    let key = gateway.key(&["--monthly-quota", "100"]);
    let in_flight: Vec<_> = (0..5)
        .map(|number| {
            gateway
                .client
                .post(gateway.url("/v1/cep/xml"))
                .headers(headers(&[
                    ("x-api-key", &key.full),
                    ("content-type", "application/json"),
                ]))
                .body(request(number, "10.00").to_string())
                .send()
        })
        .map(tokio::spawn)
        .collect();
    // Each look is a request of its own, a refused one.
    let mut looks = 0;
    eventually(
        "all five are admitted",
        Duration::from_secs(10),
        async || {
            looks += 1;
            let answer = gateway.post_text("xml", &key, "{}").await;
            let limit = answer.headers()["ratelimit"].to_str().unwrap().to_owned();
            limit.contains(&format!("\"month\";r={};", 100 - 5 - looks))
        },
    )
    .await;
    let stopping = tokio::task::spawn_blocking(|| gateway.stop());
    for answer in in_flight {
        assert_eq!(answer.await.unwrap().unwrap().status(), 200);
    }
    let gateway = Plan::in_folder(stopping.await.unwrap()).start();
    assert_eq!(month_used(&gateway, &key, 100).await, 5 + looks);
}
