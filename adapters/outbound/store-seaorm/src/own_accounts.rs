//! Own accounts: a row for each customer.

use async_trait::async_trait;
use domain::audit::AuditEntry;
use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;
use ports::outbound::{OwnAccountStore, StoreError, StoredAccounts};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};

use crate::audit::{Entry, record};
use crate::entity::own_accounts::{ActiveModel, Column, Entity, Model};
use crate::error::failed;
use crate::read::Read;
use crate::store::Store;
use crate::stored::Stored;

#[async_trait]
impl OwnAccountStore for Store {
    async fn own_accounts(
        &self,
        customer: CustomerId,
    ) -> Result<Option<StoredAccounts>, StoreError> {
        let found = Entity::find_by_id(Stored(customer)).row(&self.connection);
        Ok(self.in_time(found).await?.map(stored))
    }

    async fn replace_own_accounts(
        &self,
        accounts: &StoredAccounts,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, StoreError> {
        self.within(async |transaction| {
            let row = ActiveModel {
                customer_id: Set(Stored(accounts.customer)),
                revision: Set(Stored(accounts.revision)),
                generation: Set(Stored(accounts.generation)),
                content: Set(accounts.content.clone()),
            };
            let written = if accounts.revision == 1 {
                let untouched = OnConflict::column(Column::CustomerId)
                    .do_nothing()
                    .to_owned();
                let inserted = Entity::insert(row).on_conflict(untouched);
                inserted.exec_without_returning(transaction).await
            } else {
                let before = Stored(accounts.revision.saturating_sub(1));
                let updated = Entity::update_many()
                    .col_expr(Column::Revision, Expr::value(Stored(accounts.revision)))
                    .col_expr(Column::Generation, Expr::value(Stored(accounts.generation)))
                    .col_expr(Column::Content, Expr::value(accounts.content.clone()))
                    .filter(Column::CustomerId.eq(Stored(accounts.customer)))
                    .filter(Column::Revision.eq(before))
                    .exec(transaction)
                    .await;
                updated.map(|updated| updated.rows_affected)
            };
            let is_written = written.map_err(failed)? > 0;
            if let Some(entry) = entry.filter(|_| is_written) {
                let changes = entry.changes.clone();
                let written = Entry::of_account(entry.action, entry.customer, changes);
                record(transaction, &entry.act, &[written]).await?;
            }
            Ok(is_written)
        })
        .await
    }

    async fn own_accounts_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<CustomerId>,
        most: u32,
    ) -> Result<Vec<StoredAccounts>, StoreError> {
        let mut found = Entity::find().filter(Column::Generation.ne(Stored(newest)));
        if let Some(after) = after {
            found = found.filter(Column::CustomerId.gt(Stored(after)));
        }
        let found = found
            .order_by_asc(Column::CustomerId)
            .limit(u64::from(most));
        let rows = self.in_time(found.rows(&self.connection)).await?;
        Ok(rows.into_iter().map(stored).collect())
    }
}

fn stored(row: Model) -> StoredAccounts {
    StoredAccounts {
        customer: row.customer_id.0,
        revision: row.revision.0,
        generation: row.generation.0,
        content: row.content,
    }
}
