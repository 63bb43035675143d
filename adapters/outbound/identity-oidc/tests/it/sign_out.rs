//! Sign-out: revocation, and the end of the provider's session.

use axum::http::StatusCode;
use ports::outbound::IdentityProvider as _;
use rstest::rstest;
use serde_json::Value;

use crate::sandbox_provider::{SIGNED_OUT, Sandbox, http_client, sign_in};
use crate::test_provider::{CLIENT, DISCOVERY, REVOCATION, TestProvider};

#[tokio::test]
async fn a_revoked_token_is_refused_by_the_provider() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let signed_in = sign_in(&oidc, "demo-member").await.unwrap();
    let user_info = || async {
        let request = http_client().get(format!("{}/userinfo", sandbox.server.issuer));
        let response = request.bearer_auth(&signed_in.token).send().await;
        response.unwrap().status()
    };
    assert_eq!(user_info().await, StatusCode::OK);
    oidc.revoke(&signed_in.token).await.unwrap();
    assert_eq!(user_info().await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn nothing_is_sent_to_a_provider_without_revocation() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    provider.set_metadata("revocation_endpoint", Value::Null);
    oidc.revoke("a-token").await.unwrap();
    assert!(provider.requests(REVOCATION).is_empty());
}

#[rstest]
#[case::not_this_kind(400, r#"{"error":"unsupported_token_type"}"#, "")]
#[case::another_client(401, r#"{"error":"invalid_client"}"#, "can't be used")]
#[case::a_refusal(400, r#"{"error":"access_denied"}"#, "refused: access_denied")]
#[case::gibberish(404, "a-token", "HTTP 404")]
#[case::failing(503, "a-token", "unavailable")]
#[tokio::test]
async fn a_failed_revocation_is_an_error(
    #[case] status: u16,
    #[case] body: &'static str,
    #[case] problem: &str,
) {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    provider.respond_status(REVOCATION, status, body);
    let revoked = oidc.revoke("a-token").await;
    let text = revoked.map_or_else(|error| error.to_string(), |()| String::new());
    assert_eq!(text.is_empty(), problem.is_empty(), "{text}");
    assert!(text.contains(problem), "{text}");
    assert!(!text.contains("a-token"), "{text}");
}

#[tokio::test]
async fn the_provider_ends_its_session_and_redirects_back() {
    let sandbox = Sandbox::start().await;
    let address = sandbox.adapter().sign_out_url(SIGNED_OUT).await.unwrap();
    let response = http_client().get(address).send().await.unwrap();
    assert_eq!(response.status(), 303);
    assert_eq!(response.headers()["location"], SIGNED_OUT);
}

#[tokio::test]
async fn the_sign_out_url_names_the_client_and_keeps_the_providers_query() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    let address = oidc.sign_out_url("https://gateway.example/?a=b").await;
    let expected = format!(
        "{}/end?tenant=1&client_id={CLIENT}&post_logout_redirect_uri=\
         https%3A%2F%2Fgateway.example%2F%3Fa%3Db",
        provider.issuer()
    );
    assert_eq!(address.unwrap(), expected);
}

#[tokio::test]
async fn without_an_end_session_endpoint_there_is_no_sign_out_url() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    provider.set_metadata("end_session_endpoint", Value::Null);
    assert_eq!(oidc.sign_out_url(SIGNED_OUT).await, None);
    provider.respond_status(DISCOVERY, 502, "");
    let oidc = provider.adapter(&clock);
    assert_eq!(oidc.sign_out_url(SIGNED_OUT).await, None);
}
