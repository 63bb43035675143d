//! Signing in and out: cookies, revocation, and refused sign-ins.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, COOKIE, SET_COOKIE};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::gateway::{Gateway, Plan, eventually, json_of, request};
use crate::person::{Demo, Person, location};

/// The session's cookie on plain http.
const SESSION: &str = "cep_session";

#[tokio::test]
async fn a_person_signs_in_and_is_known() {
    let gateway = Gateway::start();
    let mut person = Person::stranger(&gateway);
    let callback = person.code_for(Demo::Member).await;
    let answer = person.follow(&callback).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(location(&answer), "/dashboard");
    let cookies: Vec<_> = answer.headers().get_all(SET_COOKIE).iter().collect();
    let session = cookies
        .iter()
        .map(|cookie| cookie.to_str().unwrap())
        .find(|cookie| cookie.starts_with("cep_session="))
        .unwrap();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(session.contains(attribute), "{session}");
    }
    // Secure and __Host- need https; a Domain would give it to every subdomain.
    assert!(!session.contains("Domain"), "{session}");
    assert!(session.len() <= 4_096);

    let viewer = person
        .ask(
            "{ viewer { owner { subject } role account { plan } } }",
            json!({}),
        )
        .await;
    let expected = json!({ "viewer": {
        "owner": { "subject": "demo-member" }, "role": "MEMBER", "account": { "plan": "STARTUP" },
    }});
    assert_eq!(viewer, expected);
}

#[tokio::test]
async fn a_sign_in_callback_is_accepted_once() {
    let gateway = Gateway::start();
    let mut person = Person::stranger(&gateway);
    let callback = person.code_for(Demo::Member).await;
    let ticket: Vec<_> = ["cep_session_sign_in"]
        .into_iter()
        .filter_map(|name| Some((name, person.cookie(name)?.to_owned())))
        .collect();
    assert_eq!(ticket.len(), 1, "the sign-in's cookie has another name");
    assert_eq!(
        person.follow(&callback).await.status(),
        StatusCode::SEE_OTHER
    );

    // The same callback again, with the cookie that was cleared.
    let mut replaying = Person::stranger(&gateway);
    for (name, value) in &ticket {
        replaying.hold(name, value);
    }
    let answer = replaying.follow(&callback).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert!(replaying.cookie(SESSION).is_none());
}

#[tokio::test]
async fn a_sign_in_that_another_browser_began_is_refused() {
    let gateway = Gateway::start();
    let mut attacker = Person::stranger(&gateway);
    let callback = attacker.code_for(Demo::Admin).await;
    let mut victim = Person::stranger(&gateway);
    let answer = victim.follow(&callback).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert!(victim.cookie(SESSION).is_none());
    // Nor with another sign-in in progress.
    victim.code_for(Demo::Member).await;
    let answer = victim.follow(&callback).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert!(victim.cookie(SESSION).is_none());
}

#[tokio::test]
async fn a_signed_out_session_is_refused() {
    let gateway = Gateway::start();
    let mut person = Person::signed_in(&gateway, Demo::Member).await;
    let token = person.cookie(SESSION).unwrap().to_owned();
    person.keys().await;

    let answer = person
        .sending(Method::POST, "/logout", &json!({}))
        .send()
        .await
        .unwrap();
    assert!(
        answer.status().is_success() || answer.status().is_redirection(),
        "{answer:?}"
    );

    // A kept token is of no use after the sign-out.
    person.hold(SESSION, &token);
    let answer = person.request(Method::GET, "/keys").send().await.unwrap();
    let refused = json_of(answer, 401).await;
    assert_eq!(refused["error"], "UNAUTHENTICATED");
    // Nor after a restart: the deny list is in the database.
    let folder = gateway.stop();
    let gateway = Plan::in_folder(folder).start();
    let mut person = Person::stranger(&gateway);
    person.hold(SESSION, &token);
    let answer = person.request(Method::GET, "/keys").send().await.unwrap();
    json_of(answer, 401).await;
}

#[tokio::test]
async fn sessions_go_on_when_the_provider_changes_its_keys() {
    let gateway = Gateway::start();
    let early = Person::signed_in(&gateway, Demo::Member).await;
    let mut late = Person::stranger(&gateway);
    let begun = late.follow("/login").await;
    let issuer = location(&begun);
    let issuer = issuer.split("/authorize").next().unwrap().to_owned();
    let rotated = gateway
        .client
        .post(format!("{issuer}/rotate"))
        .send()
        .await
        .unwrap();
    assert!(rotated.status().is_success());
    assert_eq!(late.sign_in(Demo::Admin).await, "/dashboard");
    late.keys().await;
    early.keys().await;
}

/// Four credentials × four surfaces: each surface takes its own credential alone.
#[tokio::test]
async fn no_credential_opens_another_surface() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    let token = person.cookie(SESSION).unwrap().to_owned();
    let key = gateway.roomy_key().full;
    let proof = request(1, "10.00").to_string();
    let surfaces = [
        (Method::POST, "/v1/cep/xml", proof.as_str()),
        (Method::GET, "/keys", ""),
        (Method::GET, "/admin/keys", ""),
        (
            Method::POST,
            "/graphql",
            r#"{"query":"{ viewer { role } }"}"#,
        ),
    ];
    let cookie = format!("{SESSION}={token}");
    let bearer = format!("Bearer {token}");
    let bearer_key = format!("Bearer {key}");
    let credentials = [
        ("x-api-key", key.as_str()),
        (COOKIE.as_str(), cookie.as_str()),
        (AUTHORIZATION.as_str(), bearer.as_str()),
        (AUTHORIZATION.as_str(), bearer_key.as_str()),
    ];
    for (method, path, body) in &surfaces {
        for (header, value) in &credentials {
            let answer = gateway
                .client
                .request(method.clone(), gateway.url(path))
                .header("content-type", "application/json")
                .header(*header, *value)
                .body((*body).to_owned())
                .send()
                .await
                .unwrap();
            let own = if path.starts_with("/v1") {
                "x-api-key"
            } else {
                "cookie"
            };
            let expected = if *header == own {
                StatusCode::OK
            } else {
                StatusCode::UNAUTHORIZED
            };
            assert_eq!(answer.status(), expected, "{header} on {path}");
        }
    }
}

#[tokio::test]
async fn two_session_cookies_are_refused() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let token = person.cookie(SESSION).unwrap();
    for cookies in [
        format!("{SESSION}={token}; {SESSION}={token}"),
        format!("{SESSION}=; {SESSION}={token}"),
        format!("{SESSION}={}", &token[..token.len() - 2]),
        format!("__Host-{SESSION}={token}"),
    ] {
        let answer = gateway
            .client
            .get(gateway.url("/keys"))
            .header(COOKIE, &cookies)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn without_a_dashboard_nobody_can_sign_in() {
    let gateway = Plan::new().with("CEP_DASHBOARD", "off").start();
    for path in ["/login", "/dashboard", "/keys", "/admin/keys", "/graphql"] {
        let answer = gateway.client.get(gateway.url(path)).send().await.unwrap();
        assert_eq!(
            json_of(answer, 404).await["error"],
            "ROUTE_NOT_FOUND",
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_provider_that_is_down_is_reported() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let gateway = Plan::new()
        .with("CEP_OIDC_ISSUER", format!("http://{address}"))
        .with("CEP_OIDC_CLIENT_ID", "cep")
        .with("CEP_OIDC_AUDIENCE", "cep")
        .start();
    let mut person = Person::stranger(&gateway);
    let answer = person.follow("/login").await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    // Proofs don't need it.
    let key = gateway.roomy_key();
    let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_sandbox_identity_provider_refuses_to_start_beside_a_public_address() {
    for (variable, value) in [
        ("CEP_LISTEN", "0.0.0.0:0"),
        ("CEP_PUBLIC_URL", "https://cep.example.org"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ended = crate::gateway::command(folder.path())
            .env(variable, value)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success(), "{variable}");
        for word in [variable, "CEP_OIDC_ISSUER", "CEP_DASHBOARD=off"] {
            assert!(said.contains(word), "{said}");
        }
    }
}

#[tokio::test]
async fn the_welcome_says_that_anybody_may_sign_in() {
    let gateway = Gateway::start();
    eventually("the greeting", Duration::from_secs(5), async || {
        let printed = gateway.printed();
        printed.contains("FOR DEVELOPMENT ONLY") && printed.contains("/dashboard")
    })
    .await;
}
