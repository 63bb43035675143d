//! Usage: slot by slot, by key, endpoint and outcome, and of one key.

use super::*;

#[tokio::test]
async fn months_are_added_up_of_days_to_their_very_end() {
    let fixture = fixture_at(instant("2026-09-30T23:30:00Z"));
    let key = fixture.own_key_of(&ANA).await;
    for _ in 0..3 {
        fixture.request(&key, Outcome::Delivered).await;
        fixture.clock.advance(Duration::from_hours(15 * 24));
    }
    let (from, to) = ("2026-08-15T00:00:00Z", "2026-10-02T00:00:00Z");
    let period = Period::new(instant(from), instant(to), Granularity::Month).unwrap();
    let ask = usage(period, Breakdown::Total);
    let report = fixture.report(&ANA, &ask).await;
    // The third is of the 30th of October: in the last month, though after the period's end.
    assert_eq!(report.series[0].counts, [0, 1, 2]);
    assert_eq!(report.totals.requests, 3);
}

#[tokio::test]
async fn usage_is_broken_down_by_key_endpoint_and_outcome() {
    let fixture = fixture();
    let (busy, quiet) = fixture.two_keys_of(&ANA).await;
    fixture.request(&quiet, Outcome::Delivered).await;
    for _ in 0..2 {
        fixture.request(&busy, Outcome::NotFound).await;
    }
    let today = fixture.days(1);
    let (not_found, delivered) = (Outcome::NotFound, Outcome::Delivered);
    let of_keys = [busy, quiet].map(|key| SeriesLabel::Key(key.id));
    let of_outcomes = [not_found, delivered].map(SeriesLabel::Outcome);
    let of_endpoint = SeriesLabel::Endpoint(Endpoint::Xml);
    for (breakdown, expected) in [
        (Breakdown::Key, vec![(of_keys[0], 2), (of_keys[1], 1)]),
        (Breakdown::Endpoint, vec![(of_endpoint, 3)]),
        (
            Breakdown::Outcome,
            vec![(of_outcomes[0], 2), (of_outcomes[1], 1)],
        ),
    ] {
        let ask = usage(today, breakdown);
        let series = fixture.report(&ANA, &ask).await.series;
        let shown: Vec<_> = series.iter().map(|it| (it.label, it.counts[0])).collect();
        assert_eq!(shown, expected);
    }
}

#[tokio::test]
async fn usage_of_one_key_counts_that_key_alone() {
    let fixture = fixture();
    let (one, other) = fixture.two_keys_of(&ANA).await;
    fixture.request(&one, Outcome::Delivered).await;
    fixture.request(&one, Outcome::NotFound).await;
    fixture.request(&other, Outcome::Delivered).await;
    let all = usage(fixture.days(1), Breakdown::Total);
    let criteria = RequestCriteria {
        outcome: Some(Outcome::Delivered),
        ..RequestCriteria::default()
    };
    let key = Some(one.id);
    let of_key = UsageQuery { key, ..all };
    let both = UsageQuery { criteria, ..of_key };
    for (ask, expected) in [
        (all, 3),
        (of_key, 2),
        (UsageQuery { criteria, ..all }, 2),
        (both, 1),
    ] {
        let report = fixture.report(&ANA, &ask).await;
        assert_eq!(report.totals.requests, expected);
    }
}

#[tokio::test]
async fn a_key_that_does_not_exist_has_no_usage_report() {
    let fixture = fixture();
    fixture.own_key_of(&ANA).await;
    let ask = UsageQuery {
        key: Some(KeyId(Uuid::nil())),
        ..usage(fixture.days(1), Breakdown::Total)
    };
    assert_not_found(fixture.insights.usage(&ANA, OWN, &ask).await);
}

#[tokio::test]
async fn requests_are_found_by_what_their_answers_carried() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    fixture.request(&key, Outcome::NotFound).await;
    for (id, expected) in [("till-7", 1), ("till-8", 0)] {
        let ask = RequestQuery {
            request_id: RequestId::parse(id),
            ..listing()
        };
        assert_eq!(fixture.requests(&ANA, &ask).await, expected);
    }
}
