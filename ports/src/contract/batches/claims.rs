//! Claims of due batches, and their leases.

use super::*;

fn ids(claimed: &[ClaimedBatch]) -> Vec<BatchId> {
    let ids = claimed.iter().map(|claimed| claimed.batch.facts.id);
    ids.collect()
}

pub(super) async fn batches_that_are_due_first_are_claimed_first(Pair { here, elsewhere }: Pair) {
    here.add_batches(&[batch(4), others(2), batch(1), others(3)])
        .await;
    assert_eq!(here.claim_batches(9, instant(0), 1).await, []);
    assert_eq!(here.claim_batches(0, start(), 1).await, []);
    let claimed = here.claim_batches(9, instant(1), 2).await;
    let held = StoredBatch {
        due_at: Some(instant(1) + TimeDelta::minutes(1)),
        ..queued(&batch(1))
    };
    // There is no key in this database.
    let expected = ClaimedBatch {
        batch: held.clone(),
        key: None,
    };
    assert_eq!(claimed, [expected]);
    assert_eq!(elsewhere.kept_batch(&batch(1)).await, held);
    let next = here.claim_batches(2, start(), 3).await;
    assert_eq!(ids(&next), [2, 3].map(|number| others(number).facts.id));
    let rest = elsewhere.claim_batches(3, start(), 4).await;
    assert_eq!(ids(&rest), [batch(4).facts.id]);
    assert_eq!(here.claim_batches(9, start(), 5).await, []);
}

pub(super) async fn of_many_claims_at_once_each_gets_others(pair: Pair) {
    let batches: Vec<_> = (1..=12).map(batch).collect();
    pair.here.add_batches(&batches).await;
    let claim = async |stores: &Stores, lease| stores.claim_batches(2, start(), lease).await;
    let mut claimed = ids(&pair.at_once(1..=8, claim).await.concat());
    // One that passed over what another one held got less.
    claimed.extend(ids(&pair.here.claim_batches(12, start(), 20).await));
    claimed.sort_unstable();
    let all: Vec<_> = batches.iter().map(|new| new.facts.id).collect();
    assert_eq!(claimed, all);
}

pub(super) async fn a_lease_holds_until_another_claim_after_its_last_end(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.fed_rows(&batch(1), 0..1).await;
    let renewed = here
        .renews_batch(&batch(1), lease_until(1, minutes(3)))
        .await;
    let kept = elsewhere.kept_batch(&batch(1)).await;
    assert_eq!((kept.progress.next_row, kept.progress.open()), (1, 1));
    assert_eq!(renewed, Some(kept.progress));
    assert_eq!(kept.due_at, Some(minutes(3)));
    assert_eq!(elsewhere.claim_batches(1, minutes(2), 2).await, []);
    // It has ended, and nobody else has claimed the batch.
    let later = BatchFeed {
        now: minutes(3),
        ..feed(&batch(1), 1, 1..2)
    };
    assert!(here.feeds(&later).await);
    let again = elsewhere.claim_batches(1, minutes(3), 2).await;
    assert_eq!(ids(&again), [batch(1).facts.id]);
    assert_eq!(again[0].batch.progress.next_row, 2);
    assert!(elsewhere.feeds(&feed(&batch(1), 2, 2..3)).await);
}

pub(super) async fn the_newest_key_that_is_not_revoked_is_charged(Pair { here, elsewhere }: Pair) {
    let first = here.added(1).await;
    here.added(9).await;
    here.add_batches(&[batch(1)]).await;
    let mut claims = (1..).map(|number: u8| (minutes(i64::from(number) * 2), u128::from(number)));
    let mut key = async || {
        let (now, lease) = claims.next().expect("as many as there are");
        let claimed = elsewhere.claim_batches(1, now, lease).await;
        assert_eq!(ids(&claimed), [batch(1).facts.id]);
        claimed[0].key
    };
    assert_eq!(key().await, Some(first.id));
    let second = rotated(&here, first.id, 2, minutes(60)).await.new;
    assert_eq!(second.id, record(2).key.id);
    assert_eq!(key().await, Some(second.id));
    let third = rotated(&here, second.id, 3, minutes(60)).await.new;
    assert_eq!(key().await, Some(third.id));
    here.changed(third.id, KeyChange::Revoke, 10).await;
    assert_eq!(key().await, Some(second.id));
    here.changed(second.id, KeyChange::Revoke, 11).await;
    assert_eq!(key().await, Some(first.id));
    here.changed(first.id, KeyChange::Revoke, 12).await;
    assert_eq!(key().await, None);
}
