//! Lists of a customer's lookups.

use super::*;

async fn walk(stores: &Stores, filter: &LookupFilter, request: PageRequest) -> Vec<LookupId> {
    let list = async |page| stores.lookups.lookups(customer(1).id, filter, &page).await;
    let lookups = paging::walk(request, list).await;
    lookups.iter().map(|lookup| lookup.facts.id).collect()
}

async fn found(stores: &Stores, filter: LookupFilter) -> Vec<LookupId> {
    walk(stores, &filter, page_of(100)).await
}

fn numbered<const N: usize>(numbers: [u16; N]) -> [LookupId; N] {
    numbers.map(|number| lookup(number).facts.id)
}

pub(super) async fn a_customer_without_lookups_has_an_empty_list(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup_of(&other_key(), 1)]).await;
    assert_eq!(found(&here, LookupFilter::default()).await, []);
}

pub(super) async fn pages_of_any_size_give_each_lookup_once_newest_first(
    Pair { here, elsewhere }: Pair,
) {
    here.add_lookups(&[3, 1, 5, 4, 2].map(lookup)).await;
    let all = LookupFilter::default();
    for size in [1, 2, 3, 4, 5, 100] {
        let walked = walk(&elsewhere, &all, page_of(size)).await;
        assert_eq!(walked, numbered([5, 4, 3, 2, 1]), "{size} a page");
    }
    let five = page_of(5);
    let page = ok(here.lookups.lookups(customer(1).id, &all, &five)).await;
    assert_eq!((page.has_next, page.total), (false, None));
    assert_eq!(page.items[0].1, queued(&lookup(5)));
}

pub(super) async fn lookups_of_one_millisecond_are_ordered_by_their_ids(Pair { here, .. }: Pair) {
    let at_noon = |number| {
        let mut lookup = lookup(number);
        lookup.facts.created_at = instant(0);
        lookup
    };
    here.add_lookups(&[2, 3, 1].map(at_noon)).await;
    let walked = walk(&here, &LookupFilter::default(), page_of(1)).await;
    assert_eq!(walked, numbered([3, 2, 1]));
}

pub(super) async fn a_page_begins_after_the_previous_one_despite_additions(
    Pair { here, .. }: Pair,
) {
    here.add_lookups(&[2, 4].map(lookup)).await;
    let all = LookupFilter::default();
    let read = async |page| here.lookups.lookups(customer(1).id, &all, &page).await;
    let end = paging::end_of(page_of(1), read).await;
    here.add_lookups(&[1, 5].map(lookup)).await;
    let rest = walk(&here, &all, page_after(end, 100)).await;
    assert_eq!(rest, numbered([2, 1]));
}

pub(super) async fn a_cursor_of_another_list_is_refused(Pair { here, .. }: Pair) {
    let all = LookupFilter::default();
    let read = async |page| here.lookups.lookups(customer(1).id, &all, &page).await;
    paging::assert_foreign_cursor_is_refused(read).await;
}

pub(super) async fn a_list_has_the_lookups_of_its_customer_alone(Pair { here, .. }: Pair) {
    let others = [2, 4].map(|number| lookup_of(&other_key(), number));
    here.add_lookups(&[1, 3].map(lookup)).await;
    here.add_lookups(&others).await;
    let walked = walk(&here, &LookupFilter::default(), page_of(1)).await;
    assert_eq!(walked, numbered([3, 1]));
}

pub(super) async fn lookups_are_found_by_their_states(Pair { here, .. }: Pair) {
    here.add_lookups(&[1, 2, 3, 4].map(lookup)).await;
    here.claim(3, super::lease(1)).await;
    let [ended, waiting] = numbered([1, 2]);
    assert!(here.ends(ended, 1, soon(), failed()).await);
    assert!(here.ends(waiting, 1, soon(), wait(soon())).await);
    let found = async |states: &[_]| {
        let states = states.to_vec();
        let filter = LookupFilter {
            states,
            ..LookupFilter::default()
        };
        found(&here, filter).await
    };
    assert_eq!(found(&[]).await, numbered([4, 3, 2, 1]));
    assert_eq!(found(&[LookupState::Queued]).await, numbered([4]));
    assert_eq!(found(&[LookupState::Running]).await, numbered([3]));
    assert_eq!(found(&[LookupState::Delivered]).await, []);
    let two = [LookupState::Failed, LookupState::Waiting];
    assert_eq!(found(&two).await, numbered([2, 1]));
    assert_eq!(found(&LookupState::ALL).await, numbered([4, 3, 2, 1]));
}

pub(super) async fn lookups_are_found_by_the_counters_of_their_key(Pair { here, .. }: Pair) {
    let first = record(1).key;
    let mut successor = record(2).key;
    successor.counters = first.counters;
    let other = record(3).key;
    let lookups = [(&first, 1), (&successor, 2), (&other, 3)];
    here.add_lookups(&lookups.map(|(key, number)| lookup_of(key, number)))
        .await;
    let of_counters = |counters| LookupFilter {
        counters: Some(counters),
        ..LookupFilter::default()
    };
    let sharing = found(&here, of_counters(first.counters)).await;
    assert_eq!(sharing, numbered([2, 1]));
    assert_eq!(found(&here, of_counters(record(2).key.counters)).await, []);
}

pub(super) async fn lookups_are_found_by_the_time_of_their_creation(Pair { here, .. }: Pair) {
    here.add_lookups(&[1, 2, 3].map(lookup)).await;
    let from = |number| LookupFilter {
        created_from: Some(instant(number)),
        ..LookupFilter::default()
    };
    assert_eq!(found(&here, from(1)).await, numbered([3, 2, 1]));
    assert_eq!(found(&here, from(3)).await, numbered([3]));
    assert_eq!(found(&here, from(4)).await, []);
}

pub(super) async fn lookups_are_found_by_their_environment(Pair { here, .. }: Pair) {
    let [mut live, mut test] = [1, 2].map(lookup);
    live.facts.environment = Environment::Live;
    test.facts.environment = Environment::Test;
    here.add_lookups(&[live, test]).await;
    let of = |environment| LookupFilter {
        environment: Some(environment),
        ..LookupFilter::default()
    };
    assert_eq!(found(&here, of(Environment::Live)).await, numbered([1]));
    assert_eq!(found(&here, of(Environment::Test)).await, numbered([2]));
}

pub(super) async fn each_condition_narrows_the_list(Pair { here, .. }: Pair) {
    let of_key = |key: u16, number| -> NewLookup { lookup_of(&record(key).key, number) };
    here.add_lookups(&[of_key(1, 1), of_key(1, 2), of_key(3, 3), of_key(1, 4)])
        .await;
    here.claim(1, super::lease(1)).await;
    let narrow = LookupFilter {
        environment: Some(lookup(1).facts.environment),
        states: vec![LookupState::Queued],
        counters: Some(record(1).key.counters),
        created_from: Some(instant(2)),
        batch: None,
    };
    let walked = walk(&here, &narrow, page_of(1)).await;
    assert_eq!(walked, numbered([4, 2]));
}
