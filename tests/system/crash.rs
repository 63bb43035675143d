//! `kill -9` at any moment loses no count of a delivered proof and leaves no secrets in a core dump; a graceful
//! stop loses nothing.

use std::fs;

use crate::counted::{Load, QUOTA, metered_key, month_used};
use crate::gateway::{Gateway, Plan, left, request, soon};

/// Requests in flight.
const CONNECTIONS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_gateway_has_counted_every_proof_that_it_delivered() {
    let mut gateway = Gateway::start();
    let key = metered_key(&gateway);
    // The request that reads the month's use counts itself.
    let mut delivered = 0;
    for (round, more) in [40, 260, 400].into_iter().enumerate() {
        let load = Load::start(&gateway, &key, CONNECTIONS);
        assert!(load.goes_on(more).await);
        let folder = gateway.kill();
        delivered += load.stopped().await.delivered;
        gateway = Plan::in_folder(folder).start();
        let counted = month_used(&gateway, &key).await.unwrap();
        assert!(
            counted >= delivered,
            "round {round}: {delivered} delivered, {counted} counted"
        );
        // Admissions that were on disk when their answers were cut off.
        assert!(
            counted <= delivered + CONNECTIONS * (round + 1),
            "round {round}: {delivered} delivered, {counted} counted"
        );
        delivered += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graceful_stop_finishes_what_is_in_flight_and_writes_everything_down() {
    let gateway = Plan::new().with("CEP_SANDBOX_LATENCY", 700).start();
    let key = metered_key(&gateway);
    let in_flight = (0..5).map(|number| {
        let asked = gateway.asking("xml", &key);
        tokio::spawn(asked.body(request(number, "10.00").to_string()).send())
    });
    let in_flight: Vec<_> = in_flight.collect();
    // Each poll is a request of its own, a refused one.
    let mut looks = 0;
    soon("all five are admitted", async || {
        looks += 1;
        let answer = gateway.post_text("xml", &key, "{}").await;
        left(&answer, "month") == QUOTA - 5 - looks
    })
    .await;
    let stopping = tokio::spawn(gateway.stopped());
    for answer in in_flight {
        assert_eq!(answer.await.unwrap().unwrap().status(), 200);
    }
    let gateway = Plan::in_folder(stopping.await.unwrap()).start();
    let used = month_used(&gateway, &key).await.unwrap();
    assert_eq!(used as u64, 5 + looks);
}

#[tokio::test]
async fn a_gateway_leaves_no_core_dump_and_cannot_be_made_to() {
    let gateway = Gateway::start();
    let limits = fs::read_to_string(format!("/proc/{}/limits", gateway.id())).unwrap();
    let core = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max core file size"));
    let core: Vec<_> = core.unwrap().split_whitespace().collect();
    assert_eq!(core, ["0", "0", "bytes"], "{limits}");
}
