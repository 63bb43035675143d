//! Use over time and single requests, as the journal wrote them.

use async_trait::async_trait;
use domain::page::{Cursor, Page};
use ports::inbound::{RequestListing, RequestRecord, UsageAsk};
use ports::outbound::{ListError, Scope, StoreError, UsageReader, UsageRow};
use sea_orm::ConnectionTrait;

use crate::store::{Store, failed};

mod requests;
mod slots;

pub(crate) use slots::counts;

#[async_trait]
impl UsageReader for Store {
    async fn usage(&self, scope: Scope, ask: &UsageAsk) -> Result<Vec<UsageRow>, StoreError> {
        let rows = self
            .connection
            .query_all(&slots::question(scope, ask))
            .await;
        let rows = rows.map_err(failed)?;
        rows.iter().map(|row| slots::read(row, ask)).collect()
    }

    async fn requests(
        &self,
        scope: Scope,
        ask: &RequestListing,
    ) -> Result<Page<RequestRecord>, ListError> {
        let rows = requests::question(scope, ask)?
            .all(&self.connection)
            .await
            .map_err(failed)?;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let record = requests::read(&row)?;
            items.push((Cursor::at(record.at, record.id), record));
        }
        Ok(Page::of(items, ask.page.first, None))
    }
}
