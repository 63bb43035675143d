//! Breakdowns of the same requests by key, endpoint and outcome; of more keys than a report separates.

use super::over_time::{of, row};
use super::*;

pub(super) async fn every_endpoint_and_outcome_is_counted_by_itself(under_test: JournalUnderTest) {
    let Keys { one, .. } = under_test.three_keys().await;
    let pairs = Endpoint::ALL.into_iter();
    let pairs = pairs.flat_map(|endpoint| Outcome::ALL.map(|outcome| (endpoint, outcome)));
    let mut expected = Vec::new();
    for (number, (endpoint, outcome)) in (1..).zip(pairs) {
        let mut row = row(noon(), 1);
        (row.endpoint, row.outcome) = (Some(endpoint), outcome);
        if matches!(outcome, Outcome::RateLimited | Outcome::QuotaExceeded) {
            row.latencies = Latencies::default();
            under_test.journal.refuse(RefusalEntry {
                endpoint,
                outcome,
                ..refusal(&one, noon())
            });
        } else {
            under_test.journal.conclude(RequestEntry {
                endpoint,
                outcome,
                ..request(number, &one, noon())
            });
        }
        expected.push(row);
    }
    under_test.flush().await;
    expected.sort_by_key(|row| (row.endpoint.map(Endpoint::name), row.outcome.name()));
    let rows = async |breakdown| under_test.rows(Scope::Everybody, &of(breakdown)).await;
    assert_eq!(rows(Breakdown::Endpoint).await, expected);
    let rows = rows(Breakdown::Outcome).await.into_iter();
    let rows = rows.map(|row| (row.key, row.endpoint, row.outcome, row.requests));
    let many = Endpoint::ALL.len() as u64;
    let mut expected = Outcome::ALL.map(|outcome| (None, None, outcome, many));
    expected.sort_by_key(|(_, _, outcome, _)| outcome.name());
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

pub(super) async fn of_many_keys_the_busiest_have_rows_of_their_own(under_test: JournalUnderTest) {
    let customer = under_test.stores.enrolled(1).await;
    let many = u16::try_from(MAX_SERIES).expect("few series") + 2;
    let mut requests = Vec::new();
    let mut used = BTreeMap::new();
    for number in 1..=many {
        let record = record_of(&customer, number);
        let key = under_test.stores.insert(record, number).await;
        // The first two are used once each, all others twice, in two hours.
        let times = if number <= 2 { 1 } else { 2 };
        for hour in 0..times {
            let instant = at(&format!("11-21T0{hour}:30:00"));
            requests.push(request(number * 2 + hour, &key, instant));
        }
        used.insert(key.id, u64::from(times));
    }
    under_test.concluded(requests).await;
    for granularity in [Granularity::Hour, Granularity::Day] {
        let (from, to) = (at("11-21T00:00:00"), at("11-22T00:00:00"));
        let query = UsageQuery {
            period: Period::new(from, to, granularity).expect("a period of the suite"),
            breakdown: Breakdown::Key,
            key: None,
            criteria: RequestCriteria::default(),
        };
        let (own, usage) = (Scope::Of(customer.id), &under_test.stores.usage);
        let rows = ok(usage.usage(own, &query)).await;
        let mut told: BTreeMap<Option<KeyId>, u64> = BTreeMap::new();
        for row in rows {
            *told.entry(row.key).or_default() += row.requests;
        }
        let busy = used.iter().filter(|(_, times)| **times == 2);
        let mut expected: BTreeMap<_, _> = busy.map(|(key, times)| (Some(*key), *times)).collect();
        expected.insert(None, 2);
        assert_eq!(told, expected, "{granularity:?}");
    }
}
