//! Signing in and out: cookies, revocation, and refused sign-ins.

use reqwest::header::SET_COOKIE;
use reqwest::{Method, StatusCode};
use serde_json::json;
use testkit::free_port;

use crate::gateway::{Gateway, Plan, command, json_of, refusal, request};
use crate::person::{Demo, Person, location};
use crate::shared_sessions::{SESSION, at};

#[tokio::test]
async fn a_person_signs_in_and_is_known() {
    let gateway = Gateway::start();
    let mut person = Person::stranger(&gateway);
    let callback = person.code_for(Demo::Member).await;
    let answer = person.follow(&callback).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(location(&answer), "/dashboard");
    let cookies = answer.headers().get_all(SET_COOKIE).iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    let session = cookies.find(|cookie| cookie.starts_with("cep_session="));
    let session = session.unwrap();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(session.contains(attribute), "{session}");
    }
    // Secure and __Host- need https; a Domain would give it to every subdomain.
    assert!(!session.contains("Domain"), "{session}");
    assert!(session.len() <= 4_096);

    let viewer = "{ viewer { owner { subject } role account { plan } } }";
    let expected = json!({ "viewer": {
        "owner": { "subject": "demo-member" }, "role": "MEMBER", "account": { "plan": "STARTUP" },
    }});
    assert_eq!(person.ask(viewer, json!({})).await, expected);
}

#[tokio::test]
async fn a_signed_out_session_is_refused() {
    let (gateway, mut person) = Person::with_gateway(Demo::Member).await;
    let token = person.cookie(SESSION).unwrap().to_owned();
    person.keys().await;

    person.sign_out().await;

    // A kept token is of no use after the sign-out.
    person.hold(SESSION, &token);
    let refused = person.told(Method::GET, "/keys", 401).await;
    assert_eq!(refused["error"], "UNAUTHENTICATED");
    // Nor after a restart: the deny list is in the database.
    let gateway = Plan::in_folder(gateway.stop()).start();
    at(&gateway, &token).told(Method::GET, "/keys", 401).await;
}

/// Four credentials × four surfaces: each surface takes its own credential alone.
#[tokio::test]
async fn no_credential_opens_another_surface() {
    let (gateway, person) = Person::with_gateway(Demo::Admin).await;
    let token = person.cookie(SESSION).unwrap().to_owned();
    let key = gateway.roomy_key().full;
    let proof = request(1, "10.00").to_string();
    let query = r#"{"query":"{ viewer { role } }"}"#;
    let cookie = format!("{SESSION}={token}");
    let bearer = format!("Bearer {token}");
    let bearer_key = format!("Bearer {key}");
    let credentials = [
        ("x-api-key", &key),
        ("cookie", &cookie),
        ("authorization", &bearer),
        ("authorization", &bearer_key),
    ];
    for (method, path, body, own) in [
        (Method::POST, "/v1/cep/xml", &*proof, "x-api-key"),
        (Method::GET, "/keys", "", "cookie"),
        (Method::GET, "/admin/keys", "", "cookie"),
        (Method::POST, "/graphql", query, "cookie"),
    ] {
        for (header, value) in credentials {
            let asked = gateway.client.request(method.clone(), gateway.url(path));
            let asked = asked.header("content-type", "application/json");
            let asked = asked.header(header, value).body(body.to_owned());
            let expected = if header == own { 200 } else { 401 };
            let status = asked.send().await.unwrap().status();
            assert_eq!(status, expected, "{header} on {path}");
        }
    }
}

#[tokio::test]
async fn without_a_dashboard_nobody_can_sign_in() {
    let gateway = Plan::new().with("CEP_DASHBOARD", "off").start();
    for path in ["/login", "/dashboard", "/keys", "/admin/keys", "/graphql"] {
        let refused = json_of(gateway.get(path).await, 404).await;
        assert_eq!(refused["error"], "ROUTE_NOT_FOUND", "{path}");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_is_reported() {
    let issuer = format!("http://127.0.0.1:{}", free_port());
    let gateway = Plan::new()
        .with("CEP_OIDC_ISSUER", issuer)
        .with("CEP_OIDC_CLIENT_ID", "cep")
        .with("CEP_OIDC_AUDIENCE", "cep")
        .start();
    let mut person = Person::stranger(&gateway);
    let answer = person.follow("/login").await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    // Proofs don't need it.
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
}

#[test]
fn the_sandbox_identity_provider_refuses_to_start_beside_a_public_address() {
    for (variable, value) in [
        ("CEP_LISTEN", "0.0.0.0:0"),
        ("CEP_PUBLIC_URL", "https://cep.example.org"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let said = refusal(command(folder.path()).env(variable, value));
        for word in [variable, "CEP_OIDC_ISSUER", "CEP_DASHBOARD=off"] {
            assert!(said.contains(word), "{said}");
        }
    }
}
