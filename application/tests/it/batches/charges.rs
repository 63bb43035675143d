//! The way of a batch from its creation to its end, and its charges.

use domain::participants::Catalogue;
use domain::participants::inference;

use super::*;

#[tokio::test]
async fn each_ready_row_is_charged_once_and_looked_up_by_nobody_after_the_end() {
    let (world, process, holder, id) = start_batch(ready(250)).await;
    let created = process.view(&holder, id).await;
    assert_eq!(created.state, BatchState::Queued);
    assert_eq!((created.not_begun, created.ended()), (250, 0));
    world.charged(&holder, 0).await;
    world.until(&process, id, Finished).await;
    let finished = process.view(&holder, id).await;
    assert_eq!(finished.lookups, [(LookupState::Delivered, 250)]);
    assert_eq!((finished.not_begun, finished.eta), (0, None));
    assert!(finished.erase_at.is_some());
    world.charged(&holder, 250).await;
    assert_eq!(world.bank.times_asked(), 250);
    assert_eq!(process.begun(id).await, (0..250).collect::<Vec<_>>());
    assert_eq!(world.ended().len(), 250);
    world.pass(seconds(3_600)).await;
    assert_eq!((process.feed().await, process.work().await), (0, 0));
    world.charged(&holder, 250).await;
}

#[tokio::test]
async fn faulty_rows_and_duplicates_are_never_charged() {
    let mut all = vec![faulty(2)];
    all.extend(rows([payment(1), unresolvable(), payment(1), payment(2)]));
    all.push(faulty(9));
    let (world, process, holder, id) = start_batch(all).await;
    world.until(&process, id, Finished).await;
    let finished = process.view(&holder, id).await;
    let counts = RowCounts {
        rows: 6,
        faulty: 3,
        duplicates: 1,
    };
    assert_eq!(finished.counts, counts);
    let outcomes = [
        "faulty: monto",
        "delivered",
        "unresolved",
        "duplicate of 1 in 2",
        "delivered",
        "faulty: monto",
    ];
    assert_eq!(process.outcomes(&holder, id).await, outcomes);
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn a_whole_chunk_of_faulty_rows_is_passed_over() {
    let mut all: Vec<_> = (0..230).map(faulty).collect();
    all.extend(ready(1));
    all.extend((0..150).map(faulty));
    let (world, process, holder, id) = start_batch(all).await;
    world.until(&process, id, Finished).await;
    assert_eq!(process.begun(id).await, [230]);
    world.charged(&holder, 1).await;
}

#[tokio::test]
async fn a_row_with_named_banks_is_a_duplicate_of_one_with_the_same_inferred_ones() {
    let (world, process, holder) = start().await;
    let inferred = payment(1);
    let transfer = inference::resolve(inferred.clone(), Catalogue::embedded()).transfer;
    let transfer = transfer.unwrap();
    let named = ProofQuery {
        issuer: Some(transfer.issuer()),
        receiver: Some(transfer.receiver()),
        ..inferred.clone()
    };
    for both in [[inferred.clone(), named.clone()], [named, inferred]] {
        let id = process.create(&holder, rows(both)).await;
        world.until(&process, id, Finished).await;
        let outcomes = process.outcomes(&holder, id).await;
        assert_eq!(outcomes, ["delivered", "duplicate of 0 in 2"]);
    }
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn duplicates_point_to_the_first_row_over_chunks() {
    let mut all = ready(150);
    all.extend(rows([payment(149), payment(0), payment(149)]));
    let (_world, process, holder, id) = start_batch(all).await;
    let outcomes = process.outcomes(&holder, id).await;
    let expected = ["149 in 151", "0 in 2", "149 in 151"].map(|of| format!("duplicate of {of}"));
    assert_eq!(outcomes[150..], expected);
}

#[tokio::test]
async fn rows_end_as_lookups_do_and_a_failure_of_the_bank_is_refunded() {
    let (world, process, holder) = start().await;
    let without_proof = [UNKNOWN_PAYMENT, BANK_FAILS, NOT_ISSUED].map(query);
    let all = rows([payment(0)].into_iter().chain(without_proof));
    let draft = retried_for(0, all);
    let id = process.create_of(&access(&holder), draft).await.id;
    world.until(&process, id, Finished).await;
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes, ["delivered", "not_found", "failed", "expired"]);
    world.charged(&holder, 3).await;
}

#[tokio::test]
async fn a_batch_finishes_soon_after_its_last_row() {
    let (world, process, holder) = start().await;
    world.bank.hold();
    let id = process.create(&holder, ready(3)).await;
    process.feed_and_work().await;
    // The feeder looks at the batch while each of its rows is being looked up.
    for _ in 0..4 {
        world.pass(seconds(1)).await;
        process.feed().await;
    }
    world.release_bank().await;
    world.pass(seconds(1)).await;
    process.feed().await;
    assert_eq!(process.state(id).await, Finished);
}

#[tokio::test]
async fn charges_of_rows_that_could_not_be_stored_are_given_back() {
    let (world, process, holder, id) = start_batch(ready(120)).await;
    process.faults().inject_into("feed_batch", Fault::Fails);
    process.feed().await;
    world.charged(&holder, 0).await;
    assert!(process.begun(id).await.is_empty());
    process.faults().clear();
    assert_eq!(process.feed().await, 0, "it is tried again at once");
    world.pass(seconds(10)).await;
    world.until(&process, id, Finished).await;
    world.charged(&holder, 120).await;
}

#[tokio::test]
async fn a_store_that_fails_to_release_a_batch_is_asked_again_after_the_lease() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    process.faults().inject_into("renew_batch", Fault::Fails);
    process.faults().inject_into("release_batch", Fault::Fails);
    process.feed().await;
    process.faults().clear();
    world.pass(seconds(29)).await;
    assert_eq!(process.feed().await, 0);
    world.pass(seconds(1)).await;
    assert_eq!(process.feed().await, 1);
    world.until(&process, id, Finished).await;
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn a_limiter_that_fails_makes_a_batch_wait() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    let limiter = world.base.limiter.faults();
    limiter.inject_into("admit", Fault::Fails);
    process.feed().await;
    process.feed().await;
    assert_eq!(process.state(id).await, BatchState::Queued);
    limiter.clear();
    world.until(&process, id, Finished).await;
    world.charged(&holder, 2).await;
}
