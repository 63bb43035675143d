//! The sandbox's identity provider on a port of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use chrono::{DateTime, Utc};
use sandbox::identity::{Handle, IdentityConfig, router_and_handle};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The one client that the provider knows.
pub struct RegisteredClient<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its secret; `None` for a public client.
    pub secret: Option<&'a str>,
    /// The redirect URI after a sign-in.
    pub redirect_uri: &'a str,
    /// The redirect URI after a sign-out.
    pub signed_out_uri: &'a str,
    /// `aud` of access tokens.
    pub audience: &'a str,
}

/// A running provider, which counts requests of its key set. Stops when it is dropped.
pub struct IdentityServer {
    /// The issuer, which is also its address.
    pub issuer: String,
    /// Rotates its signing key.
    pub handle: Handle,
    key_fetches: Arc<AtomicUsize>,
    _shutdown: oneshot::Sender<()>,
}

impl IdentityServer {
    /// Starts a provider whose clock is `now`.
    pub async fn start(
        client: RegisteredClient<'_>,
        now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let (router, handle) = router_and_handle(IdentityConfig {
            issuer: issuer.clone(),
            client_id: client.id.to_owned(),
            client_secret: client.secret.map(ToOwned::to_owned),
            redirect_uris: vec![client.redirect_uri.to_owned()],
            post_logout_redirect_uris: vec![client.signed_out_uri.to_owned()],
            audience: client.audience.to_owned(),
            now: Arc::new(now),
        });
        let key_fetches = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&key_fetches);
        let router = router.layer(from_fn(move |request: Request, next: Next| {
            if request.uri().path() == "/jwks" {
                counter.fetch_add(1, Ordering::Relaxed);
            }
            next.run(request)
        }));
        let (shutdown, ended) = oneshot::channel::<()>();
        let ended = async { drop(ended.await) };
        tokio::spawn(sandbox::serve(listener, router, ended));
        Self {
            issuer,
            handle,
            key_fetches,
            _shutdown: shutdown,
        }
    }

    /// The number of key-set requests so far.
    pub fn key_fetches(&self) -> usize {
        self.key_fetches.load(Ordering::Relaxed)
    }
}
