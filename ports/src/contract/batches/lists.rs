//! Lists of batches, and of the lookups of one.

use super::*;

async fn walk(stores: &Stores, filter: &BatchFilter, request: PageRequest) -> Vec<BatchId> {
    let list = async |page| stores.batches.batches(customer(1).id, filter, &page).await;
    let batches = paging::walk(request, list).await;
    batches.iter().map(|batch| batch.facts.id).collect()
}

fn numbered<const N: usize>(numbers: [u16; N]) -> [BatchId; N] {
    numbers.map(|number| batch(number).facts.id)
}

pub(super) async fn pages_of_any_size_give_each_batch_once_newest_first(
    Pair { here, elsewhere }: Pair,
) {
    let all = BatchFilter::default();
    assert_eq!(walk(&here, &all, page_of(1)).await, []);
    here.add_batches(&[3, 1, 5, 4, 2].map(batch)).await;
    for size in [1, 2, 3, 4, 5, 100] {
        let walked = walk(&elsewhere, &all, page_of(size)).await;
        assert_eq!(walked, numbered([5, 4, 3, 2, 1]), "{size} a page");
    }
    let five = page_of(5);
    let page = ok(here.batches.batches(customer(1).id, &all, &five)).await;
    assert_eq!((page.has_next, page.total), (false, None));
    assert_eq!(page.items[0].1, queued(&batch(5)));
}

pub(super) async fn a_list_has_the_batches_of_its_customer_alone(Pair { here, .. }: Pair) {
    here.add_batches(&[batch(1), others(2), batch(3)]).await;
    let walked = walk(&here, &BatchFilter::default(), page_of(1)).await;
    assert_eq!(walked, numbered([3, 1]));
}

pub(super) async fn batches_are_found_by_state_counters_and_environment(Pair { here, .. }: Pair) {
    let live = batch_of(&record(2).key, 2, 3);
    here.fed_batch(&batch(1)).await;
    here.add_batches(&[live, batch(3)]).await;
    let found = async |filter: BatchFilter| walk(&here, &filter, page_of(1)).await;
    let in_states = async |states: &[BatchState]| {
        let states = states.to_vec();
        let filter = BatchFilter {
            states,
            ..BatchFilter::default()
        };
        found(filter).await
    };
    assert_eq!(in_states(&[BatchState::Running]).await, numbered([1]));
    assert_eq!(in_states(&[BatchState::Queued]).await, numbered([3, 2]));
    let two = [BatchState::Queued, BatchState::Running];
    assert_eq!(in_states(&two).await, numbered([3, 2, 1]));
    assert_eq!(in_states(&[BatchState::Finished]).await, []);
    let of_live = BatchFilter {
        environment: Some(Environment::Live),
        ..BatchFilter::default()
    };
    assert_eq!(found(of_live).await, numbered([2]));
    let narrow = BatchFilter {
        environment: Some(Environment::Test),
        states: vec![BatchState::Queued],
        counters: Some(record(1).key.counters),
    };
    assert_eq!(found(narrow).await, numbered([3]));
    // Each with its own progress.
    let (all, three) = (BatchFilter::default(), page_of(3));
    let page = ok(here.batches.batches(customer(1).id, &all, &three)).await;
    let open = page.items.iter().map(|(_, batch)| batch.progress.open());
    assert_eq!(open.collect::<Vec<_>>(), [0, 0, 3]);
}

pub(super) async fn a_cursor_of_another_list_is_refused(Pair { here, .. }: Pair) {
    let all = BatchFilter::default();
    let read = async |page| here.batches.batches(customer(1).id, &all, &page).await;
    paging::assert_foreign_cursor_is_refused(read).await;
}

pub(super) async fn lookups_are_read_by_their_rows(Pair { here, elsewhere }: Pair) {
    let (wide, other) = (batch_of(&record(1).key, 1, 6), batch(2));
    here.with_key().await;
    here.add_batches(&[wide.clone(), other.clone()]).await;
    assert_eq!(here.claim_batches_at(2, start(), 1).await.len(), 2);
    let mut gaps = feed(&wide, 1, 0..6);
    gaps.lookups.retain(|row| *row != row_of(&wide, 2));
    gaps.lookups.reverse();
    assert!(here.feeds(&gaps).await);
    assert!(here.feeds(&feed(&other, 1, 0..3)).await);
    let read = async |first, rows| -> Vec<u32> {
        let id = wide.facts.id;
        let found = ok(elsewhere.batches.batch_lookups(id, RowNumber(first), rows)).await;
        let rows = found.iter().filter_map(|lookup| lookup.facts.batch);
        rows.map(|row| row.row.0).collect()
    };
    assert_eq!(read(0, 100).await, [0, 1, 3, 4, 5]);
    assert_eq!(read(0, 3).await, [0, 1]);
    assert_eq!(read(2, 2).await, [3]);
    assert_eq!(read(2, 1).await, []);
    assert_eq!(read(5, u32::MAX).await, [5]);
    assert_eq!(read(6, 10).await, []);
    assert_eq!(read(0, 0).await, []);
}

pub(super) async fn lookups_are_listed_by_their_batch(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    let alone = here.alone().await;
    let listed = async |batch, states: &[LookupState]| -> Vec<LookupId> {
        let filter = LookupFilter {
            batch,
            states: states.to_vec(),
            ..LookupFilter::default()
        };
        let list = async |page| here.lookups.lookups(customer(1).id, &filter, &page).await;
        let lookups = paging::walk(page_of(2), list).await;
        lookups.iter().map(|lookup| lookup.facts.id).collect()
    };
    let rows = [2, 1, 0].map(|row| row_of(&batch(1), row).facts.id);
    assert_eq!(listed(Some(batch(1).facts.id), &[]).await, rows);
    let queued = [LookupState::Queued];
    assert_eq!(listed(Some(batch(1).facts.id), &queued).await, rows);
    let ended = [LookupState::Expired];
    assert_eq!(listed(Some(batch(1).facts.id), &ended).await, []);
    assert_eq!(listed(Some(batch(2).facts.id), &[]).await, []);
    let all = [&rows[..], &[alone.facts.id]].concat();
    assert_eq!(listed(None, &[]).await, all);
}
