//! Pagination and text search of lists.

use domain::page::{CursorError, Direction, PageRequest};
use sea_orm::sea_query::{BinOper, Expr, ExprTrait, Func, IntoColumnRef};
use sea_orm::{Order, Value};

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

/// Condition: items after the page's cursor in a list that is ordered by an instant, newest first;
/// `None` for the first page.
pub(crate) fn older_than_cursor<V: IntoColumnRef, I: IntoColumnRef>(
    columns: (V, I),
    page: &PageRequest,
) -> Result<Option<Expr>, CursorError> {
    let Some(cursor) = &page.after else {
        return Ok(None);
    };
    let place = (cursor.millis()?.into(), cursor.id.to_string());
    Ok(Some(after_cursor(columns, place, Direction::Descending)))
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
