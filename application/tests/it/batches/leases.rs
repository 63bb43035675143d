//! Leases: one process at a time makes lookups of a batch's rows, and another goes on when it dies.

use std::sync::Arc;

use application::GatekeeperService;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::batch::BatchState;
use domain::key::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{
    BatchStore as _, Charge, Clock as _, KeyState, KeyStore as _, Lease, Limiter, LimiterError,
    Snapshot, Verdict,
};
use testkit::fakes::{CountingRandom, Fault, FaultyLimiter, ManualClock, MemoryStore};
use uuid::Uuid;

use super::rows::ready;
use super::steps::{World, seconds, settle, start};
use crate::support::hasher;

impl World {
    /// Takes the lease of each batch that is due, as a process does that hears of a lost one.
    async fn take_leases(&self) -> usize {
        let now = self.base.clock.now();
        let lease = Lease {
            token: Uuid::from_u128(7),
            until: now + TimeDelta::seconds(30),
        };
        let claimed = self.base.data.claim_batches(9, now, lease).await;
        claimed.unwrap().len()
    }
}

#[tokio::test]
async fn a_batch_that_is_worked_on_is_left_alone() {
    let (world, process, holder) = start().await;
    let other = world.process(&[1]);
    process.create(&holder, ready(600)).await;
    assert_eq!(process.feed().await, 1);
    for _ in 0..60 {
        assert_eq!(other.feed().await, 0, "the lease was lost");
        world.pass(seconds(1)).await;
    }
    assert!(process.is_feeding());
}

#[tokio::test]
async fn another_process_goes_on_thirty_seconds_after_one_died() {
    let (world, process, holder) = start().await;
    let other = world.process(&[1]);
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    let begun = process.begun(id).await.len() as u64;
    assert!((1..600).contains(&begun));
    process.die();
    settle().await;
    other.work().await;
    world.pass(seconds(29)).await;
    assert_eq!(other.feed().await, 0);
    world.charged(&holder, begun).await;
    world.pass(seconds(1)).await;
    assert_eq!(other.feed().await, 1);
    world.until(&other, id, BatchState::Finished).await;
    assert_eq!(other.begun(id).await, (0..600).collect::<Vec<_>>());
    world.charged(&holder, 600).await;
    assert_eq!(world.bank.times_asked(), 600);
}

#[tokio::test]
async fn a_process_that_dies_before_it_stores_charged_rows_loses_none() {
    let (world, process, holder) = start().await;
    let other = world.process(&[1]);
    let id = process.create(&holder, ready(50)).await;
    process
        .store
        .faults()
        .inject_into("feed_batch", Fault::Hangs);
    process.feed().await;
    process.die();
    settle().await;
    world.pass(seconds(30)).await;
    world.until(&other, id, BatchState::Finished).await;
    assert_eq!(other.begun(id).await, (0..50).collect::<Vec<_>>());
    assert_eq!(world.stored_use(&holder).await, 50);
}

#[tokio::test]
async fn charges_are_given_back_when_the_lease_is_lost_before_the_rows_are_stored() {
    let (world, process, holder) = start().await;
    let other = world.process(&[1]);
    let id = process.create(&holder, ready(50)).await;
    process
        .store
        .faults()
        .inject_into("feed_batch", Fault::Hangs);
    process.feed().await;
    assert_eq!(world.limiter_use(&holder).await, 50);
    world.pass(seconds(30)).await;
    assert_eq!(other.feed().await, 1);
    assert_eq!(world.limiter_use(&holder).await, 100);
    process.store.faults().clear();
    settle().await;
    assert!(!process.is_feeding());
    world.charged(&holder, 50).await;
    world.until(&other, id, BatchState::Finished).await;
    world.charged(&holder, 50).await;
    assert_eq!(other.begun(id).await, (0..50).collect::<Vec<_>>());
}

/// A limiter that writes each charge of a month into the store at once.
struct WritingLimiter {
    inner: Arc<FaultyLimiter>,
    clock: Arc<ManualClock>,
    data: MemoryStore,
}

#[async_trait]
impl Limiter for WritingLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        Ok(match self.inner.admit(key).await? {
            Verdict::Admitted {
                limit_status,
                month,
                ..
            } => {
                let written = self.data.charge(key, month, self.clock.now()).await;
                written.unwrap().unwrap();
                Verdict::Admitted {
                    limit_status,
                    month,
                    charge: Charge::Written,
                }
            }
            refused => refused,
        })
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        self.inner.peek_many(keys).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.inner.hydrate(key, snapshot).await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.inner.apply(key, state).await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.inner.forget(key).await
    }

    async fn refund(&self, key: CountedKey, month: Month, id: Uuid) -> Result<(), LimiterError> {
        self.inner.refund(key, month, id).await
    }
}

#[tokio::test]
async fn charges_that_the_limiter_wrote_are_counted_once_and_given_back() {
    let (mut world, _, holder) = start().await;
    let base = &world.base;
    let limiter = WritingLimiter {
        inner: base.limiter.clone(),
        clock: base.clock.clone(),
        data: base.data.elsewhere(),
    };
    world.base.gatekeeper = Arc::new(GatekeeperService::new(
        base.store.clone(),
        Arc::new(limiter),
        base.journal.clone(),
        base.clock.clone(),
        Arc::<CountingRandom>::default(),
        hasher(),
        Arc::default(),
    ));
    let process = world.process(&[1]);
    let id = process.create(&holder, ready(50)).await;
    let faults = process.store.faults();
    faults.inject_into("feed_batch", Fault::Fails);
    process.feed().await;
    world.charged(&holder, 0).await;
    faults.clear();
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 50).await;
}

#[tokio::test]
async fn a_process_that_lost_its_lease_stops() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    process
        .store
        .faults()
        .inject_into("renew_batch", Fault::Hangs);
    world.pass(seconds(30)).await;
    assert_eq!(world.take_leases().await, 1);
    let begun = process.begun(id).await;
    process.store.faults().clear();
    settle().await;
    assert!(!process.is_feeding());
    process.work().await;
    world.pass(seconds(5)).await;
    assert_eq!(process.feed().await, 0);
    assert_eq!(process.begun(id).await, begun);
}

#[tokio::test]
async fn a_panic_frees_the_place_of_a_batch() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(2)).await;
    process
        .store
        .faults()
        .inject_into("renew_batch", Fault::Panics);
    for _ in 0..40 {
        assert_eq!(process.feed().await, 1);
        world.pass(seconds(30)).await;
    }
    process.store.faults().clear();
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 2).await;
}

#[tokio::test]
async fn two_processes_share_batches_and_charge_each_row_once() {
    let (world, process, holder) = start().await;
    let other = world.process(&[1]);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(process.create(&holder, ready(120)).await);
    }
    for _ in 0..20 {
        let (one, two) = (&process, &other);
        tokio::join!(one.feed(), two.feed());
        tokio::join!(one.work(), two.work());
        world.pass(seconds(1)).await;
    }
    for id in ids {
        assert_eq!(process.state(id).await, BatchState::Finished);
    }
    world.charged(&holder, 600).await;
}
