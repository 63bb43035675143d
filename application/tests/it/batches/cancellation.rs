//! Cancellation and removal.

use super::*;

#[tokio::test]
async fn a_canceled_batch_refunds_rows_that_nobody_began() {
    let (world, process, holder, id) = start_batch(ready(600)).await;
    process.feed().await;
    world.charged(&holder, 200).await;
    let canceled = process.cancel(&holder, id).await.unwrap();
    assert_eq!(canceled.state, BatchState::Canceled);
    assert_eq!(canceled.lookups, [(LookupState::Canceled, 200)]);
    assert_eq!((canceled.not_begun, canceled.eta), (400, None));
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes[..200], ["canceled"; 200]);
    assert_eq!(outcomes[200..], ["not begun"; 400]);
    world.charged(&holder, 0).await;
    assert_eq!(world.outcomes(), [Outcome::Canceled; 200]);
}

#[tokio::test]
async fn rows_that_were_begun_stay_charged_and_the_bank_is_not_asked_again() {
    let all = rows([payment(0), query(NOT_ISSUED), payment(1)]);
    let (world, process, holder, id) = start_batch(all).await;
    process.feed_and_work().await;
    process.cancel(&holder, id).await.unwrap();
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes, ["delivered", "canceled", "delivered"]);
    world.charged(&holder, 3).await;
    world.pass(seconds(3_600)).await;
    assert_eq!((process.feed().await, process.work().await), (0, 0));
    assert_eq!(world.bank.times_asked(), 3);
}

#[tokio::test]
async fn a_lookup_that_runs_while_its_batch_is_canceled_changes_nothing_any_more() {
    let (world, process, holder, id) = start_batch(ready(2)).await;
    process.feed().await;
    world.bank.hold();
    assert_eq!(process.work().await, 2);
    process.cancel(&holder, id).await.unwrap();
    world.release_bank().await;
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes, ["canceled", "canceled"]);
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn a_queued_batch_and_a_paused_one_can_be_canceled() {
    let (world, process, holder) = start_with(monthly(2)).await;
    let queued = process.create(&holder, ready(1)).await;
    process.cancel(&holder, queued).await.unwrap();
    world.pass(seconds(1)).await;
    let paused = process.create(&holder, ready(3)).await;
    process.feed().await;
    assert_eq!(process.state(paused).await, Paused);
    let canceled = process.cancel(&holder, paused).await.unwrap();
    assert_eq!(canceled.reason, None);
    world.pass(seconds(60)).await;
    assert_eq!(process.feed().await, 0);
}

#[tokio::test]
async fn only_a_final_batch_is_erased_with_its_lookups() {
    let (world, process, holder, id) = start_batch(ready(3)).await;
    for _ in 0..2 {
        let erased = process.erase(&holder, id).await;
        assert!(matches!(erased, Err(BatchError::NotFinal)));
        process.feed().await;
    }
    world.until(&process, id, Finished).await;
    process.erase(&holder, id).await.unwrap();
    let gone = process.find(&holder, id).await;
    assert!(matches!(gone, Err(BatchError::Unknown)));
    let gone = process.erase(&holder, id).await;
    assert!(matches!(gone, Err(BatchError::Unknown)));
    assert!(process.lookups_of(id).await.is_empty());
    world.charged(&holder, 3).await;
}
