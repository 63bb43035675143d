//! Something fetched from the provider and kept: one fetch at a time for all who wait, never too
//! often, and the old one stays in use for a while when the provider is down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use ports::outbound::{Clock, Want};

use crate::errand::{Asked, Asker, Brought, Errand, Source, Terms};
use crate::fault::Fault;

/// Whether somebody who finds the thing wanting waits until it may be fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Makes do with what there is.
    None,
    /// Waits for [`Terms::pause`]; once more when another process was first, and in vain.
    Pause,
}

/// A fetch under way; it goes on when nobody waits any more.
type Flight = Shared<BoxFuture<'static, ()>>;

/// The thing and its history.
pub(crate) struct Refreshing<S: Source> {
    source: S,
    terms: Terms,
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept<S::Item>>,
}

struct Kept<T> {
    current: Option<Current<T>>,
    /// When the last fetch began.
    tried_at: Option<Duration>,
    /// When to try again for somebody who finds the thing wanting.
    rests_until: Duration,
    /// Why the last fetch failed; `None` when it didn't.
    failure: Option<Arc<Fault>>,
    flight: Option<Flight>,
    /// How many fetches have begun.
    departures: Departures,
}

struct Current<T> {
    item: Arc<T>,
    /// When its fetch began: what changed at the provider before is in it.
    asked: Asked,
    /// Which fetch of ours it is from; zero when another process fetched it.
    departure: Departures,
}

/// A count of fetches: it tells before from after where a clock may say "at once".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Departures(u64);

impl<S: Source> Refreshing<S> {
    pub(crate) fn new(source: S, terms: Terms, clock: Arc<dyn Clock>) -> Arc<Self> {
        let kept = Kept {
            current: None,
            tried_at: None,
            rests_until: Duration::ZERO,
            failure: None,
            flight: None,
            departures: Departures::default(),
        };
        Arc::new(Self {
            source,
            terms,
            clock,
            kept: Mutex::new(kept),
        })
    }

    /// The thing, fetched if need be.
    pub(crate) async fn get(self: &Arc<Self>) -> Result<Arc<S::Item>, Arc<Fault>> {
        let flight = {
            let mut kept = self.kept();
            let now = self.clock.monotonic();
            if let Some(current) = &kept.current {
                let item = Arc::clone(&current.item);
                let age = current.asked.age(now);
                if age < self.terms.fresh {
                    return Ok(item);
                }
                let is_at_hand = age < self.terms.fresh * 2 || kept.failure.is_some();
                if is_at_hand && age < self.terms.stale {
                    self.depart_if_due(&mut kept, now);
                    return Ok(item);
                }
            }
            self.depart_if_due(&mut kept, now)
        };
        if let Some(flight) = flight {
            flight.await;
        }
        self.usable()
    }

    /// The thing, newer than `seen`, which was found wanting by somebody who came when `since` had
    /// begun. The same one again when it was fetched after that, or must not be fetched again yet.
    pub(crate) async fn newer_than(
        self: &Arc<Self>,
        seen: &Arc<S::Item>,
        since: Departures,
        patience: Patience,
    ) -> Result<Arc<S::Item>, Arc<Fault>> {
        let until = self.clock.monotonic() + 2 * self.terms.pause;
        loop {
            let (flight, rest) = {
                let mut kept = self.kept();
                let now = self.clock.monotonic();
                if let Some(current) = &kept.current
                    && (current.departure > since || !Arc::ptr_eq(&current.item, seen))
                {
                    return Ok(Arc::clone(&current.item));
                }
                let rest = kept.rests_until.saturating_sub(now);
                if kept.flight.is_none() && rest.is_zero() {
                    kept.rests_until = now + self.terms.pause;
                    self.depart(&mut kept, now, Want::Missing);
                }
                (kept.flight.clone(), rest)
            };
            match (flight, patience) {
                (Some(flight), _) => {
                    flight.await;
                    let latest = self.latest();
                    // Another process may have been there before us, in vain or for something else.
                    let is_open = match &latest {
                        Ok(latest) => Arc::ptr_eq(latest, seen),
                        Err(fault) => matches!(**fault, Fault::Elsewhere),
                    };
                    if patience == Patience::None || !is_open || self.clock.monotonic() >= until {
                        return latest;
                    }
                }
                (None, Patience::None) => return self.latest(),
                (None, Patience::Pause) => tokio::time::sleep(rest).await,
            }
        }
    }

    /// What has begun until now, for [`Refreshing::newer_than`].
    pub(crate) fn departures(&self) -> Departures {
        self.kept().departures
    }

    /// What may be used now.
    fn usable(&self) -> Result<Arc<S::Item>, Arc<Fault>> {
        let kept = self.kept();
        let now = self.clock.monotonic();
        match &kept.current {
            Some(current) if current.asked.age(now) < self.terms.stale => {
                Ok(Arc::clone(&current.item))
            }
            _ => Err(kept.why_not()),
        }
    }

    /// What the last fetch brought.
    fn latest(&self) -> Result<Arc<S::Item>, Arc<Fault>> {
        let kept = self.kept();
        match &kept.current {
            Some(current) if kept.failure.is_none() => Ok(Arc::clone(&current.item)),
            _ => Err(kept.why_not()),
        }
    }

    /// Joins the fetch under way, or begins one unless the last was a moment ago.
    fn depart_if_due(self: &Arc<Self>, kept: &mut Kept<S::Item>, now: Duration) -> Option<Flight> {
        let pause = match &kept.current {
            Some(current) if current.asked.age(now) < self.terms.stale => self.terms.pause,
            _ => self.terms.pause_without,
        };
        let is_due = kept
            .tried_at
            .is_none_or(|tried_at| now.saturating_sub(tried_at) >= pause);
        if kept.flight.is_none() && is_due {
            self.depart(kept, now, Want::Newer);
        }
        kept.flight.clone()
    }

    /// Begins a fetch. It runs by itself: whoever hangs up early must not end it, or could have as
    /// many begun as he likes.
    fn depart(self: &Arc<Self>, kept: &mut Kept<S::Item>, now: Duration, want: Want) {
        kept.tried_at = Some(now);
        kept.departures.0 += 1;
        let departure = kept.departures;
        let held = kept.current.as_ref().map(|current| current.asked);
        let errand = Errand {
            want,
            held: held.filter(|asked| asked.age(now) < self.terms.stale),
            terms: self.terms,
        };
        let this = Arc::clone(self);
        let task = tokio::spawn(async move {
            let mut landing = Landing {
                of: &this,
                began: now,
                departure,
                brought: Err(Fault::Interrupted).into(),
            };
            landing.brought = this.source.fetch(errand).await;
        });
        kept.flight = Some(task.map(drop).boxed().shared());
    }

    fn land(&self, landing: &mut Landing<'_, S>) {
        let nothing = Err(Fault::Interrupted).into();
        let brought = std::mem::replace(&mut landing.brought, nothing);
        let now = self.clock.monotonic();
        let mut kept = self.kept();
        kept.flight = None;
        if let Some(again_in) = brought.again_in {
            kept.rests_until = now + again_in;
        }
        if let Some((item, asker)) = brought.item {
            let (asked, departure) = match asker {
                Asker::Us => (Asked::at(landing.began), landing.departure),
                Asker::Another(asked) => (asked, Departures::default()),
            };
            kept.current = Some(Current {
                item: Arc::new(item),
                asked,
                departure,
            });
        }
        // What went wrong elsewhere is said there.
        let ours = |fault: &&Fault| !matches!(fault, Fault::Elsewhere);
        if let Some(fault) = brought.failure.as_ref().filter(ours) {
            let cause = std::error::Error::source(fault).map(ToString::to_string);
            tracing::warn!(
                error = %fault,
                cause,
                kept = kept.current.is_some(),
                "{} could not be fetched",
                S::WHAT
            );
        }
        kept.failure = brought.failure.map(Arc::new);
    }

    fn kept(&self) -> MutexGuard<'_, Kept<S::Item>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Kept<T> {
    /// Why there is nothing to use.
    fn why_not(&self) -> Arc<Fault> {
        let failure = self.failure.as_ref();
        failure.map_or_else(|| Arc::new(Fault::Interrupted), Arc::clone)
    }
}

/// Ends a fetch, even one that panics: nobody must wait for it for ever.
struct Landing<'a, S: Source> {
    of: &'a Refreshing<S>,
    began: Duration,
    departure: Departures,
    brought: Brought<S::Item>,
}

impl<S: Source> Drop for Landing<'_, S> {
    fn drop(&mut self) {
        let of = self.of;
        of.land(self);
    }
}
