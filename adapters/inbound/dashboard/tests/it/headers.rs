//! Headers of every route, and the files of the page.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::Request;
use rstest::rstest;

use crate::harness::{Harness, LOOPBACK, REQUEST_ID, TLS, get};

/// The URL of a file in the page.
async fn url_of(harness: &Harness, name: &str) -> String {
    let page = harness.get("/dashboard").await.body;
    let end = page.find(name).unwrap() + name.len();
    let start = page[..end].rfind('"').unwrap() + 1;
    page[start..end].to_owned()
}

#[tokio::test]
async fn the_heads_of_all_routes_are_the_reviewed_ones() {
    let harness = Harness::at(TLS);
    let script = url_of(&harness, "js/main.js").await;
    let post = |path: &str| {
        let request = Request::post(path).header("x-request-id", REQUEST_ID);
        request.body(Body::empty()).unwrap()
    };
    let mut heads = String::new();
    for (name, request) in [
        ("GET /", get("/")),
        ("GET /dashboard", get("/dashboard")),
        ("GET /dashboard/keys/42", get("/dashboard/keys/42")),
        ("GET a file", get(&script)),
        (
            "GET a file that isn't there",
            get("/dashboard/assets/x/none.js"),
        ),
        ("GET /login", get("/login")),
        ("GET /auth/callback", get("/auth/callback")),
        ("GET /logout", get("/logout")),
        ("POST /logout", post("/logout")),
        ("POST /login", post("/login")),
        ("POST /dashboard", post("/dashboard")),
    ] {
        let answer = harness.send(request).await;
        write!(heads, "{name}\n{}\n\n", answer.head()).unwrap();
    }
    let begun = harness.begin("/login").await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    write!(heads, "GET /auth/callback, a good one\n{}\n", answer.head()).unwrap();
    insta::assert_snapshot!(heads);
}

#[rstest]
#[case("/dashboard")]
#[case("/dashboard/")]
#[case("/dashboard/keys")]
#[case("/dashboard/admin/keys/0198f3c2-0000-7000-8000-000000000001?x=y")]
#[tokio::test]
async fn every_path_of_the_dashboard_is_the_page(#[case] path: &str) {
    let answer = Harness::at(TLS).get(path).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains(r#"<div id="app"></div>"#));
}

#[rstest]
#[case("js/main.js", "text/javascript; charset=utf-8")]
#[case("css/tokens.css", "text/css; charset=utf-8")]
#[case("favicon.svg", "image/svg+xml")]
#[tokio::test]
async fn a_file_has_its_media_type_and_is_cached(#[case] name: &str, #[case] media_type: &str) {
    let harness = Harness::at(TLS);
    let answer = harness.get(&url_of(&harness, name).await).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), media_type);
    assert_eq!(
        answer.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn a_file_of_another_version_is_served_and_not_cached() {
    let answer = Harness::at(TLS)
        .get("/dashboard/assets/0000/js/main.js")
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), "no-cache");
}

#[rstest]
#[case("/x/js/none.js")]
#[case("/x/index.html")]
#[case("/x/../Cargo.toml")]
#[case("/x/%2e%2e/Cargo.toml")]
#[case("/x/js/../../Cargo.toml")]
#[case("/x/js/")]
#[case("/x/")]
#[case("/x")]
#[case("/main.js")]
#[case("//main.js")]
#[case("/")]
#[case("")]
#[tokio::test]
async fn a_name_that_is_no_file_of_the_page_is_not_found(#[case] name: &str) {
    let answer = Harness::at(TLS)
        .get(&format!("/dashboard/assets{name}"))
        .await;
    assert_eq!(answer.status, 404, "{}", answer.body);
    assert!(answer.body.contains("ROUTE_NOT_FOUND"));
}

#[rstest]
#[case::the_page("/dashboard")]
#[case::a_file("/dashboard/assets/x/js/main.js")]
#[tokio::test]
async fn a_cached_response_is_not_sent_again(#[case] path: &str) {
    let harness = Harness::at(TLS);
    let first = harness.get(path).await;
    for known in [
        first.header("etag"),
        &format!("\"x\", W/{}", first.header("etag")),
        "*",
    ] {
        let mut request = get(path);
        request
            .headers_mut()
            .insert("if-none-match", known.parse().unwrap());
        let second = harness.send(request).await;
        assert_eq!((second.status.as_u16(), second.body.as_str()), (304, ""));
        assert_eq!(second.header("etag"), first.header("etag"));
    }
    let mut request = get(path);
    request
        .headers_mut()
        .insert("if-none-match", "\"x\"".parse().unwrap());
    assert_eq!(harness.send(request).await.status, 200);
}

#[rstest]
#[case(
    "/dashboard/keys?state=all",
    "http://127.0.0.1:8080/dashboard/keys?state=all"
)]
#[case("/login", "http://127.0.0.1:8080/login")]
#[tokio::test]
async fn another_loopback_name_is_redirected_to_the_public_origin(
    #[case] path: &str,
    #[case] home: &str,
) {
    let harness = Harness::at(LOOPBACK);
    let by = |host: &str| {
        let mut request = get(path);
        request.headers_mut().insert("host", host.parse().unwrap());
        request
    };
    let answer = harness.send(by("localhost:8080")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, home)
    );
    assert!(answer.cookies().is_empty(), "no sign-in was begun");

    let answer = harness.send(by("127.0.0.1:8080")).await;
    assert_ne!(answer.header("location"), home);
}
