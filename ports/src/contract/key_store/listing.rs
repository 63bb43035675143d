//! Lists of keys, page by page.

use super::*;

/// Names with the same order in every database, some of them twice.
const NAMES: [&str; 9] = [
    "caja", "banco", "dato", "caja", "abono", "banco", "caja", "entrega", "abono",
];

/// Keys with the names of the suite, two of each instant, neither created nor added in the order of
/// their ids.
async fn named(stores: &Stores) -> Vec<ApiKey> {
    stores.enrolled(1).await;
    let mut keys = Vec::new();
    for (number, text) in [5, 2, 9, 1, 7, 3, 8, 6, 4].into_iter().zip(NAMES) {
        let mut record = record(number);
        record.key.name = name(text);
        record.key.created_at = instant(10 - number.div_ceil(2));
        keys.push(stores.insert(record, number).await);
    }
    keys
}

fn asked(order: KeySort, direction: Direction, page: PageRequest) -> KeyQuery {
    KeyQuery {
        order,
        direction,
        page,
        ..everything()
    }
}

async fn list(stores: &Stores, query: &KeyQuery, page: PageRequest) -> PageOf {
    let query = KeyQuery {
        page,
        ..query.clone()
    };
    stores.keys.list(Scope::Everybody, month(), &query).await
}

/// The answer with one page.
type PageOf = Result<Page<KeyOverview>, ListError>;

/// All keys from one page on, page by page.
async fn walk(stores: &Stores, query: &KeyQuery) -> Vec<KeyId> {
    let read = async |page| list(stores, query, page).await;
    let walked = paging::walk(query.page.clone(), read).await;
    walked.into_iter().map(|item| item.key.id).collect()
}

fn ids<'a>(keys: impl IntoIterator<Item = &'a ApiKey>) -> Vec<KeyId> {
    keys.into_iter().map(|key| key.id).collect()
}

pub(super) async fn pages_of_any_size_give_each_key_once_in_order(Pair { here, .. }: Pair) {
    let mut keys = named(&here).await;
    for order in [KeySort::Created, KeySort::Name] {
        match order {
            KeySort::Created => keys.sort_by_key(|key| (key.created_at, key.id)),
            KeySort::Name => keys.sort_by_key(|key| (key.name.as_str().to_owned(), key.id)),
        }
        for direction in [Direction::Ascending, Direction::Descending] {
            let mut expected = ids(&keys);
            if direction == Direction::Descending {
                expected.reverse();
            }
            let query = asked(order, direction, page_of(1));
            let read = async |page| list(&here, &query, page).await;
            paging::assert_pages(&expected, |item| item.key.id, read).await;
        }
    }
    let total = ok(list(&here, &everything(), page_of(1))).await.total;
    assert!(total.is_none_or(|total| total == 9), "{total:?}");

    // Cursors of another order, and of no instant.
    let by_name = asked(KeySort::Name, Direction::Ascending, page_of(1));
    let end = paging::end_of(page_of(1), async |page| list(&here, &by_name, page).await).await;
    let far = Cursor {
        value: "9".repeat(40),
        id: keys[0].id.0,
    };
    for cursor in [end, far] {
        let refused = list(&here, &everything(), page_after(cursor, 1)).await;
        assert!(matches!(refused, Err(ListError::Cursor(_))), "{refused:?}");
    }
}

pub(super) async fn a_page_begins_after_the_previous_one_despite_changes(Pair { here, .. }: Pair) {
    named(&here).await;
    for (direction, number) in [(Direction::Ascending, 20), (Direction::Descending, 21)] {
        let mut query = asked(KeySort::Created, direction, page_of(3));
        query.filter.statuses = vec![KeyStatus::Active];
        let before = walk(&here, &query).await;
        let end = paging::end_of(page_of(3), async |page| list(&here, &query, page).await).await;
        // The cursor's key, one on an earlier page, and one on a later page.
        for (act, gone) in (10 * number..).zip([before[2], before[0], before[4]]) {
            here.changed(gone, KeyChange::Revoke, act).await;
        }
        let new = here.added(number).await.id;
        query.page.after = Some(end);
        let mut expected = before[3..].to_vec();
        expected.remove(1);
        if direction == Direction::Ascending {
            expected.push(new);
        }
        assert_eq!(walk(&here, &query).await, expected, "{direction:?}");
    }
}

pub(super) async fn a_page_by_name_begins_after_a_key_that_moved(Pair { here, .. }: Pair) {
    let mut keys = named(&here).await;
    keys.sort_by_key(|key| (key.name.as_str().to_owned(), key.id));
    let mut query = asked(KeySort::Name, Direction::Ascending, page_of(4));
    let end = paging::end_of(page_of(4), async |page| list(&here, &query, page).await).await;
    assert_eq!(end.id, keys[3].id.0);
    // The cursor's key moves to the end, others to both sides of the cursor.
    for (act, (key, new)) in (20..).zip([(3, "zona"), (7, "aaa"), (0, "cuota")]) {
        let rename = KeyChange::Rename(name(new));
        keys[key] = here.changed(keys[key].id, rename, act).await;
    }
    query.page.after = Some(end);
    let mut expected: Vec<_> = [0, 3, 4, 5, 6, 8].map(|key| &keys[key]).to_vec();
    expected.sort_by_key(|key| (key.name.as_str(), key.id));
    assert_eq!(walk(&here, &query).await, ids(expected));
}
