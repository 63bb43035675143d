//! The provider's keys, fetched once for all processes that share a cache.
//!
//! Whoever needs newer ones looks into the cache first. What another process has fetched since is
//! taken; while another one fetches it is waited for; and the provider is asked when nobody has asked
//! it for a while. A cache that fails stops nobody: then every process is by itself, and asks no
//! more often than its own history allows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ports::outbound::{
    Clock, KeyDocument, Known, Progress, ProviderKeyCache, StoreError, Turn, Want,
};
use tokio::time::{Instant, sleep, timeout};

use crate::discovery::Discovery;
use crate::errand::{Asked, Asker, Brought, Errand, Source};
use crate::fault::Fault;
use crate::keys::{KeySet, WHAT};
use crate::refreshing::Refreshing;
use crate::wire::Wire;

/// How long the cache may take to answer: somebody may be waiting to sign in.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the cache is looked at for what others fetch: a provider's answer takes about as long.
const GLANCE: Duration = Duration::from_millis(100);

/// The keys, where the discovery document says they are.
pub(crate) struct Jwks {
    pub(crate) wire: Wire,
    pub(crate) discovery: Arc<Refreshing<Discovery>>,
}

impl Jwks {
    async fn document(&self) -> Result<String, Fault> {
        let endpoints = self.discovery.get().await.map_err(Fault::Shared)?;
        let document = self.wire.document(WHAT, &endpoints.jwks).await?;
        String::from_utf8(document).map_err(|_| Fault::unusable(WHAT, "not UTF-8"))
    }
}

/// The keys of an issuer, as the processes share them.
pub(crate) struct SharedKeys {
    provider: Jwks,
    issuer: String,
    cache: Arc<dyn ProviderKeyCache>,
    clock: Arc<dyn Clock>,
    /// The turn that what we hold is from; zero when there is nothing, or others don't have it.
    held: AtomicU64,
}

/// The cache failed, which has been logged.
struct CacheDown;

/// What another process fetched.
struct Found {
    keys: KeySet,
    turn: Turn,
    asked: Asked,
}

impl SharedKeys {
    pub(crate) fn new(
        provider: Jwks,
        issuer: String,
        cache: Arc<dyn ProviderKeyCache>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            provider,
            issuer,
            cache,
            clock,
            held: AtomicU64::default(),
        }
    }

    /// Goes by what the cache says.
    async fn together(&self, errand: Errand) -> Result<Brought<KeySet>, CacheDown> {
        let until = Instant::now() + errand.pause();
        let mut seen = self.held();
        let mut spare = None;
        loop {
            let looked_at = self.clock.monotonic();
            let known = in_time(self.cache.look(&self.issuer, seen)).await?;
            let rest = rest(&known, errand);
            if let Some(document) = known.document {
                seen = document.turn;
                spare = self.read(&document, looked_at, errand).or(spare);
            }
            if let Some(found) = spare.take_if(|found| is_enough(found, errand, looked_at)) {
                return Ok(self.nobody_asked(Some(found), None, errand, rest));
            }
            if rest.is_zero() {
                let taking = self.cache.take_turn(&self.issuer, known.turn, errand.want);
                if let Some(turn) = in_time(taking).await? {
                    return Ok(self.ask_in_turn(turn, spare, errand).await);
                }
            } else if known.progress == Progress::UnderWay && Instant::now() < until {
                sleep(GLANCE).await;
            } else {
                let is_served = known.progress == Progress::Published && errand.held.is_some();
                let failure = (!is_served).then_some(Fault::Elsewhere);
                return Ok(self.nobody_asked(spare, failure, errand, rest));
            }
        }
    }

    fn held(&self) -> Turn {
        Turn(self.held.load(Ordering::Relaxed))
    }

    fn hold(&self, turn: Turn) {
        self.held.store(turn.0, Ordering::Relaxed);
    }

    /// Reads what another process fetched, as if the provider had sent it; `None` when it is no
    /// better than what there is.
    fn read(&self, document: &KeyDocument, looked_at: Duration, errand: Errand) -> Option<Found> {
        let asked = Asked::before(looked_at, document.age?);
        // Turns tell before from after; of what we fetched for ourselves only the time is known.
        let is_newer = match errand.held {
            Some(held) if self.held() == Turn(0) => asked.is_later_than(held),
            _ => true,
        };
        if !is_newer || asked.age(looked_at) >= errand.terms.stale {
            return None;
        }
        match KeySet::read(&document.text) {
            Ok(keys) => Some(Found {
                keys,
                turn: document.turn,
                asked,
            }),
            Err(fault) => {
                tracing::warn!(error = %fault, "what another process published is of no use");
                None
            }
        }
    }

    /// What came of an errand on which the provider wasn't asked.
    fn nobody_asked(
        &self,
        found: Option<Found>,
        failure: Option<Fault>,
        errand: Errand,
        rest: Duration,
    ) -> Brought<KeySet> {
        Brought {
            item: found.map(|found| self.take(found)),
            failure,
            again_in: again_in(errand, rest),
        }
    }

    fn take(&self, found: Found) -> (KeySet, Asker) {
        self.hold(found.turn);
        (found.keys, Asker::Another(found.asked))
    }

    /// Asks the provider, and tells the others. What there is to spare is used if it can't be asked.
    async fn ask_in_turn(
        &self,
        turn: Turn,
        spare: Option<Found>,
        errand: Errand,
    ) -> Brought<KeySet> {
        let again_in = again_in(errand, errand.pause());
        let asked_at = self.clock.monotonic();
        let (document, keys) = match self.ask().await {
            Ok(answer) => answer,
            Err(fault) => {
                // Others needn't wait for it; if they can't be told, they do for a while.
                let _ = in_time(self.cache.give_up(&self.issuer, turn)).await;
                return Brought {
                    item: spare.map(|found| self.take(found)),
                    failure: Some(fault),
                    again_in,
                };
            }
        };
        let age = self.clock.monotonic().saturating_sub(asked_at);
        let publishing = self.cache.publish(&self.issuer, turn, age, &document);
        let is_shared = in_time(publishing).await.is_ok();
        self.hold(if is_shared { turn } else { Turn(0) });
        Brought {
            item: Some((keys, Asker::Us)),
            failure: None,
            again_in,
        }
    }

    /// Asks the provider for us alone.
    async fn ask_alone(&self) -> Brought<KeySet> {
        let answer = self.ask().await;
        if answer.is_ok() {
            self.hold(Turn(0));
        }
        answer.map(|(_, keys)| keys).into()
    }

    async fn ask(&self) -> Result<(String, KeySet), Fault> {
        let document = self.provider.document().await?;
        let keys = KeySet::read(&document)?;
        Ok((document, keys))
    }
}

impl Source for SharedKeys {
    type Item = KeySet;

    const WHAT: &'static str = WHAT;

    async fn fetch(&self, errand: Errand) -> Brought<KeySet> {
        match self.together(errand).await {
            Ok(brought) => brought,
            Err(CacheDown) => self.ask_alone().await,
        }
    }
}

/// How long nobody may ask the provider on such an errand.
fn rest(known: &Known, errand: Errand) -> Duration {
    let last = match errand.want {
        Want::Newer => known.begun,
        Want::Missing => known.missed,
    };
    last.map_or(Duration::ZERO, |last| errand.pause().saturating_sub(last))
}

/// In how long to look again for what is missed. Others may fetch it before the provider may be
/// asked for it again.
fn again_in(errand: Errand, rest: Duration) -> Option<Duration> {
    (errand.want == Want::Missing).then_some(rest.min(GLANCE))
}

/// Whether the provider needn't be asked. What was missed may be in anything newer.
fn is_enough(found: &Found, errand: Errand, now: Duration) -> bool {
    match errand.want {
        Want::Newer => found.asked.age(now) < errand.terms.fresh,
        Want::Missing => true,
    }
}

/// What the cache answers, if it does in time.
async fn in_time<T>(
    answer: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, CacheDown> {
    match timeout(PATIENCE, answer).await {
        Ok(Ok(answer)) => return Ok(answer),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the identity provider's keys can't be shared");
        }
        Err(_) => tracing::warn!(
            patience = ?PATIENCE,
            "the identity provider's keys can't be shared: the database doesn't answer in time"
        ),
    }
    Err(CacheDown)
}
