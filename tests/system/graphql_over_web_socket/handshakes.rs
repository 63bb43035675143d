//! Handshakes that are refused.

use reqwest::Method;
use serde_json::json;

use super::subscriber::Subscriber;
use crate::person::{Demo, Person};
use crate::shared_sessions::SESSION;

#[tokio::test]
async fn a_handshake_of_another_site_or_without_a_session_is_refused() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let cookie = format!("{SESSION}={}", member.cookie(SESSION).unwrap());
    let (ours, evil) = (gateway.url(""), "https://evil.example");
    let forged = format!("{SESSION}=a.b.c");
    for (headers, status) in [
        (json!({ "cookie": cookie, "origin": evil }), 403),
        (json!({ "cookie": cookie, "origin": "null" }), 403),
        (json!({ "origin": evil }), 403),
        (json!({ "origin": ours }), 401),
        (json!({ "origin": ours, "cookie": forged }), 401),
        (json!({ "x-api-key": "cep_test_0" }), 401),
    ] {
        let Some(mut client) = Subscriber::start(&gateway, &headers, "/graphql/ws") else {
            return;
        };
        let refused = json!({ "event": "refused", "status": status });
        let opened = client.open(&["graphql-transport-ws"]).await;
        assert_eq!(opened, refused, "{headers}");
    }
}

#[tokio::test]
async fn a_handshake_without_the_sub_protocol_is_refused() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    for (protocols, expected) in [
        (&[][..], json!({ "event": "refused", "status": 400 })),
        (
            &["graphql-ws"],
            json!({ "event": "refused", "status": 400 }),
        ),
        (
            &["graphql-ws", "graphql-transport-ws"],
            json!({ "event": "opened", "protocol": "graphql-transport-ws" }),
        ),
    ] {
        let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
            return;
        };
        assert_eq!(client.open(protocols).await, expected);
    }
    let plain = member.told(Method::GET, "/graphql/ws", 400).await;
    assert_eq!(plain["error"], "INVALID_REQUEST");
    let posted = member.sending(Method::POST, "/graphql/ws", &json!({}));
    assert_eq!(posted.send().await.unwrap().status(), 405);
}
