//! Single flight: a query that several callers make at the same moment is sent once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::delivery::FetchError;
use domain::customer::CustomerId;
use domain::pacing::LookupClass;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use tracing::{Instrument as _, Span};

use super::memory::{CachedProof, ProofSource, Subject};

type Answer = Result<Arc<CachedProof>, FetchError>;
type SharedQuery = Shared<BoxFuture<'static, Answer>>;

/// Identity of a query. One that a kept proof may answer isn't shared by those who ask the bank. Customers and classes don't share one: whoever joined another customer's
/// would wait for its turn in that one's queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FlightKey {
    pub(super) subject: Subject,
    pub(super) source: ProofSource,
    pub(super) customer: CustomerId,
    pub(super) class: LookupClass,
}

/// The queries in flight.
#[derive(Clone, Default)]
pub(super) struct SingleFlight(Arc<Mutex<Queries>>);

#[derive(Default)]
struct Queries {
    in_flight: HashMap<FlightKey, InFlight>,
    started: u64,
}

/// A query in flight.
struct InFlight {
    number: u64,
    answer: WeakShared<BoxFuture<'static, Answer>>,
    /// Of the first caller: the query belongs to that trace.
    span: Span,
}

impl SingleFlight {
    /// Waits for the query of this key that is in flight, or starts one. A query whose callers
    /// have all been cancelled is started anew.
    ///
    /// Traces show the query with the first caller. The others have a span of their wait, with a
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

    /// The query to wait for, with the span of its first caller when that is another one.
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

/// Removes a query when it ends, however it ends.
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
