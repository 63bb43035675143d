//! Pagination: the list is sorted for each page, which is fast enough for a test.

use chrono::{DateTime, Utc};
use domain::page::{Cursor, CursorError, Direction, Page, PageRequest};
use uuid::Uuid;

/// The requested page of `items`. `place` maps cursors to the list's order.
pub(super) fn page<T, P: Ord>(
    items: impl IntoIterator<Item = T>,
    request: &PageRequest,
    direction: Direction,
    cursor: impl Fn(&T) -> Cursor,
    place: impl Fn(&Cursor) -> Result<P, CursorError>,
) -> Result<Page<T>, CursorError> {
    let after = request.after.as_ref().map(&place).transpose()?;
    let placed = items.into_iter().map(|item| {
        let cursor = cursor(&item);
        Ok((place(&cursor)?, cursor, item))
    });
    let mut placed = placed.collect::<Result<Vec<_>, CursorError>>()?;
    placed.sort_by(|one, other| one.0.cmp(&other.0));
    if direction == Direction::Descending {
        placed.reverse();
    }
    let total = placed.len() as u64;
    let is_after = |place: &P| {
        after.as_ref().is_none_or(|after| match direction {
            Direction::Ascending => place > after,
            Direction::Descending => place < after,
        })
    };
    let items = placed.into_iter().filter(|(place, _, _)| is_after(place));
    let items = items.map(|(_, cursor, item)| (cursor, item)).collect();
    Ok(Page::of(items, request.first, Some(total)))
}

/// The requested page of `items`, the newest first. `place` returns an item's instant and its id.
pub(super) fn newest_first<T>(
    items: impl IntoIterator<Item = T>,
    request: &PageRequest,
    place: impl Fn(&T) -> (DateTime<Utc>, Uuid),
) -> Result<Page<T>, CursorError> {
    let cursor = |item: &T| {
        let (at, id) = place(item);
        Cursor::at(at, id)
    };
    page(items, request, Direction::Descending, cursor, by_instant)
}

/// A page whose list isn't counted.
pub(super) fn uncounted<T>(page: Page<T>) -> Page<T> {
    Page {
        total: None,
        ..page
    }
}

/// Sort key of a cursor in a list that is ordered by instants.
pub(super) fn by_instant(cursor: &Cursor) -> Result<(i64, Uuid), CursorError> {
    Ok((cursor.millis()?, cursor.id))
}

/// Returns the place of `part` in `text`; the case of ASCII letters is ignored.
pub(super) fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(&part.to_ascii_lowercase())
}
