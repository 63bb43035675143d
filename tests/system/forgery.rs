//! Cross-site requests: none has an effect.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::Plan;
use crate::person::{Demo, Person};

/// A header by which a browser tells where a request comes from.
type Header = (&'static str, &'static str);

const FOREIGN: Header = ("origin", "https://evil.example");
const SIBLING: Header = ("sec-fetch-site", "same-site");

/// Each way to forge a request is tested at the REST API and at GraphQL.
#[tokio::test]
async fn a_forged_request_makes_no_key() {
    let (gateway, person) = Person::with_gateway(Demo::Admin).await;
    let rest = json!({ "name": "forged", "env": "test" });
    let mutation =
        "mutation { createKey(input: { name: \"forged\", environment: TEST }) { secret } }";
    let graphql = json!({ "query": mutation });
    for (path, body) in [
        ("/keys", &rest),
        ("/api/keys", &rest),
        ("/graphql", &graphql),
        ("/api/graphql", &graphql),
    ] {
        for ((name, value), status) in [
            (("content-type", "text/plain"), 415),
            (FOREIGN, 403),
            (SIBLING, 403),
        ] {
            let mut forged = person.sending(Method::POST, path, body).build().unwrap();
            forged.headers_mut().insert(name, value.parse().unwrap());
            let answer = gateway.client.execute(forged).await.unwrap();
            assert_eq!(answer.status(), status, "{name} on {path}");
            let text = answer.text().await.unwrap();
            assert!(!text.contains("cep_test_"), "{name} on {path}: {text}");
        }
    }
    // Where a server reads operations from queries, this runs one.
    let query = reqwest::Url::parse_with_params("http://x/graphql", [("query", mutation)]).unwrap();
    let link = format!("/graphql?{}", query.query().unwrap());
    let followed = person.request(Method::GET, &link).send().await.unwrap();
    assert_eq!(followed.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(person.keys().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_forged_request_revokes_and_changes_nothing() {
    let (_gateway, person) = Person::with_gateway(Demo::Admin).await;
    let key = person.create_key("mine", "test").await;
    for (name, value) in [FOREIGN, SIBLING, ("sec-fetch-site", "cross-site")] {
        for (method, path) in [
            (Method::DELETE, format!("/keys/{}", key.id)),
            (Method::DELETE, format!("/admin/keys/{}", key.id)),
            (Method::PATCH, format!("/admin/keys/{}", key.id)),
            (Method::POST, "/logout".to_owned()),
        ] {
            let forged = person.sending(method.clone(), &path, &json!({ "per_minute": 1 }));
            let answer = forged.header(name, value).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method} {path}");
        }
    }
    let kept = person.keys().await;
    assert_eq!(kept[0]["revoked_at"], Value::Null);
    assert_eq!(kept[0]["per_minute"], 60);
}

#[tokio::test]
async fn an_allowed_origin_passes_and_may_read_the_answer() {
    let allowed = "https://panel.example.org";
    let gateway = Plan::new().with("CEP_DASHBOARD_ORIGINS", allowed).start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let query = json!({ "query": "{ viewer { role } }" });
    let ask = |origin: &'static str| {
        let asked = person.sending(Method::POST, "/graphql", &query);
        let asked = asked.header("origin", origin);
        asked.header("sec-fetch-site", "cross-site").send()
    };
    let answer = ask(allowed).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["access-control-allow-origin"], allowed);
    assert_eq!(answer.headers()["access-control-allow-credentials"], "true");
    let answer = ask("https://panel.example.org.evil.example").await.unwrap();
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
    // Proofs are for programs: no page of any origin reads them.
    let asked = gateway
        .client
        .request(Method::OPTIONS, gateway.url("/v1/cep/xml"));
    let asked = asked
        .header("origin", allowed)
        .header("access-control-request-method", "POST");
    let answer = asked.send().await.unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}
