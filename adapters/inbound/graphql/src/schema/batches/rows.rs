//! Rows of a batch, paged by row number.

use application::{BatchError, BatchRows, RowOutcome, RowView};
use async_graphql::{Context, SimpleObject};
use domain::batches::{BatchId, RowNumber};
use domain::page::PageSize;
use web::Language;
use web::problem::GraphqlProblem;
use web::views::batches;

use crate::field_error::FieldError;
use crate::schema::connection::{PageInfo, connection, page_size};
use crate::schema::context::{ports, requester};
use crate::schema::lookups::Lookup;

/// A row of a batch.
#[derive(SimpleObject)]
pub(crate) struct BatchRow {
    #[graphql(flatten)]
    row: batches::BatchRow,
    /// Its lookup, if there is one.
    lookup: Option<Lookup>,
}

impl BatchRow {
    fn new(view: &RowView, language: Language) -> Self {
        let lookup = match &view.outcome {
            RowOutcome::Lookup(found) => Some(Lookup::new(found, language)),
            _ => None,
        };
        Self {
            row: batches::BatchRow::new(view, language),
            lookup,
        }
    }
}

connection! {
    /// One page of the rows of a batch, in the order of its table.
    BatchRowConnection,
    /// A row and its place in the table.
    BatchRowEdge of BatchRow
}

/// Reads a page of a batch's rows; `None` when the requester has no such batch.
pub(super) async fn page(
    context: &Context<'_>,
    id: BatchId,
    first: i32,
    after: Option<&str>,
) -> Result<Option<BatchRowConnection>, FieldError> {
    let size = page_size(first)?;
    // A row's cursor is its number.
    let number = after.map(str::parse).transpose();
    let number = number.map_err(|_| GraphqlProblem::ArgumentCursor { argument: "after" })?;
    let requester = requester(context);
    let access = requester.batch_access();
    let after_row = RowNumber(number.unwrap_or(0));
    let rows = match ports(context).batches.rows(&access, id, after_row).await {
        Err(BatchError::Unknown) => return Ok(None),
        rows => rows?.found,
    };
    let (rows, has_next) = read(rows, size).await?;
    Ok(Some(BatchRowConnection {
        page_info: PageInfo::of(&rows, has_next, after.is_some()),
        edges: BatchRowEdge::of(rows, |view| BatchRow::new(&view, requester.language)),
    }))
}

/// Reads a page of rows with their cursors, and whether rows follow it.
async fn read(
    mut rows: BatchRows,
    size: PageSize,
) -> Result<(Vec<(u32, RowView)>, bool), BatchError> {
    let size = size.get() as usize;
    let mut found = Vec::with_capacity(size);
    while let Some(views) = rows.next().await? {
        found.extend(views.into_iter().map(|view| (view.row.0 + 1, view)));
        if found.len() > size {
            found.truncate(size);
            return Ok((found, true));
        }
    }
    Ok((found, false))
}
