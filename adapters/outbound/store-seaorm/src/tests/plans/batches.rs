//! Plans of the queries of batches.

use chrono::{DateTime, TimeDelta, Utc};
use domain::batch::RowNumber;
use domain::lookup::LookupState;
use domain::month::Month;
use domain::page::{Cursor, PageRequest};
use domain::seal::SealVerdict;
use ports::contract::fixture::{batch_of, customer, record_of, row_of};
use ports::outbound::{
    BatchAddition, BatchCancellation, BatchChange, BatchFeed, BatchFilter, BatchRelease,
    BatchStore, FeedCharge, ImportedProof, Lease, LookupFilter, LookupStore, NewBatch,
};
use uuid::Uuid;

use super::super::RecordingStore;
use super::{assert_uses, key, now, twenty};

const BY_ID: &str = "SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id=?)";
const COUNTED: &str = "SEARCH lookups USING COVERING INDEX lookups_of_a_batch (batch_id=?)";
const ROWS: &str = "SEARCH lookups USING INDEX lookups_of_rows (batch_id=?";

fn batch(number: u16) -> NewBatch {
    batch_of(&record_of(&customer(1), 1).key, number, 3)
}

fn later() -> DateTime<Utc> {
    now() + TimeDelta::seconds(2)
}

fn lease() -> Lease {
    Lease {
        token: Uuid::from_u128(1),
        until: later() + TimeDelta::minutes(1),
    }
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
        let added = store.add_batch(&batch(number), 20).await;
        assert_eq!(added.unwrap(), BatchAddition::Added);
    }
    let claimed = store.claim_batches(1, later(), lease()).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert!(store.feed_batch(&feed()).await.unwrap());
    recording
}

/// The plan of the last statements, none of which reads a table to its end.
async fn plan(recording: &RecordingStore) -> String {
    let plan = recording.plan().await;
    for table in ["batches", "batch_chunks", "lookups", "api_keys"] {
        let all = plan.lines().find(|line| *line == format!("SCAN {table}"));
        assert_eq!(all, None, "every row of {table}:\n{plan}");
    }
    plan
}

#[tokio::test]
async fn open_batches_are_counted_from_an_index() {
    let recording = with_batches().await;
    let refused = recording.store.add_batch(&batch(3), 2).await;
    assert_eq!(refused.unwrap(), BatchAddition::TooManyOpen);
    let counted = "SEARCH batches USING COVERING INDEX batches_of_a_customer (customer_id=?)";
    assert_uses(&plan(&recording).await, counted);
}

#[tokio::test]
async fn batches_are_claimed_and_counted_from_indexes() {
    let recording = with_batches().await;
    let claimed = recording.store.claim_batches(9, later(), lease()).await;
    let claimed = claimed.unwrap();
    assert_eq!((claimed.len(), claimed[0].key), (1, Some(key(1))));
    let claim = plan(&recording).await;
    for way in [
        "SEARCH batches USING INDEX batches_due (due_at<?)",
        "SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_1 (id=?)",
        "SEARCH api_keys USING INDEX keys_of_a_rotation (first_key_id=?)",
        BY_ID,
        COUNTED,
    ] {
        assert_uses(&claim, way);
    }
    let renewed = recording.store.renew_batch(batch(1).facts.id, lease());
    assert!(renewed.await.unwrap().is_some());
    let renewal = plan(&recording).await;
    for way in [BY_ID, COUNTED] {
        assert_uses(&renewal, way);
    }
}

#[tokio::test]
async fn work_on_a_batch_touches_its_rows_alone() {
    let recording = with_batches().await;
    let (store, id, own) = (&recording.store, batch(1).facts.id, customer(1).id);
    assert!(!store.feed_batch(&feed()).await.unwrap());
    assert_uses(&plan(&recording).await, BY_ID);
    let release = |change| BatchRelease {
        id,
        token: lease().token,
        now: later(),
        change,
    };
    store
        .release_batch(&release(BatchChange::Finish))
        .await
        .unwrap();
    let finish = plan(&recording).await;
    assert_uses(&finish, BY_ID);
    let open = "SEARCH lookups USING COVERING INDEX lookups_of_a_batch (batch_id=? AND state=?)";
    assert_uses(&finish, open);
    let proof = ImportedProof {
        row: row_of(&batch(1), 0),
        existing: Some((row_of(&batch(1), 0).facts.id, vec![1])),
        proof: vec![2],
        seal: SealVerdict::Valid,
    };
    let imported = store.import_proofs(own, id, &[proof], later()).await;
    assert_eq!(imported.unwrap().map(|delivered| delivered.len()), Some(1));
    let import = plan(&recording).await;
    assert_uses(&import, ROWS);
    assert_uses(&import, BY_ID);
    let canceled = store.cancel_batch(own, id, later()).await.unwrap();
    let BatchCancellation::Canceled { lookups } = canceled else {
        panic!("{canceled:?}");
    };
    assert_eq!(lookups.len(), 1);
    let cancellation = plan(&recording).await;
    assert_uses(&cancellation, BY_ID);
    assert_uses(&cancellation, "lookups_of_a_batch (batch_id=?");
    assert!(store.erase_batch(own, id).await.unwrap());
    let erasure = plan(&recording).await;
    assert_uses(&erasure, BY_ID);
    assert_uses(&erasure, "(batch_id=?)");
    store.prune_batches(later()).await.unwrap();
    assert_uses(&plan(&recording).await, "batches_by_end (ended_at<?)");
}

#[tokio::test]
async fn pages_of_batches_and_rows_are_read_in_their_order() {
    let recording = with_batches().await;
    let (store, id, own) = (&recording.store, batch(1).facts.id, customer(1).id);
    let after = PageRequest {
        after: Some(Cursor::at(later(), key(1).0)),
        ..twenty()
    };
    for page in [&twenty(), &after] {
        let all = BatchFilter::default();
        let list = store.batches(own, &all, page).await.unwrap();
        assert_eq!(list.items.len(), 2);
        let list = plan(&recording).await;
        assert_uses(&list, "batches_of_a_customer (customer_id=?");
        assert_uses(&list, COUNTED);
        assert!(!list.contains("ORDER BY"), "sorted: {list}");
        let of_batch = LookupFilter {
            batch: Some(id),
            ..LookupFilter::default()
        };
        let in_state = LookupFilter {
            states: vec![LookupState::Queued],
            ..of_batch.clone()
        };
        for filter in [of_batch, in_state] {
            let list = store.lookups(own, &filter, page).await.unwrap();
            assert_eq!(list.items.len(), 2);
            let list = plan(&recording).await;
            assert_uses(&list, "(batch_id=?");
        }
    }
    store.batch_lookups(id, RowNumber(0), 100).await.unwrap();
    let rows = plan(&recording).await;
    assert_uses(
        &rows,
        "lookups_of_rows (batch_id=? AND batch_row>? AND batch_row<?)",
    );
    assert!(!rows.contains("ORDER BY"), "sorted: {rows}");
    store.batch_chunk(id, 0).await.unwrap();
    assert_uses(&plan(&recording).await, "(batch_id=? AND number=?)");
    store.batch(own, id).await.unwrap();
    assert_uses(&plan(&recording).await, COUNTED);
    store.batch_state(own, id).await.unwrap();
    assert_eq!(plan(&recording).await, BY_ID);
}
