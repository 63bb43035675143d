//! Lists of batches, and of the lookups of one.

use super::*;

pub(super) async fn batches_are_listed_newest_first_page_by_page(Pair { here, elsewhere }: Pair) {
    let all = BatchFilter::default();
    let read = async |page| {
        let batches = &elsewhere.batches;
        batches.batches(customer(1).id, &all, &page).await
    };
    here.add_batches(&[others(6)]).await;
    assert_eq!(paging::walk(page_of(9), read).await, []);
    here.add_batches(&[3, 1, 5, 4, 2].map(batch)).await;
    let expected = [5, 4, 3, 2, 1].map(|number| queued(&batch(number)));
    paging::assert_is_paged(&expected, |batch| batch, read).await;
    assert_eq!(ok(read(page_of(5))).await.total, None);
}

pub(super) async fn batches_are_found_by_state_counters_and_environment(Pair { here, .. }: Pair) {
    let live = batch_of(&record(2).key, 2, 3);
    let of_another_key = batch_of(&record(3).key, 4, 3);
    here.fed_batch(&batch(1)).await;
    here.add_batches(&[live, batch(3), of_another_key]).await;
    let of = |states: &[BatchState]| BatchFilter {
        states: states.to_vec(),
        ..BatchFilter::default()
    };
    let of_live = BatchFilter {
        environment: Some(Environment::Live),
        ..BatchFilter::default()
    };
    let narrow = BatchFilter {
        environment: Some(Environment::Test),
        states: vec![BatchState::Queued],
        counters: Some(record(1).key.counters),
    };
    // Each with its number of open lookups.
    for (filter, expected) in [
        (of(&[BatchState::Running]), &[(1, 3)][..]),
        (of(&[BatchState::Queued]), &[(4, 0), (3, 0), (2, 0)]),
        (
            of(&[BatchState::Queued, BatchState::Running]),
            &[(4, 0), (3, 0), (2, 0), (1, 3)],
        ),
        (of(&[BatchState::Finished]), &[]),
        (of_live, &[(2, 0)]),
        (narrow, &[(3, 0)]),
    ] {
        for size in [1, 4] {
            let list = async |page| here.batches.batches(customer(1).id, &filter, &page).await;
            let found = paging::walk(page_of(size), list).await.into_iter();
            let found = found.map(|found| (found.facts.id, found.progress.open()));
            let expected = expected.iter();
            let expected = expected.map(|(number, open)| (batch(*number).facts.id, *open));
            assert!(found.eq(expected), "{filter:?}");
        }
    }
}

pub(super) async fn lookups_are_read_by_their_rows(Pair { here, elsewhere }: Pair) {
    let (wide, other) = (wide(), batch(2));
    here.with_key().await;
    here.add_batches(&[wide.clone(), other.clone()]).await;
    assert_eq!(here.claim_batches(2, start(), 1).await.len(), 2);
    let mut gaps = feed(&wide, 1, 0..6);
    gaps.lookups.retain(|row| *row != row_of(&wide, 2));
    gaps.lookups.reverse();
    assert!(here.feeds(&gaps).await);
    assert!(here.feeds(&feed(&other, 1, 0..3)).await);
    for (first, rows, expected) in [
        (0, 100, &[0, 1, 3, 4, 5][..]),
        (0, 3, &[0, 1]),
        (2, 2, &[3]),
        (2, 1, &[]),
        (5, u32::MAX, &[5]),
        (6, 10, &[]),
        (0, 0, &[]),
    ] {
        let id = wide.facts.id;
        let found = ok(elsewhere.batches.batch_lookups(id, RowNumber(first), rows)).await;
        let found = found.iter().filter_map(|lookup| lookup.facts.batch);
        let found: Vec<_> = found.map(|row| row.row.0).collect();
        assert_eq!(found, expected, "{rows} from {first} on");
    }
}

pub(super) async fn lookups_are_listed_by_their_batch(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    let alone = here.alone().await.facts.id;
    let rows = [2, 1, 0].map(|row| row_of(&batch(1), row).facts.id);
    let all = [&rows[..], &[alone]].concat();
    let [first, second] = [1, 2].map(|number| Some(batch(number).facts.id));
    for (batch, states, expected) in [
        (first, vec![], &rows[..]),
        (first, vec![LookupState::Queued], &rows),
        (first, vec![LookupState::Expired], &[]),
        (second, vec![], &[]),
        (None, vec![], &all),
    ] {
        let filter = LookupFilter {
            states,
            batch,
            ..LookupFilter::default()
        };
        let list = async |page| here.lookups.lookups(customer(1).id, &filter, &page).await;
        let found = paging::walk(page_of(2), list).await;
        let found: Vec<_> = found.iter().map(|lookup| lookup.facts.id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}
