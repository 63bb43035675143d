//! Failures of the bank, of the gateway and of the store.

use domain::pacing::ThrottleReason;
use rstest::rstest;

use super::*;

impl World {
    /// From now on the bank may not be asked for so many seconds.
    fn throttle(&self, reason: ThrottleReason, retry_after: u64) {
        self.bank.answer_by(move |_| {
            Script::Fail(BankError::Throttled {
                retry_after: seconds(retry_after),
                reason,
            })
        });
    }
}

#[tokio::test]
async fn failures_back_off_and_end_as_failed_with_one_refund() {
    let (world, process, holder) = start().await;
    world.bank.answer_by(|_| Script::Fail(BankError::Timeout));
    let request = retried_for(100, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    for wait in [10, 20, 40, 30_i64] {
        assert_eq!(process.work().await, 1);
        let found = process.view(&holder, id).await;
        assert_eq!(found.state, Waiting);
        assert_eq!(world.seconds_until(found.next_attempt_at), wait);
        world.pass(seconds(wait.unsigned_abs())).await;
    }
    let charges = world.charges(&holder).await;
    assert_eq!(charges, (1, 0), "refunded before its end");
    assert_eq!(process.work().await, 1);
    let found = process.view(&holder, id).await;
    assert_eq!((found.state, found.attempts), (Failed, 5));
    assert_eq!(world.charges(&holder).await, (1, 1));
    assert_eq!(world.counted(&holder).await, 0);
    let [ended] = &world.ended()[..] else {
        panic!("{:?}", world.ended());
    };
    assert_eq!(ended.outcome, Outcome::BankTimeout);
    assert_eq!(ended.refund, None, "the journal refunds a second time");
    // It isn't worked on again, nor given back again.
    world.pass(Duration::from_hours(1)).await;
    assert_eq!(process.work().await, 0);
    assert_eq!(world.charges(&holder).await, (1, 1));
}

#[rstest]
#[case(ThrottleReason::BudgetUsedUp, 7, 7)]
#[case(ThrottleReason::BackingOff, 7, 7)]
#[case(ThrottleReason::TooManyLookupsOfKey, 7, 7)]
#[case::for_a_second_at_least(ThrottleReason::BudgetUsedUp, 0, 1)]
#[tokio::test]
async fn a_throttle_of_our_own_puts_a_lookup_back_without_an_attempt(
    #[case] reason: ThrottleReason,
    #[case] retry_after: u64,
    #[case] wait: u32,
) {
    let (world, process, holder) = start().await;
    world.throttle(reason, retry_after);
    let id = process.queue(&holder, "10.00").await;
    let found = process.tried(&holder, id).await;
    assert_eq!((found.state, found.attempts), (Queued, 0));
    assert_eq!(world.seconds_until(found.next_attempt_at), i64::from(wait));
    assert_eq!(process.work().await, 0, "it was claimed at once");
    world.issue_all();
    world.pass(seconds(wait.into())).await;
    assert_eq!(process.work().await, 1);
    let found = process.view(&holder, id).await;
    assert_eq!((found.state, found.attempts), (Delivered, 1));
}

#[tokio::test]
async fn a_lookup_that_never_has_a_turn_ends_when_its_time_is_over() {
    let (world, process, holder) = start().await;
    world.throttle(ThrottleReason::BudgetUsedUp, 50);
    let request = retried_for(60, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    let steps = [(Queued, 50), (Queued, 10), (Failed, 0)];
    attempts((&world, &process, &holder), id, steps).await;
    assert_eq!(world.outcomes(), [Outcome::BankThrottled]);
    assert_eq!(world.charges(&holder).await, (1, 1));
}

#[tokio::test]
async fn a_throttle_of_the_banks_counts_as_an_attempt() {
    let (world, process, holder) = start().await;
    world.throttle(ThrottleReason::TooManyQueriesPage, 120);
    let id = process.queue(&holder, "10.00").await;
    let found = process.tried(&holder, id).await;
    assert_eq!((found.state, found.attempts), (Waiting, 1));
    assert_eq!(found.last_attempt.unwrap().outcome, Outcome::BankThrottled);
    assert_eq!(world.seconds_until(found.next_attempt_at), 120);
}

#[tokio::test]
async fn an_attempt_that_panics_is_a_failure_and_frees_its_place() {
    let (world, process, holder) = start().await;
    world.bank.answer_by(|_| panic!("as ordered"));
    let request = retried_for(15, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    let steps = [(Waiting, 10), (Waiting, 5), (Failed, 0)];
    attempts((&world, &process, &holder), id, steps).await;
    assert_eq!(world.outcomes(), [Outcome::InternalError]);
    assert_eq!(world.charges(&holder).await, (1, 1));
    world.issue_all();
    for _ in 0..8 {
        process.queue(&holder, "10.00").await;
    }
    process.work().await;
    process.work().await;
    assert_eq!(world.ended().len(), 9, "a place was lost");
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_looked_up_again_when_its_lease_is_over() {
    let (world, process, holder, id) = start_queued("10.00").await;
    process.faults().inject_into("end_claim", Fault::Fails);
    assert_eq!(process.work().await, 1);
    assert_eq!(process.state(&holder, id).await, Running);
    assert_eq!(world.outcomes(), []);
    process.faults().clear();
    assert_eq!(process.work().await, 0);
    world.pass(seconds(30)).await;
    assert_eq!(process.work().await, 1);
    assert_eq!(process.state(&holder, id).await, Delivered);
    assert_eq!(world.outcomes(), [Outcome::Delivered]);
}

#[tokio::test]
async fn a_worker_goes_on_when_the_store_works_again() {
    let (world, process, holder, id) = start_queued("10.00").await;
    process.faults().inject_into("claim_lookups", Fault::Fails);
    let worker = process.run_worker().await;
    let claims = || process.faults().calls_of("claim_lookups");
    // The signal of the new lookup is one reason to look, and the pause's end another.
    assert!(claims() <= 2, "{}", claims());
    world.pass(seconds(1)).await;
    assert!(claims() <= 2, "it doesn't pause: {}", claims());
    process.faults().clear();
    world.pass(seconds(1)).await;
    assert_eq!(process.state(&holder, id).await, Delivered);
    worker.abort();
}

#[tokio::test]
async fn an_idle_worker_looks_at_the_queue_twice_a_second() {
    let (world, process, _holder) = start().await;
    let worker = process.run_worker().await;
    process.faults().forget_calls();
    for _ in 0..10 {
        world.pass(millis(500)).await;
    }
    // Each round claims for all classes, and for the places that are kept.
    assert_eq!(process.faults().calls_of("claim_lookups"), 20);
    worker.abort();
}
