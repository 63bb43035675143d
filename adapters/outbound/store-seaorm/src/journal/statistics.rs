//! Statistics of a batch's requests: by key and hour, and by customer and day.

use std::collections::HashMap;
use std::hash::Hash;

use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::latency::Latencies;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::CustomerId;
use ports::outbound::{RefusalEntry, RequestEntry};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Dimensions that requests are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RequestKind {
    key: KeyId,
    customer: CustomerId,
    hour: i64,
    endpoint: Endpoint,
    outcome: Outcome,
}

impl RequestKind {
    fn new(
        key: KeyId,
        customer: CustomerId,
        at: DateTime<Utc>,
        endpoint: Endpoint,
        outcome: Outcome,
    ) -> Self {
        Self {
            key,
            customer,
            hour: hour(at),
            endpoint,
            outcome,
        }
    }
}

/// Dimensions of a request, and what it adds to their counts.
pub(super) fn of_request(entry: &RequestEntry) -> (RequestKind, Increase) {
    let &RequestEntry {
        key,
        customer,
        at,
        endpoint,
        outcome,
        ..
    } = entry;
    let mut increase = Increase::of_one();
    // A request refused by a limit has no meaningful duration.
    if !matches!(outcome, Outcome::RateLimited | Outcome::QuotaExceeded) {
        increase.latencies.record(entry.duration);
    }
    (
        RequestKind::new(key, customer, at, endpoint, outcome),
        increase,
    )
}

/// Dimensions of a request that a limit refused, and what it adds to their counts.
pub(super) fn of_refusal(entry: &RefusalEntry) -> (RequestKind, Increase) {
    let &RefusalEntry {
        key,
        customer,
        endpoint,
        outcome,
        at,
    } = entry;
    let kind = RequestKind::new(key, customer, at, endpoint, outcome);
    (kind, Increase::of_one())
}

/// Start of an instant's hour, in unix milliseconds.
fn hour(at: DateTime<Utc>) -> i64 {
    let millis = at.timestamp_millis();
    millis - millis.rem_euclid(HOUR)
}

/// Key of a row: owner, slot, endpoint, outcome.
pub(super) type RowKey<Owner> = (Owner, i64, Endpoint, Outcome);

/// Numbers to add to a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Increase {
    pub(super) requests: u64,
    pub(super) latencies: Latencies,
}

impl Increase {
    fn of_one() -> Self {
        Self {
            requests: 1,
            latencies: Latencies::default(),
        }
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.requests += more.requests;
        self.latencies.add(&more.latencies);
    }
}

/// Rows that a batch adds to.
pub(super) struct Statistics {
    hours: HashMap<RowKey<KeyId>, Increase>,
    days: HashMap<RowKey<CustomerId>, Increase>,
}

impl Statistics {
    pub(super) fn of(counted: &HashMap<RequestKind, Increase>) -> Self {
        let mut statistics = Self {
            hours: HashMap::with_capacity(counted.len()),
            days: HashMap::new(),
        };
        for (kind, increase) in counted {
            let day = kind.hour - kind.hour.rem_euclid(DAY);
            let hours = (kind.key, kind.hour, kind.endpoint, kind.outcome);
            let days = (kind.customer, day, kind.endpoint, kind.outcome);
            statistics.hours.entry(hours).or_default().add(increase);
            statistics.days.entry(days).or_default().add(increase);
        }
        statistics
    }

    /// Hours of keys, ordered by row key.
    pub(super) fn hours(&self) -> Vec<(&RowKey<KeyId>, &Increase)> {
        in_order(&self.hours)
    }

    /// Days of customers, ordered by row key.
    pub(super) fn days(&self) -> Vec<(&RowKey<CustomerId>, &Increase)> {
        in_order(&self.days)
    }
}

fn in_order<Owner: Copy + Eq + Hash + Ord>(
    rows: &HashMap<RowKey<Owner>, Increase>,
) -> Vec<(&RowKey<Owner>, &Increase)> {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_unstable_by_key(|((whose, slot, endpoint, outcome), _)| {
        (*whose, *slot, endpoint.name(), outcome.name())
    });
    rows
}
