//! Scripted provider that records the requests it gets.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use futures::future::BoxFuture;
use identity_oidc::{Issuer, Oidc, OidcConfig};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::clock::TestClock;
use crate::token_builder::{
    ED25519, P256, P384, RSA, Signature, TokenBuilder, ec_jwk, ed_jwk, rsa_jwk, set,
};

pub(crate) const CLIENT: &str = "the-client";
pub(crate) const AUDIENCE: &str = "the-gateway";

pub(crate) const DISCOVERY: &str = "/.well-known/openid-configuration";
pub(crate) const JWKS: &str = "/jwks";
pub(crate) const TOKEN: &str = "/token";
pub(crate) const REVOCATION: &str = "/revoke";

/// Makes the responses of one path.
type Responder = Arc<dyn Fn() -> BoxFuture<'static, Response> + Send + Sync>;

/// Request that the provider got.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Provider on a port of its own, which publishes one key of each kind.
#[derive(Clone)]
pub(crate) struct TestProvider {
    pub(crate) address: SocketAddr,
    responders: Arc<Mutex<HashMap<String, Responder>>>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl TestProvider {
    /// Starts a provider, and an adapter for it with a clock.
    pub(crate) async fn start_with_adapter() -> (Self, TestClock, Arc<Oidc>) {
        let (provider, clock) = (Self::start().await, TestClock::new());
        let oidc = provider.adapter(&clock);
        (provider, clock, oidc)
    }

    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self {
            address: listener.local_addr().unwrap(),
            responders: Arc::default(),
            requests: Arc::default(),
        };
        provider.respond_json(DISCOVERY, provider.document());
        provider.publish(&all_keys());
        let router = Router::new().fallback(handle).with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn document(&self) -> Value {
        let issuer = self.issuer();
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}{TOKEN}"),
            "jwks_uri": format!("{issuer}{JWKS}"),
            "revocation_endpoint": format!("{issuer}{REVOCATION}"),
            "end_session_endpoint": format!("{issuer}/end?tenant=1"),
        })
    }

    /// Sets the responder of a path.
    pub(crate) fn respond_with<F>(
        &self,
        path: &str,
        respond: impl Fn() -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Response> + Send + 'static,
    {
        let responder: Responder = Arc::new(move || Box::pin(respond()));
        let mut responders = self.responders.lock().unwrap();
        responders.insert(path.to_owned(), responder);
    }

    /// Sets a JSON response of a path.
    pub(crate) fn respond_json(&self, path: &str, document: Value) {
        self.respond_with(path, move || {
            let response = axum::Json(document.clone()).into_response();
            async { response }
        });
    }

    /// Sets a field of the discovery document; `null` removes it.
    pub(crate) fn set_metadata(&self, name: &str, value: Value) {
        let mut document = self.document();
        set(&mut document, name, value);
        self.respond_json(DISCOVERY, document);
    }

    /// Sets the status and body of a path's response.
    pub(crate) fn respond_status(&self, path: &str, status: u16, body: &'static str) {
        let status = StatusCode::from_u16(status).unwrap();
        self.respond_with(path, move || async move {
            (status, [("content-type", "application/json")], body).into_response()
        });
    }

    /// Publishes these keys from now on.
    pub(crate) fn publish(&self, keys: &[Value]) {
        self.respond_json(JWKS, json!({ "keys": keys }));
    }

    /// Returns the requests of a path so far.
    pub(crate) fn requests(&self, path: &str) -> Vec<RecordedRequest> {
        let requests = self.requests.lock().unwrap();
        let of_path = requests.iter().filter(|request| request.path == path);
        of_path.cloned().collect()
    }

    /// Returns the number of key-set requests so far.
    pub(crate) fn fetches(&self) -> usize {
        self.requests(JWKS).len()
    }

    pub(crate) fn config(&self) -> OidcConfig {
        OidcConfig::new(Issuer::parse(&self.issuer()).unwrap(), CLIENT, AUDIENCE)
    }

    pub(crate) fn adapter(&self, clock: &TestClock) -> Arc<Oidc> {
        adapter(self.config(), clock)
    }

    /// Returns a valid access token, signed by the RSA key.
    pub(crate) fn access_token(&self) -> TokenBuilder {
        let now = now();
        TokenBuilder {
            header: json!({ "alg": "RS256", "kid": "rsa", "typ": "at+jwt" }),
            claims: json!({
                "iss": self.issuer(),
                "aud": AUDIENCE,
                "sub": "somebody",
                "exp": now + 3600,
                "iat": now,
            }),
            signature: Signature::Rs256,
        }
    }

    /// Returns a valid ID token.
    pub(crate) fn id_token(&self, nonce: &str) -> TokenBuilder {
        self.access_token()
            .header("typ", json!("JWT"))
            .claim("aud", json!(CLIENT))
            .claim("nonce", json!(nonce))
    }
}

/// Returns the unix time at which every test starts, in seconds.
pub(crate) fn now() -> i64 {
    use ports::outbound::Clock as _;
    TestClock::new().now().timestamp()
}

/// Returns one JWK of each kind, with its kind as its id.
pub(crate) fn all_keys() -> [Value; 4] {
    [
        rsa_jwk(&RSA, "rsa"),
        ec_jwk(&P256, "P-256", "p256"),
        ec_jwk(&P384, "P-384", "p384"),
        ed_jwk(&ED25519, "ed25519"),
    ]
}

pub(crate) fn adapter(config: OidcConfig, clock: &TestClock) -> Arc<Oidc> {
    // Another test of this process may have installed it already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Arc::new(Oidc::new(config, clock.shared()).unwrap())
}

async fn handle(
    State(provider): State<TestProvider>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request = RecordedRequest {
        method,
        path: uri.path().to_owned(),
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let responder = provider.responders.lock().unwrap().get(uri.path()).cloned();
    provider.requests.lock().unwrap().push(request);
    match responder {
        Some(respond) => respond().await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
