//! Usage over time and single requests, as written by the journal.

use async_trait::async_trait;
use domain::keys::KeyId;
use domain::page::{Cursor, Page};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::{Breakdown, UsageQuery};
use ports::outbound::{ListError, Scope, StoreError, UsageReader, UsageRow};
use sea_orm::FromQueryResult;
use sea_orm::sea_query::SelectStatement;

use crate::read::{self, First, query};
use crate::store::Store;
use crate::stored::Stored;

pub(crate) mod monthly;
mod requests;
pub(crate) mod slots;

impl Store {
    async fn sums<M: FromQueryResult>(
        &self,
        select: SelectStatement,
    ) -> Result<Vec<M>, StoreError> {
        let statement = self.connection.get_database_backend().build(&select);
        query(&self.connection, "usage", statement).await
    }
}

#[async_trait]
impl UsageReader for Store {
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>, StoreError> {
        self.in_time(async {
            // Few keys are reported separately, so that an answer is small.
            let busiest = match query.breakdown {
                Breakdown::Key => {
                    self.sums::<First<Stored<KeyId>>>(slots::busiest(scope, query))
                        .await?
                }
                Breakdown::Total | Breakdown::Endpoint | Breakdown::Outcome => Vec::new(),
            };
            let busiest = busiest.into_iter().map(|First(key)| key);
            self.sums(slots::select(scope, query, busiest.collect()))
                .await
        })
        .await
        .map(|rows| rows.into_iter().map(slots::SlotRow::read).collect())
    }

    async fn requests(
        &self,
        scope: Scope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError> {
        let list = requests::select(scope, query)?;
        let read = |row| {
            let record = requests::read(row);
            Ok((Cursor::at(record.at, record.id), record))
        };
        let found = read::page(&self.connection, list, &query.page, read);
        Ok(self.in_time(found).await?)
    }
}
