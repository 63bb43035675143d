//! Lists that are read page by page: where a page begins, and how long it may be.

use std::fmt;

use uuid::Uuid;

/// Most items of one page.
pub const MAX_PAGE: u32 = 100;

/// The length of a page: 1 to [`MAX_PAGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

/// Why a number is no length of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page has 1 to {MAX_PAGE} items")]
pub struct PageSizeError;

impl PageSize {
    /// The longest page.
    pub const MAX: Self = Self(MAX_PAGE);

    /// A page of so many items.
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

/// The place of one item in a list that is ordered by a value and, among equals, by the item's id.
/// A page begins after it, whatever was added or removed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// What the list is ordered by: a name, or an instant in unix milliseconds.
    pub value: String,
    /// The item.
    pub id: Uuid,
}

/// Longest value that a cursor is read with; a key's name has at most 100 characters.
const MAX_VALUE_BYTES: usize = 400;

/// Why a text is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no cursor of this list")]
pub struct CursorError;

impl Cursor {
    /// The place of an item in a list that is ordered by instants.
    pub fn at(instant: chrono::DateTime<chrono::Utc>, id: Uuid) -> Self {
        Self {
            value: instant.timestamp_millis().to_string(),
            id,
        }
    }

    /// Reads what [`Cursor`] displays as.
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

    /// The value as unix milliseconds, for a list that is ordered by instants.
    ///
    /// # Errors
    /// [`CursorError`] when it is the cursor of another list.
    pub fn millis(&self) -> Result<i64, CursorError> {
        self.value.parse().map_err(|_| CursorError)
    }
}

/// What [`Cursor::parse`] reads.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.id.simple(), self.value)
    }
}

/// Which page is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Its length.
    pub first: PageSize,
    /// The item before it; the list's beginning without.
    pub after: Option<Cursor>,
}

impl PageRequest {
    /// The first page, of so many items.
    pub fn first(first: PageSize) -> Self {
        Self { first, after: None }
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, each with its place.
    pub items: Vec<(Cursor, T)>,
    /// Whether the list goes on after it.
    pub has_next: bool,
    /// Items of the whole list, all pages together; `None` where counting them would cost more than
    /// the page.
    pub total: Option<u64>,
}

impl<T> Page<T> {
    /// A page out of up to one item more than was asked for, which tells that the list goes on.
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

    /// The same page of other items.
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

/// Whether a list begins with its smallest or with its largest.
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

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC*") {
            let _ = Cursor::parse(&text).map(|cursor| cursor.millis());
        }
    }

    #[test]
    fn one_item_too_many_tells_that_the_list_goes_on() {
        let items = |count: u32| {
            (0..count)
                .map(|item| {
                    let id = Uuid::from_u128(item.into());
                    (
                        Cursor {
                            value: item.to_string(),
                            id,
                        },
                        item,
                    )
                })
                .collect()
        };
        let two = PageSize::new(2).unwrap();
        let page: Page<u32> = Page::of(items(3), two, None);
        assert!(page.has_next);
        assert_eq!(page.items.len(), 2);
        assert!(!Page::<u32>::of(items(2), two, None).has_next);
    }

    #[test]
    fn a_page_is_neither_empty_nor_endless() {
        assert_eq!(PageSize::new(0), Err(PageSizeError));
        assert_eq!(PageSize::new(MAX_PAGE + 1), Err(PageSizeError));
        assert_eq!(PageSize::new(MAX_PAGE), Ok(PageSize::MAX));
    }
}
