//! Plans of the queries of batches, among 20,000, one of which has 10,000 rows.

use chrono::TimeDelta;
use domain::batch::{BatchId, RowNumber};
use domain::customer::CustomerId;
use domain::month::Month;
use ports::contract::fixture::{batch_of, customer, lookup_of, record_of, row_of};
use ports::outbound::{
    BatchAddition, BatchChange, BatchFeed, BatchFilter, BatchRelease, BatchRow, BatchStore,
    FeedCharge, ImportedProof, Lease, LookupFilter, LookupStore, RowLookup,
};
use uuid::Uuid;

use super::{md5_uuid, own_key, pages, small_customer};
use crate::postgres::auto_explain::{ExplainedStore, assert_reads_little, assert_uses};
use crate::postgres::support::now;
use domain::seal::SealVerdict;

const PRIMARY_KEY: &str = "batches_pkey";
const COUNTED: &str = "Index Only Scan using lookups_of_a_batch";

/// The batch with 10,000 rows, due first.
const LARGE: BatchId = BatchId(Uuid::from_u128(1));

/// `md5('2')`, whose it is.
fn owner() -> CustomerId {
    CustomerId(md5_uuid("c81e728d9d4c2f636f067f89cc14862c"))
}

fn lease() -> Lease {
    Lease {
        token: Uuid::from_u128(7),
        until: now() + TimeDelta::minutes(1),
    }
}

pub(super) async fn batches(explained: &ExplainedStore<'_>) {
    lists(explained).await;
    work(explained).await;
    ends(explained).await;
}

async fn lists(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let of_batch = LookupFilter {
        batch: Some(LARGE),
        ..LookupFilter::default()
    };
    for page in pages() {
        let all = BatchFilter::default();
        let list = store.batches(small_customer(), &all, &page);
        assert_uses(&explained.plan(list).await, "batches_of_a_customer");
        let list = store.lookups(owner(), &of_batch, &page);
        assert_reads_little(&explained.plan(list).await);
    }
    let one = explained.plan(store.batch(owner(), LARGE)).await;
    assert_uses(&one, PRIMARY_KEY);
    assert_uses(&one, COUNTED);
    let state = explained.plan(store.batch_state(owner(), LARGE)).await;
    assert_uses(&state, PRIMARY_KEY);
    assert!(!state.contains("lookups"), "more than a row:\n{state}");
    let rows = explained.plan(async {
        let rows = store.batch_lookups(LARGE, RowNumber(5_000), 100).await;
        assert_eq!(rows.unwrap().len(), 100);
    });
    assert_uses(&rows.await, "lookups_of_rows");
    let chunk = explained.plan(store.batch_chunk(LARGE, 0)).await;
    assert_uses(&chunk, "batch_chunks_pkey");
}

/// A row of the large batch as a lookup to make.
fn row(number: u16) -> RowLookup {
    let key = record_of(&customer(1), 1).key;
    let new = lookup_of(&key, 900 + number);
    let mut row = row_of(&batch_of(&key, 9, 1), 0);
    row.facts.id = new.facts.id;
    row.facts.batch = Some(BatchRow {
        batch: LARGE,
        row: RowNumber(u32::from(number) + 10_000),
    });
    row
}

async fn work(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let mut added = batch_of(&record_of(&customer(1), 1).key, 1, 3);
    added.facts.customer = small_customer();
    let add = explained.plan(async {
        let added = store.add_batch(&added, 20).await.unwrap();
        assert_eq!(added, BatchAddition::Added);
    });
    let add = add.await;
    for index in ["customers_pkey", "batches_of_a_customer"] {
        assert_uses(&add, index);
    }
    let claimed = explained.plan(async {
        let claimed = store.claim_batches(5, now(), lease()).await.unwrap();
        assert_eq!((claimed.len(), claimed[0].batch.facts.id), (5, LARGE));
    });
    let claimed = claimed.await;
    for index in [
        "batches_due",
        PRIMARY_KEY,
        COUNTED,
        "api_keys_pkey",
        "keys_of_a_rotation",
    ] {
        assert_uses(&claimed, index);
    }
    let renewed = explained.plan(store.renew_batch(LARGE, lease())).await;
    assert_uses(&renewed, PRIMARY_KEY);
    assert_uses(&renewed, COUNTED);
    let feed = BatchFeed {
        id: LARGE,
        token: lease().token,
        next_row: 10_100,
        lookups: (0..100).map(row).collect(),
        charge: Some(FeedCharge {
            key: own_key(),
            month: Month::of(now()),
            requests: 100,
        }),
        now: now(),
    };
    let made = async { assert!(store.feed_batch(&feed).await.unwrap()) };
    assert_uses(&explained.plan(made).await, PRIMARY_KEY);
}

async fn ends(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let proofs = [ImportedProof {
        row: row(0),
        existing: Some((row(0).facts.id, vec![1; 1_000])),
        proof: vec![2; 1_000],
        seal: SealVerdict::Valid,
    }];
    let imported = explained.plan(async {
        let imported = store.import_proofs(owner(), LARGE, &proofs, now()).await;
        assert_eq!(imported.unwrap().map(|delivered| delivered.len()), Some(1));
    });
    let imported = imported.await;
    for index in [PRIMARY_KEY, "lookups_of_rows", "lookups_pkey"] {
        assert_uses(&imported, index);
    }
    let release = BatchRelease {
        id: LARGE,
        token: lease().token,
        now: now(),
        change: BatchChange::Finish,
    };
    let released = explained.plan(store.release_batch(&release)).await;
    assert_uses(&released, PRIMARY_KEY);
    let canceled = explained
        .plan(store.cancel_batch(owner(), LARGE, now()))
        .await;
    assert_uses(&canceled, PRIMARY_KEY);
    let erased = explained.plan(async {
        assert!(store.erase_batch(owner(), LARGE).await.unwrap());
    });
    assert_uses(&erased.await, PRIMARY_KEY);
    let older = now() - TimeDelta::days(30);
    let pruned = explained.plan(store.prune_batches(older)).await;
    assert_uses(&pruned, "batches_by_end");
}
