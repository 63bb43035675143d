//! Processes that share a cache, as far as a test can see them.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::response::IntoResponse as _;
use identity_oidc::Oidc;
use memory::MemoryProviderKeys;
use ports::outbound::{Known, ProviderKeyCache, StoreError, Turn, Want};
use serde_json::json;
use tokio::sync::Notify;

use crate::clock::TestClock;
use crate::provider::{JWKS, TestProvider, adapter_of_many, all_keys};

/// The keys as two processes share them, and how often they were looked at.
pub(crate) struct Cache {
    keys: MemoryProviderKeys,
    looks: AtomicUsize,
}

impl Cache {
    pub(crate) fn new(clock: &TestClock) -> Arc<Self> {
        Arc::new(Self {
            keys: MemoryProviderKeys::new(clock.shared()),
            looks: AtomicUsize::new(0),
        })
    }

    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl ProviderKeyCache for Cache {
    async fn look(&self, issuer: &str, known: Turn) -> Result<Known, StoreError> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.keys.look(issuer, known).await
    }

    async fn take_turn(
        &self,
        issuer: &str,
        seen: Turn,
        want: Want,
    ) -> Result<Option<Turn>, StoreError> {
        self.keys.take_turn(issuer, seen, want).await
    }

    async fn publish(
        &self,
        issuer: &str,
        turn: Turn,
        age: Duration,
        document: &str,
    ) -> Result<(), StoreError> {
        self.keys.publish(issuer, turn, age, document).await
    }

    async fn give_up(&self, issuer: &str, turn: Turn) -> Result<(), StoreError> {
        self.keys.give_up(issuer, turn).await
    }
}

/// Processes that share a cache, and the provider that they ask.
pub(crate) struct Fleet {
    pub(crate) provider: TestProvider,
    pub(crate) clock: TestClock,
    pub(crate) cache: Arc<Cache>,
}

impl Fleet {
    pub(crate) async fn new() -> Self {
        let clock = TestClock::new();
        Self {
            provider: TestProvider::start().await,
            cache: Cache::new(&clock),
            clock,
        }
    }

    /// Another process.
    pub(crate) fn process(&self) -> Arc<Oidc> {
        adapter_of_many(self.provider.config(), self.cache.clone(), &self.clock)
    }

    /// An access token that names this key.
    pub(crate) fn token_of(&self, key: &str) -> String {
        self.provider.draft().header("kid", json!(key)).token()
    }

    /// Takes a turn as another process would.
    pub(crate) async fn take_turn(&self, want: Want) -> Turn {
        let issuer = self.provider.issuer();
        let seen = self.cache.keys.look(&issuer, Turn(0)).await.unwrap().turn;
        let taken = self.cache.take_turn(&issuer, seen, want).await;
        taken.unwrap().unwrap()
    }

    /// Publishes as another process would.
    pub(crate) async fn publish(&self, document: &str) {
        let turn = self.take_turn(Want::Newer).await;
        let issuer = self.provider.issuer();
        let published = self.cache.publish(&issuer, turn, Duration::ZERO, document);
        published.await.unwrap();
    }

    /// Answers for the keys wait until they are let go.
    pub(crate) fn holds_keys_back(&self) -> Arc<Notify> {
        let gate = Arc::new(Notify::new());
        let closed = Arc::clone(&gate);
        self.provider.answers(JWKS, move || {
            let gate = Arc::clone(&closed);
            async move {
                gate.notified().await;
                axum::Json(json!({ "keys": all_keys() })).into_response()
            }
        });
        gate
    }
}

/// A cache that is of no use.
pub(crate) enum Broken {
    Failing,
    Silent,
}

impl Broken {
    async fn answer<T>(&self) -> Result<T, StoreError> {
        match self {
            Self::Failing => Err(StoreError {
                cause: Arc::new(io::Error::other("the database is down")),
            }),
            Self::Silent => pending().await,
        }
    }
}

#[async_trait]
impl ProviderKeyCache for Broken {
    async fn look(&self, _: &str, _: Turn) -> Result<Known, StoreError> {
        self.answer().await
    }

    async fn take_turn(&self, _: &str, _: Turn, _: Want) -> Result<Option<Turn>, StoreError> {
        self.answer().await
    }

    async fn publish(&self, _: &str, _: Turn, _: Duration, _: &str) -> Result<(), StoreError> {
        self.answer().await
    }

    async fn give_up(&self, _: &str, _: Turn) -> Result<(), StoreError> {
        self.answer().await
    }
}
