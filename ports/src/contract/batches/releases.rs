//! Ends of the work on claimed batches.

use super::*;

fn wait_until(number: i64) -> BatchChange {
    BatchChange::Wait {
        due_at: minutes(number),
    }
}

fn pause_until(number: i64) -> BatchChange {
    BatchChange::Pause {
        due_at: minutes(number),
    }
}

/// Returns `true` if a batch is claimed at an instant.
async fn claimed(stores: &Stores, minute: i64, lease: u128) -> bool {
    let claimed = stores.claim_batches(1, minutes(minute), lease).await;
    !claimed.is_empty()
}

pub(super) async fn a_batch_that_waits_or_is_paused_is_due_later_and_goes_on(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    assert!(here.releases_batch(&batch(1), 1, wait_until(2)).await);
    let waiting = StoredBatch {
        due_at: Some(minutes(2)),
        ..queued(&batch(1))
    };
    assert_eq!(elsewhere.kept_batch(&batch(1)).await, waiting);
    assert!(!claimed(&elsewhere, 1, 2).await);
    assert!(claimed(&elsewhere, 2, 3).await);
    assert!(here.releases_batch(&batch(1), 3, pause_until(5)).await);
    let paused = async |due_at| {
        let paused = StoredBatch {
            state: BatchState::Paused,
            updated_at: minutes(1),
            due_at: Some(minutes(due_at)),
            ..queued(&batch(1))
        };
        assert_eq!(elsewhere.kept_batch(&batch(1)).await, paused);
    };
    paused(5).await;
    assert!(!claimed(&elsewhere, 4, 4).await);
    // A claim alone changes nothing of it.
    assert!(claimed(&elsewhere, 5, 4).await);
    paused(6).await;
    // Neither does the end of work that made no lookup, for whatever reason.
    assert!(here.releases_batch(&batch(1), 4, wait_until(7)).await);
    paused(7).await;
    // New lookups end the pause.
    assert!(claimed(&here, 7, 5).await);
    assert!(here.feeds(&feed(&batch(1), 5, 0..1)).await);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 1, 1));
    // The lookups of a paused batch go on.
    assert!(here.releases_batch(&batch(1), 5, pause_until(9)).await);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Paused, 1, 1));
}

pub(super) async fn a_batch_is_finished_once_each_row_has_ended(Pair { here, elsewhere }: Pair) {
    let finish = async || here.releases_batch(&batch(1), 1, BatchChange::Finish).await;
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    assert!(!finish().await, "no row was made a lookup of");
    assert!(here.feeds(&feed(&batch(1), 1, 0..2)).await);
    here.failed_rows(0..2).await;
    assert!(!finish().await, "the last row was made no lookup of");
    assert!(here.feeds(&feed(&batch(1), 1, 2..3)).await);
    assert!(!finish().await, "a row is queued");
    here.claims_rows(9).await;
    assert!(!finish().await, "a row is running");
    assert!(here.ends_row(2, wait(minutes(1))).await);
    assert!(!finish().await, "a row waits");
    // The lease is held all the time.
    assert!(!claimed(&elsewhere, 0, 2).await);
    let lease = lease_until(5, minutes(2));
    here.claim_at(9, minutes(1), lease).await;
    assert!(here.ends_row(2, failed()).await);
    assert!(finish().await);
    let kept = elsewhere.kept_batch(&batch(1)).await;
    let expected = (BatchState::Finished, minutes(1), None);
    assert_eq!((kept.state, kept.updated_at, kept.due_at), expected);
    assert_eq!(kept.progress.next_due, None);
    assert!(!claimed(&elsewhere, 100, 2).await);
    assert!(!finish().await);
}

/// Asserts that whoever works on a batch under a lease has lost it.
async fn assert_lost(stores: &Stores, new: &NewBatch, lease: u128) {
    let before = stores.stored_batch(new).await;
    let used = stores.used().await;
    assert!(!stores.feeds(&feed(new, lease, 1..2)).await);
    for change in [wait_until(1), pause_until(1), BatchChange::Finish] {
        assert!(!stores.releases_batch(new, lease, change).await);
    }
    let renewed = stores
        .renews_batch(new, lease_until(lease, minutes(9)))
        .await;
    assert_eq!(renewed, None);
    assert_eq!(stores.stored_batch(new).await, before);
    assert_eq!(stores.used().await, used);
}

pub(super) async fn whoever_lost_the_lease_changes_nothing(Pair { here, elsewhere }: Pair) {
    // The second one could be finished at once.
    let (first, second) = (batch(1), batch_of(&record(1).key, 2, 0));
    here.fed_rows(&first, 0..1).await;
    // Another one's lease, a batch that isn't there, and one that isn't claimed.
    assert_lost(&here, &first, 2).await;
    assert_lost(&here, &second, 1).await;
    here.add_batches(std::slice::from_ref(&second)).await;
    assert_lost(&here, &second, 1).await;
    // Another one claimed both.
    assert!(claimed(&elsewhere, 1, 2).await);
    assert!(claimed(&elsewhere, 1, 3).await);
    assert_lost(&here, &second, 1).await;
    assert_lost(&here, &first, 1).await;
    // One whose work has ended, and one that was canceled.
    assert!(here.releases_batch(&second, 2, wait_until(1)).await);
    assert_lost(&here, &second, 2).await;
    elsewhere.cancels_batch(&first).await;
    assert_lost(&here, &first, 3).await;
    assert_eq!(here.rows_of(&first).await.len(), 1);
}
