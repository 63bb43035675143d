//! Lists read page by page: sorted anew each time, which is fast enough for a test.

use domain::page::{Cursor, CursorError, Direction, Page, PageRequest};
use uuid::Uuid;

/// The page of `items` that is asked for. `place` puts cursors in the list's order.
pub(super) fn page<T, P: Ord>(
    items: impl IntoIterator<Item = T>,
    ask: &PageRequest,
    direction: Direction,
    cursor: impl Fn(&T) -> Cursor,
    place: impl Fn(&Cursor) -> Result<P, CursorError>,
) -> Result<Page<T>, CursorError> {
    let after = ask.after.as_ref().map(&place).transpose()?;
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
    Ok(Page::of(items, ask.first, Some(total)))
}

/// The place of a cursor in a list that is ordered by instants.
pub(super) fn by_instant(cursor: &Cursor) -> Result<(i64, Uuid), CursorError> {
    Ok((cursor.millis()?, cursor.id))
}

/// Whether `text` holds `part`, the upper and lower case of ASCII letters being alike.
pub(super) fn holds(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase()
        .contains(&part.to_ascii_lowercase())
}

/// Whether `text` begins with `part`, the upper and lower case of ASCII letters being alike.
pub(super) fn begins(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase()
        .starts_with(&part.to_ascii_lowercase())
}
