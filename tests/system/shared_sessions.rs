//! People at several replicas, which share one identity provider: a session is one everywhere.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::future::join_all;
use reqwest::header::COOKIE;
use reqwest::{Method, StatusCode};
use serde_json::json;
use testkit::free_port;
use testkit::identity_server::{IdentityServer, RegisteredClient};

use crate::gateway::{Gateway, Plan};
use crate::person::{Demo, Person};
use crate::replicas;
use crate::servers::Servers;

/// The session's cookie on plain http.
pub(crate) const SESSION: &str = "cep_session";
/// Shortest time between two refreshes of one replica because of an unknown key id.
const COOL_DOWN: Duration = Duration::from_secs(10);

/// Starts an identity provider that is no replica's own, for people who come back to this address.
#[expect(clippy::disallowed_methods, reason = "as a program beside us does")]
pub(crate) async fn start_provider(public: SocketAddr) -> IdentityServer {
    let client = RegisteredClient {
        id: "cep",
        secret: None,
        redirect_uri: &format!("http://{public}/auth/callback"),
        signed_out_uri: &format!("http://{public}"),
        audience: "cep-api",
    };
    IdentityServer::start(client, chrono::Utc::now).await
}

/// The plan of a gateway that people reach by the address `public` and sign in at with this provider.
pub(crate) fn beside(plan: Plan, provider: &IdentityServer, public: SocketAddr) -> Plan {
    plan.with("CEP_PUBLIC_URL", format!("http://{public}"))
        .with("CEP_OIDC_ISSUER", &provider.issuer)
        .with("CEP_OIDC_CLIENT_ID", "cep")
        .with("CEP_OIDC_AUDIENCE", "cep-api")
}

/// Two replicas that share a provider: one at the address that people reach, and another.
pub(crate) async fn two_replicas(servers: &Servers) -> (IdentityServer, Gateway, Gateway) {
    let public = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let provider = start_provider(public).await;
    let start = |listen: SocketAddr| {
        beside(replicas::plan(servers), &provider, public)
            .with("CEP_DASHBOARD", "on")
            .with("CEP_LISTEN", listen)
            .start()
    };
    let one = start(public);
    let another = start(SocketAddr::from(([127, 0, 0, 1], 0)));
    (provider, one, another)
}

/// The same browser, sent to another replica.
pub(crate) fn at(gateway: &Gateway, session: &str) -> Person {
    let mut person = Person::stranger(gateway);
    person.hold(SESSION, session);
    person
}

/// A well-formed session token, signed with an unknown key.
fn forged(number: usize) -> String {
    let part = |json: serde_json::Value| URL_SAFE_NO_PAD.encode(json.to_string());
    let header = json!({ "alg": "RS256", "typ": "at+jwt", "kid": format!("kid-{number}") });
    let signature = URL_SAFE_NO_PAD.encode([7; 256]);
    format!("{}.{}.{signature}", part(header), part(json!({})))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_one_at_every_replica_and_each_fetches_the_providers_keys_once() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let (provider, one, another) = two_replicas(&servers).await;

    // Signed in at one, known at both; each fetches the keys when it first needs them.
    let person = Person::signed_in(&one, Demo::Member).await;
    let session = person.cookie(SESSION).unwrap().to_owned();
    person.create_key("made at one", "test").await;
    let keys = at(&another, &session).keys().await;
    assert_eq!(keys[0]["name"], "made at one");
    assert_eq!(provider.key_fetches(), 2);

    // The provider signs with a new key: each fetches it once.
    provider.handle.rotate();
    let rotated = Instant::now();
    let later = Person::signed_in(&one, Demo::Admin).await;
    let later = at(&another, later.cookie(SESSION).unwrap());
    later.keys().await;
    at(&another, &session).keys().await;
    assert_eq!(provider.key_fetches(), 4);

    // A flood of unknown key ids at both: sessions go on, and each fetches once per cool-down at most.
    let flood = (0..400).map(|number| {
        let gateway = if number % 2 == 0 { &one } else { &another };
        let asked = gateway.client.get(gateway.url("/keys"));
        let asked = asked.header(COOKIE, format!("{SESSION}={}", forged(number)));
        async move { asked.send().await.unwrap().status() }
    });
    for refused in join_all(flood).await {
        assert_eq!(refused, StatusCode::UNAUTHORIZED);
    }
    later.keys().await;
    let cool_downs = rotated.elapsed().as_secs() / COOL_DOWN.as_secs();
    let most = 4 + 2 * usize::try_from(cool_downs).unwrap();
    assert!(provider.key_fetches() <= most, "{}", provider.key_fetches());

    // Signed out at one, and at once at both.
    person.sign_out().await;
    for gateway in [&another, &one] {
        let person = at(gateway, &session);
        let refused = person.told(Method::GET, "/keys", 401).await;
        assert_eq!(refused["error"], "UNAUTHENTICATED");
    }
    later.keys().await;
}
