//! Usage over time and single requests, as written by the journal.

use async_trait::async_trait;
use domain::page::{Cursor, Page};
use domain::request::{RequestQuery, RequestRecord};
use domain::usage::{Breakdown, UsageQuery};
use ports::outbound::{ListError, Scope, StoreError, UsageReader, UsageRow};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::store::{Store, failed};

mod requests;
mod slots;

impl Store {
    /// Ids of the keys that are reported separately: few enough that an answer is small, however
    /// many a customer has.
    async fn busiest_keys(
        &self,
        scope: Scope,
        query: &UsageQuery,
    ) -> Result<Vec<String>, StoreError> {
        let rows = self
            .connection
            .query_all(&slots::busiest(scope, query))
            .await;
        let rows = rows.map_err(failed)?;
        let id = |row: &QueryResult| row.try_get("", "key_id").map_err(failed);
        rows.iter().map(id).collect()
    }
}

pub(crate) use slots::counts;

#[async_trait]
impl UsageReader for Store {
    async fn usage(&self, scope: Scope, query: &UsageQuery) -> Result<Vec<UsageRow>, StoreError> {
        self.in_time(async {
            let busiest = match query.breakdown {
                Breakdown::Key => self.busiest_keys(scope, query).await?,
                Breakdown::Total | Breakdown::Endpoint | Breakdown::Outcome => Vec::new(),
            };
            let select = slots::select(scope, query, &busiest);
            let rows = self.connection.query_all(&select).await;
            let rows = rows.map_err(failed)?;
            rows.iter().map(|row| slots::read(row, query)).collect()
        })
        .await
    }

    async fn requests(
        &self,
        scope: Scope,
        query: &RequestQuery,
    ) -> Result<Page<RequestRecord>, ListError> {
        self.in_time(async {
            let rows = requests::select(scope, query)?
                .all(&self.connection)
                .await
                .map_err(failed)?;
            let mut items = Vec::with_capacity(rows.len());
            for row in rows {
                let record = requests::read(&row)?;
                items.push((Cursor::at(record.at, record.id), record));
            }
            Ok(Page::of(items, query.page.first, None))
        })
        .await
    }
}
