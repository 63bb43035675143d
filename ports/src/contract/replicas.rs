//! Contract of the register of replicas.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use uuid::Uuid;

use super::ok;
use crate::outbound::ReplicaRegistry;

/// Longer than a suite takes.
const LONG: Duration = Duration::from_hours(1);

/// Two processes' connections to one register.
pub struct RegistriesUnderTest {
    /// Those of one process.
    pub here: Arc<dyn ReplicaRegistry>,
    /// Those of another one.
    pub elsewhere: Arc<dyn ReplicaRegistry>,
}

cases! {
    $ replicas(RegistriesUnderTest)
    self::every_process_counts_once_until_it_leaves,
    self::a_process_counts_for_the_lifetime_of_its_latest_beat,
    self::concurrent_beats_are_all_counted,
}

fn instance(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

async fn beat(registry: &Arc<dyn ReplicaRegistry>, number: u128) -> u32 {
    ok(registry.beat(instance(number), LONG)).await.get()
}

async fn every_process_counts_once_until_it_leaves(under_test: RegistriesUnderTest) {
    let RegistriesUnderTest { here, elsewhere } = under_test;
    for _ in 0..2 {
        assert_eq!(beat(&here, 1).await, 1);
    }
    assert_eq!(beat(&elsewhere, 2).await, 2);
    assert_eq!(beat(&here, 1).await, 2);
    assert_eq!(beat(&elsewhere, 3).await, 3);
    for _ in 0..2 {
        elsewhere.leave(instance(2)).await.expect("it leaves");
        assert_eq!(beat(&here, 1).await, 2);
    }
    assert_eq!(beat(&elsewhere, 2).await, 3, "it may come back");
}

async fn a_process_counts_for_the_lifetime_of_its_latest_beat(under_test: RegistriesUnderTest) {
    let RegistriesUnderTest { here, elsewhere } = under_test;
    beat(&elsewhere, 2).await;
    assert_eq!(beat(&here, 1).await, 2);
    // The register's clock passes by itself.
    let short = Duration::from_millis(20);
    loop {
        if ok(here.beat(instance(1), short)).await.get() == 1 {
            break;
        }
    }
    beat(&here, 1).await;
    assert_eq!(beat(&elsewhere, 2).await, 2, "it serves again");
}

async fn concurrent_beats_are_all_counted(under_test: RegistriesUnderTest) {
    let RegistriesUnderTest { here, elsewhere } = under_test;
    let beats = (1..=20).map(async |number| {
        let registry = if u128::is_multiple_of(number, 2) {
            &here
        } else {
            &elsewhere
        };
        beat(registry, number).await
    });
    join_all(beats).await;
    assert_eq!(beat(&here, 1).await, 20);
}
