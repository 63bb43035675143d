//! Sums of requests by slot: hour, day or month.

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::KeyId;
use domain::latency::{BUCKETS, Latencies};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::usage::{Breakdown, Granularity, MAX_SERIES, Period, UsageQuery};
use ports::outbound::{Scope, UsageRow};
use sea_orm::sea_query::{Alias, CaseStatement, Expr, ExprTrait, Order, Query, SelectStatement};
use sea_orm::{DbErr, FromQueryResult, QueryResult};

use crate::entity::api_keys;
use crate::stored::{Stored, Time};

struct Table {
    name: &'static str,
    slot: &'static str,
    /// Expression of the slot in the result.
    asked: &'static str,
}

/// Sums by hour and key.
const HOURS: Table = Table {
    name: "usage_hours",
    slot: "hour",
    asked: "hour",
};

/// Sums by hour and key, grouped by day.
const DAYS_OF_HOURS: Table = Table {
    asked: "hour - hour % 86400000",
    ..HOURS
};

/// Sums by day and customer.
const DAYS: Table = Table {
    name: "customer_usage_days",
    slot: "day",
    asked: "day",
};

/// Result column with the key's id, if it is one of the busiest.
const BUSY_KEY: &str = "busy_key";

impl Table {
    /// Most queries read the days of customers, which have a hundredth of the rows; queries by hour
    /// or by key read the hours of keys.
    fn of(query: &UsageQuery) -> Self {
        let of_keys = query.key.is_some() || query.breakdown == Breakdown::Key;
        match (query.period.granularity(), of_keys) {
            (Granularity::Hour, _) => HOURS,
            (Granularity::Day | Granularity::Month, true) => DAYS_OF_HOURS,
            (Granularity::Day | Granularity::Month, false) => DAYS,
        }
    }
}

fn column(name: &'static str) -> Expr {
    Expr::col(Alias::new(name))
}

/// Query for the sums of requests. In a breakdown by key, only the `busiest` are reported.
pub(super) fn select(
    scope: Scope,
    query: &UsageQuery,
    busiest: Vec<Stored<KeyId>>,
) -> SelectStatement {
    let table = Table::of(query);
    let mut select = Query::select();
    select
        .expr_as(Expr::cust(table.asked), "slot")
        .from(Alias::new(table.name));
    // By their aliases: otherwise PostgreSQL requires identical expressions.
    select.add_group_by([column("slot"), column("outcome")]);
    select.expr(column("outcome"));
    match query.breakdown {
        Breakdown::Total | Breakdown::Outcome => {}
        Breakdown::Key => {
            let is_busy = column("key_id").is_in(busiest);
            let busy = CaseStatement::new().case(is_busy, column("key_id"));
            select.expr_as(busy, BUSY_KEY);
            select.add_group_by([column(BUSY_KEY)]);
        }
        Breakdown::Endpoint => {
            select.expr(column("endpoint"));
            select.add_group_by([column("endpoint")]);
        }
    }
    for name in counts() {
        // A sum of BIGINT is NUMERIC on PostgreSQL.
        let sum = Expr::col(Alias::new(&name)).sum().cast_as("BIGINT");
        select.expr_as(sum, name);
    }
    narrow(&mut select, &table, scope, query);
    select.take()
}

/// The ids of the keys with the most requests, the busiest first.
pub(super) fn busiest(scope: Scope, query: &UsageQuery) -> SelectStatement {
    let table = Table::of(query);
    let mut select = Query::select();
    select
        .expr(column("key_id"))
        .from(Alias::new(table.name))
        .add_group_by([column("key_id")])
        .order_by_expr(column("requests").sum(), Order::Desc)
        .order_by_expr(column("key_id"), Order::Asc)
        .limit(MAX_SERIES as u64);
    narrow(&mut select, &table, scope, query);
    select.take()
}

/// Applies the filters of a query, within a scope.
fn narrow(select: &mut SelectStatement, table: &Table, scope: Scope, query: &UsageQuery) {
    let (from, to) = bounds(query.period);
    select
        .and_where(column(table.slot).gte(Stored(from)))
        .and_where(column(table.slot).lt(Stored(to)));
    if let Some(key) = query.key {
        select.and_where(column("key_id").eq(Stored(key)));
    }
    match (scope, query.key) {
        (Scope::Everybody, Some(_)) => {}
        (Scope::Everybody, None) if table.name == DAYS.name => {}
        (Scope::Of(customer), None) if table.name == DAYS.name => {
            select.and_where(column("customer_id").eq(Stored(customer)));
        }
        // Rows of hours are found by their keys, also for all customers.
        (_, None) => {
            select.and_where(column("key_id").in_subquery(keys(scope).take()));
        }
        (Scope::Of(_), Some(key)) => {
            let own = keys(scope)
                .and_where(Expr::col(api_keys::Column::Id).eq(Stored(key)))
                .take();
            select.and_where(Expr::exists(own));
        }
    }
    if let Some(endpoint) = query.criteria.endpoint {
        select.and_where(column("endpoint").eq(Stored(endpoint)));
    }
    if let Some(outcome) = query.criteria.outcome {
        select.and_where(column("outcome").eq(Stored(outcome)));
    }
}

/// Query for the ids of the keys in a scope.
fn keys(scope: Scope) -> SelectStatement {
    let mut keys = Query::select();
    keys.column(api_keys::Column::Id).from(api_keys::Entity);
    if let Scope::Of(customer) = scope {
        keys.and_where(Expr::col(api_keys::Column::CustomerId).eq(Stored(customer)));
    }
    keys
}

/// The columns that are summed: requests, and each bucket of latency.
pub(crate) fn counts() -> impl Iterator<Item = String> {
    std::iter::once("requests".to_owned()).chain((0..BUCKETS).map(bucket))
}

/// Name of the column of a latency bucket.
fn bucket(bucket: usize) -> String {
    format!("h{bucket:02}")
}

/// Start of a period's first slot, and end of its last one.
fn bounds(period: Period) -> (DateTime<Utc>, DateTime<Utc>) {
    let last = period.slots().last().unwrap_or(period.from());
    let end = match period.granularity() {
        Granularity::Hour => last.checked_add_signed(TimeDelta::hours(1)),
        Granularity::Day => last.checked_add_signed(TimeDelta::days(1)),
        Granularity::Month => Some(Month::of(last).end()),
    };
    (period.from(), end.unwrap_or(DateTime::<Utc>::MAX_UTC))
}

/// A row of the sums; those that aren't broken down have neither key nor endpoint.
pub(super) struct SlotRow(UsageRow);

impl SlotRow {
    pub(super) fn read(self) -> UsageRow {
        self.0
    }
}

impl FromQueryResult for SlotRow {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        let slot: Time = row.try_get("", "slot")?;
        // `None` for a column that the query doesn't have.
        let key: Option<Stored<KeyId>> = row.try_get("", BUSY_KEY)?;
        let endpoint: Option<Stored<Endpoint>> = row.try_get("", "endpoint")?;
        let outcome: Stored<Outcome> = row.try_get("", "outcome")?;
        let requests: Stored<u64> = row.try_get("", "requests")?;
        let mut latencies = [0; BUCKETS];
        for (place, latency) in latencies.iter_mut().enumerate() {
            *latency = row.try_get::<Stored<u64>>("", &bucket(place))?.0;
        }
        Ok(Self(UsageRow {
            slot: slot.0,
            key: key.map(Stored::value),
            endpoint: endpoint.map(Stored::value),
            outcome: outcome.0,
            requests: requests.0,
            latencies: Latencies::from_counts(latencies),
        }))
    }
}
