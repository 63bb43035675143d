//! Exactness over several replicas, and the cost of an active key.

use std::sync::Arc;

use domain::month::Month;
use limiter_redis::RedisLimiter;
use ports::outbound::{Limiter, Snapshot, Verdict};
use testkit::redis::Redis;
use uuid::Uuid;

use crate::support::{
    KEY, MID_MONTH, admitted_of, counters_of, hydrate, is_admitted, left_of, limiter_on, log_of,
    numbered, redis, shifted_limiter, state, state_of, used, used_of,
};

/// One limiter for each of four replicas.
fn replicas(server: &Redis) -> Vec<Arc<RedisLimiter>> {
    let limiter = |_| Arc::new(limiter_on(server));
    (0..4).map(limiter).collect()
}

/// Sends so many concurrent requests on each replica; returns the number of admissions.
pub(crate) async fn ask_all(replicas: &[Arc<RedisLimiter>], each: usize) -> usize {
    let asked = replicas
        .iter()
        .flat_map(|limiter| std::iter::repeat_with(|| Arc::clone(limiter)).take(each));
    let asked: Vec<_> = asked
        .map(|limiter| tokio::spawn(async move { limiter.admit(KEY).await.unwrap() }))
        .collect();
    let mut admitted = 0;
    for verdict in asked {
        admitted += usize::from(is_admitted(&verdict.await.unwrap()));
    }
    admitted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_eight_hundred_concurrent_requests_over_four_replicas_sixty_are_admitted() {
    let Some(server) = redis() else { return };
    let replicas = replicas(&server);
    hydrate(&replicas[0], KEY, state(60, Some(10_000), 1), 0).await;
    assert_eq!(ask_all(&replicas, 200).await, 60);
    assert_eq!(left_of(&replicas[3], KEY).await, 0);
    assert_eq!(used_of(&replicas[3], KEY).await, 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_is_one_over_all_replicas() {
    let Some(server) = redis() else { return };
    let replicas = replicas(&server);
    hydrate(&replicas[0], KEY, state(6_001, Some(1_000), 1), 0).await;
    assert_eq!(ask_all(&replicas, 600).await, 1_000);
}

#[tokio::test]
async fn all_entries_that_leave_a_large_window_are_trimmed_at_once() {
    let Some(server) = redis() else { return };
    let (limiter, time) = shifted_limiter(&server, MID_MONTH);
    hydrate(&limiter, KEY, state(6_000, None, 1), 0).await;
    // One each millisecond, as far as it is fast enough.
    for _ in 0..1_500 {
        assert!(is_admitted(&limiter.admit(KEY).await.unwrap()));
        time.move_by(1);
    }
    time.move_by(30_000);
    assert_eq!(admitted_of(&limiter, KEY, 3).await, 3);
    time.move_by(31_000);
    let Verdict::Admitted { limit_status, .. } = limiter.admit(KEY).await.unwrap() else {
        panic!("the window is nearly empty");
    };
    assert_eq!(limit_status.minute.remaining, 6_000 - 4);
}

#[tokio::test]
async fn a_snapshot_of_the_month_before_does_not_bring_it_back() {
    let Some(server) = redis() else { return };
    let (limiter, time) = shifted_limiter(&server, "2026-11-30T23:59:00Z");
    let state = state(60, Some(5), 1);
    hydrate(&limiter, KEY, state, 3).await;
    let before = Snapshot {
        state,
        month: Month::of(time.show()),
        used: used(0),
    };
    time.move_by(60_000);
    assert_eq!(admitted_of(&limiter, KEY, 3).await, 3);
    limiter.hydrate(KEY, before).await.unwrap();
    assert_eq!(admitted_of(&limiter, KEY, 9).await, 2);
}

#[tokio::test]
async fn an_active_key_costs_what_was_measured() {
    let Some(server) = redis() else { return };
    let (limiter, time) = shifted_limiter(&server, MID_MONTH);
    for (number, limit, most) in [(1, 60, 1_050), (2, 6_000, 80_000), (3, 100_000, 1_700)] {
        let key = numbered(number);
        hydrate(&limiter, key, state(limit, Some(1_000_000), 1), 0).await;
        // Evenly over nearly a minute: no two in one millisecond.
        let asked = i64::from(limit.min(6_000));
        for _ in 0..asked {
            assert!(is_admitted(&limiter.admit(key).await.unwrap()));
            time.move_by(50_000 / asked);
        }
        let cost = |key: &str| {
            let key = key.replace("cep:", "cep-shifted:");
            server.number(&["MEMORY", "USAGE", &key, "SAMPLES", "0"])
        };
        let (counters, log) = (cost(&counters_of(key)), cost(&log_of(key)));
        println!("{limit} a minute, {asked} admitted: {counters} B counters, {log} B log");
        assert!(counters + log < most, "{counters} B and {log} B");
    }
}

#[tokio::test]
async fn the_log_expires_with_its_minute_and_the_state_after_the_month() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, None, 1), 0).await;
    limiter.admit(KEY).await.unwrap();
    let left = |key: &str| server.number(&["PTTL", key]);
    let log = left(&log_of(KEY));
    assert!((50_000..=60_001).contains(&log), "{log} ms");
    for hash in [state_of(KEY), counters_of(KEY)] {
        let days = left(&hash) / 86_400_000;
        assert!((39..=40).contains(&days), "{days} days");
    }
}

#[tokio::test]
async fn a_log_outlives_each_of_its_admissions() {
    let Some(server) = redis() else { return };
    let (limiter, time) = shifted_limiter(&server, "2026-11-20T16:00:01Z");
    // Each in an entry of its own, and by the second, several in one.
    for (number, limit) in [(1, 60), (2, 100_000)] {
        let key = numbered(number);
        hydrate(&limiter, key, state(limit, None, 1), 0).await;
        let log = log_of(key).replace("cep:", "cep-shifted:");
        for _ in 0..5 {
            assert_eq!(admitted_of(&limiter, key, 1).await, 1);
            let left = server.number(&["PTTL", &log]);
            assert!((59_000..=61_001).contains(&left), "{left} ms");
            // It would end too soon for what comes now.
            server.number(&["PEXPIRE", &log, "1000"]);
            time.move_by(200);
        }
    }
}

#[tokio::test]
async fn the_record_of_refunds_is_bounded() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(1_000), 1), 900).await;
    let Verdict::Admitted { month, .. } = limiter.admit(KEY).await.unwrap() else {
        panic!("there is room");
    };
    for _ in 0..2 {
        for request in 0..200 {
            let request = Uuid::from_u128(request);
            limiter.refund(KEY, month, request).await.unwrap();
        }
    }
    assert_eq!(used_of(&limiter, KEY).await, 701);
    for request in 1_000..1_300 {
        let request = Uuid::from_u128(request);
        limiter.refund(KEY, month, request).await.unwrap();
    }
    let refunds = counters_of(KEY).replace(":s", ":r");
    assert_eq!(server.number(&["ZCARD", &refunds]), 256);
}
