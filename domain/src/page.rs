//! Cursor-based pagination.

use std::fmt;

use uuid::Uuid;

/// Longest page, in items.
pub const MAX_PAGE: u32 = 100;

/// Number of items per page: 1 to [`MAX_PAGE`] where a caller chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

/// Error of a page size out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page has 1 to {MAX_PAGE} items")]
pub struct PageSizeError;

impl PageSize {
    /// The shortest page.
    pub const MIN: Self = Self(1);
    /// The longest page that a caller gets.
    pub const MAX: Self = Self(MAX_PAGE);
    /// The longest page of a list that is answered as a whole and read page by page.
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

    /// The number of items.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// Position of an item in a list that is ordered by a value and, among equals, by the item's id. A
/// page begins after it, regardless of insertions and deletions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The sort value: a name, or an instant in unix milliseconds.
    pub value: String,
    /// The item.
    pub id: Uuid,
}

/// Longest value that a cursor is read with; a key's name has at most 100 characters.
const MAX_VALUE_BYTES: usize = 400;

/// Error of parsing a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no cursor of this list")]
pub struct CursorError;

impl Cursor {
    /// The position of an item in a list ordered by instants.
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

    /// The value as unix milliseconds, for a list ordered by instants.
    ///
    /// # Errors
    /// [`CursorError`] when it is the cursor of another list.
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
    /// The number of items.
    pub first: PageSize,
    /// The item before the page; `None` for the first page.
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
    /// The items, each with its position.
    pub items: Vec<(Cursor, T)>,
    /// `true` if the list goes on after the page.
    pub has_next: bool,
    /// Items in the whole list, all pages together; `None` where counting them would cost more than
    /// the page.
    pub total: Option<u64>,
}

impl<T> Page<T> {
    /// Builds a page from up to one item more than requested, which shows that the list goes on.
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

    /// Converts the items.
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
