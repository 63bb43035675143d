//! Additions and reads of batches.

use super::*;

pub(super) async fn a_new_batch_is_queued_and_comes_back_to_its_customer_alone(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let successor = ApiKey {
        counters: record(1).key.counters,
        ..record(3).key
    };
    let mut with_faults = batch_of(&successor, 1, 0);
    with_faults.facts.counts = RowCounts {
        rows: 100_000,
        faulty: 20_000,
        duplicates: 3_000,
    };
    with_faults.content = (0..=u8::MAX).collect();
    let batches = [with_faults, batch_of(&record(2).key, 2, 0), others(3)];
    here.add_batches(&batches).await;
    for new in &batches {
        assert_eq!(elsewhere.kept_batch(new).await, queued(new));
    }
    // Another customer's, and one that nobody added.
    for unknown in [others(1), batch(3), batch(4)] {
        assert_eq!(elsewhere.stored_batch(&unknown).await, None);
        assert_eq!(elsewhere.state_of(&unknown).await, None);
    }
}

async fn chunk(stores: &Stores, new: &NewBatch, number: u32) -> Option<Vec<u8>> {
    ok(stores.batches.batch_chunk(new.facts.id, number)).await
}

pub(super) async fn chunks_are_read_one_by_one(Pair { here, elsewhere }: Pair) {
    let chunks: Vec<_> = (0..50_u8).map(|number| vec![number; 1_000]).collect();
    let large = NewBatch {
        chunks: chunks.clone(),
        ..batch(1)
    };
    let empty = NewBatch {
        chunks: Vec::new(),
        ..batch(2)
    };
    here.add_batches(&[large, empty]).await;
    for (number, content) in (0..).zip(&chunks) {
        let chunk = chunk(&elsewhere, &batch(1), number).await;
        assert_eq!(chunk.as_ref(), Some(content));
    }
    for (of, number) in [(1, 50), (1, u32::MAX), (2, 0), (3, 0)] {
        assert_eq!(chunk(&elsewhere, &batch(of), number).await, None);
    }
}

pub(super) async fn an_id_is_taken_once(Pair { here, .. }: Pair) {
    here.add_batches(&[batch(1)]).await;
    let refused = here.batches.add_batch(&others(1), BatchBounds::NONE).await;
    assert!(refused.is_err(), "two batches have one id");
    assert_eq!(here.kept_batch(&batch(1)).await, queued(&batch(1)));
    assert_eq!(here.stored_batch(&others(1)).await, None);
}

/// A batch of a request that claimed the first scope.
fn claiming(number: u16, token: u128) -> NewBatch {
    NewBatch {
        claim: Some(held(&claim(1, token, start()))),
        ..batch(number)
    }
}

async fn answer(stores: &Stores) -> Option<FirstAnswer> {
    let earlier = stores.earlier(&[1], start()).await;
    earlier.expect("the request is there").answer
}

pub(super) async fn a_batch_is_recorded_with_its_request(Pair { here, elsewhere }: Pair) {
    assert!(here.claims(&claim(1, 1, start()), start()).await);
    assert_eq!(answer(&here).await, None);
    here.add_batches(&[claiming(1, 1)]).await;
    let recorded = FirstAnswer::Batch(batch(1).facts.id);
    assert_eq!(answer(&elsewhere).await, Some(recorded));
    // An answer is recorded once, and keeps its place.
    let again = here
        .batches
        .add_batch(&claiming(2, 1), BatchBounds::NONE)
        .await;
    assert!(again.is_err());
    let after_the_claim = minutes(3);
    let late = claim(1, 2, start());
    assert!(!here.claims(&late, after_the_claim).await);
    // Nothing of it is left once the key has expired.
    let expired = start() + TimeDelta::hours(24);
    assert!(here.claims(&claim(1, 2, expired), expired).await);
    assert_eq!(answer(&elsewhere).await, None);
}

pub(super) async fn a_request_that_lost_its_claim_adds_no_batch(Pair { here, .. }: Pair) {
    assert!(here.claims(&claim(1, 2, start()), start()).await);
    let refused = here
        .batches
        .add_batch(&claiming(1, 1), BatchBounds::NONE)
        .await;
    assert!(refused.is_err());
    assert_eq!(here.stored_batch(&batch(1)).await, None);
    assert_eq!(chunk(&here, &batch(1), 0).await, None);
    here.add_batches(&[claiming(1, 2)]).await;
    assert_eq!(here.kept_batch(&batch(1)).await, queued(&batch(1)));
}

fn open(open: u32) -> BatchBounds {
    BatchBounds {
        open,
        ..BatchBounds::NONE
    }
}

pub(super) async fn a_customer_has_so_many_open_batches(Pair { here, elsewhere }: Pair) {
    here.with_key().await;
    assert!(here.claims(&claim(1, 1, start()), start()).await);
    let add = async |new: &NewBatch, most| ok(elsewhere.batches.add_batch(new, open(most))).await;
    assert_eq!(add(&batch(1), 0).await, BatchAddition::TooManyOpen);
    here.add_batches(&[batch(1), others(2)]).await;
    assert_eq!(here.claim_batches(1, start(), 1).await.len(), 1);
    assert!(here.feeds(&feed(&batch(1), 1, 0..1)).await);
    // It is running, the second is queued.
    assert_eq!(add(&batch(3), 2).await, BatchAddition::Added);
    let refused = add(&claiming(4, 1), 2).await;
    assert_eq!(refused, BatchAddition::TooManyOpen);
    assert_eq!(here.stored_batch(&batch(4)).await, None);
    assert_eq!(chunk(&here, &batch(4), 0).await, None);
    assert_eq!(answer(&here).await, None);
    // One that is paused counts, one that is final doesn't.
    let due_at = minutes(9);
    let pause = BatchChange::Pause { due_at };
    assert!(here.releases_batch(&batch(1), 1, pause).await);
    assert_eq!(add(&batch(4), 2).await, BatchAddition::TooManyOpen);
    here.cancels_batch(&batch(3)).await;
    assert_eq!(add(&claiming(4, 1), 2).await, BatchAddition::Added);
    let recorded = FirstAnswer::Batch(batch(4).facts.id);
    assert_eq!(answer(&here).await, Some(recorded));
}

pub(super) async fn batches_that_are_added_at_once_do_not_exceed_the_limit_together(pair: Pair) {
    pair.here.with_key().await;
    let batches: Vec<_> = (1..=12).map(batch).collect();
    let add = async |stores: &Stores, new| {
        ok(stores.batches.add_batch(new, open(3))).await == BatchAddition::Added
    };
    assert_eq!(pair.succeeding(&batches, add).await, 3);
    let mut kept = 0;
    for new in &batches {
        kept += usize::from(pair.here.stored_batch(new).await.is_some());
    }
    assert_eq!(kept, 3);
}

pub(super) async fn a_customer_has_so_many_rows_in_all_its_batches(Pair { here, elsewhere }: Pair) {
    here.with_key().await;
    let of = |mut new: NewBatch, rows| {
        new.facts.counts.rows = rows;
        new
    };
    here.add_batches(&[of(batch(1), 400), of(others(2), 5_000)])
        .await;
    here.cancels_batch(&batch(1)).await;
    let bounds = BatchBounds {
        rows: 1_000,
        ..BatchBounds::NONE
    };
    let add =
        async |stores: &Stores, new: NewBatch| ok(stores.batches.add_batch(&new, bounds)).await;
    assert_eq!(
        add(&elsewhere, of(batch(3), 601)).await,
        BatchAddition::TooManyRows
    );
    assert_eq!(here.stored_batch(&batch(3)).await, None);
    assert_eq!(
        add(&elsewhere, of(batch(3), 600)).await,
        BatchAddition::Added
    );
    assert_eq!(
        add(&here, of(batch(4), 1)).await,
        BatchAddition::TooManyRows
    );
    let erased = here.batches.erase_batch(customer(1).id, batch(1).facts.id);
    assert!(ok(erased).await);
    assert_eq!(add(&here, of(batch(4), 400)).await, BatchAddition::Added);
}
