//! Slots without gaps, months made of days, and series that stay few.

use std::time::Duration;

use domain::keys::KeyId;
use domain::latency::Latencies;
use domain::usage::Granularity;
use uuid::Uuid;

use super::*;

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn period(from: &str, to: &str, granularity: Granularity) -> Period {
    Period::new(instant(from), instant(to), granularity).unwrap()
}

/// Three days.
fn days() -> Period {
    let (from, to) = ("2026-11-18T00:00:00Z", "2026-11-21T00:00:00Z");
    period(from, to, Granularity::Day)
}

fn row(slot: &str, outcome: Outcome, requests: u64) -> UsageRow {
    UsageRow {
        slot: instant(slot),
        key: None,
        endpoint: None,
        outcome,
        requests,
        latencies: Latencies::default(),
    }
}

fn of_key(number: u128, requests: u64) -> UsageRow {
    UsageRow {
        key: Some(KeyId(Uuid::from_u128(number))),
        ..row("2026-11-19T00:00:00Z", Outcome::Delivered, requests)
    }
}

fn shown(report: &UsageReport) -> Vec<(SeriesLabel, &[u64])> {
    let series = report.series.iter();
    series
        .map(|series| (series.label, &series.counts[..]))
        .collect()
}

#[test]
fn slots_without_requests_are_zero() {
    let rows = [
        row("2026-11-20T00:00:00Z", Outcome::Delivered, 2),
        row("2026-11-18T00:00:00Z", Outcome::NotFound, 3),
        row("2026-11-18T00:00:00Z", Outcome::Delivered, 4),
    ];
    let report = report(days(), Breakdown::Total, &rows);
    let slots: Vec<_> = days().slots().collect();
    assert_eq!(report.slots, slots);
    assert_eq!(shown(&report), [(SeriesLabel::Total, &[7, 0, 2][..])]);
}

#[test]
fn without_requests_the_total_is_zero_and_there_are_no_series() {
    let total = report(days(), Breakdown::Total, &[]);
    assert_eq!(shown(&total), [(SeriesLabel::Total, &[0, 0, 0][..])]);
    assert_eq!(total.totals, Totals::default());
    for breakdown in [Breakdown::Key, Breakdown::Endpoint, Breakdown::Outcome] {
        let report = report(days(), breakdown, &[]);
        assert_eq!((shown(&report), report.slots.len()), (vec![], 3));
    }
}

#[test]
fn a_month_is_the_sum_of_its_days() {
    let months = period(
        "2026-01-15T00:00:00Z",
        "2026-03-15T00:00:00Z",
        Granularity::Month,
    );
    let rows: Vec<_> = [
        ("2026-01-01T00:00:00Z", 1),
        ("2026-01-31T00:00:00Z", 2),
        ("2026-03-01T00:00:00Z", 4),
        ("2026-03-31T00:00:00Z", 8),
    ]
    .map(|(slot, requests)| row(slot, Outcome::Delivered, requests))
    .into();
    let report = report(months, Breakdown::Outcome, &rows);
    let delivered = SeriesLabel::Outcome(Outcome::Delivered);
    assert_eq!(shown(&report), [(delivered, &[3, 0, 12][..])]);
    assert_eq!(report.totals.requests, 15);
}

#[test]
fn the_store_is_asked_for_whole_slots() {
    for (granularity, end) in [
        (Granularity::Hour, "2026-03-15T13:00:00Z"),
        (Granularity::Day, "2026-03-16T00:00:00Z"),
        (Granularity::Month, "2026-04-01T00:00:00Z"),
    ] {
        let asked = period("2026-03-14T09:30:00Z", "2026-03-15T12:30:00Z", granularity);
        let whole = whole_slots(asked);
        let ends = (whole.from(), whole.to());
        assert_eq!(ends, (asked.from(), instant(end)), "{granularity:?}");
        assert!(whole.slots().eq(asked.slots()));
        assert_eq!(whole_slots(whole), whole);
    }
}

#[test]
fn the_largest_series_come_first_and_equal_ones_in_their_own_order() {
    let rows = [of_key(3, 5), of_key(1, 2), of_key(2, 5), of_key(1, 4)];
    let report = report(days(), Breakdown::Key, &rows);
    let label = |number| SeriesLabel::Key(KeyId(Uuid::from_u128(number)));
    let expected = [
        (label(1), &[0, 6, 0][..]),
        (label(2), &[0, 5, 0]),
        (label(3), &[0, 5, 0]),
    ];
    assert_eq!(shown(&report), expected);
}

#[test]
fn the_smallest_series_are_one_together() {
    let keys = |count: u64| -> Vec<_> {
        let keys = 1..=count;
        keys.map(|number| of_key(number.into(), number)).collect()
    };
    let few = report(days(), Breakdown::Key, &keys(20));
    assert_eq!(few.series.len(), MAX_SERIES);
    assert!(few.series.iter().all(|it| it.label != SeriesLabel::Others));

    let many = report(days(), Breakdown::Key, &keys(23));
    assert_eq!(many.series.len(), MAX_SERIES + 1);
    let others = many.series.last().unwrap();
    assert_eq!(others.label, SeriesLabel::Others);
    assert_eq!(others.counts, [0, 1 + 2 + 3, 0]);
    assert_eq!(many.totals.requests, (1..=23).sum::<u64>());
}

#[test]
fn totals_are_of_everything_whatever_the_breakdown() {
    let mut latencies = Latencies::default();
    latencies.record(Duration::from_millis(700));
    let rows = [
        UsageRow {
            latencies,
            ..row("2026-11-18T00:00:00Z", Outcome::Delivered, 1)
        },
        row("2026-11-19T00:00:00Z", Outcome::RateLimited, 3),
        row("2026-11-20T00:00:00Z", Outcome::BankTimeout, 1),
    ];
    for breakdown in [Breakdown::Total, Breakdown::Outcome] {
        let totals = report(days(), breakdown, &rows).totals;
        let counts = (totals.requests, totals.delivered, totals.refused);
        assert_eq!((counts, totals.failed), ((5, 1, 3), 1));
        assert_eq!(totals.latencies, latencies);
    }
}

#[test]
fn every_endpoint_has_its_series() {
    let rows = Endpoint::ALL.map(|endpoint| UsageRow {
        endpoint: Some(endpoint),
        ..row("2026-11-19T00:00:00Z", Outcome::Delivered, 1)
    });
    let report = report(days(), Breakdown::Endpoint, &rows);
    let labels: Vec<_> = report.series.iter().map(|series| series.label).collect();
    assert_eq!(labels, Endpoint::ALL.map(SeriesLabel::Endpoint));
}

#[test]
fn what_lies_outside_of_the_period_is_not_counted() {
    let rows = [row("2026-11-21T00:00:00Z", Outcome::Delivered, 1)];
    let report = report(days(), Breakdown::Outcome, &rows);
    assert_eq!(report.totals.requests, 0);
    assert!(report.series.iter().all(|it| it.counts == [0, 0, 0]));
}
