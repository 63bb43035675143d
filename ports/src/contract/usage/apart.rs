//! Breakdowns of the same requests by key, endpoint and outcome.

use super::over_time::{of, row};
use super::*;

pub(super) async fn keys_are_told_apart(under_test: JournalUnderTest) {
    let Keys {
        one,
        two,
        neighbours,
    } = under_test.three_keys().await;
    under_test.used_by(&[&one, &two, &one, &neighbours]).await;
    let of_key = |(key, requests): (ApiKey, _)| UsageRow {
        key: Some(key.id),
        ..row("2026-11-21T12:00:00Z", requests)
    };
    let rows = under_test.rows(Scope::Everybody, &of(Breakdown::Key)).await;
    assert_eq!(rows, [(one, 2), (two, 1), (neighbours, 1)].map(of_key));
}

pub(super) async fn every_endpoint_and_outcome_is_counted_by_itself(under_test: JournalUnderTest) {
    let Keys { one, .. } = under_test.three_keys().await;
    let mut expected = Vec::new();
    let mut number = 0;
    for endpoint in Endpoint::ALL {
        for outcome in Outcome::ALL {
            number += 1;
            let refused = matches!(outcome, Outcome::RateLimited | Outcome::QuotaExceeded);
            if refused {
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
            let delivered = row("2026-11-21T12:00:00Z", 1);
            expected.push(UsageRow {
                endpoint: Some(endpoint),
                outcome,
                latencies: if refused {
                    Latencies::default()
                } else {
                    delivered.latencies
                },
                ..delivered
            });
        }
    }
    under_test.flush().await;
    expected.sort_by_key(|row| (row.endpoint.map(Endpoint::name), row.outcome.name()));
    let rows = async |breakdown| under_test.rows(Scope::Everybody, &of(breakdown)).await;
    assert_eq!(rows(Breakdown::Endpoint).await, expected);
    let rows = rows(Breakdown::Outcome).await;
    let outcomes: Vec<_> = rows.iter().map(|row| (row.outcome, row.requests)).collect();
    let mut expected = Outcome::ALL.map(|outcome| (outcome, Endpoint::ALL.len() as u64));
    expected.sort_by_key(|(outcome, _)| outcome.name());
    assert_eq!(outcomes, expected);
    let of_all = |row: &UsageRow| row.key.is_none() && row.endpoint.is_none();
    assert!(rows.iter().all(of_all));
}
