//! Leases: one process at a time works on a lookup, and another goes on when it dies.

use super::*;

/// Two processes, one of which works on a lookup while the bank is held.
async fn start_with_two(amount: &str) -> (World, [Process; 2], Holder, LookupId) {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.queue(&holder, amount).await;
    world.bank.hold();
    assert_eq!(process.work().await, 1);
    (world, [process, other], holder, id)
}

#[tokio::test]
async fn a_lease_is_renewed_while_a_slow_bank_answers() {
    let (world, [process, other], holder, id) = start_with_two("10.00").await;
    for _ in 0..10 {
        world.pass(seconds(10)).await;
        assert_eq!(other.work().await, 0, "the lease was lost");
    }
    world.release_bank().await;
    assert_eq!(process.state(&holder, id).await, Delivered);
    assert_eq!(world.bank.times_asked(), 1);
}

#[tokio::test]
async fn another_process_goes_on_thirty_seconds_after_one_died() {
    let (world, [process, other], holder, id) = start_with_two("10.00").await;
    process.faults().inject(Fault::Hangs);
    world.pass(seconds(29)).await;
    assert_eq!(other.work().await, 0);
    world.pass(seconds(1)).await;
    world.bank.release();
    assert_eq!(other.work().await, 1);
    assert_eq!(other.state(&holder, id).await, Delivered);
    assert_eq!(world.outcomes(), [Outcome::Delivered]);
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_changes_nothing() {
    let (world, [process, other], holder, id) = start_with_two("500.00").await;
    // It can't renew its lease, and doesn't know that it lost it.
    process.faults().inject_into("renew_lease", Fault::Fails);
    world.pass(seconds(30)).await;
    assert_eq!(other.work().await, 1);
    let attempts = || async { other.view(&holder, id).await.attempts };
    assert_eq!(attempts().await, 0);
    world.release_bank().await;
    // Both attempts failed; one of them counts.
    assert_eq!(attempts().await, 1);
    assert_eq!(world.bank.times_asked(), 2);
}

#[tokio::test]
async fn a_worker_that_learns_of_its_lost_lease_gives_its_place_back() {
    let (world, process, holder) = start().await;
    let one = world.process(Settings {
        places: 1,
        ..Settings::default()
    });
    let id = one.queue(&holder, "10.00").await;
    one.queue(&holder, "10.01").await;
    world.bank.hold();
    assert_eq!(one.work().await, 1);
    assert_eq!(one.work().await, 0, "it has one place");
    one.faults().inject_into("renew_lease", Fault::Fails);
    world.pass(seconds(30)).await;
    assert_eq!(process.work().await, 2, "both are due");
    one.faults().clear();
    world.pass(seconds(10)).await;
    let third = one.queue(&holder, "10.02").await;
    assert_eq!(one.work().await, 1, "its place is still taken");
    world.release_bank().await;
    for id in [id, third] {
        assert_eq!(process.state(&holder, id).await, Delivered);
    }
    assert_eq!(world.outcomes().len(), 3);
}
