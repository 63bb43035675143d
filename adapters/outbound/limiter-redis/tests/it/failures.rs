//! Servers that crash, hang or lose their data.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::key::{CountedKey, KeyId};
use limiter_redis::{RedisLimiter, RedisOptions};
use ports::outbound::{Limiter, Snapshot, Verdict};
use testkit::redis::Redis;
use uuid::Uuid;

use crate::support::{
    KEY, admit_after_recovery, admitted_of, counters_of, hydrate, is_admitted, log_of, options,
    revoked, state, state_of, used,
};

fn limiter_on(server: &Redis) -> RedisLimiter {
    RedisLimiter::single(&server.url(), &options()).unwrap()
}

/// Creates a limiter with the production timeouts.
fn production_limiter_on(server: &Redis) -> RedisLimiter {
    RedisLimiter::single(&server.url(), &RedisOptions::default()).unwrap()
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_fails_calls_until_it_is_up() {
    let Some(mut server) = Redis::start(&[]) else {
        return;
    };
    server.kill();
    let limiter = limiter_on(&server);
    assert!(limiter.admit(KEY).await.is_err());
    assert!(limiter.peek(KEY).await.is_err());
    assert!(limiter.apply(KEY, revoked(2)).await.is_err());
    server.start_again();
    assert!(matches!(
        limiter.admit(KEY).await,
        Ok(Verdict::Unknown { .. })
    ));
}

#[tokio::test]
async fn a_server_that_lost_its_data_is_hydrated_with_the_maximum_of_the_counts() {
    let Some(mut server) = Redis::start(&[]) else {
        return;
    };
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
    let Some(server) = Redis::start(&[]) else {
        return;
    };
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
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = Arc::new(limiter_on(&server));
    hydrate(&limiter, KEY, state(5_000, Some(10_000), 1), 0).await;
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move { admitted_of(&limiter, KEY, 100).await })
        })
        .collect();
    for _ in 0..50 {
        server.tell(&["SCRIPT", "FLUSH"]);
    }
    let mut admitted = 0;
    for task in asked {
        admitted += task.await.unwrap();
    }
    assert_eq!(admitted, 800);
    let limit_status = limiter.peek(KEY).await.unwrap().unwrap();
    assert_eq!(limit_status.minute.remaining, 5_000 - 800);
    assert_eq!(limit_status.month.unwrap().used, 800);
}

#[tokio::test]
async fn a_hanging_server_is_a_timeout_and_recovers() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = production_limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 2).await, 2);
    server.signal("STOP");
    for _ in 0..4 {
        let begun = Instant::now();
        assert!(limiter.admit(KEY).await.is_err());
        assert!(
            begun.elapsed() < Duration::from_millis(500),
            "{:?}",
            begun.elapsed()
        );
    }
    server.signal("CONT");
    assert!(is_admitted(&admit_after_recovery(&limiter, KEY).await));
    // A request that timed out may have been counted, but only once.
    let used = limiter
        .peek(KEY)
        .await
        .unwrap()
        .unwrap()
        .month
        .unwrap()
        .used;
    assert!((3..=7).contains(&used), "{used}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_requests_to_a_hanging_server_all_time_out_together() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = Arc::new(production_limiter_on(&server));
    server.signal("STOP");
    let begun = Instant::now();
    let asked: Vec<_> = (0..100)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move { limiter.admit(KEY).await.is_err() })
        })
        .collect();
    for task in asked {
        assert!(task.await.unwrap());
    }
    assert!(
        begun.elapsed() < Duration::from_millis(900),
        "{:?}",
        begun.elapsed()
    );
    server.signal("CONT");
    assert!(matches!(
        admit_after_recovery(&limiter, KEY).await,
        Verdict::Unknown { .. }
    ));
}

#[tokio::test]
async fn a_state_without_its_log_starts_a_new_minute() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 5);
    assert_eq!(server.number(&["DEL", &log_of(KEY)]), 1);
    let limit_status = limiter.peek(KEY).await.unwrap().unwrap();
    assert_eq!(
        (
            limit_status.minute.remaining,
            limit_status.month.unwrap().used
        ),
        (5, 5)
    );
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 5);
}

#[tokio::test]
async fn a_log_that_outlived_its_state_counts_on() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 3).await, 3);
    assert_eq!(server.number(&["DEL", &counters_of(KEY)]), 1);
    hydrate(&limiter, KEY, state(5, Some(100), 1), 3).await;
    assert_eq!(admitted_of(&limiter, KEY, 6).await, 2);
}

#[tokio::test]
async fn a_change_that_comes_before_a_late_hydration_wins() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = limiter_on(&server);
    let Verdict::Unknown { month } = limiter.admit(KEY).await.unwrap() else {
        panic!("nothing is known yet");
    };
    // Read from the store before the change, and slow on its way.
    let late = Snapshot {
        state: state(60, Some(100), 1),
        month,
        used: used(0),
    };
    limiter.apply(KEY, state(2, Some(100), 2)).await.unwrap();
    limiter.hydrate(KEY, late).await.unwrap();
    assert_eq!(admitted_of(&limiter, KEY, 9).await, 2);

    limiter.forget(KEY).await.unwrap();
    limiter.apply(KEY, revoked(3)).await.unwrap();
    assert!(matches!(
        limiter.admit(KEY).await,
        Ok(Verdict::Unknown { .. })
    ));
    limiter.hydrate(KEY, late).await.unwrap();
    assert_eq!(limiter.admit(KEY).await.unwrap(), Verdict::Revoked);
}

#[tokio::test]
async fn the_remains_of_a_forgotten_key_expire() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
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
    let Some(server) = Redis::start(&[]) else {
        return;
    };
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
    assert!(
        limiter
            .refund(
                KEY,
                domain::month::Month::of(chrono::DateTime::UNIX_EPOCH),
                Uuid::nil()
            )
            .await
            .is_ok()
    );
    server.tell(&["CONFIG", "SET", "maxmemory", "0"]);
    let limit_status = limiter.peek(KEY).await.unwrap().unwrap();
    assert_eq!(
        (
            limit_status.minute.remaining,
            limit_status.month.unwrap().used
        ),
        (59, 1)
    );
}
