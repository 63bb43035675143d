//! Requests about batches that are refused.

use super::{BELOW, UNKNOWN, mixed, table, table_of};
use crate::harness::{Answers, Exchange, Harness, faults, header, in_both_languages, json_of};

#[tokio::test]
async fn a_table_that_cannot_be_read_is_refused() {
    let harness = Harness::start().await;
    let long = format!("?retry_for=259201&columns={}", "x".repeat(1001));
    let names = "fecha,clave_rastreo,cuenta,monto";
    let mut answers = Answers::default();
    for (query, table) in [
        ("", ""),
        ("", "\u{feff} \r\n"),
        ("", names),
        ("", "2026-11-20,MBAN01,002010077777777771,10.00\n"),
        ("", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00"),
        (
            "",
            "fecha,total,clave de rastreo\n2026-11-20,10.00,MBAN01\n",
        ),
        ("", "fecha,clave_rastreo,clabe,monto,importe\n"),
        ("?columns=monto", "fecha\n"),
        ("?columns=monto:Saldo", names),
        (
            "?dry_run=si&formats=zip&retry_for=-1&name=&page=2",
            "fecha\n",
        ),
        (&long, "fecha\n"),
        ("?formats=zip", "fecha\n"),
    ] {
        let name = format!("{query:.60} {table:?}");
        let request = || harness.sending(query, table.to_owned());
        answers.add(&name, request).await;
    }
    insta::assert_snapshot!("unreadable_tables", answers.0);
    assert!(harness.listed("").await.is_empty());
}

#[tokio::test]
async fn a_header_of_thousands_of_columns_is_answered_with_a_hundred() {
    let harness = Harness::start().await;
    let table = format!("x{}", ",".repeat(60_000));
    let answer = harness.sending("?dry_run=true", table).json_of(400).await;
    assert_eq!(answer["details"]["columns"].as_array().unwrap().len(), 100);
    assert!(answer.to_string().len() < 10_000);
    let table = format!(
        "fecha,clave_rastreo,cuenta,monto{}\n2026-11-20,MBAN01,002010077777777771,10.00\n",
        ",".repeat(60_000)
    );
    let answer = harness.preview("", table).await;
    assert_eq!(answer["columns"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn a_table_without_a_row_to_look_up_is_refused_with_the_first_faults() {
    let harness = Harness::start().await;
    let faulty = table(&[("1", "MBAN01", "-1"), ("2", "", "10.00")]);
    let answers = in_both_languages(|| harness.sending("", faulty.clone())).await;
    insta::assert_snapshot!("nothing_to_look_up", answers);
}

#[tokio::test]
async fn a_table_has_at_most_so_many_rows() {
    let harness = Harness::start().await;
    let most = harness.preview("", table_of(10_000)).await;
    assert_eq!(most["ready"], 10_000);
    let more = harness.sending("", table_of(10_001)).json_of(400).await;
    assert_eq!(faults(&more), [("body", "too_many_rows")]);
}

#[tokio::test]
async fn a_body_is_bounded_and_declared() {
    let harness = Harness::start().await;
    let large = vec![b'\n'; 16 * 1024 * 1024 + 1];
    let answer = harness.send("", large).await;
    assert_eq!(header(&answer, "content-type"), "application/json");
    assert_eq!(json_of(answer, 413).await["error"], "PAYLOAD_TOO_LARGE");
    for media_type in [
        "application/json",
        "text/plain",
        "multipart/mixed; boundary=x",
        "",
    ] {
        let request = harness.batches("POST", "").body(mixed());
        let answer = request.header("content-type", media_type).response().await;
        assert_eq!(header(&answer, "content-type"), "application/json");
        let answer = json_of(answer, 415).await;
        assert_eq!(answer["error"], "UNSUPPORTED_MEDIA_TYPE", "{media_type}");
    }
    let path = harness.new_batch("", mixed()).await;
    let import = harness.batches("POST", &format!("{path}/import"));
    let import = import.header("content-type", "text/csv").body("x");
    assert_eq!(import.response().await.status(), 415);
}

/// The methods and paths of all routes.
fn routes() -> Vec<(&'static str, String)> {
    let below = BELOW.map(|(method, below)| (method, format!("{UNKNOWN}{below}")));
    let all = ["GET", "POST"].map(|method| (method, String::new()));
    all.into_iter().chain(below).collect()
}

#[tokio::test]
async fn each_route_needs_a_good_key() {
    let harness = Harness::start().await;
    for (method, path) in routes() {
        let request = || harness.request(method, &format!("/v1/cep/batches{path}"));
        for (request, error) in [
            (request(), "UNAUTHENTICATED"),
            (request().header("x-api-key", "x"), "INVALID_API_KEY"),
        ] {
            let answer = request.response().await;
            assert!(header(&answer, "www-authenticate").starts_with("ApiKey"));
            let answer = json_of(answer, 401).await;
            assert_eq!(answer["error"], error, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_batch_that_is_not_there_is_not_found() {
    let harness = Harness::start().await;
    for (method, below) in BELOW {
        for path in [format!("{UNKNOWN}{below}"), format!("/x{below}")] {
            let answer = harness.batches(method, &path).response().await;
            assert_eq!(header(&answer, "content-type"), "application/json");
            let answer = json_of(answer, 404).await;
            assert_eq!(answer["error"], "NOT_FOUND", "{method} {path}");
        }
    }
}
