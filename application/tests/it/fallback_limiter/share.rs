//! The share of a replica follows the number of replicas that is counted.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A register that counts what it is told to, or fails at zero.
#[derive(Default)]
struct ScriptedRegistry(AtomicU32);

#[async_trait]
impl ReplicaRegistry for ScriptedRegistry {
    async fn beat(&self, _: Uuid, _: Duration) -> Result<NonZeroU32, StoreError> {
        let count = NonZeroU32::new(self.0.load(Ordering::SeqCst));
        count.ok_or_else(|| StoreError {
            cause: Arc::new(std::io::Error::other("the register is down")),
        })
    }

    async fn leave(&self, _: Uuid) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A replica that keeps its share of 60 a minute, and the register that it is counted in.
struct Scene {
    replica: Replica,
    registry: Arc<ScriptedRegistry>,
    monitor: ReplicaMonitor,
}

impl Scene {
    async fn new(source: CountSource) -> Self {
        let replica = Replica::one_of(2, limits(60, None)).await;
        let registry = Arc::new(ScriptedRegistry::default());
        let (clock, count) = (replica.clock.clone(), replica.replicas.clone());
        let monitor =
            ReplicaMonitor::new(registry.clone(), clock, Uuid::from_u128(1), count, source);
        replica.degrade().await;
        Self {
            replica,
            registry,
            monitor,
        }
    }

    async fn counts(&self, replicas: u32) {
        self.registry.0.store(replicas, Ordering::SeqCst);
        self.monitor.beat().await.unwrap();
    }

    /// The limit per minute that this replica keeps.
    async fn share(&self) -> u32 {
        let status = self.replica.limiter.peek(KEY).await.unwrap();
        status.unwrap().minute.limit
    }
}

#[tokio::test]
async fn a_share_becomes_smaller_at_once_and_larger_after_a_minute() {
    let scene = Scene::new(CountSource::Counted).await;
    assert_eq!(scene.share().await, 30);
    scene.counts(3).await;
    assert_eq!(scene.share().await, 20);
    scene.counts(2).await;
    scene.replica.clock.advance(Duration::from_mins(1));
    scene.counts(2).await;
    assert_eq!(scene.share().await, 20, "what it admitted is in the window");
    scene.replica.clock.advance(Duration::from_secs(5));
    scene.counts(2).await;
    assert_eq!(scene.share().await, 30);
}

#[tokio::test]
async fn requests_of_before_count_in_a_smaller_share() {
    let scene = Scene::new(CountSource::Counted).await;
    let before = scene.replica.admitted_of(9).await;
    scene.counts(6).await;
    // Three were admitted while the circuit opened.
    assert_eq!(3 + before + scene.replica.admitted_of(60).await, 12);
}

#[tokio::test]
async fn the_last_number_holds_while_the_register_is_down() {
    let scene = Scene::new(CountSource::Counted).await;
    scene.counts(4).await;
    scene.registry.0.store(0, Ordering::SeqCst);
    for _ in 0..20 {
        scene.replica.clock.advance(Duration::from_secs(5));
        scene.monitor.beat().await.unwrap_err();
    }
    assert_eq!(scene.share().await, 15);
}

#[tokio::test]
async fn a_limit_that_changes_is_shared_by_the_counted_number() {
    let scene = Scene::new(CountSource::Counted).await;
    scene.counts(3).await;
    let data = &scene.replica.data;
    data.set_key_limits(KEY.id, limits(90, None)).await;
    assert_eq!(scene.share().await, 30);
    scene.counts(9).await;
    assert_eq!(scene.share().await, 10);
}

#[tokio::test]
async fn a_configured_number_is_not_counted() {
    let scene = Scene::new(CountSource::Configured).await;
    scene.counts(10).await;
    assert_eq!(scene.share().await, 30);
}
