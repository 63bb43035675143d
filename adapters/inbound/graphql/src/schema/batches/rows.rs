//! Rows of a batch, paged by row number.

use application::{BatchError, RowOutcome, RowView};
use async_graphql::{Context, SimpleObject};
use domain::batches::{BatchId, RowNumber};
use web::Language;
use web::problem::GraphqlProblem;
use web::views::batches;
use web::views::row_filter::RowFilter;

use crate::field_error::FieldError;
use crate::schema::arguments::search_text;
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
    (first, after): (i32, Option<&str>),
    filter: RowFilter,
) -> Result<Option<BatchRowConnection>, FieldError> {
    let size = page_size(first)?.get() as usize;
    let filter = RowFilter {
        fault: search_text("filter.fault", filter.fault.as_deref())?,
        text: search_text("filter.text", filter.text.as_deref())?,
        ..filter
    };
    // A row's cursor is its number.
    let number = after.map(str::parse).transpose();
    let number = number.map_err(|_| GraphqlProblem::ArgumentCursor { argument: "after" })?;
    let requester = requester(context);
    let access = requester.batch_access();
    let place = (RowNumber(number.unwrap_or(0)), size);
    let read = ports(context)
        .batches
        .rows_page(&access, id, place, |row| filter.accepts(row));
    let (rows, has_next) = match read.await {
        Err(BatchError::Unknown) => return Ok(None),
        rows => rows?.found,
    };
    let rows: Vec<_> = rows.into_iter().map(|row| (row.row.0 + 1, row)).collect();
    Ok(Some(BatchRowConnection {
        page_info: PageInfo::of(&rows, has_next, after.is_some()),
        edges: BatchRowEdge::of(rows, |view| BatchRow::new(&view, requester.language)),
    }))
}
