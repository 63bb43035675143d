//! A provider that answers what a test wants, and counts.

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
use memory::MemoryProviderKeys;
use ports::outbound::ProviderKeyCache;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::clock::TestClock;
use crate::signer::{Draft, ED25519, P256, P384, RSA, Signature, ec_jwk, ed_jwk, rsa_jwk};

pub(crate) const CLIENT: &str = "the-client";
pub(crate) const AUDIENCE: &str = "the-gateway";

pub(crate) const DISCOVERY: &str = "/.well-known/openid-configuration";
pub(crate) const JWKS: &str = "/jwks";
pub(crate) const TOKEN: &str = "/token";
pub(crate) const REVOCATION: &str = "/revoke";

/// Makes the answers of one path.
type Answerer = Arc<dyn Fn() -> BoxFuture<'static, Response> + Send + Sync>;

/// A request that was made.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// A provider on a port of its own. It publishes one key of each kind.
#[derive(Clone)]
pub(crate) struct TestProvider {
    pub(crate) address: SocketAddr,
    answers: Arc<Mutex<HashMap<String, Answerer>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl TestProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self {
            address: listener.local_addr().unwrap(),
            answers: Arc::default(),
            asked: Arc::default(),
        };
        provider.says(DISCOVERY, provider.document());
        provider.publishes(&all_keys());
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

    /// Answers a path so from now on.
    pub(crate) fn answers<F>(&self, path: &str, answer: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let answer: Answerer = Arc::new(move || Box::pin(answer()));
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// Answers a path with JSON.
    pub(crate) fn says(&self, path: &str, document: Value) {
        self.answers(path, move || {
            let answer = axum::Json(document.clone()).into_response();
            async { answer }
        });
    }

    /// Answers a path with a status and a body.
    pub(crate) fn fails(&self, path: &str, status: u16, body: &'static str) {
        let status = StatusCode::from_u16(status).unwrap();
        self.answers(path, move || async move {
            (status, [("content-type", "application/json")], body).into_response()
        });
    }

    pub(crate) fn publishes(&self, keys: &[Value]) {
        self.says(JWKS, json!({ "keys": keys }));
    }

    pub(crate) fn asked(&self, path: &str) -> Vec<Asked> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|asked| asked.path == path)
            .cloned()
            .collect()
    }

    /// How often the keys were fetched.
    pub(crate) fn fetches(&self) -> usize {
        self.asked(JWKS).len()
    }

    pub(crate) fn config(&self) -> OidcConfig {
        OidcConfig::new(Issuer::parse(&self.issuer()).unwrap(), CLIENT, AUDIENCE)
    }

    pub(crate) fn adapter(&self, clock: &TestClock) -> Arc<Oidc> {
        adapter(self.config(), clock)
    }

    /// An access token as it should be, by the RSA key.
    pub(crate) fn draft(&self) -> Draft {
        let now = now();
        Draft {
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

    /// An ID token as it should be.
    pub(crate) fn id_draft(&self, nonce: &str) -> Draft {
        self.draft()
            .header("typ", json!("JWT"))
            .claim("aud", json!(CLIENT))
            .claim("nonce", json!(nonce))
    }
}

/// When every test starts, in seconds.
pub(crate) fn now() -> i64 {
    use ports::outbound::Clock as _;
    TestClock::new().now().timestamp()
}

/// One key of each kind, each with its kind as its name.
pub(crate) fn all_keys() -> [Value; 4] {
    [
        rsa_jwk(&RSA, "rsa"),
        ec_jwk(&P256, "P-256", "p256"),
        ec_jwk(&P384, "P-384", "p384"),
        ed_jwk(&ED25519, "ed25519"),
    ]
}

pub(crate) fn adapter(config: OidcConfig, clock: &TestClock) -> Arc<Oidc> {
    let alone = Arc::new(MemoryProviderKeys::new(clock.shared()));
    adapter_of_many(config, alone, clock)
}

/// One of the adapters that share a cache.
pub(crate) fn adapter_of_many(
    config: OidcConfig,
    cache: Arc<dyn ProviderKeyCache>,
    clock: &TestClock,
) -> Arc<Oidc> {
    // Another test of this process may have installed it already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Arc::new(Oidc::new(config, cache, clock.shared()).unwrap())
}

async fn handle(
    State(provider): State<TestProvider>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = Asked {
        method,
        path: uri.path().to_owned(),
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let answer = provider.answers.lock().unwrap().get(uri.path()).cloned();
    provider.asked.lock().unwrap().push(asked);
    match answer {
        Some(answer) => answer().await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
