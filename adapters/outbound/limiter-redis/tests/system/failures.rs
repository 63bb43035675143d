//! Servers that crash, hang or lose their data.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::keys::{CountedKey, KeyId};
use domain::month::Month;
use limiter_redis::{RedisLimiter, RedisOptions};
use ports::outbound::{Limiter, Snapshot, Verdict};
use testkit::redis::Redis;
use uuid::Uuid;

use crate::support::{
    KEY, admit_after_recovery, admitted_of, counters_of, hydrate, is_admitted, left_of, limiter_on,
    log_of, redis, revoked, state, state_of, used, used_of,
};

/// Creates a limiter with the production timeouts.
fn production_limiter_on(server: &Redis) -> RedisLimiter {
    RedisLimiter::single(&server.url(), &RedisOptions::default()).unwrap()
}

fn is_unknown(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown { .. })
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_fails_calls_until_it_is_up() {
    let Some(mut server) = redis() else { return };
    server.kill();
    let limiter = limiter_on(&server);
    assert!(limiter.admit(KEY).await.is_err());
    assert!(limiter.peek(KEY).await.is_err());
    assert!(limiter.apply(KEY, revoked(2)).await.is_err());
    server.start_again();
    assert!(is_unknown(&limiter.admit(KEY).await.unwrap()));
}

#[tokio::test]
async fn a_server_that_lost_its_data_is_hydrated_with_the_maximum_of_the_counts() {
    let Some(mut server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 80).await;
    assert_eq!(admitted_of(&limiter, KEY, 7).await, 7);
    server.kill();
    assert!(limiter.admit(KEY).await.is_err());
    server.start_again();
    let Verdict::Unknown { month } = admit_after_recovery(&limiter, KEY).await else {
        panic!("a lost key was decided upon");
    };
    // Two replicas hydrate; the journal of one is behind.
    for charged in [87, 85] {
        let snapshot = Snapshot {
            state: state(60, Some(100), 1),
            month,
            used: used(charged),
        };
        limiter.hydrate(KEY, snapshot).await.unwrap();
    }
    assert_eq!(admitted_of(&limiter, KEY, 30).await, 13);
}

#[tokio::test]
async fn a_server_that_kept_its_data_goes_on_where_it_was() {
    let arguments = ["--appendonly", "yes", "--appendfsync", "always"];
    let Some(mut server) = Redis::start(&arguments) else {
        return;
    };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(10, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 4).await, 4);
    server.kill();
    assert!(server.folder().join("appendonlydir").exists());
    server.start_again();
    let mut admitted = usize::from(is_admitted(&admit_after_recovery(&limiter, KEY).await));
    admitted += admitted_of(&limiter, KEY, 20).await;
    assert_eq!(admitted, 6);
}

#[tokio::test]
async fn an_emptied_server_admits_no_request_until_it_is_hydrated() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 1).await, 1);
    server.tell(&["FLUSHALL"]);
    assert_eq!(admitted_of(&limiter, KEY, 5).await, 0);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 99).await;
    assert_eq!(admitted_of(&limiter, KEY, 5).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_counted_twice_while_scripts_are_flushed() {
    let Some(server) = redis() else { return };
    let limiter = Arc::new(limiter_on(&server));
    hydrate(&limiter, KEY, state(5_000, Some(10_000), 1), 0).await;
    let asked = (0..8).map(|_| {
        let limiter = Arc::clone(&limiter);
        tokio::spawn(async move { admitted_of(&limiter, KEY, 100).await })
    });
    let asked: Vec<_> = asked.collect();
    for _ in 0..50 {
        server.tell(&["SCRIPT", "FLUSH"]);
    }
    let mut admitted = 0;
    for task in asked {
        admitted += task.await.unwrap();
    }
    assert_eq!(admitted, 800);
    assert_eq!(left_of(&limiter, KEY).await, 5_000 - 800);
    assert_eq!(used_of(&limiter, KEY).await, 800);
}

#[tokio::test]
async fn a_hanging_server_is_a_timeout_and_recovers() {
    let Some(server) = redis() else { return };
    let limiter = production_limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 2).await, 2);
    server.signal("STOP");
    for _ in 0..4 {
        let begun = Instant::now();
        assert!(limiter.admit(KEY).await.is_err());
        let waited = begun.elapsed();
        assert!(waited < Duration::from_millis(500), "{waited:?}");
    }
    server.signal("CONT");
    assert!(is_admitted(&admit_after_recovery(&limiter, KEY).await));
    // A request that timed out may have been counted, but only once.
    let used = used_of(&limiter, KEY).await;
    assert!((3..=7).contains(&used), "{used}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_requests_to_a_hanging_server_all_time_out_together() {
    let Some(server) = redis() else { return };
    let limiter = Arc::new(production_limiter_on(&server));
    server.signal("STOP");
    let begun = Instant::now();
    let asked = (0..100).map(|_| {
        let limiter = Arc::clone(&limiter);
        tokio::spawn(async move { limiter.admit(KEY).await.is_err() })
    });
    let asked: Vec<_> = asked.collect();
    for task in asked {
        assert!(task.await.unwrap());
    }
    let waited = begun.elapsed();
    assert!(waited < Duration::from_millis(900), "{waited:?}");
    server.signal("CONT");
    assert!(is_unknown(&admit_after_recovery(&limiter, KEY).await));
}

#[tokio::test]
async fn a_state_without_its_log_starts_a_new_minute() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 5);
    assert_eq!(server.number(&["DEL", &log_of(KEY)]), 1);
    assert_eq!(left_of(&limiter, KEY).await, 5);
    assert_eq!(used_of(&limiter, KEY).await, 5);
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 5);
}

#[tokio::test]
async fn a_log_that_outlived_its_state_counts_on() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 3).await, 3);
    assert_eq!(server.number(&["DEL", &counters_of(KEY)]), 1);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 3).await;
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 2);
}

#[tokio::test]
async fn the_remains_of_a_forgotten_key_expire() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    limiter.forget(KEY).await.unwrap();
    assert_eq!(server.number(&["EXISTS", &counters_of(KEY)]), 0);
    let successor = CountedKey {
        id: KeyId(Uuid::from_u128(2)),
        ..KEY
    };
    let hour = 3_600_000;
    // The first key's state is kept with the counters, and a successor's isn't.
    for (key, longest) in [(successor, hour), (KEY, 40 * 24 * hour)] {
        hydrate(&limiter, key, state(5, Some(100), 1), 0).await;
        assert!(admitted_of(&limiter, key, 2).await > 0);
        limiter.forget(key).await.unwrap();
        let left = server.number(&["PTTL", &counters_of(key)]);
        assert!((1..=longest).contains(&left), "{left}");
    }
}

#[tokio::test]
async fn corrupt_keys_are_errors_and_admit_no_request() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    server.tell(&["SET", &state_of(KEY), "a text"]);
    assert!(limiter.admit(KEY).await.is_err());
    server.number(&["DEL", &state_of(KEY)]);
    hydrate(&limiter, KEY, state(60, None, 1), 0).await;
    server.tell(&["SET", &log_of(KEY), "a text"]);
    assert!(limiter.admit(KEY).await.is_err());
    server.number(&["DEL", &log_of(KEY)]);
    assert_eq!(server.number(&["HSET", &state_of(KEY), "l", "many"]), 0);
    assert!(limiter.admit(KEY).await.is_err());
}

#[tokio::test]
async fn a_server_without_memory_is_an_error_and_counts_nothing() {
    let Some(server) = Redis::start(&["--maxmemory-policy", "noeviction"]) else {
        return;
    };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 1).await, 1);
    server.tell(&["CONFIG", "SET", "maxmemory", "1"]);
    assert!(limiter.admit(KEY).await.is_err());
    let long_ago = Month::of(DateTime::UNIX_EPOCH);
    limiter.refund(KEY, long_ago, Uuid::nil()).await.unwrap();
    server.tell(&["CONFIG", "SET", "maxmemory", "0"]);
    assert_eq!(left_of(&limiter, KEY).await, 59);
    assert_eq!(used_of(&limiter, KEY).await, 1);
}
