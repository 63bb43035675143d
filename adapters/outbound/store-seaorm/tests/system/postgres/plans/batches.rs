//! Plans of the queries of batches, among 20,000, one of which has 10,000 rows.

use chrono::TimeDelta;
use domain::batches::{BatchId, RowNumber};
use domain::month::Month;
use domain::seals::SealVerdict;
use ports::contract::fixture::{batch_of, lookup_of, record, row_of};
use ports::outbound::{
    BatchAddition, BatchBounds, BatchChange, BatchFeed, BatchFilter, BatchRelease, BatchRow,
    BatchStore, FeedCharge, ImportedProof, LookupFilter, LookupStore, RowLookup,
};
use uuid::Uuid;

use super::{busy_customer, own_key, pages, small_customer};
use crate::both::entries::{lease, now};
use crate::postgres::auto_explain::{ExplainedStore, assert_through};

const PRIMARY_KEY: &str = "batches_pkey";
const COUNTED: &str = "Index Only Scan using lookups_of_a_batch";

/// The batch with 10,000 rows, due first, of [`busy_customer`].
const LARGE: BatchId = BatchId(Uuid::from_u128(1));

pub(super) async fn batches(explained: &ExplainedStore<'_>) {
    lists(explained).await;
    work(explained).await;
    ends(explained).await;
}

async fn lists(explained: &ExplainedStore<'_>) {
    let (store, owner) = (&explained.store, busy_customer());
    let of_batch = LookupFilter {
        batch: Some(LARGE),
        ..LookupFilter::default()
    };
    for page in pages() {
        let all = BatchFilter::default();
        let list = store.batches(small_customer(), &all, &page);
        explained.through(&["batches_of_a_customer"], list).await;
        let list = store.lookups(owner, &of_batch, &page);
        explained.cheaply(list).await;
    }
    let one = store.batch(owner, LARGE);
    explained.through(&[PRIMARY_KEY, COUNTED], one).await;
    let state = store.batch_state(owner, LARGE);
    let (_, plan) = explained.explain(state).await;
    assert_through(&plan, &[PRIMARY_KEY]);
    assert!(!plan.contains("lookups"), "more than a row:\n{plan}");
    let rows = store.batch_lookups(LARGE, RowNumber(5_000), 100);
    let rows = explained.through(&["lookups_of_rows"], rows).await;
    assert_eq!(rows.len(), 100);
    let chunk = store.batch_chunk(LARGE, 0);
    explained.through(&["batch_chunks_pkey"], chunk).await;
}

/// A row of the large batch as a lookup to make.
fn row(number: u16) -> RowLookup {
    let key = record(1).key;
    let mut row = row_of(&batch_of(&key, 9, 1), 0);
    row.facts.id = lookup_of(&key, 900 + number).facts.id;
    row.facts.batch = Some(BatchRow {
        batch: LARGE,
        row: RowNumber(u32::from(number) + 10_000),
    });
    row
}

async fn work(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let mut new = batch_of(&record(1).key, 1, 3);
    new.facts.customer = small_customer();
    let indexes = &["customers_pkey", "batches_of_a_customer"];
    let added = explained
        .through(
            indexes,
            store.add_batch(
                &new,
                BatchBounds {
                    open: 20,
                    rows: 1_000_000,
                },
            ),
        )
        .await;
    assert_eq!(added, BatchAddition::Added);
    let indexes = &[
        "batches_due",
        PRIMARY_KEY,
        COUNTED,
        "api_keys_pkey",
        "keys_of_a_rotation",
    ];
    let claimed = store.claim_batches(5, now(), lease(7));
    let claimed = explained.through(indexes, claimed).await;
    assert_eq!((claimed.len(), claimed[0].batch.facts.id), (5, LARGE));
    let renewed = store.renew_batch(LARGE, lease(7));
    explained.through(&[PRIMARY_KEY, COUNTED], renewed).await;
    let feed = BatchFeed {
        id: LARGE,
        token: lease(7).token,
        next_row: 10_100,
        lookups: (0..100).map(row).collect(),
        charge: Some(FeedCharge {
            key: own_key(),
            month: Month::of(now()),
            requests: 100,
        }),
        now: now(),
    };
    let is_done = store.feed_batch(&feed);
    assert!(explained.through(&[PRIMARY_KEY], is_done).await);
}

async fn ends(explained: &ExplainedStore<'_>) {
    let (store, owner, by_id) = (&explained.store, busy_customer(), &[PRIMARY_KEY]);
    let proofs = [ImportedProof {
        row: row(0),
        existing: Some((row(0).facts.id, vec![1; 1_000])),
        proof: vec![2; 1_000],
        seal: SealVerdict::Valid,
    }];
    let imported = store.import_proofs(owner, LARGE, &proofs, now());
    let indexes = &[PRIMARY_KEY, "lookups_of_rows", "lookups_pkey"];
    let imported = explained.through(indexes, imported).await;
    assert_eq!(imported.map(|delivered| delivered.len()), Some(1));
    let release = BatchRelease {
        id: LARGE,
        token: lease(7).token,
        now: now(),
        change: BatchChange::Finish,
    };
    explained
        .through(by_id, store.release_batch(&release))
        .await;
    let canceled = store.cancel_batch(owner, LARGE, now());
    explained.through(by_id, canceled).await;
    let erased = store.erase_batch(owner, LARGE);
    assert!(explained.through(by_id, erased).await);
    let pruned = store.prune_batches(now() - TimeDelta::days(30));
    explained.through(&["batches_by_end"], pruned).await;
}
