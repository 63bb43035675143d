//! The port's contract suite, on one server and on a cluster.

use std::sync::Arc;

use limiter_redis::RedisLimiter;
use ports::contract::limiter::LimiterUnderTest;
use testkit::redis::Redis;
use tokio::runtime::Handle;

use crate::support::{MID_MONTH, OffsetClock, OnRuntime, cluster, limiter_on, options, redis};

/// The suite's limiter: `servers` are empty, and it is the middle of a month.
pub(crate) fn empty(servers: &[Redis], limiter: RedisLimiter) -> LimiterUnderTest {
    for server in servers {
        server.tell(&["FLUSHALL"]);
    }
    let time = OffsetClock::at(servers[0].url(), MID_MONTH);
    let limiter = Arc::new(limiter.with_clock_offset(Arc::clone(&time.shift)));
    LimiterUnderTest {
        limiter: Arc::new(OnRuntime {
            limiter,
            runtime: Handle::current(),
        }),
        time: Arc::new(time),
    }
}

ports::limiter!(kept: on_one_server());

fn on_one_server() -> Option<(LimiterUnderTest, [Redis; 1])> {
    let servers = [redis()?];
    let limiter = limiter_on(&servers[0]);
    Some((empty(&servers, limiter), servers))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limiter_fulfils_the_contract_on_a_cluster() {
    let Some(cluster) = cluster() else { return };
    ports::limiter!(in turn: {
        let limiter = RedisLimiter::cluster(&cluster.urls(), &options()).unwrap();
        empty(&cluster.nodes, limiter)
    });
}
