//! Cross-site requests: none has an effect.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::{Gateway, Plan, json_of};
use crate::person::{Demo, Person};

/// A forged request: its content type, and the browser's headers about its origin.
struct Vector {
    name: &'static str,
    method: Method,
    content_type: Option<&'static str>,
    headers: &'static [(&'static str, &'static str)],
    status: &'static [u16],
}

const FOREIGN: &[(&str, &str)] = &[("origin", "https://evil.example")];
const SIBLING: &[(&str, &str)] = &[
    ("origin", "http://evil.127.0.0.1.nip.example"),
    ("sec-fetch-site", "same-site"),
];

fn vectors() -> Vec<Vector> {
    let vector = |name, content_type, headers, status| Vector {
        name,
        method: Method::POST,
        content_type,
        headers,
        status,
    };
    vec![
        vector("text/plain", Some("text/plain"), &[], &[415]),
        vector(
            "urlencoded",
            Some("application/x-www-form-urlencoded"),
            &[],
            &[415],
        ),
        vector("no content type", None, &[], &[415]),
        vector(
            "multipart",
            Some("multipart/form-data; boundary=x"),
            &[],
            &[415],
        ),
        Vector {
            method: Method::GET,
            ..vector("GET", Some("application/json"), &[], &[405, 415, 200])
        },
        vector(
            "a foreign origin",
            Some("application/json"),
            FOREIGN,
            &[403],
        ),
        vector(
            "a sibling subdomain",
            Some("application/json"),
            SIBLING,
            &[403],
        ),
        vector(
            "a cross-site fetch",
            Some("application/json"),
            &[("sec-fetch-site", "cross-site")],
            &[403],
        ),
        vector(
            "an opaque origin",
            Some("application/json"),
            &[("origin", "null")],
            &[403],
        ),
    ]
}

#[tokio::test]
async fn a_forged_request_makes_no_key() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    let rest = json!({ "name": "forged", "env": "test" }).to_string();
    let mutation =
        "mutation { createKey(input: { name: \"forged\", environment: TEST }) { secret } }";
    let graphql = json!({ "query": mutation }).to_string();
    for (path, body) in [
        ("/keys", &rest),
        ("/api/keys", &rest),
        ("/graphql", &graphql),
    ] {
        for vector in vectors() {
            let mut request = person.request(vector.method.clone(), path);
            if vector.method == Method::GET {
                // Where a server reads operations from queries, this runs one.
                let query =
                    reqwest::Url::parse_with_params("http://x/", [("query", mutation)]).unwrap();
                request =
                    person.request(Method::GET, &format!("{path}?{}", query.query().unwrap()));
            }
            for (name, value) in vector.headers {
                request = request.header(*name, *value);
            }
            if let Some(content_type) = vector.content_type {
                request = request.header("content-type", content_type);
            }
            let answer = request.body(body.clone()).send().await.unwrap();
            let status = answer.status().as_u16();
            let text = answer.text().await.unwrap();
            assert!(
                vector.status.contains(&status) || (path.ends_with("keys") && status == 400),
                "{} on {path}: {status} {text}",
                vector.name
            );
            assert!(
                !text.contains("cep_test_"),
                "{} on {path}: {text}",
                vector.name
            );
        }
    }
    assert_eq!(person.keys().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_forged_request_revokes_and_changes_nothing() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    let key = person.create_key("mine", "test").await;
    for headers in [FOREIGN, SIBLING, &[("sec-fetch-site", "cross-site")]] {
        for (method, path) in [
            (Method::DELETE, format!("/keys/{}", key.id)),
            (Method::DELETE, format!("/admin/keys/{}", key.id)),
            (Method::PATCH, format!("/admin/keys/{}", key.id)),
            (Method::POST, "/logout".to_owned()),
        ] {
            let mut request = person.sending(method.clone(), &path, &json!({ "per_minute": 1 }));
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method} {path}");
        }
    }
    let kept = person.keys().await;
    assert_eq!(kept[0]["revoked_at"], Value::Null);
    assert_eq!(kept[0]["per_minute"], 60);
}

#[tokio::test]
async fn a_program_that_is_no_browser_and_our_own_page_pass() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    person.create_key("a program's", "test").await;
    let own = gateway.url("");
    for headers in [
        vec![("origin", own.as_str())],
        vec![("origin", own.as_str()), ("sec-fetch-site", "same-origin")],
        vec![("sec-fetch-site", "same-origin")],
    ] {
        let mut request = person.sending(
            Method::POST,
            "/keys",
            &json!({ "name": "ours", "env": "test" }),
        );
        for (name, value) in headers {
            request = request.header(name, value);
        }
        json_of(request.send().await.unwrap(), 201).await;
    }
}

#[tokio::test]
async fn an_allowed_origin_passes_and_may_read_the_answer() {
    let allowed = "https://panel.example.org";
    let gateway = Plan::new().with("CEP_DASHBOARD_ORIGINS", allowed).start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let ask = |origin: &'static str| {
        person
            .sending(
                Method::POST,
                "/graphql",
                &json!({ "query": "{ viewer { role } }" }),
            )
            .header("origin", origin)
            .header("sec-fetch-site", "cross-site")
            .send()
    };
    let answer = ask("https://panel.example.org").await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["access-control-allow-origin"], allowed);
    assert_eq!(answer.headers()["access-control-allow-credentials"], "true");
    let answer = ask("https://panel.example.org.evil.example").await.unwrap();
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
    // Proofs are for programs: no page of any origin reads them.
    let answer = gateway
        .client
        .request(Method::OPTIONS, gateway.url("/v1/cep/xml"))
        .header("origin", allowed)
        .header("access-control-request-method", "POST")
        .send()
        .await
        .unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}
