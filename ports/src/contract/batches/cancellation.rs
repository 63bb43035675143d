//! Cancellation of batches.

use super::*;

pub(super) async fn a_batch_is_canceled_with_its_open_lookups(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    // One has ended, one is running, one was never begun.
    here.claim_at(2, start(), lease_until(5, minutes(1))).await;
    let first = row_of(&batch(1), 0).facts.id;
    assert!(here.ends(first, 5, start(), failed()).await);
    let before = here.kept(&as_new(&row_of(&batch(1), 2))).await;
    let canceled = elsewhere.cancels_batch(&batch(1)).await;
    let expected = [(1, false), (2, true)].map(|(row, refunded)| CanceledLookup {
        facts: row_of(&batch(1), row).facts,
        refunded,
    });
    let expected = BatchCancellation::Canceled {
        lookups: expected.to_vec(),
    };
    assert_eq!(canceled, expected);
    let (failed, canceled) = (LookupState::Failed, LookupState::Canceled);
    let states = here.states_of(&batch(1)).await;
    assert_eq!(states, [failed, canceled, canceled]);
    let after = StoredLookup {
        state: LookupState::Canceled,
        updated_at: minutes(1),
        due_at: None,
        ..before
    };
    assert_eq!(here.rows_of(&batch(1)).await[2], after);
    let kept = here.kept_batch(&batch(1)).await;
    let expected = (BatchState::Canceled, minutes(1), None);
    assert_eq!((kept.state, kept.updated_at, kept.due_at), expected);
    assert_eq!(kept.progress.open(), 0);
    assert_eq!(here.used().await, (3, 1));
}

pub(super) async fn untouched_lookups_are_refunded_to_their_months(Pair { here, .. }: Pair) {
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    let earlier = Month::of(start() - chrono::TimeDelta::days(31));
    let mut fed = feed(&batch(1), 1, 0..3);
    fed.lookups[0].facts.month = earlier;
    assert!(here.feeds(&fed).await);
    here.cancels_batch(&batch(1)).await;
    assert_eq!(here.used().await, (3, 2));
    let key = record(1).key.id;
    assert_eq!(here.used_by(key, earlier).await, (0, 1));
    here.cancels_batch(&batch(1)).await;
    assert_eq!(here.used().await, (3, 2));
}

pub(super) async fn who_works_on_a_canceled_row_has_lost_its_lease(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claim_at(3, start(), lease_until(5, minutes(1))).await;
    let [tried, running] = [0, 1].map(|row| row_of(&batch(1), row).facts.id);
    // It waits for its second attempt, which is no refund either.
    assert!(here.ends(tried, 5, start(), wait(minutes(1))).await);
    elsewhere.cancels_batch(&batch(1)).await;
    assert!(!here.ends(running, 5, start(), failed()).await);
    let lease = lease_until(5, minutes(2));
    let renewed = ok(here.lookups.renew_lease(running, lease)).await;
    assert!(!renewed);
    assert_eq!(here.states_of(&batch(1)).await, [LookupState::Canceled; 3]);
    assert_eq!(here.used().await, (3, 0));
    let claimed = here.claim_at(9, minutes(9), lease_until(6, minutes(10)));
    assert_eq!(claimed.await, []);
    // So has whoever made lookups of the rows.
    let lease = lease_until(1, minutes(2));
    let renewed = ok(here.batches.renew_batch(batch(1).facts.id, lease)).await;
    assert_eq!(renewed, None);
    let wait = BatchChange::Wait { due_at: start() };
    assert!(!here.releases_batch(&batch(1), 1, wait).await);
}

pub(super) async fn a_final_batch_is_not_canceled(Pair { here, .. }: Pair) {
    here.add_batches(&[batch(1)]).await;
    let nothing = BatchCancellation::Canceled {
        lookups: Vec::new(),
    };
    assert_eq!(here.cancels_batch(&batch(1)).await, nothing);
    let finished = batch_of(&record(1).key, 2, 0);
    here.claimed_batch(&finished).await;
    let finish = BatchChange::Finish;
    assert!(here.releases_batch(&finished, 1, finish).await);
    for of in [batch(1), finished] {
        let refused = here.cancels_batch(&of).await;
        assert_eq!(refused, BatchCancellation::Final);
    }
}

pub(super) async fn nobody_cancels_what_is_not_theirs(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    let id = batch(1).facts.id;
    let foreign = ok(here.batches.cancel_batch(customer(2).id, id, start())).await;
    assert_eq!(foreign, BatchCancellation::Unknown);
    let unknown = here.cancels_batch(&batch(2)).await;
    assert_eq!(unknown, BatchCancellation::Unknown);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 3, 3));
}

pub(super) async fn other_lookups_go_on(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claimed_batch(&batch(2)).await;
    assert!(here.feeds(&feed(&batch(2), 1, 0..1)).await);
    let alone = here.alone().await;
    here.cancels_batch(&batch(1)).await;
    assert_eq!(here.states_of(&batch(2)).await, [LookupState::Queued]);
    assert_eq!(here.kept(&alone).await.state, LookupState::Queued);
}
