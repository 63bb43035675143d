//! Health, readiness, the API description, and unknown routes.

use std::sync::Arc;

use ports::outbound::JournalError;
use rstest::rstest;
use testkit::fakes::MemoryJournal;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, header, transcript};

#[tokio::test]
async fn the_process_says_that_it_is_up() {
    let harness = Harness::start().await;
    for path in ["/healthz", "/api/healthz"] {
        let request = harness
            .request("GET", path)
            .header("x-request-id", "test-1");
        insta::assert_snapshot!("the_process_says_that_it_is_up", request.transcript().await);
    }
}

#[tokio::test]
async fn readiness_names_each_component() {
    // A gateway each: one answer holds for a second.
    let with_journal = async |change: &dyn Fn(&MemoryJournal)| {
        let harness = Harness::start().await;
        change(harness.journal());
        let request = harness.request("GET", "/readyz");
        let request = request.header("x-request-id", "test-1");
        request.transcript().await
    };
    insta::assert_snapshot!("ready", with_journal(&|_| {}).await);
    let failing = |journal: &MemoryJournal| {
        let cause = Arc::new(std::io::Error::other("a synthetic cause"));
        journal.fail_with(Some(JournalError::Store { cause }));
    };
    insta::assert_snapshot!("ready_but_degraded", with_journal(&failing).await);
    let full = |journal: &MemoryJournal| journal.refuse_with(Some(JournalError::Full));
    insta::assert_snapshot!("not_ready", with_journal(&full).await);
}

#[rstest]
#[case("/openapi.json")]
#[case("/api/openapi.json")]
#[tokio::test]
async fn the_description_is_served_as_it_is_printed(#[case] path: &str) {
    let harness = Harness::start().await;
    let response = harness.request("GET", path).response().await;
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.text().await.unwrap(), rest::openapi_json());
}

#[rstest]
#[case("")]
#[case("/api")]
#[tokio::test]
async fn the_docs_page_loads_everything_from_this_server(#[case] alias: &str) {
    let harness = Harness::start().await;
    let get = async |path: &str| {
        harness
            .request("GET", &format!("{alias}{path}"))
            .response()
            .await
    };
    let redirect = get("/docs").await;
    assert_eq!(redirect.status(), 308);
    assert_eq!(header(&redirect, "location"), "docs/");

    let page = get("/docs/").await;
    let policy = header(&page, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
    assert!(policy.contains("frame-ancestors 'none'"));
    let html = page.text().await.unwrap();
    assert!(
        !html.contains("http://") && !html.contains("https://"),
        "{html}"
    );

    let is_file = |part: &&str| {
        [".js", ".css", ".png"]
            .iter()
            .any(|end| part.ends_with(end))
    };
    let files = html.split('"').filter(is_file);
    let mut loaded = 0;
    for file in files {
        let file = file.trim_start_matches("./");
        let response = get(&format!("/docs/{file}")).await;
        assert_eq!(response.status(), 200, "{file}");
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
        assert_ne!(
            header(&response, "content-type"),
            "application/octet-stream"
        );
        let content = response.bytes().await.unwrap();
        assert!(
            !content.starts_with(&[0x1F, 0x8B]),
            "{file} is compressed in disguise"
        );
        if file == "swagger-initializer.js" {
            let script = String::from_utf8(content.to_vec()).unwrap();
            assert!(script.contains("../openapi.json"), "{script}");
            assert!(!script.contains("petstore"), "{script}");
        }
        loaded += 1;
    }
    assert!(loaded >= 5, "{html}");
}

#[rstest]
#[case("GET", "/")]
#[case("POST", "/v1/cep/yaml")]
#[case("POST", "/v1/cep/xml/")]
#[case("POST", "/v2/cep/xml")]
#[case("POST", "/api/api/v1/cep/xml")]
#[case("GET", "/docs/nothing.js")]
#[case("OPTIONS", "/nowhere")]
#[tokio::test]
async fn an_unknown_route_is_not_authenticated(#[case] method: &str, #[case] path: &str) {
    let harness = Harness::start().await;
    let request = harness.request(method, path).header("x-api-key", GOOD_KEY);
    let request = request.header("x-request-id", "test-1");
    insta::assert_snapshot!("an_unknown_route", request.transcript().await);
    assert_eq!(harness.outcomes().await, []);
}

#[rstest]
#[case("GET", "/v1/cep/xml", "POST")]
#[case("HEAD", "/v1/cep/xml_auto", "POST")]
#[case("OPTIONS", "/api/v1/cep/pdf", "POST")]
#[case("PUT", "/v1/cep/base64", "POST")]
#[case("DELETE", "/v1/cep/zip_auto", "POST")]
#[case("POST", "/healthz", "GET,HEAD")]
#[case("OPTIONS", "/api/readyz", "GET,HEAD")]
#[case("POST", "/docs", "GET,HEAD")]
#[case("POST", "/docs/", "GET,HEAD")]
#[case("PUT", "/docs/index.html", "GET,HEAD")]
#[case("PATCH", "/api/openapi.json", "GET,HEAD")]
#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones(
    #[case] method: &str,
    #[case] path: &str,
    #[case] allowed: &str,
) {
    let harness = Harness::start().await;
    let request = harness
        .request(method, path)
        .header("x-api-key", GOOD_KEY)
        .header("x-request-id", "test-1")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "POST")
        .body(body(&[]));
    let response = request.response().await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], allowed);
    assert_eq!(harness.outcomes().await, []);
    let text = transcript(response).await;
    assert!(!text.contains("access-control"), "{text}");
    if method != "HEAD" && allowed == "POST" {
        insta::assert_snapshot!("a_wrong_method", text);
    }
}

#[rstest]
#[tokio::test]
async fn each_get_route_serves_head(
    #[values("/healthz", "/readyz", "/openapi.json", "/docs/", "/docs/index.html")] path: &str,
    #[values("", "/api")] alias: &str,
) {
    let harness = Harness::start().await;
    let request = harness.request("HEAD", &format!("{alias}{path}"));
    let response = request.response().await;
    assert_eq!(response.status(), 200);
    assert!(response.text().await.unwrap().is_empty());
}
