//! Usage: slot by slot, by key, endpoint and outcome, and of one key.

use super::*;

#[tokio::test]
async fn usage_is_reported_slot_by_slot_without_gaps() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    fixture.request(&key, Outcome::Delivered).await;
    fixture.clock.advance(Duration::from_hours(2));
    fixture.request(&key, Outcome::NotFound).await;
    fixture.request(&key, Outcome::BankTimeout).await;
    let ask = usage(fixture.newest(4, Granularity::Hour), Breakdown::Total);
    let report = fixture.report(&ANA, RequestedScope::Own, &ask).await;
    assert_eq!(report.slots.len(), 4);
    assert_eq!(report.series[0].counts, [0, 1, 0, 2]);
    let totals = report.totals;
    assert_eq!(
        (totals.requests, totals.delivered, totals.failed),
        (3, 1, 1)
    );
    assert_eq!(totals.latencies.total(), 3);
}

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
    let report = fixture.report(&ANA, RequestedScope::Own, &ask).await;
    // The third is of the 30th of October: in the last month, though after the period's end.
    assert_eq!(report.series[0].counts, [0, 1, 2]);
    assert_eq!(report.totals.requests, 3);
}

#[tokio::test]
async fn usage_is_broken_down_by_key_endpoint_and_outcome() {
    let fixture = fixture();
    let (busy, quiet) = (
        fixture.own_key_of(&ANA).await,
        fixture.own_key_of(&ANA).await,
    );
    fixture.request(&quiet, Outcome::Delivered).await;
    for _ in 0..2 {
        fixture.request(&busy, Outcome::NotFound).await;
    }
    let today = fixture.newest(1, Granularity::Day);
    for (breakdown, expected) in [
        (
            Breakdown::Key,
            vec![
                (SeriesLabel::Key(busy.id), 2),
                (SeriesLabel::Key(quiet.id), 1),
            ],
        ),
        (
            Breakdown::Endpoint,
            vec![(SeriesLabel::Endpoint(Endpoint::Xml), 3)],
        ),
        (
            Breakdown::Outcome,
            vec![
                (SeriesLabel::Outcome(Outcome::NotFound), 2),
                (SeriesLabel::Outcome(Outcome::Delivered), 1),
            ],
        ),
    ] {
        let ask = usage(today, breakdown);
        let series = fixture.report(&ANA, RequestedScope::Own, &ask).await.series;
        let shown: Vec<_> = series.iter().map(|it| (it.label, it.counts[0])).collect();
        assert_eq!(shown, expected);
    }
}

#[tokio::test]
async fn usage_of_one_key_counts_that_key_alone() {
    let fixture = fixture();
    let (one, other) = (
        fixture.own_key_of(&ANA).await,
        fixture.own_key_of(&ANA).await,
    );
    fixture.request(&one, Outcome::Delivered).await;
    fixture.request(&one, Outcome::NotFound).await;
    fixture.request(&other, Outcome::Delivered).await;
    let all = usage(fixture.newest(1, Granularity::Day), Breakdown::Total);
    let criteria = RequestCriteria {
        outcome: Some(Outcome::Delivered),
        ..RequestCriteria::default()
    };
    let key = Some(one.id);
    for (ask, expected) in [
        (all, 3),
        (UsageQuery { key, ..all }, 2),
        (UsageQuery { criteria, ..all }, 2),
        (
            UsageQuery {
                key,
                criteria,
                ..all
            },
            1,
        ),
    ] {
        let report = fixture.report(&ANA, RequestedScope::Own, &ask).await;
        assert_eq!(report.totals.requests, expected);
    }
}

#[tokio::test]
async fn requests_are_found_by_what_their_answers_carried() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    fixture.request(&key, Outcome::NotFound).await;
    let with_id = |id| RequestQuery {
        request_id: RequestId::parse(id),
        ..listing()
    };
    for (id, expected) in [("till-7", 1), ("till-8", 0)] {
        let ask = with_id(id);
        let found = fixture
            .insights
            .requests(&ANA, RequestedScope::Own, &ask)
            .await;
        assert_eq!(found.unwrap().items.len(), expected);
    }
}

#[tokio::test]
async fn a_key_that_does_not_exist_has_no_usage_report() {
    let fixture = fixture();
    fixture.own_key_of(&ANA).await;
    let ask = UsageQuery {
        key: Some(KeyId(Uuid::nil())),
        ..usage(fixture.newest(1, Granularity::Day), Breakdown::Total)
    };
    assert_not_found(
        fixture
            .insights
            .usage(&ANA, RequestedScope::Own, &ask)
            .await,
    );
}
