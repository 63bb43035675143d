//! Reads of rows, and pages and text search of lists.

use domain::page::{Cursor, CursorError, Direction, Page, PageRequest};
use ports::outbound::StoreError;
use sea_orm::sea_query::{BinOper, Expr, ExprTrait, Func, IntoColumnRef};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Order, QueryFilter,
    QueryOrder, QueryResult, QuerySelect, QueryTrait as _, Select, Statement, TryGetable, Value,
};

use crate::error::{failed, of_table};

/// Builds a statement from SQL and its parameters.
pub(crate) fn sql(
    connection: &impl ConnectionTrait,
    text: impl Into<String>,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(connection.get_database_backend(), text, values)
}

/// The first column of a row.
pub(crate) struct First<T>(pub(crate) T);

impl<T: TryGetable> FromQueryResult for First<T> {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        row.try_get_by_index(0).map(Self)
    }
}

/// Numbered placeholders of a statement, `count` of them from `first` on.
pub(crate) fn places(first: usize, count: usize) -> String {
    let places: Vec<_> = (first..first + count)
        .map(|place| format!("${place}"))
        .collect();
    places.join(", ")
}

/// Reads the rows of a statement; errors name the table.
pub(crate) async fn query<M: FromQueryResult>(
    connection: &impl ConnectionTrait,
    table: &'static str,
    statement: Statement,
) -> Result<Vec<M>, StoreError> {
    let rows = connection.query_all_raw(statement).await.map_err(failed)?;
    rows.iter().map(|row| of_row(row, table)).collect()
}

fn of_row<M: FromQueryResult>(row: &QueryResult, table: &'static str) -> Result<M, StoreError> {
    M::from_query_result(row, "").map_err(of_table(table))
}

/// Reads of a query on an entity's table; errors name that table.
pub(crate) trait Read<E: EntityTrait>: Sized {
    fn rows_as<M: FromQueryResult + Send>(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Vec<M>, StoreError>> + Send;

    fn row_as<M: FromQueryResult + Send>(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Option<M>, StoreError>> + Send;

    fn rows(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Vec<E::Model>, StoreError>> + Send {
        self.rows_as(connection)
    }

    fn row(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Option<E::Model>, StoreError>> + Send {
        self.row_as(connection)
    }
}

impl<E: EntityTrait> Read<E> for Select<E> {
    fn rows_as<M: FromQueryResult + Send>(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Vec<M>, StoreError>> + Send {
        let statement = self.build(connection.get_database_backend());
        query(connection, E::default().table_name(), statement)
    }

    fn row_as<M: FromQueryResult + Send>(
        self,
        connection: &impl ConnectionTrait,
    ) -> impl Future<Output = Result<Option<M>, StoreError>> + Send {
        let rows = self.limit(1).rows_as(connection);
        async move { Ok(rows.await?.into_iter().next()) }
    }
}

/// Restricts a list, newest first, to one page and one row more.
pub(crate) fn newest_first<E: EntityTrait>(
    list: Select<E>,
    (at, id): (E::Column, E::Column),
    page: &PageRequest,
) -> Result<Select<E>, CursorError> {
    let list = list
        .order_by_desc(at)
        .order_by_desc(id)
        .limit(limit_with_lookahead(page));
    let Some(cursor) = &page.after else {
        return Ok(list);
    };
    let place = (cursor.millis()?.into(), cursor.id.to_string());
    let columns = (at.as_column_ref(), id.as_column_ref());
    Ok(list.filter(after_cursor(columns, place, Direction::Descending)))
}

/// Reads one page of a list that is restricted to it and one row more. A row that can't be read is left
/// out and logged, unless there is no other on the page.
pub(crate) async fn page<E: EntityTrait, M: FromQueryResult, T>(
    connection: &impl ConnectionTrait,
    list: Select<E>,
    page: &PageRequest,
    read: impl Fn(M) -> Result<(Cursor, T), StoreError>,
) -> Result<Page<T>, StoreError> {
    let (found, failures) = readable(connection, list, page, read).await?;
    match failures.into_iter().next_back() {
        Some(error) if found.items.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Reads one page like [`page`], and fails at a row that can't be read.
pub(crate) async fn whole_page<E: EntityTrait, M: FromQueryResult, T>(
    connection: &impl ConnectionTrait,
    list: Select<E>,
    page: &PageRequest,
    read: impl Fn(M) -> Result<(Cursor, T), StoreError>,
) -> Result<Page<T>, StoreError> {
    let (found, failures) = readable(connection, list, page, read).await?;
    failures.into_iter().next_back().map_or(Ok(found), Err)
}

/// The readable rows of a page, and the errors of the others, which are logged.
async fn readable<E: EntityTrait, M: FromQueryResult, T>(
    connection: &impl ConnectionTrait,
    list: Select<E>,
    page: &PageRequest,
    read: impl Fn(M) -> Result<(Cursor, T), StoreError>,
) -> Result<(Page<T>, Vec<StoreError>), StoreError> {
    let table = E::default().table_name();
    let list = list.build(connection.get_database_backend());
    let rows = connection.query_all_raw(list).await.map_err(failed)?;
    let most = usize::try_from(page.first.get()).unwrap_or(usize::MAX);
    let mut items = Vec::with_capacity(rows.len().min(most));
    let mut failures = Vec::new();
    for row in rows.iter().take(most) {
        match of_row(row, table).and_then(&read) {
            Ok(item) => items.push(item),
            Err(error) => failures.push(error),
        }
    }
    for error in &failures {
        tracing::error!(%error, "a row of a list can't be read");
    }
    let page = Page {
        items,
        has_next: rows.len() > most,
        total: None,
    };
    Ok((page, failures))
}

/// Longest search text, in bytes; no stored text is longer, and SQLite refuses patterns of more
/// than 50,000.
const LONGEST_TEXT: usize = 4_096;

/// Escape character of LIKE patterns. No backslash: a literal one is spelt differently on each
/// database.
const ESCAPE: char = '!';

/// Condition: a column contains a text; the case of ASCII letters is ignored.
pub(crate) fn contains(column: impl IntoColumnRef, text: &str) -> Expr {
    like(column, text, |text| format!("%{text}%"))
}

/// Condition: a column begins with a text; the case of ASCII letters is ignored.
pub(crate) fn starts_with(column: impl IntoColumnRef, text: &str) -> Expr {
    like(column, text, |text| format!("{text}%"))
}

fn like(column: impl IntoColumnRef, text: &str, pattern: impl FnOnce(String) -> String) -> Expr {
    // PostgreSQL takes no text with a NUL; no column has one.
    if text.len() > LONGEST_TEXT || text.contains('\0') {
        return Expr::cust("1 = 0");
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | ESCAPE) {
            escaped.push(ESCAPE);
        }
        escaped.push(character);
    }
    // LIKE is case-sensitive on PostgreSQL. LOWER of a column folds ASCII alone on both databases,
    // and so does this; LOWER of a value would follow PostgreSQL's locale.
    let pattern = Expr::val(pattern(escaped.to_ascii_lowercase()));
    let pattern = pattern.binary(BinOper::Escape, Expr::Constant(ESCAPE.to_string().into()));
    Expr::from(Func::lower(Expr::col(column))).binary(BinOper::Like, pattern)
}

/// Condition: items after a cursor, in a list ordered by `columns` (a value, then an id) in this
/// direction.
pub(crate) fn after_cursor<V: IntoColumnRef, I: IntoColumnRef>(
    columns: (V, I),
    place: (Value, String),
    direction: Direction,
) -> Expr {
    let here = Expr::tuple([Expr::col(columns.0), Expr::col(columns.1)]);
    let there = Expr::tuple([Expr::val(place.0), Expr::val(place.1)]);
    match direction {
        Direction::Ascending => here.gt(there),
        Direction::Descending => here.lt(there),
    }
}

/// Items to read for a page: one more, which shows that there is a next page.
pub(crate) fn limit_with_lookahead(page: &PageRequest) -> u64 {
    u64::from(page.first.get()) + 1
}

pub(crate) fn order(direction: Direction) -> Order {
    match direction {
        Direction::Ascending => Order::Asc,
        Direction::Descending => Order::Desc,
    }
}
