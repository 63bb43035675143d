//! Report of usage over time, built from the store's sums.

use std::collections::HashMap;
use std::hash::Hash;

use super::types::{Series, SeriesLabel, UsageReport};
use chrono::{DateTime, Utc};
use domain::outcome::{Endpoint, Outcome};
use domain::usage::{Breakdown, MAX_SERIES, Period, Totals};
use ports::outbound::UsageRow;

/// The period extended to the end of its last slot. The store counts days if months are requested, and would
/// leave out the days between the end of the period and the end of its last month.
pub(super) fn whole_slots(period: Period) -> Period {
    let granularity = period.granularity();
    let whole = period.slots().last().and_then(|last| {
        let end = Period::newest(1, granularity, last).ok()?.to();
        Period::new(period.from(), end, granularity).ok()
    });
    whole.unwrap_or(period)
}

/// Counts of the largest series in every slot of the period, and totals.
pub(super) fn report(period: Period, breakdown: Breakdown, rows: &[UsageRow]) -> UsageReport {
    let slots: Vec<_> = period.slots().collect();
    let place = |row: &UsageRow| place(&slots, period, row.slot);
    let labels = largest(breakdown, rows);
    let mut series: Vec<_> = labels
        .iter()
        .map(|label| empty_series(*label, slots.len()))
        .collect();
    let mut others = empty_series(SeriesLabel::Others, slots.len());
    let mut totals = Totals::default();
    let places: HashMap<_, _> = labels.iter().zip(0..).collect();
    for row in rows {
        let Some(slot) = place(row) else {
            continue;
        };
        totals.add(row.outcome, row.requests, &row.latencies);
        let of_label = label(breakdown, row).and_then(|label| places.get(&label));
        let series = match of_label {
            Some(place) => &mut series[*place],
            None => &mut others,
        };
        series.counts[slot] += row.requests;
    }
    if others.counts.iter().any(|count| *count > 0) {
        series.push(others);
    }
    UsageReport {
        slots,
        series,
        totals,
    }
}

fn empty_series(label: SeriesLabel, slots: usize) -> Series {
    Series {
        label,
        counts: vec![0; slots],
    }
}

/// Index of the slot that a row belongs to. In reports by month, days belong to their month.
fn place(slots: &[DateTime<Utc>], period: Period, row: DateTime<Utc>) -> Option<usize> {
    let slot = period.granularity().slot(row);
    slots.binary_search(&slot).ok()
}

/// The label that a row is counted under; `None` if the store left it out.
fn label(breakdown: Breakdown, row: &UsageRow) -> Option<SeriesLabel> {
    match breakdown {
        Breakdown::Total => Some(SeriesLabel::Total),
        Breakdown::Key => row.key.map(SeriesLabel::Key),
        Breakdown::Endpoint => row.endpoint.map(SeriesLabel::Endpoint),
        Breakdown::Outcome => Some(SeriesLabel::Outcome(row.outcome)),
    }
}

/// Labels of the largest series, in descending order.
fn largest(breakdown: Breakdown, rows: &[UsageRow]) -> Vec<SeriesLabel> {
    if breakdown == Breakdown::Total {
        return vec![SeriesLabel::Total];
    }
    let labelled = rows.iter().map(|row| (label(breakdown, row), row.requests));
    let mut sums: Vec<_> = added_up(labelled)
        .into_iter()
        .filter_map(|(label, requests)| Some((label?, requests)))
        .collect();
    sums.sort_by_key(|(label, requests)| (std::cmp::Reverse(*requests), rank(*label)));
    sums.into_iter()
        .map(|(label, _)| label)
        .take(MAX_SERIES)
        .collect()
}

fn added_up<K: Eq + Hash>(counts: impl Iterator<Item = (K, u64)>) -> HashMap<K, u64> {
    let mut sums = HashMap::new();
    for (key, count) in counts {
        *sums.entry(key).or_default() += count;
    }
    sums
}

/// Order of series with equal sums, to make it the same in every report.
fn rank(label: SeriesLabel) -> u128 {
    match label {
        SeriesLabel::Total | SeriesLabel::Others => 0,
        SeriesLabel::Key(key) => key.0.as_u128(),
        SeriesLabel::Endpoint(endpoint) => place_in(&Endpoint::ALL, &endpoint),
        SeriesLabel::Outcome(outcome) => place_in(&Outcome::ALL, &outcome),
    }
}

fn place_in<T: PartialEq>(all: &[T], one: &T) -> u128 {
    (0..)
        .zip(all)
        .find_map(|(place, each)| (each == one).then_some(place))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
