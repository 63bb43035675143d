//! Health, readiness, the API description, and unknown routes.

use std::sync::Arc;

use domain::people::customer::Role;
use ports::outbound::JournalError;
use reqwest::RequestBuilder;
use testkit::fakes::MemoryJournal;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, header, transcript};
use crate::people::data::{MEMBER, UNKNOWN};
use crate::people::{ask, with_json};

#[tokio::test]
async fn the_process_says_that_it_is_up() {
    let harness = Harness::start().await;
    for path in ["/healthz", "/api/healthz"] {
        let answer = harness.request("GET", path).transcript().await;
        insta::assert_snapshot!("the_process_says_that_it_is_up", answer);
    }
}

#[tokio::test]
async fn readiness_names_each_component() {
    // A gateway each: one answer holds for a second.
    let with_journal = async |change: &dyn Fn(&MemoryJournal)| {
        let harness = Harness::start().await;
        change(harness.journal());
        harness.request("GET", "/readyz").transcript().await
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

#[tokio::test]
async fn the_description_is_served_as_it_is_printed() {
    let harness = Harness::start().await;
    for path in ["/openapi.json", "/api/openapi.json"] {
        let response = harness.request("GET", path).response().await;
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(response.text().await.unwrap(), rest::openapi_json());
    }
}

#[tokio::test]
async fn the_docs_page_loads_everything_from_this_server() {
    let harness = Harness::start().await;
    for docs in ["/docs", "/api/docs"] {
        let get = |below: &str| harness.request("GET", &format!("{docs}{below}"));
        let redirect = get("").response().await;
        assert_eq!(redirect.status(), 308);
        assert_eq!(header(&redirect, "location"), "docs/");

        let page = get("/").response().await;
        let policy = header(&page, "content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        assert!(policy.contains("frame-ancestors 'none'"));
        let html = page.text().await.unwrap();
        for elsewhere in ["http://", "https://"] {
            assert!(!html.contains(elsewhere), "{html}");
        }

        let endings = [".js", ".css", ".png"];
        let is_file = |part: &&str| endings.iter().any(|end| part.ends_with(end));
        let mut loaded = 0;
        for file in html.split('"').filter(is_file) {
            let file = file.trim_start_matches("./");
            let response = get(&format!("/{file}")).response().await;
            assert_eq!(response.status(), 200, "{file}");
            assert_eq!(header(&response, "x-content-type-options"), "nosniff");
            let media_type = header(&response, "content-type");
            assert_ne!(media_type, "application/octet-stream", "{file}");
            let content = response.bytes().await.unwrap();
            let is_compressed = content.starts_with(&[0x1F, 0x8B]);
            assert!(!is_compressed, "{file} is compressed in disguise");
            if file == "swagger-initializer.js" {
                let script = String::from_utf8(content.to_vec()).unwrap();
                assert!(script.contains("../openapi.json"), "{script}");
                assert!(!script.contains("petstore"), "{script}");
            }
            loaded += 1;
        }
        assert!(loaded >= 5, "{html}");
    }
}

#[tokio::test]
async fn an_unknown_route_is_not_authenticated() {
    let harness = Harness::start().await;
    for (method, path) in [
        ("GET", "/"),
        ("POST", "/v1/cep/yaml"),
        ("POST", "/v1/cep/xml/"),
        ("POST", "/v2/cep/xml"),
        ("POST", "/api/api/v1/cep/xml"),
        ("GET", "/docs/nothing.js"),
        ("OPTIONS", "/nowhere"),
    ] {
        let answer = harness.keyed(GOOD_KEY, method, path).transcript().await;
        insta::assert_snapshot!("an_unknown_route", answer, path);
    }
    assert_eq!(harness.outcomes().await, []);
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let harness = Harness::start().await;
    let services = &harness.gateway.services;
    services.sign_in(MEMBER, "member", Role::Member);
    let batch = |below: &str| format!("/v1/cep/batches/{UNKNOWN}{below}");
    let either = &["PUT", "OPTIONS"][..];
    for (methods, path, allowed) in [
        (&["GET"][..], "/v1/cep/xml", "POST"),
        (&["HEAD"], "/v1/cep/xml_auto", "POST"),
        (&["OPTIONS"], "/api/v1/cep/pdf", "POST"),
        (&["PUT"], "/v1/cep/base64", "POST"),
        (&["DELETE"], "/v1/cep/zip_auto", "POST"),
        (&["PUT"], "/v1/cep/lookups", "GET,HEAD,POST"),
        (either, "/v1/cep/batches", "GET,HEAD,POST"),
        (either, &batch(""), "DELETE,GET,HEAD"),
        (either, &batch("/cancel"), "POST"),
        (either, &batch("/results"), "GET,HEAD"),
        (either, &batch("/files.zip"), "GET,HEAD"),
        (either, &batch("/banxico.zip"), "GET,HEAD"),
        (either, &batch("/import"), "POST"),
        (&["POST"], "/healthz", "GET,HEAD"),
        (&["OPTIONS"], "/api/readyz", "GET,HEAD"),
        (&["POST"], "/docs", "GET,HEAD"),
        (&["POST"], "/docs/", "GET,HEAD"),
        (&["PUT"], "/docs/index.html", "GET,HEAD"),
        (&["PATCH"], "/api/openapi.json", "GET,HEAD"),
        (&["PUT"], "/keys", "GET,HEAD,POST"),
        (&["DELETE"], "/api/keys", "GET,HEAD,POST"),
        (&["GET"], &format!("/keys/{UNKNOWN}"), "DELETE"),
        (&["POST"], "/admin/usage", "GET,HEAD"),
        (&["PATCH"], "/api/admin/accounts", "GET,HEAD"),
    ] {
        for method in methods {
            let response = wrong_request(&harness, method, path).response().await;
            assert_eq!(response.status(), 405, "{method} {path}");
            let mut methods: Vec<_> = header(&response, "allow").split(',').collect();
            methods.sort_unstable();
            assert_eq!(methods.join(","), allowed, "{method} {path}");
            let text = transcript(response).await;
            assert!(!text.contains("access-control"), "{text}");
            let says_so = text.contains("\"METHOD_NOT_ALLOWED\"");
            assert!(says_so || *method == "HEAD", "{text}");
            if says_so && allowed == "POST" {
                insta::assert_snapshot!("a_wrong_method", text, path);
            }
        }
    }
    assert_eq!(harness.outcomes().await, []);
    assert!(harness.store_faults().calls().is_empty());
}

/// A request with credentials for the path, and from another page where none is refused.
fn wrong_request(harness: &Harness, method: &str, path: &str) -> RequestBuilder {
    let request = with_json(ask(harness, MEMBER, method, path), "{}");
    if path.contains("/keys") || path.contains("/admin") {
        return request;
    }
    request
        .header("x-api-key", GOOD_KEY)
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "POST")
}

#[tokio::test]
async fn each_get_route_serves_head() {
    let harness = Harness::start().await;
    for path in [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/docs/",
        "/docs/index.html",
    ] {
        for path in [path, &format!("/api{path}")] {
            let response = harness.request("HEAD", path).response().await;
            assert_eq!(response.status(), 200, "{path}");
            assert!(response.text().await.unwrap().is_empty());
        }
    }
}
