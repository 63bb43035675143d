//! OpenID Connect provider for development: an HTTP server with one client and two fictitious users.
//! Anybody can sign in as either of them with one click.
//!
//! Steps of a sign-in: [`authorization`] validates the request and shows a page with a button per user;
//! the button issues a code, which [`codes`] stores for a minute; [`exchange`] redeems it once for
//! tokens with the claims of [`tokens`], signed by [`keys`]. [`session`] implements user info,
//! revocation and sign-out, [`client`] client authentication, [`answers`] the responses.
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

/// Maximum size of a request body; valid ones are smaller.
const MAX_FORM_BYTES: usize = 16 * 1024;

/// Settings of the provider and its client.
#[derive(Clone)]
pub struct IdentityConfig {
    /// Issuer URL, where the provider is served, without a trailing slash: `http://127.0.0.1:4000`.
    pub issuer: String,
    /// The client's `client_id`.
    pub client_id: String,
    /// The client's secret; `None` for a public client, which uses PKCE only.
    pub client_secret: Option<String>,
    /// Registered redirect URIs, compared exactly (RFC 9700, 2.1).
    pub redirect_uris: Vec<String>,
    /// Registered redirect URIs after signing out.
    pub post_logout_redirect_uris: Vec<String>,
    /// `aud` claim of access tokens.
    pub audience: String,
    /// The clock, for timestamps in tokens and the expiry of codes.
    pub now: Now,
}

/// Administration of a running provider.
#[derive(Clone)]
pub struct Handle(Arc<Provider>);

impl Handle {
    /// Rotates the signing key. The old key stays published, so that its tokens stay valid.
    pub fn rotate(&self) {
        self.0.keys.rotate(self.0.now());
    }
}

/// Returns the provider's routes. Serve them with [`crate::serve`] on a loopback listener at the
/// issuer's address, and nowhere else: anybody can sign in.
pub fn router(config: IdentityConfig) -> Router {
    router_and_handle(config).0
}

/// Returns the provider's routes and a handle.
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
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
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

/// Rotates the signing key. For development only: there is no authentication.
async fn rotate(State(provider): State<Arc<Provider>>) -> StatusCode {
    provider.keys.rotate(provider.now());
    StatusCode::NO_CONTENT
}
