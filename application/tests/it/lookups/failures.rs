//! Failures of the bank, of the gateway and of the store.

use std::time::Duration;

use domain::lookup::LookupState;
use domain::outcome::Outcome;
use domain::pacing::ThrottleReason;
use ports::outbound::BankError;
use testkit::fakes::{Fault, Script, unsealed_proof};

use super::steps::{World, lookup, retried_for, seconds, settle, start};

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

    fn recover(&self) {
        self.bank
            .answer_by(|transfer| Script::Issue(unsealed_proof(transfer)));
    }
}

#[tokio::test]
async fn failures_back_off_and_end_as_failed_with_one_refund() {
    let (world, process, holder) = start().await;
    world.bank.answer_by(|_| Script::Fail(BankError::Timeout));
    let request = retried_for(100, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    for wait in [10, 20, 40, 30] {
        assert_eq!(process.work().await, 1);
        let found = process.view(&holder, id).await;
        assert_eq!(found.state, LookupState::Waiting);
        assert_eq!(world.seconds_until(found.next_attempt_at), wait);
        world.pass(seconds(wait.try_into().unwrap())).await;
    }
    assert_eq!(
        world.charges(&holder).await,
        (1, 0),
        "refunded before its end"
    );
    assert_eq!(process.work().await, 1);
    let found = process.view(&holder, id).await;
    assert_eq!((found.state, found.attempts), (LookupState::Failed, 5));
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

#[tokio::test]
async fn a_throttle_of_our_own_puts_a_lookup_back_without_an_attempt() {
    for (reason, state) in [
        (ThrottleReason::BudgetUsedUp, LookupState::Queued),
        (ThrottleReason::BackingOff, LookupState::Queued),
        (ThrottleReason::TooManyLookupsOfKey, LookupState::Queued),
    ] {
        let (world, process, holder) = start().await;
        world.throttle(reason, 7);
        let id = process.create(&holder, lookup("10.00")).await.id;
        process.work().await;
        let found = process.view(&holder, id).await;
        assert_eq!((found.state, found.attempts), (state, 0), "{reason:?}");
        assert_eq!(world.seconds_until(found.next_attempt_at), 7);
        assert_eq!(process.work().await, 0, "it was claimed at once");
        world.recover();
        world.pass(seconds(7)).await;
        process.work().await;
        let found = process.view(&holder, id).await;
        assert_eq!((found.state, found.attempts), (LookupState::Delivered, 1));
    }
}

#[tokio::test]
async fn a_lookup_that_is_put_back_is_not_claimed_again_within_a_second() {
    let (world, process, holder) = start().await;
    world.throttle(ThrottleReason::BudgetUsedUp, 0);
    process.create(&holder, lookup("10.00")).await;
    assert_eq!(process.work().await, 1);
    assert_eq!(process.work().await, 0);
    world.pass(seconds(1)).await;
    assert_eq!(process.work().await, 1);
}

#[tokio::test]
async fn a_lookup_that_never_has_a_turn_ends_when_its_time_is_over() {
    let (world, process, holder) = start().await;
    world.throttle(ThrottleReason::BudgetUsedUp, 50);
    let request = retried_for(60, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    for (state, wait) in [
        (LookupState::Queued, 50),
        (LookupState::Queued, 10),
        (LookupState::Failed, 0),
    ] {
        assert_eq!(process.work().await, 1);
        assert_eq!(process.state(&holder, id).await, state);
        world.pass(seconds(wait)).await;
    }
    assert_eq!(world.outcomes(), [Outcome::BankThrottled]);
    assert_eq!(world.charges(&holder).await, (1, 1));
}

#[tokio::test]
async fn a_throttle_of_the_banks_counts_as_an_attempt() {
    let (world, process, holder) = start().await;
    world.throttle(ThrottleReason::TooManyQueriesPage, 120);
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.work().await;
    let found = process.view(&holder, id).await;
    assert_eq!((found.state, found.attempts), (LookupState::Waiting, 1));
    assert_eq!(found.last_attempt.unwrap().outcome, Outcome::BankThrottled);
    assert_eq!(world.seconds_until(found.next_attempt_at), 120);
}

#[tokio::test]
async fn an_attempt_that_panics_is_a_failure_and_frees_its_place() {
    let (world, process, holder) = start().await;
    world.bank.answer_by(|_| panic!("as ordered"));
    let request = retried_for(15, lookup("10.00"));
    let id = process.create(&holder, request).await.id;
    for (wait, state) in [
        (10, LookupState::Waiting),
        (5, LookupState::Waiting),
        (0, LookupState::Failed),
    ] {
        assert_eq!(process.work().await, 1);
        assert_eq!(process.state(&holder, id).await, state);
        world.pass(seconds(wait)).await;
    }
    assert_eq!(world.outcomes(), [Outcome::InternalError]);
    assert_eq!(world.charges(&holder).await, (1, 1));
    world.recover();
    for _ in 0..8 {
        process.create(&holder, lookup("10.00")).await;
    }
    process.work().await;
    process.work().await;
    assert_eq!(world.ended().len(), 9, "a place was lost");
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_looked_up_again_when_its_lease_is_over() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    process
        .store
        .faults()
        .inject_into("end_claim", Fault::Fails);
    assert_eq!(process.work().await, 1);
    assert_eq!(process.state(&holder, id).await, LookupState::Running);
    assert_eq!(world.outcomes(), []);
    process.store.faults().clear();
    assert_eq!(process.work().await, 0);
    world.pass(seconds(30)).await;
    assert_eq!(process.work().await, 1);
    assert_eq!(process.state(&holder, id).await, LookupState::Delivered);
    assert_eq!(world.outcomes(), [Outcome::Delivered]);
}

#[tokio::test]
async fn a_worker_goes_on_when_the_store_works_again() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    process
        .store
        .faults()
        .inject_into("claim_lookups", Fault::Fails);
    let worker = tokio::spawn(process.worker.clone().run());
    settle().await;
    let claims = || process.store.faults().calls().get("claim_lookups").copied();
    // The signal of the new lookup is one reason to look, and the pause's end another.
    assert!(claims() <= Some(2), "{:?}", claims());
    world.pass(seconds(1)).await;
    assert!(claims() <= Some(2), "it doesn't pause: {:?}", claims());
    process.store.faults().clear();
    world.pass(seconds(1)).await;
    assert_eq!(process.state(&holder, id).await, LookupState::Delivered);
    worker.abort();
}

#[tokio::test]
async fn an_idle_worker_looks_at_the_queue_twice_a_second() {
    let (world, process, _holder) = start().await;
    let worker = tokio::spawn(process.worker.clone().run());
    settle().await;
    process.store.faults().forget_calls();
    for _ in 0..10 {
        world.pass(Duration::from_millis(500)).await;
    }
    // Each round claims for all classes, and for the places that are kept.
    let claims = process.store.faults().calls()["claim_lookups"];
    assert_eq!(claims, 20);
    worker.abort();
}
