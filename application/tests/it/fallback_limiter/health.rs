//! Health of a gateway with a degraded limiter.

use crate::support::disk_full;
use application::{ChangeFeed, ComponentState, HealthService};

use super::*;

impl Replica {
    async fn health(&self) -> HealthService {
        let (store, limiter) = (self.store.clone(), self.limiter.clone());
        let (credentials, clock) = (Arc::default(), self.clock.clone());
        let feed = ChangeFeed::start(store, limiter.clone(), credentials, clock);
        let feed = Arc::new(feed.await.unwrap());
        HealthService::with_fallback(feed, self.journal.clone(), limiter, self.clock.clone())
    }
}

/// The limiter's state a second later, without waiting for anything.
fn limiter(replica: &Replica, health: &HealthService) -> ComponentState {
    replica.clock.advance(Duration::from_secs(1));
    let components = health.components().now_or_never();
    components.expect("looking at our health waits")[2].state
}

#[tokio::test]
async fn a_degraded_limiter_is_reported_as_degraded_and_as_failed_once_the_store_takes_nothing() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    let health = replica.health().await;
    assert_eq!(limiter(&replica, &health), ComponentState::Up);
    replica.degrade().await;
    assert_eq!(limiter(&replica, &health), ComponentState::Degraded);
    replica.journal.refuse_with(Some(disk_full()));
    assert_eq!(limiter(&replica, &health), ComponentState::Failed);
    replica.journal.refuse_with(None);
    assert_eq!(limiter(&replica, &health), ComponentState::Degraded);
    replica.recover();
    // Looking is a try.
    assert_eq!(limiter(&replica, &health), ComponentState::Up);
}

#[tokio::test]
async fn health_checks_of_a_degraded_limiter_do_not_read_the_store() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    let health = replica.health().await;
    replica.degrade().await;
    let readings = replica.store.snapshots_read();
    // One that is busy answers others first.
    replica.store.hold_snapshots();
    for _ in 0..20 {
        assert_eq!(limiter(&replica, &health), ComponentState::Degraded);
    }
    assert_eq!(replica.store.snapshots_read(), readings);
}
