//! Single flight: concurrent requests for the same proof share one query.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::delivery::FetchError;
use domain::pacing::LookupClass;
use domain::people::customer::CustomerId;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use tracing::{Instrument as _, Span};

use super::memory::{CachedProof, ProofSource, Subject};

type Answer = Result<Arc<CachedProof>, FetchError>;
type SharedQuery = Shared<BoxFuture<'static, Answer>>;

/// Requests with equal keys share a query. Customers and classes don't share queries, because a query waits
/// in the lane of one customer and class. Neither do requests with different permitted sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FlightKey {
    pub(super) subject: Subject,
    pub(super) source: ProofSource,
    pub(super) customer: CustomerId,
    pub(super) class: LookupClass,
}

/// Running queries by their keys.
#[derive(Clone, Default)]
pub(super) struct SingleFlight(Arc<Mutex<Queries>>);

#[derive(Default)]
struct Queries {
    in_flight: HashMap<FlightKey, InFlight>,
    started: u64,
}

/// A running query.
struct InFlight {
    number: u64,
    answer: WeakShared<BoxFuture<'static, Answer>>,
    /// Span of the first caller, in whose trace the query appears.
    span: Span,
}

impl SingleFlight {
    /// Waits for the running query with this key, or starts one. A query whose callers were all cancelled is
    /// started again.
    ///
    /// Traces show the query in the first caller's trace. Other callers have a span for their wait, with a
    /// link to the first.
    pub(super) async fn run(
        &self,
        key: &FlightKey,
        start: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Answer {
        match self.join_or_start(key, start) {
            (query, None) => query.await,
            (query, Some(first)) => {
                let wait = tracing::info_span!(target: "cep::trace", "wait for a shared lookup");
                wait.follows_from(&first);
                drop(first);
                query.instrument(wait).await
            }
        }
    }

    /// The query to wait for; with the span of its first caller if that is another one.
    fn join_or_start(
        &self,
        key: &FlightKey,
        start: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> (SharedQuery, Option<Span>) {
        let mut queries = self.queries();
        if let Some(joined) = queries.in_flight.get(key)
            && let Some(query) = joined.answer.upgrade()
        {
            return (query, Some(joined.span.clone()));
        }
        queries.started += 1;
        let number = queries.started;
        let removal = RemoveOnDrop {
            flights: self.clone(),
            key: key.clone(),
            number,
        };
        let query = start();
        let query = async move {
            let _removal = removal;
            query.await
        }
        .boxed()
        .shared();
        if let Some(answer) = query.downgrade() {
            let in_flight = InFlight {
                number,
                answer,
                span: Span::current(),
            };
            queries.in_flight.insert(key.clone(), in_flight);
        }
        (query, None)
    }

    fn queries(&self) -> MutexGuard<'_, Queries> {
        let queries = self.0.lock();
        queries.expect("nothing panics while it holds the queries")
    }
}

/// Removes a query when it ends or is cancelled.
struct RemoveOnDrop {
    flights: SingleFlight,
    key: FlightKey,
    number: u64,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        let mut queries = self.flights.queries();
        if queries
            .in_flight
            .get(&self.key)
            .is_some_and(|in_flight| in_flight.number == self.number)
        {
            queries.in_flight.remove(&self.key);
        }
    }
}
