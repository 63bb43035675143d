//! Reading of lists page by page.

use domain::page::{Page, PageRequest};

use crate::outbound::ListError;

/// More pages than any list of the suites has: a list that repeats itself ends there.
const MOST_PAGES: usize = 1_000;

/// The pages of a list from `ask` on, each beginning after the previous one.
pub(super) async fn pages<T>(
    mut ask: PageRequest,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) -> Vec<Vec<T>> {
    let most = usize::try_from(ask.first.get()).expect("a length of the suite");
    let mut pages = Vec::new();
    while pages.len() < MOST_PAGES {
        let page = read(ask.clone()).await.expect("the list is read");
        assert!(page.items.len() <= most, "a page is too long");
        ask.after = page.items.last().map(|(cursor, _)| cursor.clone());
        pages.push(page.items.into_iter().map(|(_, item)| item).collect());
        if !page.has_next {
            return pages;
        }
        assert!(ask.after.is_some(), "an empty page has a next one");
    }
    panic!("the list has no end");
}

/// The items of a list from `ask` on.
pub(super) async fn walk<T>(
    ask: PageRequest,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, ListError>,
) -> Vec<T> {
    pages(ask, read).await.into_iter().flatten().collect()
}
