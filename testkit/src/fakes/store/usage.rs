//! Usage over time, and single requests.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::latency::Latencies;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, Page};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::{Breakdown, Granularity, MAX_SERIES, RequestCriteria, UsageQuery};
use ports::outbound::{
    ListError, RefusalEntry, RequestEntry, Scope, StoreError, UsageReader, UsageRow,
};

use super::MemoryStore;
use super::pages::{by_instant, page};

/// Request counts by hour and by every dimension that they are queried by.
#[derive(Debug, Default)]
pub(super) struct Statistics(HashMap<Kind, Counted>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Kind {
    hour: DateTime<Utc>,
    customer: CustomerId,
    key: KeyId,
    endpoint: Endpoint,
    outcome: Outcome,
}

#[derive(Debug, Default)]
struct Counted {
    requests: u64,
    latencies: Latencies,
}

impl Statistics {
    pub(super) fn conclude(&mut self, entry: &RequestEntry) {
        let counted = self.of(Kind {
            hour: Granularity::Hour.slot(entry.at),
            customer: entry.customer,
            key: entry.key,
            endpoint: entry.endpoint,
            outcome: entry.outcome,
        });
        counted.requests += 1;
        counted.latencies.record(entry.duration);
    }

    pub(super) fn refuse(&mut self, entry: RefusalEntry) {
        let counted = self.of(Kind {
            hour: Granularity::Hour.slot(entry.at),
            customer: entry.customer,
            key: entry.key,
            endpoint: entry.endpoint,
            outcome: entry.outcome,
        });
        counted.requests += 1;
    }

    fn of(&mut self, kind: Kind) -> &mut Counted {
        self.0.entry(kind).or_default()
    }
}

fn in_scope(scope: Scope, customer: CustomerId) -> bool {
    match scope {
        Scope::Of(wanted) => customer == wanted,
        Scope::Everybody => true,
    }
}

fn matches_filter(
    key: Option<KeyId>,
    criteria: RequestCriteria,
    of: (KeyId, Endpoint, Outcome),
) -> bool {
    key.is_none_or(|wanted| wanted == of.0)
        && criteria.endpoint.is_none_or(|wanted| wanted == of.1)
        && criteria.outcome.is_none_or(|wanted| wanted == of.2)
}

/// The keys with the most requests.
fn busiest<'a>(counted: impl Iterator<Item = (&'a Kind, &'a Counted)>) -> HashSet<KeyId> {
    let mut sums: HashMap<KeyId, u64> = HashMap::new();
    for (kind, counted) in counted {
        *sums.entry(kind.key).or_default() += counted.requests;
    }
    let mut keys: Vec<_> = sums.into_iter().collect();
    keys.sort_by_key(|(key, requests)| (Reverse(*requests), *key));
    keys.into_iter()
        .take(MAX_SERIES)
        .map(|(key, _)| key)
        .collect()
}

/// The row of a kind, without its counts.
fn row(kind: &Kind, query: &UsageQuery, busiest: &HashSet<KeyId>) -> UsageRow {
    let slots = match query.period.granularity() {
        Granularity::Hour => Granularity::Hour,
        Granularity::Day | Granularity::Month => Granularity::Day,
    };
    UsageRow {
        slot: slots.slot(kind.hour),
        key: busiest.get(&kind.key).copied(),
        endpoint: (query.breakdown == Breakdown::Endpoint).then_some(kind.endpoint),
        outcome: kind.outcome,
        requests: 0,
        latencies: Latencies::default(),
    }
}

#[async_trait]
impl UsageReader for MemoryStore {
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>, StoreError> {
        let tables = self.call("usage").await?;
        let period = query.period.from()..query.period.to();
        let counted = || {
            tables.statistics.0.iter().filter(|(kind, _)| {
                let of = (kind.key, kind.endpoint, kind.outcome);
                period.contains(&kind.hour)
                    && in_scope(scope, kind.customer)
                    && matches_filter(query.key, query.criteria, of)
            })
        };
        let busiest = match query.breakdown {
            Breakdown::Key => busiest(counted()),
            Breakdown::Total | Breakdown::Endpoint | Breakdown::Outcome => HashSet::new(),
        };
        let mut rows = HashMap::new();
        for (kind, counted) in counted() {
            let new = row(kind, query, &busiest);
            let place = (new.slot, new.key, new.endpoint, new.outcome);
            let row = rows.entry(place).or_insert(new);
            row.requests += counted.requests;
            row.latencies.add(&counted.latencies);
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        rows.sort_by_key(|row| {
            let endpoint = row.endpoint.map(Endpoint::name);
            (row.slot, row.key, endpoint, row.outcome.name())
        });
        Ok(rows)
    }

    async fn requests(
        &self,
        scope: Scope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError> {
        let tables = self.call("requests").await?;
        let requests = tables.requests.values().filter(|entry| {
            let of = (entry.key, entry.endpoint, entry.outcome);
            in_scope(scope, entry.customer)
                && matches_filter(query.key, query.criteria, of)
                && query
                    .request_id
                    .as_ref()
                    .is_none_or(|id| *id == entry.request_id)
                && query.from.is_none_or(|from| from <= entry.at)
                && query.to.is_none_or(|to| entry.at < to)
        });
        let cursor = |entry: &&RequestEntry| Cursor::at(entry.at, entry.id);
        let requests = page(
            requests,
            &query.page,
            Direction::Descending,
            cursor,
            by_instant,
        )?;
        Ok(requests.map(record))
    }
}

fn record(entry: &RequestEntry) -> RequestRecord {
    RequestRecord {
        id: entry.id,
        request_id: entry.request_id.clone(),
        key: entry.key,
        endpoint: entry.endpoint,
        outcome: entry.outcome,
        banks: entry.banks,
        at: entry.at,
        duration: entry.duration,
        bank_time: entry.bank_time,
        seal: entry.seal,
    }
}
