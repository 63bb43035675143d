//! Reading of lists page by page.

use std::fmt::Debug;

use domain::page::{Cursor, Page, PageRequest};

use super::fixture::{foreign_cursor, page_after, page_of};
use super::ok;
use crate::outbound::ListError;

/// More pages than any list of the suites has: a list that repeats itself ends there.
const MOST_PAGES: usize = 1_000;

/// The pages of a list from `request` on, each beginning after the previous one.
async fn pages<T>(
    mut request: PageRequest,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) -> Vec<Vec<T>> {
    let most = usize::try_from(request.first.get()).expect("a length of the suite");
    let mut pages = Vec::new();
    while pages.len() < MOST_PAGES {
        let page = ok(read(request.clone())).await;
        assert!(page.items.len() <= most, "a page is too long");
        request.after = page.items.last().map(|(cursor, _)| cursor.clone());
        pages.push(page.items.into_iter().map(|(_, item)| item).collect());
        if !page.has_next {
            return pages;
        }
        assert!(request.after.is_some(), "an empty page has a next one");
    }
    panic!("the list has no end");
}

/// The items of a list from `request` on.
pub(super) async fn walk<T>(
    request: PageRequest,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) -> Vec<T> {
    pages(request, read).await.into_iter().flatten().collect()
}

/// The cursor of a page's last item.
pub(super) async fn end_of<T>(
    request: PageRequest,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) -> Cursor {
    let page = ok(read(request)).await;
    page.items.last().expect("the page has items").0.clone()
}

/// Asserts that a list gives these items on pages of any size, the last of them without a next one.
pub(super) async fn assert_pages<T, I: Debug + PartialEq>(
    expected: &[I],
    item: impl Fn(T) -> I,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) {
    let all = u32::try_from(expected.len()).expect("a length of the suite");
    for size in [1, 2, 3, all - 1, all, all + 1, 100] {
        let pages = pages(page_of(size), &read).await;
        assert_eq!(pages.len(), all.div_ceil(size) as usize, "{size} a page");
        let items: Vec<_> = pages.into_iter().flatten().map(&item).collect();
        assert_eq!(items, expected, "{size} a page");
    }
}

/// Asserts the same of a list by instants, and that it refuses the cursor of another list.
pub(super) async fn assert_is_paged<T: Debug, I: Debug + PartialEq>(
    expected: &[I],
    item: impl Fn(T) -> I,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) {
    assert_pages(expected, item, &read).await;
    let refused = read(page_after(foreign_cursor(), 2)).await;
    assert!(matches!(refused, Err(ListError::Cursor(_))), "{refused:?}");
}
