//! Proofs that are delivered for rows without a look-up.

use super::events::wanting;
use super::*;
use crate::contract::lookups::queued;

/// A proof for a row of the first batch, which has its lookup or has none.
fn proof(row: u16, has_lookup: Option<LookupId>) -> ImportedProof {
    let row_lookup = row_of(&batch(1), row);
    ImportedProof {
        existing: has_lookup.map(|id| (id, format!("proof of {id}").into_bytes())),
        proof: format!("proof {row}").into_bytes(),
        seal: seal_of(row),
        row: row_lookup,
    }
}

/// The verdict on the seal of a row's proof.
fn seal_of(row: u16) -> SealVerdict {
    match row {
        0 => SealVerdict::Valid,
        1 => SealVerdict::Invalid,
        _ => SealVerdict::NotChecked,
    }
}

/// A proof for a row that has its lookup.
fn for_existing(row: u16) -> ImportedProof {
    let mut imported = proof(row, Some(row_id(row)));
    // It would be another lookup.
    imported.row.facts.id = lookup_of(&record(1).key, 100 + row).facts.id;
    imported
}

async fn import_as(
    stores: &Stores,
    customer: CustomerId,
    id: BatchId,
    proofs: &[ImportedProof],
) -> Option<Vec<LookupFacts>> {
    let batches = &stores.batches;
    ok(batches.import_proofs(customer, id, proofs, minutes(1))).await
}

/// The rows that were delivered now.
async fn import(stores: &Stores, proofs: &[ImportedProof]) -> Option<Vec<u32>> {
    let delivered = import_as(stores, customer(1).id, batch(1).facts.id, proofs).await;
    let rows = delivered?.into_iter().filter_map(|facts| facts.batch);
    Some(rows.map(|row| row.row.0).collect())
}

pub(super) async fn open_and_failed_lookups_are_delivered(Pair { here, elsewhere }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claims_rows(3).await;
    let expiry = ended(LookupState::Expired);
    for (row, change) in [(0, wait(minutes(9))), (1, expiry)] {
        let found = ClaimEnd {
            finding: Some(b"not issued".to_vec()),
            ..end(row_id(row), 5, start(), change)
        };
        assert!(here.end_claim(&found).await);
    }
    let before = here.rows_of(&batch(1)).await;
    let proofs = [2, 0, 1].map(for_existing);
    assert_eq!(import(&elsewhere, &proofs).await, Some(vec![2, 0, 1]));
    let after = (0..).zip(before).map(|(row, before)| StoredLookup {
        state: LookupState::Delivered,
        updated_at: minutes(1),
        due_at: None,
        proof: Some(format!("proof of {}", row_id(row)).into_bytes()),
        seal: Some(seal_of(row)),
        finding: None,
        ..before
    });
    let after = after.collect::<Vec<_>>();
    assert_eq!(here.rows_of(&batch(1)).await, after);
    let first = as_new(&row_of(&batch(1), 0));
    assert_eq!(here.attempts_of(&first).await.len(), 1);
    // The last one was running.
    assert!(!here.ends_row(2, failed()).await);
    let claimed = here.claim_at(9, minutes(10), lease_until(6, minutes(11)));
    assert_eq!(claimed.await, []);
    assert_eq!(here.rows_of(&batch(1)).await, after);
    // All three were worked on.
    assert_eq!(here.used().await, (3, 0));
    assert!(here.releases_batch(&batch(1), 1, BatchChange::Finish).await);
}

pub(super) async fn untouched_lookups_are_refunded(Pair { here, .. }: Pair) {
    here.fed_batch(&batch(1)).await;
    here.claims_rows(1).await;
    let untried = untried(row_id(0), 5, start(), refunded());
    assert!(here.end_claim(&untried).await);
    assert_eq!(here.used().await, (3, 1));
    // What was given back already isn't given back again.
    let proofs = [0, 2].map(for_existing);
    for delivered in [vec![0, 2], vec![]] {
        assert_eq!(import(&here, &proofs).await, Some(delivered));
        assert_eq!(here.used().await, (3, 2));
    }
}

pub(super) async fn a_row_without_a_lookup_gets_a_delivered_one(Pair { here, elsewhere }: Pair) {
    here.fed_rows(&batch(1), 0..1).await;
    assert_eq!(import(&here, &[proof(2, None)]).await, Some(vec![2]));
    let new = as_new(&row_of(&batch(1), 2));
    let expected = StoredLookup {
        state: LookupState::Delivered,
        updated_at: minutes(1),
        due_at: None,
        proof: Some(b"proof 2".to_vec()),
        seal: Some(seal_of(2)),
        ..queued(&new)
    };
    assert_eq!(elsewhere.kept(&new).await, expected);
    assert_eq!(here.used().await, (1, 0));
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 1, 1));
    // The feeder leaves it out.
    assert!(!here.feeds(&feed(&batch(1), 1, 1..3)).await);
    let mut left_out = feed(&batch(1), 1, 1..2);
    left_out.next_row = 3;
    assert!(here.feeds(&left_out).await);
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Running, 3, 2));
}

pub(super) async fn rows_with_a_proof_or_that_changed_are_passed_over(Pair { here, .. }: Pair) {
    here.fed_rows(&wide(), 0..4).await;
    here.claims_rows(1).await;
    assert!(here.ends_row(0, deliver()).await);
    let (own, lookups) = (customer(1).id, &here.lookups);
    ok(lookups.cancel_lookup(own, row_id(1), start())).await;
    let before = here.rows_of(&batch(1)).await;
    let other = lookup_of(&record(1).key, 99).facts.id;
    let proofs = [
        for_existing(0),
        for_existing(1),
        proof(2, Some(other)),
        proof(3, None),
        proof(4, Some(other)),
    ];
    assert_eq!(import(&here, &proofs).await, Some(Vec::new()));
    assert_eq!(here.rows_of(&batch(1)).await, before);
    // The second proof for a row comes too late.
    let twice = [
        for_existing(2),
        for_existing(2),
        proof(4, None),
        proof(4, None),
    ];
    assert_eq!(import(&here, &twice).await, Some(vec![2, 4]));
    assert_eq!(here.rows_of(&batch(1)).await.len(), 5);
}

pub(super) async fn finished_batches_take_proofs_but_no_canceled_or_foreign_ones(under_test: Pair) {
    let Pair { here, .. } = under_test;
    here.fed_batch(&batch(1)).await;
    here.failed_rows(0..3).await;
    assert!(here.releases_batch(&batch(1), 1, BatchChange::Finish).await);
    here.add_batches(&[batch(2)]).await;
    here.cancels_batch(&batch(2)).await;
    let before = here.rows_of(&batch(1)).await;
    let [first, canceled, unknown] = [1, 2, 3].map(|number| batch(number).facts.id);
    let (own, anothers) = (customer(1).id, customer(2).id);
    let foreign = import_as(&here, anothers, first, &[for_existing(0)]).await;
    assert_eq!(foreign, None);
    for (id, imported) in [(canceled, None), (unknown, None), (first, Some(vec![]))] {
        assert_eq!(import_as(&here, own, id, &[]).await, imported);
    }
    assert_eq!(here.rows_of(&batch(1)).await, before);
    assert_eq!(import(&here, &[for_existing(1)]).await, Some(vec![1]));
    assert_eq!(here.standing(&batch(1)).await, (BatchState::Finished, 3, 0));
}

pub(super) async fn deliveries_are_counted_by_the_verdict_on_their_seals(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let (filter, page) = (BatchFilter::default(), PageRequest::first(PageSize::MAX));
    let counts = async || {
        let kept = elsewhere.kept_batch(&batch(1)).await;
        let listed = ok(elsewhere.batches.batches(customer(1).id, &filter, &page)).await;
        assert_eq!(listed.items[0].1, kept);
        let progress = kept.progress;
        let delivered = progress.in_state(LookupState::Delivered);
        (delivered, progress.seal_invalid, progress.seal_not_checked)
    };
    here.fed_batch(&batch(1)).await;
    assert_eq!(counts().await, (0, 0, 0));
    here.claims_rows(1).await;
    let fetched = LookupChange::Deliver {
        proof: b"of the bank".to_vec(),
        seal: SealVerdict::Invalid,
    };
    assert!(here.ends_row(0, fetched).await);
    assert_eq!(counts().await, (1, 1, 0));
    let proofs = [1, 2].map(for_existing);
    assert_eq!(import(&here, &proofs).await, Some(vec![1, 2]));
    assert_eq!(counts().await, (3, 2, 1));
}

pub(super) async fn each_delivery_is_told_once_to_those_who_want_it(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let told = wanting(endpoint(1), &[EventType::LookupDelivered]);
    let other = wanting(endpoint(2), &[EventType::LookupFailed]);
    // The key has the first entry of the audit log.
    for (number, endpoint) in (2..).zip([&told, &other]) {
        here.add_webhook(endpoint, number).await;
    }
    here.fed_rows(&batch(1), 0..2).await;
    here.claims_rows(1).await;
    assert!(here.ends_row(0, wait(minutes(9))).await);
    // A row that was tried, a queued one, and one without a lookup; the second time each has its proof.
    let proofs = [for_existing(0), for_existing(1), proof(2, None)];
    assert_eq!(import(&here, &proofs).await, Some(vec![0, 1, 2]));
    assert_eq!(import(&elsewhere, &proofs).await, Some(Vec::new()));
    let delivery = |row| {
        let facts = row_of(&batch(1), row).facts;
        let event = WebhookEvent {
            customer: facts.customer,
            environment: facts.environment,
            kind: EventType::LookupDelivered,
            subject: facts.id.0,
            state: LookupState::Delivered.name(),
            reason: None,
            seal: Some(seal_of(row)),
            origin: Some(ProofOrigin::Imported),
            batch: Some(batch(1).facts.id.0),
            at: minutes(1),
        };
        StoredDelivery::of(told.id, &event)
    };
    let mut expected = [0, 1, 2].map(delivery);
    let mut deliveries = elsewhere.told(&told).await;
    // All of one instant.
    expected.sort_by_key(|delivery| delivery.id);
    deliveries.sort_by_key(|delivery| delivery.id);
    assert_eq!(deliveries, expected);
    assert_eq!(elsewhere.told(&other).await, []);
}
