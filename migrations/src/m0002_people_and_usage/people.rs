//! Customers, their keys and their requests; and the deny list.

use sea_orm_migration::prelude::*;

use super::run;
use crate::columns::{Columns, number, optional_number};

#[derive(DeriveIden)]
enum Customers {
    Table,
    Id,
    Issuer,
    Subject,
    Plan,
    CreatedAt,
}

#[derive(DeriveIden)]
enum ApiKeys {
    Table,
    Id,
    CustomerId,
    Name,
    OwnerIssuer,
    OwnerSubject,
    CreatedAt,
    RetiresAt,
    RevokedAt,
}

#[derive(DeriveIden)]
enum Requests {
    Table,
    CustomerId,
    RequestId,
    KeyId,
    Endpoint,
    Outcome,
    At,
}

#[derive(DeriveIden)]
enum Denied {
    Table,
    Fingerprint,
    Until,
}

/// Every owner of keys becomes a customer, with the id of one of its keys (which no other customer
/// has), and the plan whose limits keys have had until now.
const ENROL: &str = "INSERT INTO customers (id, issuer, subject, plan, created_at) \
    SELECT MIN(id), owner_issuer, owner_subject, 'startup', MIN(created_at) FROM api_keys \
    GROUP BY owner_issuer, owner_subject";

const GIVE_KEYS: &str = "UPDATE api_keys SET customer_id = (SELECT customers.id FROM customers \
    WHERE customers.issuer = api_keys.owner_issuer AND customers.subject = api_keys.owner_subject)";

/// A request whose key doesn't exist (any more) gets an empty customer id.
const GIVE_REQUESTS: &str = "UPDATE requests SET customer_id = COALESCE((SELECT \
    api_keys.customer_id FROM api_keys WHERE api_keys.id = requests.key_id), '')";

pub(super) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let columns = Columns::of(manager);
    manager.create_table(customers(columns)).await?;
    run(manager, &[ENROL]).await?;
    let nobody = |column: &mut ColumnDef| column.default("").take();
    for column in [
        nobody(&mut columns.text(ApiKeys::CustomerId)),
        optional_number(ApiKeys::RetiresAt),
    ] {
        manager.alter_table(add(ApiKeys::Table, column)).await?;
    }
    let customer = nobody(&mut columns.text(Requests::CustomerId));
    manager.alter_table(add(Requests::Table, customer)).await?;
    run(manager, &[GIVE_KEYS, GIVE_REQUESTS]).await?;
    for column in [ApiKeys::OwnerIssuer, ApiKeys::OwnerSubject] {
        manager.alter_table(without(column)).await?;
    }
    manager.create_table(denied(columns)).await?;
    drop_index(manager, REQUESTS_OF_A_KEY).await?;
    for index in indexes() {
        manager.create_index(index).await?;
    }
    Ok(())
}

/// The index of the first migration, which a wider one of the same name replaces.
const REQUESTS_OF_A_KEY: &str = "requests_of_a_key";

async fn drop_index(manager: &SchemaManager<'_>, name: &str) -> Result<(), DbErr> {
    let index = Index::drop().name(name).table(Requests::Table).to_owned();
    manager.drop_index(index).await
}

const TAKE_KEYS: &str = "UPDATE api_keys SET \
    owner_issuer = COALESCE((SELECT issuer FROM customers WHERE id = customer_id), ''), \
    owner_subject = COALESCE((SELECT subject FROM customers WHERE id = customer_id), '')";

pub(super) async fn down(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for index in indexes() {
        let name = index.get_index_spec().get_name().unwrap_or_default();
        drop_index(manager, name).await?;
    }
    let of_a_key = Index::create()
        .name(REQUESTS_OF_A_KEY)
        .table(Requests::Table)
        .col(Requests::KeyId)
        .col(Requests::At)
        .take();
    manager.create_index(of_a_key).await?;
    let columns = Columns::of(manager);
    for column in [ApiKeys::OwnerIssuer, ApiKeys::OwnerSubject] {
        let column = columns.text(column).default("").take();
        manager.alter_table(add(ApiKeys::Table, column)).await?;
    }
    run(manager, &[TAKE_KEYS]).await?;
    for column in [ApiKeys::CustomerId, ApiKeys::RetiresAt] {
        manager.alter_table(without(column)).await?;
    }
    let of_requests = Table::alter()
        .table(Requests::Table)
        .drop_column(Requests::CustomerId)
        .take();
    manager.alter_table(of_requests).await?;
    for table in [Denied::Table.into_iden(), Customers::Table.into_iden()] {
        manager
            .drop_table(Table::drop().table(table).take())
            .await?;
    }
    Ok(())
}

fn add(table: impl IntoIden, column: ColumnDef) -> TableAlterStatement {
    Table::alter()
        .table(table.into_iden())
        .add_column(column)
        .take()
}

fn without(column: ApiKeys) -> TableAlterStatement {
    Table::alter()
        .table(ApiKeys::Table)
        .drop_column(column)
        .take()
}

fn customers(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(Customers::Table)
        .col(columns.text(Customers::Id).primary_key())
        .col(columns.text(Customers::Issuer))
        .col(columns.text(Customers::Subject))
        .col(columns.text(Customers::Plan))
        .col(number(Customers::CreatedAt))
        .index(
            Index::create()
                .unique()
                .col(Customers::Issuer)
                .col(Customers::Subject),
        )
        .take()
}

/// Fingerprints of tokens and codes that must not be accepted any more, until they would have
/// expired.
fn denied(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(Denied::Table)
        .col(columns.text(Denied::Fingerprint).primary_key())
        .col(number(Denied::Until))
        .take()
}

/// Indexes of the queries. Every request costs an entry in each index of `requests`. They don't
/// include the id: the few requests of one millisecond are sorted by it as fast as they are read.
/// They include the columns that requests are filtered by, so that rows that don't match aren't
/// read (a rare outcome among a million was found in 150 ms instead of 900).
fn indexes() -> Vec<IndexCreateStatement> {
    let on = |name: &str, table: DynIden, columns: &[DynIden]| {
        let mut index = Index::create().name(name).table(table).take();
        for column in columns {
            index.col(column.clone());
        }
        index
    };
    let customers =
        |name: &str, columns: &[DynIden]| on(name, Customers::Table.into_iden(), columns);
    let keys = |name: &str, columns: &[DynIden]| on(name, ApiKeys::Table.into_iden(), columns);
    let requests = |name: &str, columns: &[DynIden]| on(name, Requests::Table.into_iden(), columns);
    let narrowed = |name: &str, whose: Requests| {
        let narrowing = [Requests::At, Requests::Endpoint, Requests::Outcome];
        let narrowing = narrowing.map(IntoIden::into_iden);
        requests(name, &[&[whose.into_iden()], &narrowing[..]].concat())
    };
    vec![
        customers(
            "customers_by_time",
            &[Customers::CreatedAt.into_iden(), Customers::Id.into_iden()],
        ),
        keys(
            "keys_of_a_customer",
            &[
                ApiKeys::CustomerId.into_iden(),
                ApiKeys::CreatedAt.into_iden(),
                ApiKeys::Id.into_iden(),
            ],
        ),
        keys(
            "keys_by_time",
            &[ApiKeys::CreatedAt.into_iden(), ApiKeys::Id.into_iden()],
        ),
        keys(
            "keys_by_name",
            &[ApiKeys::Name.into_iden(), ApiKeys::Id.into_iden()],
        ),
        // Partial: only the few keys that are about to retire, not the many that have retired.
        keys("keys_to_retire", &[ApiKeys::RetiresAt.into_iden()])
            .and_where(Expr::col(ApiKeys::RevokedAt).is_null())
            .and_where(Expr::col(ApiKeys::RetiresAt).is_not_null())
            .take(),
        narrowed("requests_of_a_customer", Requests::CustomerId),
        narrowed(REQUESTS_OF_A_KEY, Requests::KeyId),
        requests("requests_by_request_id", &[Requests::RequestId.into_iden()]),
        on(
            "denied_by_time",
            Denied::Table.into_iden(),
            &[Denied::Until.into_iden()],
        ),
    ]
}
