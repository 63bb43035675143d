//! Removal of batches: by their customer, and by age.

use super::*;

async fn erase(stores: &Stores, of: CustomerId, new: &NewBatch) -> bool {
    ok(stores.batches.erase_batch(of, new.facts.id)).await
}

async fn prune(stores: &Stores, before: DateTime<Utc>) -> u64 {
    ok(stores.batches.prune_batches(before)).await
}

pub(super) async fn a_final_batch_is_erased_with_everything(Pair { here, elsewhere }: Pair) {
    let own = customer(1).id;
    here.fed_batch(&batch(1)).await;
    here.claims_rows(1).await;
    assert!(here.ends_row(0, failed()).await);
    let first = as_new(&row_of(&batch(1), 0));
    here.add_batches(&[batch(2)]).await;
    here.cancels_batch(&batch(1)).await;
    here.cancels_batch(&batch(2)).await;
    assert!(erase(&elsewhere, own, &batch(1)).await);
    assert_eq!(here.stored_batch(&batch(1)).await, None);
    assert_eq!(here.rows_of(&batch(1)).await, []);
    assert_eq!(here.stored(&first).await, None);
    let chunk = ok(here.batches.batch_chunk(batch(1).facts.id, 0)).await;
    assert_eq!(chunk, None);
    assert!(!erase(&here, own, &batch(1)).await);
    assert!(here.stored_batch(&batch(2)).await.is_some());
    // What it was charged stays charged.
    assert_eq!(here.used().await, (3, 2));
    // Nothing is left for one with the same id.
    here.claimed_batch(&batch(1)).await;
    assert!(here.feeds(&feed(&batch(1), 1, 0..1)).await);
    assert_eq!(here.attempts_of(&first).await, []);
}

pub(super) async fn nobody_erases_what_goes_on_or_is_not_theirs(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.add_batches(&[batch(2), batch(3)]).await;
    here.cancels_batch(&batch(3)).await;
    let (own, another) = (customer(1).id, customer(2).id);
    // Running, queued, and one that nobody added.
    for (of, new) in [
        (own, batch(1)),
        (own, batch(2)),
        (another, batch(3)),
        (own, batch(4)),
    ] {
        assert!(!erase(&here, of, &new).await);
    }
    assert_eq!(here.rows_of(&batch(1)).await.len(), 3);
    for kept in [batch(2), batch(3)] {
        assert!(here.stored_batch(&kept).await.is_some());
    }
}

pub(super) async fn batches_are_removed_with_their_lookups(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    let alone = here.alone().await;
    here.failed_rows(0..3).await;
    assert!(here.ends(alone.facts.id, 5, start(), failed()).await);
    here.add_batches(&[others(2), batch(3)]).await;
    // A lookup of a batch is not removed before it.
    assert_eq!(ok(elsewhere.lookups.prune_lookups(minutes(100))).await, 1);
    assert_eq!(here.stored(&alone).await, None);
    assert_eq!(here.rows_of(&batch(1)).await.len(), 3);
    // Both end a minute later.
    let ended = [batch(1), others(2)];
    for new in &ended {
        here.cancels_batch(new).await;
    }
    assert_eq!(prune(&elsewhere, minutes(1)).await, 0);
    let later = minutes(1) + TimeDelta::milliseconds(1);
    assert_eq!(prune(&elsewhere, later).await, 2);
    for new in &ended {
        assert_eq!(here.stored_batch(new).await, None);
        assert_eq!(here.rows_of(new).await, []);
    }
    assert_eq!(here.stored(&as_new(&row_of(&batch(1), 0))).await, None);
    assert_eq!(prune(&elsewhere, minutes(100_000)).await, 0);
    assert!(here.stored_batch(&batch(3)).await.is_some());
}

pub(super) async fn who_reads_a_batch_while_it_is_removed_misses_no_lookup(under_test: Pair) {
    // More than are removed at once.
    const ROWS: u16 = 2_500;
    let Pair { here, elsewhere } = under_test;
    let large = batch_of(&record(1).key, 1, ROWS.into());
    let id = large.facts.id;
    here.with_key().await;
    here.claimed_batch(&large).await;
    assert!(here.feeds(&feed(&large, 1, 0..ROWS)).await);
    here.cancels_batch(&large).await;
    let reading = async {
        loop {
            // The first row, which may go long before the last one.
            let lookups = ok(elsewhere.batches.batch_lookups(id, RowNumber(0), 1)).await;
            if ok(elsewhere.batches.batch_chunk(id, 0)).await.is_none() {
                return;
            }
            assert_eq!(lookups.len(), 1);
        }
    };
    let (erased, ()) = join(erase(&here, customer(1).id, &large), reading).await;
    assert!(erased);
}
