//! Batches while the store fails.

use reqwest::Response;
use testkit::fakes::{DRIVER_ERROR, Fault};

use super::{BELOW, mixed, table_of};
use crate::harness::{Exchange, Harness, header, json_of};

async fn assert_unavailable(answer: Response, route: &str) {
    for (name, value) in [
        ("content-type", "application/json"),
        ("content-disposition", ""),
        ("retry-after", "5"),
    ] {
        assert_eq!(header(&answer, name), value, "{route}");
    }
    let answer = json_of(answer, 503).await;
    assert_eq!(answer["error"], "SERVICE_UNAVAILABLE", "{route}");
    assert!(!answer.to_string().contains(DRIVER_ERROR), "{route}");
}

#[tokio::test]
async fn every_route_says_that_the_store_fails() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    harness.store_faults().inject(Fault::Fails);
    for (method, below) in BELOW {
        let request = harness.batches(method, &format!("{path}{below}"));
        assert_unavailable(request.response().await, below).await;
    }
    assert_unavailable(harness.batch("").await, "the list").await;
    assert_unavailable(harness.send("", mixed()).await, "the creation").await;
}

#[tokio::test]
async fn rows_that_cannot_be_read_from_the_first_on_are_a_failure() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    for method in ["batch_chunk", "batch_lookups"] {
        harness.store_faults().inject_into(method, Fault::Fails);
        for below in ["/results", "/files.zip", "/banxico.zip"] {
            let answer = harness.batch(format!("{path}{below}")).await;
            assert_unavailable(answer, below).await;
        }
        harness.store_faults().clear();
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_has_no_end() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", table_of(250)).await;
    let faults = harness.store_faults();
    for below in ["/results", "/results?format=ndjson", "/files.zip"] {
        faults.forget_calls();
        let whole = harness.batch(format!("{path}{below}")).await;
        assert!(whole.bytes().await.is_ok(), "{below}");
        let calls: usize = faults.calls().values().sum();
        faults.fail_once_after(calls - 1);
        let part = harness.batches("GET", &format!("{path}{below}"));
        let read = async { part.send().await?.bytes().await };
        assert!(read.await.is_err(), "{below}");
    }
}
