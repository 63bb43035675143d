//! Plans of the queries of batches.

use chrono::{DateTime, TimeDelta, Utc};
use domain::batches::RowNumber;
use domain::lookups::LookupState;
use domain::month::Month;
use domain::page::Cursor;
use domain::seals::SealVerdict;
use ports::contract::fixture::{batch_of, customer, record_of, row_of};
use ports::outbound::{
    BatchAddition, BatchBounds, BatchCancellation, BatchChange, BatchFeed, BatchFilter,
    BatchRelease, BatchStore, FeedCharge, ImportedProof, LookupFilter, LookupStore, NewBatch,
};

use crate::tests::{RecordingStore, key, lease, now, pages};

const BY_ID: &str = "SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id=?)";
const COUNTED: &str = "SEARCH lookups USING COVERING INDEX lookups_of_a_batch (batch_id=?)";
const ROWS: &str = "SEARCH lookups USING INDEX lookups_of_rows (batch_id=?";

fn batch(number: u16) -> NewBatch {
    batch_of(&record_of(&customer(1), 1).key, number, 3)
}

fn later() -> DateTime<Utc> {
    now() + TimeDelta::seconds(2)
}

fn feed() -> BatchFeed {
    BatchFeed {
        id: batch(1).facts.id,
        token: lease().token,
        next_row: 2,
        lookups: [0, 1].map(|row| row_of(&batch(1), row)).to_vec(),
        charge: Some(FeedCharge {
            key: key(1),
            month: Month::of(now()),
            requests: 2,
        }),
        now: later(),
    }
}

/// A store with two batches, the first of which is claimed and has lookups.
async fn with_batches() -> RecordingStore {
    let recording = RecordingStore::with_keys(2).await;
    let store = &recording.unrecorded;
    for number in [1, 2] {
        let added = store.add_batch(&batch(number), BatchBounds::NONE).await;
        assert_eq!(added.unwrap(), BatchAddition::Added);
    }
    let claimed = store.claim_batches(1, later(), lease()).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert!(store.feed_batch(&feed()).await.unwrap());
    recording
}

#[tokio::test]
async fn open_batches_are_counted_from_an_index() {
    let recording = with_batches().await;
    let counted = "SEARCH batches USING COVERING INDEX batches_of_a_customer (customer_id=?)";
    let third = batch(3);
    let bounds = BatchBounds {
        open: 2,
        ..BatchBounds::NONE
    };
    let refused = recording.store.add_batch(&third, bounds);
    let (refused, _) = recording.by(&[counted], refused).await;
    assert_eq!(refused, BatchAddition::TooManyOpen);
}

#[tokio::test]
async fn batches_are_claimed_and_counted_from_indexes() {
    let recording = with_batches().await;
    let ways = &[
        "SEARCH batches USING INDEX batches_due (due_at<?)",
        "SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_1 (id=?)",
        "SEARCH api_keys USING INDEX keys_of_a_rotation (first_key_id=?)",
        BY_ID,
        COUNTED,
    ];
    let claimed = recording.store.claim_batches(9, later(), lease());
    let (claimed, _) = recording.by(ways, claimed).await;
    assert_eq!((claimed.len(), claimed[0].key), (1, Some(key(1))));
    let renewed = recording.store.renew_batch(batch(1).facts.id, lease());
    let (renewed, _) = recording.by(&[BY_ID, COUNTED], renewed).await;
    assert!(renewed.is_some());
}

#[tokio::test]
async fn work_on_a_batch_touches_its_rows_alone() {
    let recording = with_batches().await;
    let (store, id, own) = (&recording.store, batch(1).facts.id, customer(1).id);
    let feed = feed();
    let (again, _) = recording.by(&[BY_ID], store.feed_batch(&feed)).await;
    assert!(!again);
    let finish = BatchRelease {
        id,
        token: lease().token,
        now: later(),
        change: BatchChange::Finish,
    };
    let open = "SEARCH lookups USING COVERING INDEX lookups_of_a_batch (batch_id=? AND state=?)";
    let released = store.release_batch(&finish);
    recording.by(&[BY_ID, open], released).await;
    let proofs = [ImportedProof {
        row: row_of(&batch(1), 0),
        existing: Some((row_of(&batch(1), 0).facts.id, vec![1])),
        proof: vec![2],
        seal: SealVerdict::Valid,
    }];
    let imported = store.import_proofs(own, id, &proofs, later());
    let (imported, _) = recording.by(&[ROWS, BY_ID], imported).await;
    assert_eq!(imported.map(|delivered| delivered.len()), Some(1));
    let of_batch = "lookups_of_a_batch (batch_id=?";
    let canceled = store.cancel_batch(own, id, later());
    let (canceled, _) = recording.by(&[BY_ID, of_batch], canceled).await;
    let BatchCancellation::Canceled { lookups } = canceled else {
        panic!("{canceled:?}");
    };
    assert_eq!(lookups.len(), 1);
    let erased = store.erase_batch(own, id);
    let (erased, _) = recording.by(&[BY_ID, "(batch_id=?)"], erased).await;
    assert!(erased);
    let pruned = store.prune_batches(later());
    recording.by(&["batches_by_end (ended_at<?)"], pruned).await;
}

#[tokio::test]
async fn pages_of_batches_and_rows_are_read_in_their_order() {
    let recording = with_batches().await;
    let (store, id, own) = (&recording.store, batch(1).facts.id, customer(1).id);
    let of_batch = LookupFilter {
        batch: Some(id),
        ..LookupFilter::default()
    };
    let in_state = LookupFilter {
        states: vec![LookupState::Queued],
        ..of_batch.clone()
    };
    let [first, mut after] = pages();
    after.after = Some(Cursor::at(later(), key(1).0));
    for page in [first, after] {
        let all = BatchFilter::default();
        let list = store.batches(own, &all, &page);
        let ways = &["batches_of_a_customer (customer_id=?", COUNTED];
        assert_eq!(recording.sorted_by(ways, list).await.items.len(), 2);
        for filter in [&of_batch, &in_state] {
            let list = store.lookups(own, filter, &page);
            let (list, _) = recording.by(&["(batch_id=?"], list).await;
            assert_eq!(list.items.len(), 2);
        }
    }
    let way = "lookups_of_rows (batch_id=? AND batch_row>? AND batch_row<?)";
    let rows = store.batch_lookups(id, RowNumber(0), 100);
    recording.sorted_by(&[way], rows).await;
    let chunk = store.batch_chunk(id, 0);
    recording.by(&["(batch_id=? AND number=?)"], chunk).await;
    recording.by(&[COUNTED], store.batch(own, id)).await;
    let state = store.batch_state(own, id);
    let (_, plan) = recording.by(&[], state).await;
    assert_eq!(plan, BY_ID);
}
