//! Cancellation of batches.

use super::*;

pub(super) async fn a_batch_is_canceled_with_its_open_lookups_alone(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.fed_batch(&batch(1)).await;
    // One has ended, one is running, one was never begun.
    here.claims_rows(2).await;
    assert!(here.ends_row(0, failed()).await);
    here.claimed_batch(&batch(2)).await;
    assert!(here.feeds(&feed(&batch(2), 1, 0..1)).await);
    let alone = here.alone().await;
    let mut expected = here.rows_of(&batch(1)).await;
    let canceled = elsewhere.cancels_batch(&batch(1)).await;
    let lookups = [(1, false), (2, true)].map(|(row, refunded)| CanceledLookup {
        facts: row_of(&batch(1), row).facts,
        refunded,
    });
    let lookups = lookups.to_vec();
    assert_eq!(canceled, BatchCancellation::Canceled { lookups });
    for open in &mut expected[1..] {
        open.state = LookupState::Canceled;
        open.updated_at = minutes(1);
        open.due_at = None;
    }
    assert_eq!(here.rows_of(&batch(1)).await, expected);
    let kept = here.kept_batch(&batch(1)).await;
    let expected = (BatchState::Canceled, minutes(1), None);
    assert_eq!((kept.state, kept.updated_at, kept.due_at), expected);
    assert_eq!(kept.progress.open(), 0);
    assert_eq!(here.used().await, (4, 1));
    // Other lookups go on.
    assert_eq!(here.states_of(&batch(2)).await, [LookupState::Queued]);
    assert_eq!(here.kept(&alone).await.state, LookupState::Queued);
}

pub(super) async fn untouched_lookups_are_refunded_to_their_months(Pair { here, .. }: Pair) {
    here.with_key().await;
    here.claimed_batch(&batch(1)).await;
    let earlier = Month::of(start() - TimeDelta::days(31));
    let mut fed = feed(&batch(1), 1, 0..3);
    fed.lookups[0].facts.month = earlier;
    assert!(here.feeds(&fed).await);
    for _ in 0..2 {
        here.cancels_batch(&batch(1)).await;
        assert_eq!(here.used().await, (3, 2));
        let key = record(1).key.id;
        assert_eq!(here.used_by(key, earlier).await, (0, 1));
    }
}

pub(super) async fn who_works_on_a_canceled_row_has_lost_its_lease(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claims_rows(3).await;
    // It waits for its second attempt, which is no refund either.
    assert!(here.ends_row(0, wait(minutes(1))).await);
    elsewhere.cancels_batch(&batch(1)).await;
    assert!(!here.ends_row(1, failed()).await);
    let lease = lease_until(5, minutes(2));
    assert!(!ok(here.lookups.renew_lease(row_id(1), lease)).await);
    assert_eq!(here.states_of(&batch(1)).await, [LookupState::Canceled; 3]);
    assert_eq!(here.used().await, (3, 0));
    let claimed = here.claim_at(9, minutes(9), lease_until(6, minutes(10)));
    assert_eq!(claimed.await, []);
}

pub(super) async fn what_is_final_or_anothers_is_not_canceled(Pair { here, .. }: Pair) {
    here.claimed_batch(&empty()).await;
    let finish = BatchChange::Finish;
    assert!(here.releases_batch(&empty(), 1, finish).await);
    here.add_batches(&[batch(2), batch(3)]).await;
    let nothing = BatchCancellation::Canceled {
        lookups: Vec::new(),
    };
    assert_eq!(here.cancels_batch(&batch(2)).await, nothing);
    for ended in [empty(), batch(2)] {
        let refused = here.cancels_batch(&ended).await;
        assert_eq!(refused, BatchCancellation::Final);
    }
    let id = batch(3).facts.id;
    let foreign = ok(here.batches.cancel_batch(customer(2).id, id, start())).await;
    assert_eq!(foreign, BatchCancellation::Unknown);
    let unknown = here.cancels_batch(&batch(4)).await;
    assert_eq!(unknown, BatchCancellation::Unknown);
    assert_eq!(here.kept_batch(&batch(3)).await, queued(&batch(3)));
    // Nothing is left to claim of what has ended.
    assert_eq!(here.claim_batches(9, minutes(100), 1).await.len(), 1);
}
