//! What is to be fetched, and what came of it.

use std::time::Duration;

use ports::outbound::Want;

use crate::fault::Fault;

/// Where something comes from.
pub(crate) trait Source: Send + Sync + 'static {
    /// The thing.
    type Item: Send + Sync + 'static;

    /// What logs call it.
    const WHAT: &'static str;

    /// Fetches it. Takes no longer than the wire's timeouts and a pause.
    fn fetch(&self, errand: Errand) -> impl Future<Output = Brought<Self::Item>> + Send;
}

/// How long the thing may be used, and how often it is fetched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Younger than this, it isn't fetched again. Up to twice this it is fetched beside its use;
    /// afterwards its use waits for the fetch, unless the last one failed.
    pub(crate) fresh: Duration,
    /// The oldest that is used when no newer one can be had.
    pub(crate) stale: Duration,
    /// The shortest time between two fetches because the thing was found wanting, and after a
    /// failed fetch while there is one to use.
    pub(crate) pause: Duration,
    /// The same while there is nothing to use: people are waiting to sign in.
    pub(crate) pause_without: Duration,
}

/// Why something is fetched, and what there is of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errand {
    pub(crate) want: Want,
    /// When what there is was asked for; `None` when there is nothing to use.
    pub(crate) held: Option<Asked>,
    pub(crate) terms: Terms,
}

impl Errand {
    /// The shortest time between two such errands.
    pub(crate) fn pause(&self) -> Duration {
        match (self.want, self.held) {
            (Want::Newer, None) => self.terms.pause_without,
            (Want::Newer, Some(_)) | (Want::Missing, _) => self.terms.pause,
        }
    }
}

/// When something was asked for: so long before an instant of the monotonic clock, which may have
/// begun later than that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    before: Duration,
    instant: Duration,
}

impl Asked {
    /// At this instant.
    pub(crate) fn at(instant: Duration) -> Self {
        Self::before(instant, Duration::ZERO)
    }

    /// So long before this instant.
    pub(crate) fn before(instant: Duration, before: Duration) -> Self {
        Self { before, instant }
    }

    pub(crate) fn age(self, now: Duration) -> Duration {
        self.before + now.saturating_sub(self.instant)
    }

    pub(crate) fn is_later_than(self, other: Self) -> bool {
        let now = self.instant.max(other.instant);
        self.age(now) < other.age(now)
    }
}

/// What came of an errand.
pub(crate) struct Brought<T> {
    /// The thing, and who asked the provider for it.
    pub(crate) item: Option<(T, Asker)>,
    /// Why the provider can't be asked, or couldn't.
    pub(crate) failure: Option<Fault>,
    /// In how long it is worth trying again when the thing is found wanting; `None` where our own
    /// fetches alone say so.
    pub(crate) again_in: Option<Duration>,
}

/// Who asked the provider.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asker {
    /// We, on this errand.
    Us,
    /// Another process, then.
    Another(Asked),
}

impl<T> From<Result<T, Fault>> for Brought<T> {
    fn from(fetched: Result<T, Fault>) -> Self {
        let (item, failure) = match fetched {
            Ok(item) => (Some((item, Asker::Us)), None),
            Err(fault) => (None, Some(fault)),
        };
        Self {
            item,
            failure,
            again_in: None,
        }
    }
}
