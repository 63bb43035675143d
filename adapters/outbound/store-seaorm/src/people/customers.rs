//! Customers and their plans.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, customer_difference, difference};
use domain::keys::{ApiKey, CountedKey};
use domain::limits::{MonthlyUse, Plan};
use domain::month::Month;
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};
use ports::outbound::{CustomerStore, ListError, StoreError, UpdateError};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, FromQueryResult, JoinType,
    QueryFilter, QuerySelect, Select, Set,
};

use crate::audit::{Entry, record};
use crate::entity::{api_keys, customers, monthly_use};
use crate::error::failed;
use crate::keys;
use crate::read::{self, Read, contains, newest_first};
use crate::store::Store;
use crate::stored::Stored;

/// Keys changed by one statement.
const KEYS_PER_STATEMENT: usize = 500;

#[async_trait]
impl CustomerStore for Store {
    async fn find_or_insert(&self, newcomer: &Customer) -> Result<Customer, StoreError> {
        self.in_time(async {
            // Usually the customer exists, so the write lock isn't needed.
            if let Some(known) = self.customer(&newcomer.owner).await? {
                return Ok(known);
            }
            let known =
                OnConflict::columns([customers::Column::Issuer, customers::Column::Subject])
                    .do_nothing()
                    .to_owned();
            customers::Entity::insert(to_row(newcomer))
                .on_conflict(known)
                .exec_without_returning(&self.connection)
                .await
                .map_err(failed)?;
            let added = self.customer(&newcomer.owner).await?;
            added.ok_or_else(|| failed(MissingCustomer(newcomer.id)))
        })
        .await
    }

    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>, StoreError> {
        self.in_time(async {
            let row = customers::Entity::find()
                .filter(customers::Column::Issuer.eq(&owner.issuer))
                .filter(customers::Column::Subject.eq(&owner.subject))
                .row(&self.connection);
            Ok(row.await?.map(read))
        })
        .await
    }

    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        page: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError> {
        self.in_time(async {
            let matching = text.map_or_else(Condition::all, |text| {
                Condition::any()
                    .add(contains(customers::Column::Issuer, text))
                    .add(contains(customers::Column::Subject, text))
            });
            let list = customers::Entity::find().filter(matching.clone());
            let place = (customers::Column::CreatedAt, customers::Column::Id);
            let list = newest_first(list, place, page)?;
            let cursor = |row| {
                let customer = read(row);
                Ok((Cursor::at(customer.created_at, customer.id.0), customer))
            };
            let found = read::page(&self.connection, list, page, cursor).await?;
            let total = customers::Entity::find()
                .select_only()
                .expr_as(Expr::col(customers::Column::Id).count(), "customers")
                .filter(matching)
                .into_tuple::<i64>()
                .one(&self.connection)
                .await
                .map_err(failed)?;
            let ids = found.items.iter().map(|(_, customer)| customer.id);
            let mut key_totals = self.key_totals(ids, month).await?;
            let mut page = found.map(|customer| {
                let (active_keys, used) = key_totals.remove(&customer.id).unwrap_or_default();
                CustomerOverview {
                    active_keys,
                    month,
                    used,
                    customer,
                }
            });
            page.total = total.map(i64::unsigned_abs);
            Ok(page)
        })
        .await
    }

    async fn set_plan(
        &self,
        id: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
        act: &AuditContext,
    ) -> Result<(Customer, Vec<CountedKey>), UpdateError> {
        self.within(async |transaction| set_plan(transaction, id, plan, existing, act).await)
            .await
    }
}

impl Store {
    /// Active keys of customers, and the use of all their keys in a month.
    async fn key_totals(
        &self,
        of: impl Iterator<Item = CustomerId>,
        month: Month,
    ) -> Result<HashMap<CustomerId, (u64, MonthlyUse)>, StoreError> {
        let rows = select_key_totals(of, month).rows_as::<KeyTotalsRow>(&self.connection);
        let read = |row: KeyTotalsRow| {
            let used = MonthlyUse {
                charged: row.charged.0,
                refunded: row.refunded.0,
            };
            (row.customer_id.0, (row.active.0, used))
        };
        Ok(rows.await?.into_iter().map(read).collect())
    }
}

#[derive(FromQueryResult)]
struct KeyTotalsRow {
    customer_id: Stored<CustomerId>,
    active: Stored<u64>,
    charged: Stored<u64>,
    refunded: Stored<u64>,
}

fn select_key_totals(
    of: impl Iterator<Item = CustomerId>,
    month: Month,
) -> Select<api_keys::Entity> {
    let active = CaseStatement::new()
        .case(api_keys::Column::RevokedAt.is_null(), 1_i64)
        .finally(0_i64);
    // A sum of BIGINT is NUMERIC on PostgreSQL.
    let sum = |expr: Expr| expr.sum().if_null(0_i64).cast_as("BIGINT");
    let used = |column| sum(Expr::col((monthly_use::Entity, column)));
    api_keys::Entity::find()
        .select_only()
        .column(api_keys::Column::CustomerId)
        .expr_as(sum(active.into()), "active")
        .expr_as(used(monthly_use::Column::Charged), "charged")
        .expr_as(used(monthly_use::Column::Refunded), "refunded")
        .join(JoinType::LeftJoin, keys::row::use_in(month))
        .filter(api_keys::Column::CustomerId.is_in(of.map(Stored)))
        .group_by(api_keys::Column::CustomerId)
}

async fn set_plan(
    transaction: &DatabaseTransaction,
    id: CustomerId,
    plan: Plan,
    existing: ExistingKeys,
    act: &AuditContext,
) -> Result<(Customer, Vec<CountedKey>), UpdateError> {
    let before = customers::Entity::find_by_id(Stored(id))
        .lock_exclusive()
        .row(transaction)
        .await?;
    let before = read(before.ok_or(UpdateError::NotFound)?);
    let after = Customer {
        plan,
        ..before.clone()
    };
    let mut entries = Vec::new();
    if after != before {
        customers::Entity::update_many()
            .col_expr(customers::Column::Plan, Expr::value(Stored(plan)))
            .filter(customers::Column::Id.eq(Stored(id)))
            .exec(transaction)
            .await
            .map_err(failed)?;
        entries.push(Entry::of_plan(id, customer_difference(&before, &after)));
    }
    let following = match existing {
        ExistingKeys::Keep => Vec::new(),
        ExistingKeys::Follow => keys::change::locked_active(transaction, id).await?,
    };
    let mut changed = Vec::new();
    for before in following {
        let after = ApiKey {
            limits: plan.limits(),
            ..before.clone()
        };
        if after != before {
            entries.push(Entry::of_key(
                Action::LimitsSet,
                &after,
                difference(&before, &after),
            ));
            changed.push(after.counted());
        }
    }
    for some in changed.chunks(KEYS_PER_STATEMENT) {
        let limiting = keys::change::limiting(plan.limits().into());
        keys::change::next_version(limiting)
            .filter(api_keys::Column::Id.is_in(some.iter().map(|key| Stored(key.id))))
            .exec(transaction)
            .await
            .map_err(failed)?;
    }
    let ids: Vec<_> = changed.iter().map(|key| key.id).collect();
    keys::changes::number(transaction, &ids).await?;
    record(transaction, act, &entries).await?;
    Ok((after, changed))
}

/// A customer that existed has disappeared: nothing removes customers.
#[derive(Debug, thiserror::Error)]
#[error("the customer {0} was added, and is not there")]
struct MissingCustomer(CustomerId);

fn to_row(customer: &Customer) -> customers::ActiveModel {
    customers::ActiveModel {
        id: Set(Stored(customer.id)),
        issuer: Set(customer.owner.issuer.clone()),
        subject: Set(customer.owner.subject.clone()),
        plan: Set(Stored(customer.plan)),
        created_at: Set(Stored(customer.created_at)),
    }
}

fn read(customer: customers::Model) -> Customer {
    Customer {
        id: customer.id.0,
        plan: customer.plan.0,
        created_at: customer.created_at.0,
        owner: Owner {
            issuer: customer.issuer,
            subject: customer.subject,
        },
    }
}
