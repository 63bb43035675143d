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
    during("11-21T00:00:00", "11-22T00:00:00", Granularity::Hour)
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
pub(super) fn row(slot: DateTime<Utc>, requests: u64) -> UsageRow {
    let millis = vec![100; usize::try_from(requests).expect("a number of the suite")];
    UsageRow {
        slot,
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

pub(super) async fn hours_days_and_periods_are_those_of_utc(under_test: JournalUnderTest) {
    let Keys { one, .. } = under_test.three_keys().await;
    let (total, key, endpoint) = (Breakdown::Total, Breakdown::Key, Breakdown::Endpoint);
    for breakdown in [total, key, endpoint, Breakdown::Outcome] {
        assert_eq!(under_test.rows(Scope::Everybody, &of(breakdown)).await, []);
    }
    let instants = [
        "11-20T22:59:59.999",
        "11-20T23:00:00",
        "11-20T23:59:59.999",
        "11-21T00:00:00",
        "11-30T23:59:59.999",
        "12-01T00:00:00",
        "12-01T01:00:00",
    ];
    let requests = (1..).zip(instants);
    let requests = requests.map(|(number, instant)| request(number, &one, at(instant)));
    under_test.concluded(requests).await;
    let (hours, days, months) = (Granularity::Hour, Granularity::Day, Granularity::Month);
    let by_hour = [
        ("11-20T22:00:00", 1),
        ("11-20T23:00:00", 2),
        ("11-21T00:00:00", 1),
    ];
    let by_day = [
        ("11-20T00:00:00", 3),
        ("11-21T00:00:00", 1),
        ("11-30T00:00:00", 1),
        ("12-01T00:00:00", 2),
    ];
    for (granularity, from, to, expected) in [
        (hours, "11-20T00:00:00", "11-22T00:00:00", &by_hour[..]),
        (days, "11-20T00:00:00", "11-22T00:00:00", &by_day[..2]),
        (days, "11-22T00:00:00", "11-23T00:00:00", &[]),
        // Months are returned day by day.
        (months, "11-01T00:00:00", "12-31T00:00:00", &by_day),
        (hours, "11-20T23:00:00", "11-21T00:00:00", &by_hour[1..2]),
        // Slots are whole: the one with the period's last moment counts too.
        (hours, "11-20T22:30:00", "11-20T23:00:00.001", &by_hour[..2]),
    ] {
        let query = during(from, to, granularity);
        let rows = under_test.rows(Scope::Everybody, &query).await;
        let expected = expected
            .iter()
            .map(|(slot, requests)| row(at(slot), *requests));
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
            ..row(noon(), 0)
        };
        assert_eq!(rows, [expected]);
    }
}

pub(super) async fn requests_are_counted_in_their_hour_with_their_latency(
    under_test: JournalUnderTest,
) {
    let Keys { one, .. } = under_test.three_keys().await;
    let failed = RequestEntry {
        outcome: Outcome::BankTimeout,
        duration: Duration::from_millis(25_001),
        refund: Some(Month::of(noon())),
        ..request(2, &one, at("11-21T12:34:56.789"))
    };
    let delivered = request(1, &one, noon());
    under_test.concluded([delivered, failed]).await;
    let by_quota = RefusalEntry {
        outcome: Outcome::QuotaExceeded,
        ..refusal(&one, noon())
    };
    let by_rate = refusal(&one, noon());
    under_test.refused([by_rate, by_quota, by_rate]).await;
    let expected = [
        (Outcome::BankTimeout, 1, &[25_001][..]),
        (Outcome::Delivered, 1, &[100]),
        (Outcome::QuotaExceeded, 1, &[]),
        (Outcome::RateLimited, 2, &[]),
    ];
    let mut expected = expected.map(|(outcome, requests, millis)| UsageRow {
        outcome,
        requests,
        latencies: latencies(millis),
        ..row(noon(), 0)
    });
    expected.sort_by_key(|row| row.outcome.name());
    let rows = under_test.rows(Scope::Of(one.customer), &that_day()).await;
    assert_eq!(rows, expected);
}

pub(super) async fn a_customer_sees_the_use_of_each_of_its_own_keys(under_test: JournalUnderTest) {
    let Keys {
        one,
        two,
        neighbours,
    } = under_test.three_keys().await;
    under_test.used_by(&[&one, &two, &one, &neighbours]).await;
    under_test.refused([refusal(&neighbours, noon())]).await;
    let of_key = |(key, requests): (&ApiKey, _)| UsageRow {
        key: Some(key.id),
        ..row(noon(), requests)
    };
    let refused = UsageRow {
        key: Some(neighbours.id),
        outcome: Outcome::RateLimited,
        requests: 1,
        ..row(noon(), 0)
    };
    let [first, second, third] = [(&one, 2), (&two, 1), (&neighbours, 1)].map(of_key);
    let (own, theirs) = (Scope::Of(one.customer), Scope::Of(neighbours.customer));
    let rows = async |scope| under_test.rows(scope, &of(Breakdown::Key)).await;
    assert_eq!(rows(own).await, [first.clone(), second.clone()]);
    assert_eq!(rows(theirs).await, [third.clone(), refused.clone()]);
    let everybodys = [first, second, third, refused];
    assert_eq!(rows(Scope::Everybody).await, everybodys);
    assert_eq!(under_test.rows(own, &that_day()).await, [row(noon(), 3)]);
    let by_name = UsageQuery {
        key: Some(neighbours.id),
        ..that_day()
    };
    let anothers = under_test.rows(own, &by_name).await;
    assert_eq!(anothers, [], "another customer's key doesn't exist");
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
    let (xml, delivered) = (Some(Endpoint::Xml), Some(Outcome::Delivered));
    for (key, endpoint, outcome, expected) in [
        (None, None, None, 5),
        (Some(one.id), None, None, 3),
        (None, xml, None, 3),
        (None, None, delivered, 3),
        (Some(one.id), xml, None, 2),
        (Some(one.id), xml, delivered, 1),
        (Some(two.id), Some(Endpoint::ZipAuto), None, 0),
        (Some(KeyId(Uuid::nil())), None, None, 0),
    ] {
        let query = UsageQuery {
            key,
            criteria: RequestCriteria { endpoint, outcome },
            ..that_day()
        };
        let rows = under_test.rows(Scope::Everybody, &query).await;
        let counted: u64 = rows.iter().map(|row| row.requests).sum();
        assert_eq!(counted, expected, "{query:?}");
    }
}
