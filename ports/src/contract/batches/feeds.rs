//! Lookups that are made of rows.

use super::*;

pub(super) async fn fed_rows_are_queued_lookups_and_the_batch_is_running(
    Pair { here, elsewhere }: Pair,
) {
    here.fed_rows(&batch(1), 0..2).await;
    let row = |row| row_of(&batch(1), row);
    let created_at = row(0).facts.created_at;
    let expected = [0, 1].map(|number| lookups::queued(&as_new(&row(number))));
    assert_eq!(elsewhere.rows_of(&batch(1)).await, expected);
    assert_eq!(elsewhere.kept(&as_new(&row(1))).await, expected[1]);
    let running = StoredBatch {
        state: BatchState::Running,
        updated_at: start(),
        due_at: Some(minutes(1)),
        progress: BatchProgress {
            next_row: 2,
            lookups: vec![(LookupState::Queued, 2)],
            seal_invalid: 0,
            seal_not_checked: 0,
            next_due: Some(created_at),
        },
        ..queued(&batch(1))
    };
    assert_eq!(elsewhere.kept_batch(&batch(1)).await, running);
    // It stays so.
    let later = BatchFeed {
        now: minutes(1),
        ..feed(&batch(1), 1, 2..3)
    };
    assert!(here.feeds(&later).await);
    let kept = elsewhere.kept_batch(&batch(1)).await;
    assert_eq!(
        (kept.state, kept.updated_at),
        (BatchState::Running, start())
    );
    assert_eq!(kept.progress.next_row, 3);
}

pub(super) async fn fed_rows_are_claimed_as_any_lookups(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    let lease = lease_until(7, minutes(1));
    let claimed = elsewhere.claim_at(9, start(), lease).await;
    let rows = claimed.iter().map(|claimed| &claimed.lookup.facts);
    let expected = [0, 1, 2].map(|row| row_of(&batch(1), row).facts);
    assert_eq!(rows.cloned().collect::<Vec<_>>(), expected);
}

pub(super) async fn a_feed_is_charged_once(Pair { here, elsewhere }: Pair) {
    here.fed_rows(&batch(1), 0..2).await;
    assert_eq!(elsewhere.used().await, (2, 0));
    let again = feed(&batch(1), 1, 0..2);
    assert!(!here.feeds(&again).await);
    assert!(here.feeds(&feed(&batch(1), 1, 2..3)).await);
    assert_eq!(elsewhere.used().await, (3, 0));
    let minute = start().duration_trunc(TimeDelta::minutes(1)).ok();
    assert_eq!(here.found(record(1).key.id).await.last_used_at, minute);
}

pub(super) async fn a_feed_that_the_limiter_charged_is_not_charged_again(Pair { here, .. }: Pair) {
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    let charged = BatchFeed {
        charge: None,
        ..feed(&batch(1), 1, 0..2)
    };
    assert!(here.feeds(&charged).await);
    assert_eq!(here.used().await, (0, 0));
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 2, 2));
}

pub(super) async fn a_successors_feed_is_charged_to_its_counters(Pair { here, .. }: Pair) {
    here.with_key().await;
    let new = rotated(&here, record(1).key.id, 2, minutes(60)).await.new;
    here.claimed_batch(&batch(1)).await;
    let mut fed = feed(&batch(1), 1, 0..2);
    fed.charge = fed.charge.map(|charge| FeedCharge {
        key: new.id,
        ..charge
    });
    assert!(here.feeds(&fed).await);
    assert_eq!(here.used().await, (2, 0));
}

pub(super) async fn rows_that_are_never_looked_up_are_passed(Pair { here, .. }: Pair) {
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    let nothing = BatchFeed {
        lookups: Vec::new(),
        charge: None,
        ..feed(&batch(1), 1, 0..2)
    };
    assert!(here.feeds(&nothing).await);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 2, 0));
    assert!(here.feeds(&feed(&batch(1), 1, 2..3)).await);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 3, 1));
    assert_eq!(here.used().await, (1, 0));
}

pub(super) async fn whoever_lost_the_lease_feeds_nothing(Pair { here, elsewhere }: Pair) {
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    assert!(!here.feeds(&feed(&batch(1), 2, 0..1)).await);
    assert!(!here.feeds(&feed(&batch(2), 1, 0..1)).await);
    here.cancels_batch(&batch(1)).await;
    assert!(!here.feeds(&feed(&batch(1), 1, 0..1)).await);
    assert_eq!(elsewhere.rows_of(&batch(1)).await, []);
    assert_eq!(elsewhere.used().await, (0, 0));
    let nothing = (BatchState::Canceled, 0, 0);
    assert_eq!(elsewhere.standing(&batch(1)).await, nothing);
}

pub(super) async fn a_row_has_one_lookup_at_most(Pair { here, elsewhere }: Pair) {
    here.fed_rows(&batch(1), 0..1).await;
    let before = elsewhere.kept_batch(&batch(1)).await;
    // The first of them under another id, which is free.
    let mut again = feed(&batch(1), 1, 0..3);
    again.lookups[0].facts.id = lookup_of(&record(1).key, 99).facts.id;
    assert!(!here.feeds(&again).await);
    let mut twice = feed(&batch(1), 1, 1..3);
    twice.lookups[1].facts.batch = twice.lookups[0].facts.batch;
    assert!(!here.feeds(&twice).await);
    assert_eq!(elsewhere.kept_batch(&batch(1)).await, before);
    assert_eq!(elsewhere.rows_of(&batch(1)).await.len(), 1);
    assert_eq!(elsewhere.used().await, (1, 0));
    assert!(here.feeds(&feed(&batch(1), 1, 1..3)).await);
    assert_eq!(elsewhere.used().await, (3, 0));
}

pub(super) async fn many_rows_are_fed_at_once(Pair { here, elsewhere }: Pair) {
    let large = batch_of(&record(1).key, 1, 600);
    here.with_key().await;
    here.claimed_batch(&large).await;
    for rows in [0..256, 256..511, 511..600] {
        assert!(here.feeds(&feed(&large, 1, rows)).await);
    }
    let rows = elsewhere.rows_of(&large).await;
    let expected = (0..600).map(|row| lookups::queued(&as_new(&row_of(&large, row))));
    assert!(rows.into_iter().eq(expected));
    assert_eq!(elsewhere.used().await, (600, 0));
}

pub(super) async fn progress_counts_lookups_by_state(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claim_at(2, start(), lease_until(1, minutes(3))).await;
    let ended = row_of(&batch(1), 0).facts.id;
    assert!(here.ends(ended, 1, start(), failed()).await);
    let progress = elsewhere.kept_batch(&batch(1)).await.progress;
    let expected = [
        (LookupState::Queued, 1),
        (LookupState::Running, 1),
        (LookupState::Failed, 1),
    ];
    assert_eq!(progress.lookups, expected);
    let queued = row_of(&batch(1), 2).facts.created_at;
    assert_eq!(progress.next_due, Some(queued));
    here.claim_at(1, start(), lease_until(2, minutes(2))).await;
    let progress = elsewhere.kept_batch(&batch(1)).await.progress;
    assert_eq!(progress.next_due, Some(minutes(2)));
}
