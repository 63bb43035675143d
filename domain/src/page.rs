//! Cursor-based pagination.

use std::fmt;

use uuid::Uuid;

/// Longest page, in items.
pub const MAX_PAGE: u32 = 100;

/// Number of items per page: 1 to [`MAX_PAGE`] if a caller chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

/// Error of a page size out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page has 1 to {MAX_PAGE} items")]
pub struct PageSizeError;

impl PageSize {
    /// One item.
    pub const MIN: Self = Self(1);
    /// [`MAX_PAGE`] items, the most that a caller may request.
    pub const MAX: Self = Self(MAX_PAGE);
    /// Internal page size for lists that are read page by page and returned as a whole.
    pub const OF_WHOLE_LIST: Self = Self(5 * MAX_PAGE);

    /// A page size of `items`.
    ///
    /// # Errors
    /// [`PageSizeError`] for zero and for more than [`MAX_PAGE`].
    pub fn new(items: u32) -> Result<Self, PageSizeError> {
        if (1..=MAX_PAGE).contains(&items) {
            Ok(Self(items))
        } else {
            Err(PageSizeError)
        }
    }

    /// Maximum number of items on the page.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// Position of an item in a list sorted by a value, then by id. A page begins after it, so insertions
/// and deletions don't shift pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The item's sort value: a name, or an instant in unix milliseconds.
    pub value: String,
    /// Id of the item.
    pub id: Uuid,
}

/// Longest accepted sort value; a key's name has at most 100 characters, of up to 4 bytes.
const MAX_VALUE_BYTES: usize = 400;

/// Error of parsing a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no cursor of this list")]
pub struct CursorError;

impl Cursor {
    /// Position of an item in a list sorted by time.
    pub fn at(instant: chrono::DateTime<chrono::Utc>, id: Uuid) -> Self {
        Self {
            value: instant.timestamp_millis().to_string(),
            id,
        }
    }

    /// Parses the text form of a cursor (its `Display`).
    ///
    /// # Errors
    /// [`CursorError`] for anything else.
    pub fn parse(text: &str) -> Result<Self, CursorError> {
        let (id, value) = text.split_once('.').ok_or(CursorError)?;
        if value.len() > MAX_VALUE_BYTES {
            return Err(CursorError);
        }
        Ok(Self {
            value: value.to_owned(),
            id: Uuid::try_parse(id).map_err(|_| CursorError)?,
        })
    }

    /// The sort value as unix milliseconds, for a list sorted by time.
    ///
    /// # Errors
    /// [`CursorError`] if the cursor belongs to a list that isn't sorted by time.
    pub fn millis(&self) -> Result<i64, CursorError> {
        self.value.parse().map_err(|_| CursorError)
    }
}

/// Formats the text form that [`Cursor::parse`] reads.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.id.simple(), self.value)
    }
}

/// A request for one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum number of items.
    pub first: PageSize,
    /// The page begins after this position; `None` for the first page.
    pub after: Option<Cursor>,
}

impl PageRequest {
    /// Requests the first page.
    pub fn first(first: PageSize) -> Self {
        Self { first, after: None }
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, each with its cursor.
    pub items: Vec<(Cursor, T)>,
    /// `true` if there are more items after the page.
    pub has_next: bool,
    /// Number of items in the whole list; `None` if counting would cost more than reading the page.
    pub total: Option<u64>,
}

impl<T> Page<T> {
    /// Builds a page. `items` has one item more than requested if there are more items after the page.
    pub fn of(mut items: Vec<(Cursor, T)>, first: PageSize, total: Option<u64>) -> Self {
        let most = usize::try_from(first.get()).unwrap_or(usize::MAX);
        let has_next = items.len() > most;
        items.truncate(most);
        Self {
            items,
            has_next,
            total,
        }
    }

    /// Converts each item; cursors and totals stay the same.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self
                .items
                .into_iter()
                .map(|(cursor, item)| (cursor, change(item)))
                .collect(),
            has_next: self.has_next,
            total: self.total,
        }
    }
}

/// Sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The smallest, or oldest, first.
    Ascending,
    /// The largest, or newest, first.
    Descending,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_is_read_as_it_was_written(value in "\\PC{0,100}", id: u128) {
            let cursor = Cursor { value, id: Uuid::from_u128(id) };
            prop_assert_eq!(Cursor::parse(&cursor.to_string()), Ok(cursor));
        }
    }

    #[test]
    fn one_item_too_many_shows_that_the_list_goes_on() {
        let two = PageSize::new(2).unwrap();
        for (count, has_next) in [(2, false), (3, true)] {
            let id = |item: u32| Uuid::from_u128(item.into());
            let cursor = |item: u32| Cursor {
                value: item.to_string(),
                id: id(item),
            };
            let items = (0..count).map(|item| (cursor(item), item)).collect();
            let page: Page<u32> = Page::of(items, two, None);
            assert_eq!((page.items.len(), page.has_next), (2, has_next));
        }
    }

    #[test]
    fn a_page_is_neither_empty_nor_endless() {
        assert_eq!(PageSize::new(0), Err(PageSizeError));
        assert_eq!(PageSize::new(MAX_PAGE + 1), Err(PageSizeError));
        assert_eq!(PageSize::new(MAX_PAGE), Ok(PageSize::MAX));
    }
}
