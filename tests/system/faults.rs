//! Redis fails in every known way, under the load of two replicas: they fall back to local limits,
//! and never admit without limits.

use std::time::Duration;

use rstest::rstest;
use testkit::redis::Redis;

use crate::fleet::PATIENT;
use crate::gateway::soon;
use proxy::{NetworkFault, Proxy};
use scene::{Load, Promise, Scene};

pub(crate) mod proxy;
mod scene;

/// The default timeout of operation: 150 ms.
pub(crate) const IMPATIENT: &str = "150";

/// The replicas use their local fallback so often for a while, and Redis loses so many windows.
const fn promise(fallbacks: usize, windows_lost: usize) -> Promise {
    Promise {
        fallbacks,
        windows_lost,
    }
}

/// Redis with these arguments, and two replicas under load on it; `None`, after printing it, where a server isn't
/// installed.
async fn under_load(arguments: &[&str], patience: &str) -> Option<(Redis, Scene, Load)> {
    let redis = Redis::start(arguments)?;
    let scene = Scene::start(redis.port(), patience).await?;
    let load = scene.load().await;
    Some((redis, scene, load))
}

#[rstest]
#[case::cut(NetworkFault::Cut)]
#[case::slow(NetworkFault::Slow(Duration::from_millis(300)))]
#[case::reset_mid_answer(NetworkFault::Reset { after: 3 })]
#[case::black_hole(NetworkFault::BlackHole)]
#[tokio::test(flavor = "multi_thread")]
async fn a_faulty_connection_costs_one_window_at_most(#[case] weather: NetworkFault) {
    let Some((_redis, mut scene, load)) = under_load(&[], IMPATIENT).await else {
        return;
    };
    scene.proxy.set(weather);
    scene.all_become("degraded").await;
    scene.revoke_late_key(&load).await;
    scene.proxy.set(NetworkFault::None);
    scene.all_become("up").await;
    load.goes_on().await;
    scene.holds(load, promise(1, 0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn emptied_redis_costs_one_window_at_most_and_no_quota() {
    let Some((redis, mut scene, load)) = under_load(&[], PATIENT).await else {
        return;
    };
    redis.tell(&["FLUSHALL"]);
    load.goes_on().await;
    scene.revoke_late_key(&load).await;
    assert!(scene.fleet.all_are("up").await);
    scene.holds(load, promise(0, 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn flushed_scripts_cost_nothing_at_all() {
    let Some((redis, mut scene, load)) = under_load(&[], PATIENT).await else {
        return;
    };
    for _ in 0..10 {
        redis.tell(&["SCRIPT", "FLUSH"]);
        load.goes_on_for(3).await;
    }
    scene.revoke_late_key(&load).await;
    assert!(scene.fleet.all_are("up").await);
    scene.holds(load, promise(0, 0)).await;
}

#[rstest]
#[case::with_its_data(&["--appendonly", "yes", "--appendfsync", "always"], 0)]
#[case::without_its_data(&[], 1)]
#[tokio::test(flavor = "multi_thread")]
async fn killed_redis_comes_back(#[case] arguments: &[&str], #[case] windows_lost: usize) {
    let Some((mut redis, mut scene, load)) = under_load(arguments, IMPATIENT).await else {
        return;
    };
    redis.kill();
    scene.all_become("degraded").await;
    scene.revoke_late_key(&load).await;
    redis.start_again();
    scene.all_become("up").await;
    load.goes_on().await;
    scene.holds(load, promise(1, windows_lost)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lagging_replica_is_promoted_and_no_request_goes_unlimited() {
    let (Some(mut master), Some(replica)) = (Redis::start(&[]), Redis::start(&[])) else {
        return;
    };
    let link = Proxy::to(master.port());
    replica.tell(&["REPLICAOF", "127.0.0.1", &link.port().to_string()]);
    soon("it replicates", async || {
        let replication = replica.ask(&["INFO", "replication"]);
        replication.contains("master_link_status:up")
    })
    .await;
    let Some(mut scene) = Scene::start(master.port(), IMPATIENT).await else {
        return;
    };
    let has_all = async || master.ask(&["DBSIZE"]) == replica.ask(&["DBSIZE"]);
    soon("it has all keys", has_all).await;
    // From now on it receives nothing: neither the window, nor the month, nor a revocation.
    link.set(NetworkFault::BlackHole);
    let load = scene.load().await;
    scene.revoke_late_key(&load).await;
    // The new master is there at once, as behind an address that moves: there may be so few
    // failures that no breaker opens.
    master.kill();
    replica.tell(&["REPLICAOF", "NO", "ONE"]);
    scene.proxy.lead_to(replica.port());
    scene.all_become("up").await;
    load.goes_on().await;
    scene.holds(load, promise(1, 1)).await;
}
