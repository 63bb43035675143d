//! Lookups that are made of rows.

use super::*;

pub(super) async fn fed_rows_are_lookups_like_others_and_the_batch_is_running(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.fed_rows(&batch(1), 0..2).await;
    let rows = [0, 1].map(|row| row_of(&batch(1), row));
    let expected = rows.each_ref().map(|row| lookups::queued(&as_new(row)));
    assert_eq!(elsewhere.rows_of(&batch(1)).await, expected);
    assert_eq!(elsewhere.kept(&as_new(&rows[1])).await, expected[1]);
    let running = StoredBatch {
        state: BatchState::Running,
        updated_at: start(),
        due_at: Some(minutes(1)),
        progress: BatchProgress {
            next_row: 2,
            lookups: vec![(LookupState::Queued, 2)],
            seal_invalid: 0,
            seal_not_checked: 0,
            next_due: Some(rows[0].facts.created_at),
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
    let expected = (BatchState::Running, start(), 3);
    let found = (kept.state, kept.updated_at, kept.progress.next_row);
    assert_eq!(found, expected);
    let claimed = elsewhere.claims_rows(9).await.into_iter();
    let claimed: Vec<_> = claimed.map(|claimed| claimed.lookup.facts).collect();
    let expected = [0, 1, 2].map(|row| row_of(&batch(1), row).facts);
    assert_eq!(claimed, expected);
}

pub(super) async fn a_feed_is_charged_once_to_the_counters_of_its_key(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.fed_rows(&wide(), 0..2).await;
    assert_eq!(elsewhere.used().await, (2, 0));
    assert!(!here.feeds(&feed(&wide(), 1, 0..2)).await);
    assert!(here.feeds(&feed(&wide(), 1, 2..3)).await);
    assert_eq!(elsewhere.used().await, (3, 0));
    let minute = start().duration_trunc(TimeDelta::minutes(1)).ok();
    assert_eq!(here.found(record(1).key.id).await.last_used_at, minute);
    // A successor has the same counters, and what the limiter charged is not charged again.
    let new = rotated(&here, record(1).key.id, 2, minutes(60)).await.new;
    let mut by_successor = feed(&wide(), 1, 3..5);
    by_successor.charge = by_successor.charge.map(|charge| FeedCharge {
        key: new.id,
        ..charge
    });
    let by_limiter = BatchFeed {
        charge: None,
        ..feed(&wide(), 1, 5..6)
    };
    for (fed, rows) in [(by_successor, 5), (by_limiter, 6)] {
        assert!(here.feeds(&fed).await);
        assert_eq!(here.used().await, (5, 0));
        let standing = (BatchState::Running, rows, rows);
        assert_eq!(here.standing(&wide()).await, standing);
    }
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
    here.claim_at(2, start(), lease_until(5, minutes(3))).await;
    assert!(here.ends_row(0, failed()).await);
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
