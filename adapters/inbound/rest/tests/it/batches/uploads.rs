//! Files of batches on their way: callers who are slow, leave, or send too many at once.

use std::time::Duration;

use testkit::fakes::Fault;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{OTHERS_KEY, mixed, of_two_customers};
use crate::data::GOOD_KEY;
use crate::harness::Harness;

/// Longest time that an answer takes which nothing delays.
const SOON: Duration = Duration::from_secs(10);
/// Time in which an answer that must not come yet would have come.
const A_WHILE: Duration = Duration::from_millis(300);

/// Less than a file waits for a place of its account.
const AT_ONCE: Duration = Duration::from_secs(4);

/// An upload of a table of 1,000 bytes, of which the head has been sent.
async fn begun(harness: &Harness, api_key: &str, query: &str) -> TcpStream {
    begun_of(harness, api_key, query, ("text/csv", 1_000)).await
}

async fn begun_of(
    harness: &Harness,
    api_key: &str,
    query: &str,
    (declared, bytes): (&str, u32),
) -> TcpStream {
    let mut stream = TcpStream::connect(harness.address).await.unwrap();
    let head = format!(
        "POST /v1/cep/batches{query} HTTP/1.1\r\nhost: x\r\nx-api-key: {api_key}\r\n\
         content-type: {declared}\r\ncontent-length: {bytes}\r\nexpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// The status of the answer on a connection.
async fn status(stream: &mut TcpStream) -> String {
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    String::from_utf8_lossy(&head[9..]).into_owned()
}

#[tokio::test]
async fn a_parameter_that_is_refused_is_refused_before_the_table_arrives() {
    let harness = Harness::start().await;
    for query in [
        "?key_id=0198f3c2-7d3e-7000-8000-000000000001",
        "?columns=x",
        "?formats=doc",
        "?retry_for=-1",
    ] {
        let mut upload = begun(&harness, GOOD_KEY, query).await;
        let answered = timeout(SOON, status(&mut upload)).await;
        assert_eq!(answered.expect(query), "400", "{query}");
    }
    let mut stranger = begun(&harness, "cep_test_Nobody12.000000000000000000000000", "").await;
    let answered = timeout(SOON, status(&mut stranger)).await;
    assert_eq!(answered.unwrap(), "401");
}

/// Two tables of one account that are being read.
async fn two_slow(harness: &Harness) -> Vec<TcpStream> {
    let mut slow = Vec::new();
    for _ in 0..2 {
        let mut upload = begun(harness, GOOD_KEY, "").await;
        // The answer to `Expect` leaves once the body is read.
        assert_eq!(timeout(SOON, status(&mut upload)).await.unwrap(), "100");
        slow.push(upload);
    }
    slow
}

#[tokio::test]
async fn a_table_without_a_place_is_answered_within_seconds_and_one_that_is_refused_anyway_at_once()
{
    let harness = Harness::start().await;
    let _slow = two_slow(&harness).await;
    for (head, expected) in [(("image/png", 9), "415"), (("text/csv", 17 << 20), "413")] {
        let mut refused = begun_of(&harness, GOOD_KEY, "", head).await;
        let answered = timeout(AT_ONCE, status(&mut refused)).await;
        assert_eq!(answered.expect(expected), expected);
    }
    let third = timeout(SOON, harness.sending("", mixed()).send()).await;
    let third = third.unwrap().unwrap();
    assert_eq!(third.status(), 503);
    assert_eq!(third.headers()["retry-after"], "10");
    let body = third.text().await.unwrap();
    assert!(body.contains("dos tablas y un ZIP"), "{body}");
}

#[tokio::test]
async fn a_third_table_of_an_account_waits_for_one_of_two_slow_ones_and_another_accounts_does_not()
{
    let harness = of_two_customers().await;
    let mut slow = two_slow(&harness).await;
    let mut third = Box::pin(harness.sending("", mixed()).send());
    assert!(timeout(A_WHILE, &mut third).await.is_err(), "it waits");

    let other = harness.keyed(OTHERS_KEY, "POST", "/v1/cep/batches");
    let other = other.header("content-type", "text/csv").body(mixed());
    let other = timeout(SOON, other.send()).await.unwrap().unwrap();
    assert_eq!(other.status(), 202);

    slow.pop();
    let third = timeout(SOON, third).await.unwrap().unwrap();
    assert_eq!(third.status(), 202);
}

#[tokio::test]
async fn a_small_table_is_checked_while_large_ones_are_worked_on_and_another_large_one_waits() {
    let harness = of_two_customers().await;
    let faults = harness.store_faults();
    faults.inject_into("add_batch", Fault::Hangs);
    let large = format!("{}{}", mixed(), "\n".repeat(70_000));
    let _worked_on: Vec<_> = (0..2)
        .map(|_| tokio::spawn(harness.sending("", large.clone()).send()))
        .collect();
    let both = async {
        while faults.calls_of("add_batch") < 2 {
            tokio::task::yield_now().await;
        }
    };
    timeout(SOON, both).await.unwrap();
    let check = |table: String| {
        let check = harness.keyed(OTHERS_KEY, "POST", "/v1/cep/batches?dry_run=true");
        check.header("content-type", "text/csv").body(table).send()
    };
    let small = timeout(SOON, check(mixed())).await;
    assert_eq!(small.unwrap().unwrap().status(), 200);
    assert!(timeout(A_WHILE, check(large)).await.is_err(), "it waits");
}

#[tokio::test]
async fn archives_on_their_way_hold_back_no_table_and_one_of_an_account_is_read_at_a_time() {
    let harness = of_two_customers().await;
    let path = harness.new_batch("", mixed()).await;
    let begin = async || {
        let mut stream = TcpStream::connect(harness.address).await.unwrap();
        let head = format!(
            "POST /v1/cep/batches{path}/import HTTP/1.1\r\nhost: x\r\nx-api-key: {GOOD_KEY}\r\n\
             content-type: application/zip\r\ncontent-length: 60000000\r\nexpect: 100-continue\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    let mut first = begin().await;
    assert_eq!(timeout(SOON, status(&mut first)).await.unwrap(), "100");
    let mut second = begin().await;
    assert!(
        timeout(A_WHILE, status(&mut second)).await.is_err(),
        "it waits"
    );
    let table = timeout(SOON, harness.sending("", mixed()).send()).await;
    assert_eq!(table.unwrap().unwrap().status(), 202);
    drop(first);
    assert_eq!(timeout(SOON, status(&mut second)).await.unwrap(), "100");
}

#[tokio::test]
async fn a_cancellation_that_has_begun_ends_though_its_caller_hangs_up() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let faults = harness.store_faults();
    faults.inject_into("cancel_batch", Fault::Hangs);
    let mut caller = TcpStream::connect(harness.address).await.unwrap();
    let request = format!(
        "POST /v1/cep/batches{path}/cancel HTTP/1.1\r\nhost: x\r\nx-api-key: {GOOD_KEY}\r\n\
         content-length: 0\r\n\r\n"
    );
    caller.write_all(request.as_bytes()).await.unwrap();
    while !faults.calls().contains_key("cancel_batch") {
        tokio::task::yield_now().await;
    }
    drop(caller);
    faults.clear();
    harness.all_ended().await;
    let batch = harness.json("GET", &path, 200).await;
    assert_eq!(batch["state"], "canceled");
}
