//! Use by hour and key, and by day and customer: numbers and durations of requests.

use std::fmt::Write;

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use super::run;
use crate::columns::{Columns, number};

#[derive(DeriveIden)]
enum UsageHours {
    Table,
    KeyId,
    Hour,
}

#[derive(DeriveIden)]
enum CustomerUsageDays {
    Table,
    CustomerId,
    Day,
}

/// Columns of both tables.
#[derive(DeriveIden)]
enum Counted {
    Endpoint,
    Outcome,
    Requests,
}

/// Buckets of latency: bucket 0 is less than 1 ms, bucket `n` from 2ⁿ⁻¹ to less than 2ⁿ ms, the
/// last one all the rest. They can't change, as counts are stored by them.
const BUCKETS: u32 = 16;
const HOUR: u32 = 3_600_000;
const DAY: u32 = 24 * HOUR;

const HOURS_BY_TIME: &str = "CREATE INDEX usage_hours_by_time ON usage_hours \
    USING brin (hour) WITH (autosummarize = on)";

pub(super) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let columns = Columns::of(manager);
    let hours = slots(
        columns,
        UsageHours::Table,
        UsageHours::KeyId,
        UsageHours::Hour,
    );
    let days = slots(
        columns,
        CustomerUsageDays::Table,
        CustomerUsageDays::CustomerId,
        CustomerUsageDays::Day,
    );
    manager.create_table(hours).await?;
    manager.create_table(days).await?;
    let (hours, days) = (hours_of_requests(), days_of_hours());
    run(manager, &[&hours, &days]).await?;
    // No index for the hours: it would be as large as they are. Queries over all customers use the
    // keys instead. PostgreSQL has a small kind of index (BRIN) for rows that are stored in the
    // order of time.
    if columns.0 == DbBackend::Postgres {
        run(manager, &[HOURS_BY_TIME]).await?;
    }
    manager
        .create_index(
            Index::create()
                .name("customer_usage_days_by_time")
                .table(CustomerUsageDays::Table)
                .col(CustomerUsageDays::Day)
                .take(),
        )
        .await
}

pub(super) async fn down(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in [
        UsageHours::Table.into_iden(),
        CustomerUsageDays::Table.into_iden(),
    ] {
        manager
            .drop_table(Table::drop().table(table).take())
            .await?;
    }
    Ok(())
}

/// Counts of requests of one kind in one slot, identified by its first millisecond. No foreign key,
/// as in the counters of the month.
fn slots(
    columns: Columns,
    table: impl IntoIden,
    whose: impl IntoIden,
    slot: impl IntoIden,
) -> TableCreateStatement {
    let (whose, slot) = (whose.into_iden(), slot.into_iden());
    let mut created = Table::create()
        .table(table.into_iden())
        .col(columns.text(whose.clone()))
        .col(number(slot.clone()))
        .col(columns.text(Counted::Endpoint))
        .col(columns.text(Counted::Outcome))
        .col(number(Counted::Requests))
        .primary_key(
            Index::create()
                .col(whose)
                .col(slot)
                .col(Counted::Endpoint)
                .col(Counted::Outcome),
        )
        .take();
    for bucket in 0..BUCKETS {
        created.col(number(Alias::new(format!("h{bucket:02}"))));
    }
    // Clustered by the primary key: a key's hours are adjacent, and there is no second B-tree to
    // maintain.
    if columns.0 == DbBackend::Sqlite {
        created.extra("WITHOUT ROWID");
    }
    created
}

/// SQL that adds the requests stored so far to the statistics. Those that a limit refused are
/// counted without their duration.
fn hours_of_requests() -> String {
    let mut latencies = String::new();
    for bucket in 0..BUCKETS {
        let least = if bucket == 0 { 0 } else { 1 << (bucket - 1) };
        let most = if bucket == BUCKETS - 1 {
            String::new()
        } else {
            format!(" AND duration_ms < {}", 1 << bucket)
        };
        let _ = write!(
            latencies,
            ", SUM(CASE WHEN outcome NOT IN ('rate_limited', 'quota_exceeded') \
             AND duration_ms >= {least}{most} THEN 1 ELSE 0 END)"
        );
    }
    let places = format!("key_id, at - at % {HOUR}, endpoint, outcome");
    format!(
        "INSERT INTO usage_hours (key_id, hour, endpoint, outcome, requests, {columns}) \
         SELECT {places}, COUNT(*){latencies} FROM requests GROUP BY {places}",
        columns = buckets(|column| column),
    )
}

fn days_of_hours() -> String {
    let places = format!("api_keys.customer_id, hour - hour % {DAY}, endpoint, outcome");
    format!(
        "INSERT INTO customer_usage_days (customer_id, day, endpoint, outcome, requests, {columns}) \
         SELECT {places}, SUM(requests), {sums} FROM usage_hours \
         JOIN api_keys ON api_keys.id = usage_hours.key_id GROUP BY {places}",
        columns = buckets(|column| column),
        sums = buckets(|column| format!("SUM({column})")),
    )
}

fn buckets(each: impl Fn(String) -> String) -> String {
    let columns = (0..BUCKETS).map(|bucket| each(format!("h{bucket:02}")));
    columns.collect::<Vec<_>>().join(", ")
}
