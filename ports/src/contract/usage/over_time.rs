//! Requests summed slot by slot.

use super::*;

/// A query for the use of a period, without a breakdown.
fn during(from: &str, to: &str, granularity: Granularity) -> UsageQuery {
    UsageQuery {
        period: Period::new(at(from), at(to), granularity).expect("a period of the suite"),
        breakdown: Breakdown::Total,
        key: None,
        criteria: RequestCriteria::default(),
    }
}

/// A query for the use of one day, hour by hour.
fn that_day() -> UsageQuery {
    let hours = Granularity::Hour;
    during("2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", hours)
}

pub(super) fn of(breakdown: Breakdown) -> UsageQuery {
    UsageQuery {
        breakdown,
        ..that_day()
    }
}

fn latencies(millis: &[u64]) -> Latencies {
    let mut latencies = Latencies::default();
    for millis in millis {
        latencies.record(Duration::from_millis(*millis));
    }
    latencies
}

/// A row of requests delivered within 100 ms each.
pub(super) fn row(slot: &str, requests: u64) -> UsageRow {
    let millis = vec![100; usize::try_from(requests).expect("a number of the suite")];
    UsageRow {
        slot: at(slot),
        key: None,
        endpoint: None,
        outcome: Outcome::Delivered,
        requests,
        latencies: latencies(&millis),
    }
}

impl JournalUnderTest {
    /// The rows, in a fixed order.
    pub(super) async fn rows(&self, scope: Scope, query: &UsageQuery) -> Vec<UsageRow> {
        let mut rows = ok(self.stores.usage.usage(scope, query)).await;
        rows.sort_by_key(|row| {
            let endpoint = row.endpoint.map(Endpoint::name);
            (row.slot, row.key, endpoint, row.outcome.name())
        });
        rows
    }
}

pub(super) async fn a_request_is_counted_in_its_hour_with_its_latency(
    under_test: JournalUnderTest,
) {
    let Keys { one, .. } = under_test.three_keys().await;
    let entry = RequestEntry {
        outcome: Outcome::BankTimeout,
        duration: Duration::from_millis(25_001),
        refund: Some(Month::of(noon())),
        ..request(1, &one, at("2026-11-21T12:34:56.789Z"))
    };
    under_test.concluded([entry]).await;
    let expected = UsageRow {
        outcome: Outcome::BankTimeout,
        latencies: latencies(&[25_001]),
        ..row("2026-11-21T12:00:00Z", 1)
    };
    let rows = under_test.rows(Scope::Of(one.customer), &that_day()).await;
    assert_eq!(rows, [expected]);
}

pub(super) async fn hours_days_and_periods_are_those_of_utc(under_test: JournalUnderTest) {
    let Keys { one, .. } = under_test.three_keys().await;
    for breakdown in [
        Breakdown::Total,
        Breakdown::Key,
        Breakdown::Endpoint,
        Breakdown::Outcome,
    ] {
        assert_eq!(under_test.rows(Scope::Everybody, &of(breakdown)).await, []);
    }
    let instants = [
        "2026-11-20T22:59:59.999Z",
        "2026-11-20T23:00:00.000Z",
        "2026-11-20T23:59:59.999Z",
        "2026-11-21T00:00:00.000Z",
        "2026-11-30T23:59:59.999Z",
        "2026-12-01T00:00:00.000Z",
        "2026-12-01T01:00:00.000Z",
    ];
    let requests = (1..).zip(instants);
    let requests = requests.map(|(number, instant)| request(number, &one, at(instant)));
    under_test.concluded(requests).await;
    let (hours, days, months) = (Granularity::Hour, Granularity::Day, Granularity::Month);
    let by_hour = [
        ("2026-11-20T22:00:00Z", 1),
        ("2026-11-20T23:00:00Z", 2),
        ("2026-11-21T00:00:00Z", 1),
    ];
    let by_day = [
        ("2026-11-20T00:00:00Z", 3),
        ("2026-11-21T00:00:00Z", 1),
        ("2026-11-30T00:00:00Z", 1),
        ("2026-12-01T00:00:00Z", 2),
    ];
    for (granularity, from, to, expected) in [
        (
            hours,
            "2026-11-20T00:00:00Z",
            "2026-11-22T00:00:00Z",
            &by_hour[..],
        ),
        (
            days,
            "2026-11-20T00:00:00Z",
            "2026-11-22T00:00:00Z",
            &by_day[..2],
        ),
        (days, "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z", &[]),
        // Months are returned day by day.
        (
            months,
            "2026-11-01T00:00:00Z",
            "2027-01-01T00:00:00Z",
            &by_day,
        ),
        (
            hours,
            "2026-11-20T23:00:00Z",
            "2026-11-21T00:00:00Z",
            &by_hour[1..2],
        ),
        // Slots are whole: the one with the period's last moment counts too.
        (
            hours,
            "2026-11-20T22:30:00Z",
            "2026-11-20T23:00:00.001Z",
            &by_hour[..2],
        ),
    ] {
        let query = during(from, to, granularity);
        let rows = under_test.rows(Scope::Everybody, &query).await;
        let expected = expected.iter().map(|(slot, requests)| row(slot, *requests));
        assert!(
            rows.iter().cloned().eq(expected),
            "{from} to {to}: {rows:?}"
        );
    }
}

pub(super) async fn counts_and_latencies_of_later_requests_add_up(under_test: JournalUnderTest) {
    let Keys { one, two, .. } = under_test.three_keys().await;
    let millis: Vec<u64> = (0..40).map(|place| place * place * place).collect();
    let requests = (1..).zip(&millis).map(|(number, millis)| {
        let key = if number % 2 == 0 { &one } else { &two };
        RequestEntry {
            duration: Duration::from_millis(*millis),
            ..request(number, key, noon())
        }
    });
    let requests: Vec<_> = requests.collect();
    for (from, to) in [(0, 37), (37, 38), (38, 40)] {
        under_test.concluded(requests[from..to].to_vec()).await;
        let rows = under_test.rows(Scope::Everybody, &that_day()).await;
        let expected = UsageRow {
            requests: to as u64,
            latencies: latencies(&millis[..to]),
            ..row("2026-11-21T12:00:00Z", 0)
        };
        assert_eq!(rows, [expected]);
    }
}

pub(super) async fn a_request_refused_by_a_limit_is_counted_without_a_latency(
    under_test: JournalUnderTest,
) {
    let Keys { one, .. } = under_test.three_keys().await;
    under_test.concluded([request(1, &one, noon())]).await;
    let by_quota = RefusalEntry {
        outcome: Outcome::QuotaExceeded,
        ..refusal(&one, noon())
    };
    let by_rate = refusal(&one, noon());
    under_test.refused([by_rate, by_quota, by_rate]).await;
    let refused = |outcome, requests| UsageRow {
        outcome,
        requests,
        ..row("2026-11-21T12:00:00Z", 0)
    };
    let expected = [
        row("2026-11-21T12:00:00Z", 1),
        refused(Outcome::QuotaExceeded, 1),
        refused(Outcome::RateLimited, 2),
    ];
    let rows = under_test.rows(Scope::Everybody, &that_day()).await;
    assert_eq!(rows, expected);
}

pub(super) async fn use_of_one_customer_excludes_others(under_test: JournalUnderTest) {
    let Keys {
        one, neighbours, ..
    } = under_test.three_keys().await;
    under_test.used_by(&[&one, &neighbours, &neighbours]).await;
    under_test.refused([refusal(&neighbours, noon())]).await;
    let own = under_test.rows(Scope::Of(one.customer), &that_day()).await;
    assert_eq!(own, [row("2026-11-21T12:00:00Z", 1)]);
    let by_name = UsageQuery {
        key: Some(neighbours.id),
        ..that_day()
    };
    let anothers = under_test.rows(Scope::Of(one.customer), &by_name).await;
    assert_eq!(anothers, [], "another customer's key doesn't exist");
    let neighbours = Scope::Of(neighbours.customer);
    let theirs = under_test.rows(neighbours, &that_day()).await;
    assert_eq!(theirs.len(), 2);
    assert_eq!(theirs[0], row("2026-11-21T12:00:00Z", 2));
}

pub(super) async fn use_is_narrowed_to_a_key_an_endpoint_and_an_outcome(
    under_test: JournalUnderTest,
) {
    let Keys { one, two, .. } = under_test.three_keys().await;
    let used = [
        (&one, Endpoint::Xml, Outcome::Delivered),
        (&one, Endpoint::Pdf, Outcome::Delivered),
        (&one, Endpoint::Xml, Outcome::NotFound),
        (&two, Endpoint::Xml, Outcome::Delivered),
        (&two, Endpoint::Pdf, Outcome::NotFound),
    ];
    let requests = (1..).zip(used);
    let requests = requests.map(|(number, (key, endpoint, outcome))| RequestEntry {
        endpoint,
        outcome,
        ..request(number, key, noon())
    });
    under_test.concluded(requests).await;
    let counted = async |key, endpoint, outcome| {
        let query = UsageQuery {
            key,
            criteria: RequestCriteria { endpoint, outcome },
            ..that_day()
        };
        let rows = under_test.rows(Scope::Everybody, &query).await;
        rows.iter().map(|row| row.requests).sum::<u64>()
    };
    let (xml, found) = (Some(Endpoint::Xml), Some(Outcome::Delivered));
    assert_eq!(counted(None, None, None).await, 5);
    assert_eq!(counted(Some(one.id), None, None).await, 3);
    assert_eq!(counted(None, xml, None).await, 3);
    assert_eq!(counted(None, None, found).await, 3);
    assert_eq!(counted(Some(one.id), xml, None).await, 2);
    assert_eq!(counted(Some(one.id), xml, found).await, 1);
    let unused = Some(Endpoint::ZipAuto);
    assert_eq!(counted(Some(two.id), unused, None).await, 0);
    assert_eq!(counted(Some(KeyId(Uuid::nil())), None, None).await, 0);
}
