//! Headers of every route, and the files of the page.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::Request;

use crate::harness::{Harness, LOOPBACK, REQUEST_ID, TLS, get, with_header};

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
    let missing = "/dashboard/assets/x/none.js";
    for (name, path) in [
        ("/", "/"),
        ("/dashboard", "/dashboard"),
        ("/dashboard/keys/42", "/dashboard/keys/42"),
        ("a file", &*script),
        ("a file that isn't there", missing),
        ("/login", "/login"),
        ("/auth/callback", "/auth/callback"),
        ("/logout", "/logout"),
    ] {
        let head = harness.get(path).await.head();
        write!(heads, "GET {name}\n{head}\n\n").unwrap();
    }
    for path in ["/logout", "/login", "/dashboard"] {
        let head = harness.send(post(path)).await.head();
        write!(heads, "POST {path}\n{head}\n\n").unwrap();
    }
    let begun = harness.begin("/login").await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    write!(heads, "GET /auth/callback, a good one\n{}\n", answer.head()).unwrap();
    insta::assert_snapshot!(heads);
}

#[tokio::test]
async fn every_path_of_the_dashboard_is_the_page() {
    let harness = Harness::at(TLS);
    let one_key = "/admin/keys/0198f3c2-0000-7000-8000-000000000001?x=y";
    for path in ["", "/", "/keys", one_key] {
        let answer = harness.get(&format!("/dashboard{path}")).await;
        assert_eq!(answer.status, 200, "{path}");
        let is_page = answer.body.contains(r#"<div id="app"></div>"#);
        assert!(is_page, "{path}");
    }
}

#[tokio::test]
async fn a_file_has_its_media_type_and_is_cached_in_its_version() {
    let harness = Harness::at(TLS);
    for (name, media_type) in [
        ("js/main.js", "text/javascript; charset=utf-8"),
        ("css/tokens.css", "text/css; charset=utf-8"),
        ("favicon.svg", "image/svg+xml"),
    ] {
        let answer = harness.get(&url_of(&harness, name).await).await;
        assert_eq!(answer.status, 200);
        for (header, value) in [
            ("content-type", media_type),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(answer.header(header), value, "{name}");
        }
    }
    let other = harness.get("/dashboard/assets/0000/js/main.js").await;
    assert_eq!(other.status, 200);
    assert_eq!(other.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn a_name_that_is_no_file_of_the_page_is_not_found() {
    let harness = Harness::at(TLS);
    for name in [
        "/x/js/none.js",
        "/x/index.html",
        "/x/../Cargo.toml",
        "/x/%2e%2e/Cargo.toml",
        "/x/js/../../Cargo.toml",
        "/x/js/",
        "/x/",
        "/x",
        "/main.js",
        "//main.js",
        "/",
        "",
    ] {
        let answer = harness.get(&format!("/dashboard/assets{name}")).await;
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
        assert!(answer.body.contains("ROUTE_NOT_FOUND"), "{name}");
    }
}

#[tokio::test]
async fn a_cached_response_is_not_sent_again() {
    let harness = Harness::at(TLS);
    for path in ["/dashboard", "/dashboard/assets/x/js/main.js"] {
        let first = harness.get(path).await;
        let etag = first.header("etag");
        let knowing = |known: &str| with_header(get(path), "if-none-match", known);
        for known in [etag, &format!("\"x\", W/{etag}"), "*"] {
            let second = harness.send(knowing(known)).await;
            assert_eq!((second.status.as_u16(), second.body.as_str()), (304, ""));
            assert_eq!(second.header("etag"), etag, "{path}");
        }
        assert_eq!(harness.send(knowing("\"x\"")).await.status, 200);
    }
}

#[tokio::test]
async fn another_loopback_name_is_redirected_to_the_public_origin() {
    let harness = Harness::at(LOOPBACK);
    for path in ["/dashboard/keys?state=all", "/login"] {
        let home = format!("http://127.0.0.1:8080{path}");
        let by = |host| with_header(get(path), "host", host);
        let answer = harness.send(by("localhost:8080")).await;
        assert_eq!(answer.redirect(), (303, &*home));
        assert!(answer.cookies().is_empty(), "no sign-in was begun");
        let answer = harness.send(by("127.0.0.1:8080")).await;
        assert_ne!(answer.header("location"), home);
    }
}
