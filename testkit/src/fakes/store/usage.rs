//! Usage over time, and single requests.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use domain::keys::KeyId;
use domain::latency::Latencies;
use domain::outcome::Endpoint;
use domain::page::Page;
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::{Breakdown, Granularity, MAX_SERIES, RequestCriteria, UsageQuery};
use ports::outbound::{ListError, RefusalEntry, RequestEntry, Scope, UsageReader, UsageRow};

use super::pages::newest_first;
use super::{MemoryStore, Result, is_wanted};

/// What is counted of a request. One that a limit refused has no duration.
type Counted = (RefusalEntry, Option<Duration>);

fn counted(entry: &RequestEntry) -> Counted {
    let counted = RefusalEntry {
        key: entry.key,
        customer: entry.customer,
        endpoint: entry.endpoint,
        outcome: entry.outcome,
        at: entry.at,
    };
    (counted, Some(entry.duration))
}

fn matches_filter(
    scope: Scope,
    key: Option<KeyId>,
    criteria: RequestCriteria,
    of: &RefusalEntry,
) -> bool {
    let is_in_scope = match scope {
        Scope::Of(wanted) => of.customer == wanted,
        Scope::Everybody => true,
    };
    is_in_scope
        && is_wanted(key, of.key)
        && is_wanted(criteria.endpoint, of.endpoint)
        && is_wanted(criteria.outcome, of.outcome)
}

/// The keys with the most requests.
fn busiest(counted: &[Counted]) -> HashSet<KeyId> {
    let mut sums: HashMap<KeyId, u64> = HashMap::new();
    for (entry, _) in counted {
        *sums.entry(entry.key).or_default() += 1;
    }
    let mut keys: Vec<_> = sums.into_iter().collect();
    keys.sort_by_key(|(key, requests)| (Reverse(*requests), *key));
    let keys = keys.into_iter().map(|(key, _)| key);
    keys.take(MAX_SERIES).collect()
}

/// The row that a request counts in, without counts.
fn row(entry: &RefusalEntry, query: &UsageQuery, busiest: &HashSet<KeyId>) -> UsageRow {
    let slots = match query.period.granularity() {
        Granularity::Hour => Granularity::Hour,
        Granularity::Day | Granularity::Month => Granularity::Day,
    };
    UsageRow {
        slot: slots.slot(entry.at),
        key: busiest.get(&entry.key).copied(),
        endpoint: (query.breakdown == Breakdown::Endpoint).then_some(entry.endpoint),
        outcome: entry.outcome,
        requests: 0,
        latencies: Latencies::default(),
    }
}

#[async_trait]
impl UsageReader for MemoryStore {
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>> {
        let tables = self.call("usage").await?;
        let period = query.period.from()..query.period.to();
        let requests = tables.requests.values().map(counted);
        let refusals = tables.refusals.iter().map(|entry| (*entry, None));
        let counted = requests.chain(refusals).filter(|(entry, _)| {
            period.contains(&Granularity::Hour.slot(entry.at))
                && matches_filter(scope, query.key, query.criteria, entry)
        });
        let counted: Vec<_> = counted.collect();
        let busiest = match query.breakdown {
            Breakdown::Key => busiest(&counted),
            Breakdown::Total | Breakdown::Endpoint | Breakdown::Outcome => HashSet::new(),
        };
        let mut rows = HashMap::new();
        for (entry, duration) in counted {
            let new = row(&entry, query, &busiest);
            let place = (new.slot, new.key, new.endpoint, new.outcome);
            let row = rows.entry(place).or_insert(new);
            row.requests += 1;
            if let Some(duration) = duration {
                row.latencies.record(duration);
            }
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
            matches_filter(scope, query.key, query.criteria, &counted(entry).0)
                && is_wanted(query.request_id.as_ref(), &entry.request_id)
                && query.from.is_none_or(|from| from <= entry.at)
                && query.to.is_none_or(|to| entry.at < to)
        });
        let requests = newest_first(requests, &query.page, |entry| (entry.at, entry.id))?;
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
