//! Handshakes that are refused.

use reqwest::Method;
use serde_json::json;

use super::subscriber::Subscriber;
use crate::gateway::json_of;
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
        client.open(&["graphql-transport-ws"]).await;
        let refused = json!({ "event": "refused", "status": status });
        assert_eq!(client.next().await, refused, "{headers}");
    }
}

#[tokio::test]
async fn a_handshake_without_the_sub_protocol_is_refused() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    for protocols in [&[][..], &["graphql-ws"]] {
        let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
            return;
        };
        client.open(protocols).await;
        let refused = client.next().await;
        assert_eq!(refused, json!({ "event": "refused", "status": 400 }));
    }
    let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
        return;
    };
    client.open(&["graphql-ws", "graphql-transport-ws"]).await;
    assert_eq!(client.next().await["protocol"], "graphql-transport-ws");
    let plain = member.request(Method::GET, "/graphql/ws").send().await;
    let plain = json_of(plain.unwrap(), 400).await;
    assert_eq!(plain["error"], "INVALID_REQUEST");
    let posted = member.sending(Method::POST, "/graphql/ws", &json!({}));
    assert_eq!(posted.send().await.unwrap().status(), 405);
}
