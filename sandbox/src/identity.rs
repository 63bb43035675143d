//! A stand-in for an OpenID Connect provider: a real HTTP server with one client and two people
//! who don't exist. For development only: whoever opens its page signs in with one click.
//!
//! The way of one sign-in: [`authorization`] checks what the client asks for and shows a page with
//! a button per person; the pressed button makes a code, which [`codes`] keeps for a minute;
//! [`exchange`] redeems it once for tokens that [`keys`] sign, [`tokens`] says what is in them.
//! [`session`] is what comes after: who a token is of, revoking it, signing out. [`client`] tells
//! the registered client from others, [`answers`] are the forms that answers take.
//!
//! # Example
//! ```no_run
//! # async fn example(config: sandbox::identity::IdentityConfig) -> std::io::Result<()> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:4000").await?;
//! let router = sandbox::identity::router(config);
//! sandbox::serve(listener, router, std::future::pending()).await;
//! # Ok(())
//! # }
//! ```

mod answers;
mod authorization;
mod client;
mod codes;
mod exchange;
mod keys;
mod parameters;
mod people;
mod session;
mod tokens;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::Now;

use client::Client;
use codes::Codes;
use keys::SigningKeys;
use session::Revocations;

pub use people::{ADMIN, MEMBER};

/// More than any request of an honest client.
const LARGEST_FORM: usize = 16 * 1024;

/// Who the provider is, and who its client is.
#[derive(Clone)]
pub struct IdentityConfig {
    /// Its own address, where it is served, without a slash at its end: `http://127.0.0.1:4000`.
    pub issuer: String,
    /// The client's name.
    pub client_id: String,
    /// The client's secret; `None` for a public client, which PKCE alone protects.
    pub client_secret: Option<String>,
    /// Where codes may be sent, compared to the letter (RFC 9700, 2.1).
    pub redirect_uris: Vec<String>,
    /// Where a browser may be sent after signing out.
    pub post_logout_redirect_uris: Vec<String>,
    /// Whom access tokens are for: their `aud`.
    pub audience: String,
    /// The clock: it dates tokens and ends codes.
    pub now: Now,
}

/// What may be done to a provider besides asking it.
#[derive(Clone)]
pub struct Handle(Arc<Provider>);

impl Handle {
    /// Signs with a new key from now on. The old one stays published, so what it signed stays good.
    pub fn rotate(&self) {
        self.0.keys.rotate(self.0.now());
    }
}

/// The provider. Serve it with [`crate::serve`] on a loopback listener at its issuer's address, and
/// nowhere else: it lets everybody in.
pub fn router(config: IdentityConfig) -> Router {
    router_and_handle(config).0
}

/// The provider, and a handle on it.
pub fn router_and_handle(config: IdentityConfig) -> (Router, Handle) {
    let provider = Arc::new(Provider::new(config));
    let router = Router::new()
        .route("/.well-known/openid-configuration", get(configuration))
        .route("/jwks", get(jwks))
        .route("/authorize", get(authorization::page))
        .route("/style.css", get(answers::style))
        .route("/sign-in", post(authorization::sign_in))
        .route("/token", post(exchange::token))
        .route("/userinfo", get(session::user_info))
        .route("/revoke", post(session::revoke))
        .route("/end-session", get(session::end))
        .route("/rotate", post(rotate))
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .with_state(Arc::clone(&provider));
    (router, Handle(provider))
}

pub(crate) struct Provider {
    issuer: String,
    audience: String,
    client: Client,
    keys: SigningKeys,
    codes: Codes,
    revocations: Revocations,
    now: Now,
}

impl Provider {
    fn new(config: IdentityConfig) -> Self {
        Self {
            keys: SigningKeys::new((config.now)()),
            codes: Codes::new(),
            revocations: Revocations::new(),
            client: Client {
                id: config.client_id,
                secret: config.client_secret,
                redirect_uris: config.redirect_uris,
                post_logout_redirect_uris: config.post_logout_redirect_uris,
            },
            issuer: config.issuer,
            audience: config.audience,
            now: config.now,
        }
    }

    fn now(&self) -> DateTime<Utc> {
        (self.now)()
    }
}

/// The discovery document (OpenID Connect Discovery 1.0, RFC 8414).
async fn configuration(State(provider): State<Arc<Provider>>) -> Json<Value> {
    let issuer = &provider.issuer;
    let authentication = match provider.client.secret {
        Some(_) => json!(["client_secret_basic", "client_secret_post"]),
        None => json!(["none"]),
    };
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/jwks"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "revocation_endpoint": format!("{issuer}/revoke"),
        "end_session_endpoint": format!("{issuer}/end-session"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "scopes_supported": ["openid", "profile"],
        "claims_supported": ["sub", "name", "preferred_username", "roles"],
        "token_endpoint_auth_methods_supported": authentication,
        "revocation_endpoint_auth_methods_supported": authentication,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
}

async fn jwks(State(provider): State<Arc<Provider>>) -> Json<Value> {
    Json(provider.keys.published(provider.now()))
}

/// For development only, like all of this: whoever can reach the provider can rotate its keys.
async fn rotate(State(provider): State<Arc<Provider>>) -> StatusCode {
    provider.keys.rotate(provider.now());
    StatusCode::NO_CONTENT
}
