//! Breakdowns of the same requests by key, endpoint and outcome.

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
