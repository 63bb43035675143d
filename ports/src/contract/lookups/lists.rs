//! Lists of a customer's lookups.

use super::*;

pub(super) async fn lookups_are_listed_newest_first_page_by_page(Pair { here, elsewhere }: Pair) {
    let all = LookupFilter::default();
    let read = async |page| {
        let lookups = &elsewhere.lookups;
        lookups.lookups(customer(1).id, &all, &page).await
    };
    let others = [12, 14].map(|number| lookup_of(&other_key(), number));
    here.add_lookups(&others).await;
    assert_eq!(paging::walk(page_of(9), read).await, []);
    // Two of the same millisecond, which are ordered by their ids.
    let mut lookups = [4, 1, 5, 3, 2].map(lookup);
    lookups[0].facts.created_at = instant(3);
    here.add_lookups(&lookups).await;
    let expected = [2, 0, 3, 4, 1].map(|place| queued(&lookups[place]));
    paging::assert_is_paged(&expected, |lookup| lookup, read).await;
    assert_eq!(ok(read(page_of(5))).await.total, None);
    // A page begins after the previous one despite additions.
    let end = paging::end_of(page_of(4), read).await;
    here.add_lookups(&[0, 6].map(lookup)).await;
    let rest = paging::walk(page_after(end, 100), read).await;
    assert_eq!(rest, [1, 0].map(|number| queued(&lookup(number))));
}

pub(super) async fn a_customers_lookups_are_found_by_their_ids(Pair { here, elsewhere }: Pair) {
    let own = [1, 2, 3].map(lookup);
    let other = lookup_of(&other_key(), 14);
    here.add_lookups(&own).await;
    here.add_lookups(std::slice::from_ref(&other)).await;
    let ids = |lookups: &[&NewLookup]| -> Vec<_> { lookups.iter().map(|it| it.facts.id).collect() };
    let read = async |ids: &[LookupId]| {
        let found = elsewhere.lookups.lookups_of(customer(1).id, ids);
        let mut found = ok(found).await;
        found.sort_by_key(|lookup| lookup.facts.id);
        found
    };
    let unknown = lookup(99);
    let asked = ids(&[&own[2], &other, &unknown, &own[0]]);
    assert_eq!(read(&asked).await, [&own[0], &own[2]].map(queued));
    assert_eq!(read(&[]).await, []);
    let hundred: Vec<_> = (1..=100).map(|number| lookup(number).facts.id).collect();
    assert_eq!(read(&hundred).await.len(), 3);
}

pub(super) async fn lookups_are_found_by_each_condition(Pair { here, .. }: Pair) {
    let first = record(1).key;
    let mut successor = record(2).key;
    successor.counters = first.counters;
    let other = record(3).key;
    let lookups = [
        (&first, 1),
        (&first, 2),
        (&successor, 3),
        (&other, 4),
        (&first, 5),
    ];
    let lookups = lookups.map(|(key, number)| lookup_of(key, number));
    here.add_lookups(&lookups).await;
    here.claim(3, lease(1)).await;
    let [ended, waiting, ..] = lookups.map(|lookup| lookup.facts.id);
    assert!(here.ends(ended, 1, soon(), failed()).await);
    assert!(here.ends(waiting, 1, soon(), wait(soon())).await);
    let all = LookupFilter::default;
    let of = |states: &[_]| LookupFilter {
        states: states.to_vec(),
        ..all()
    };
    let sharing = |counters| LookupFilter {
        counters: Some(counters),
        ..all()
    };
    let from = |number| LookupFilter {
        created_from: Some(instant(number)),
        ..all()
    };
    let within = |environment| LookupFilter {
        environment: Some(environment),
        ..all()
    };
    let ended = [LookupState::Failed, LookupState::Waiting];
    let narrow = LookupFilter {
        environment: Some(Environment::Test),
        states: ended.to_vec(),
        counters: Some(first.counters),
        created_from: Some(instant(2)),
        batch: None,
    };
    for (filter, expected) in [
        (all(), &[5, 4, 3, 2, 1][..]),
        (of(&[LookupState::Queued]), &[5, 4]),
        (of(&[LookupState::Running]), &[3]),
        (of(&[LookupState::Delivered]), &[]),
        (of(&ended), &[2, 1]),
        (of(&LookupState::ALL), &[5, 4, 3, 2, 1]),
        (sharing(first.counters), &[5, 3, 2, 1]),
        (sharing(record(2).key.counters), &[]),
        (from(1), &[5, 4, 3, 2, 1]),
        (from(4), &[5, 4]),
        (from(6), &[]),
        (within(Environment::Live), &[3]),
        (within(Environment::Test), &[5, 4, 2, 1]),
        // Each condition excludes a lookup that the others don't.
        (narrow, &[2]),
    ] {
        for size in [1, 100] {
            let list = async |page| here.lookups.lookups(customer(1).id, &filter, &page).await;
            let found = paging::walk(page_of(size), list).await;
            let found: Vec<_> = found.iter().map(|lookup| lookup.facts.id).collect();
            let expected = expected.iter().map(|number| lookup(*number).facts.id);
            assert_eq!(found, expected.collect::<Vec<_>>(), "{filter:?}");
        }
    }
}
