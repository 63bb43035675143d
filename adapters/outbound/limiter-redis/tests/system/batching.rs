//! Batching of admissions. The runtime has one thread, so all requests that are polled before the
//! first call are in its queue.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use limiter_redis::{RedisLimiter, RedisOptions, RedisTimeouts};
use ports::outbound::{Limiter as _, Verdict};
use testkit::redis::Redis;
use testkit::until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{
    KEY, admit_after_recovery, hydrate, is_admitted, limiter_on, log_of, numbered, options, redis,
    revoked, state, state_of, used_of,
};

/// Options with this timeout for each step of a call.
fn with_timeouts(patience: Duration) -> RedisOptions {
    RedisOptions {
        timeouts: RedisTimeouts {
            wait: patience,
            create: patience,
            response: patience,
        },
        ..options()
    }
}

/// Starts a TCP proxy that delays the server's replies.
async fn slow_proxy(server: &Redis, delay: Duration) -> SocketAddr {
    let port = server.port();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let (mut asks, mut hears) = near.into_split();
            let (mut answers, mut takes) = far.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut asks, &mut takes).await });
            tokio::spawn(async move {
                let mut buffer = vec![0; 1 << 20];
                while let Ok(length @ 1..) = answers.read(&mut buffer).await {
                    tokio::time::sleep(delay).await;
                    if hears.write_all(&buffer[..length]).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

#[tokio::test]
async fn queued_admissions_share_few_calls_and_each_gets_its_own_reply() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    let keys: Vec<_> = (1..=5).map(numbered).collect();
    let [free, full, spent, gone, unknown] = keys[..] else {
        panic!("there are five");
    };
    hydrate(&limiter, free, state(6_000, None, 1), 0).await;
    hydrate(&limiter, full, state(7, None, 1), 0).await;
    hydrate(&limiter, spent, state(6_000, Some(10), 1), 8).await;
    hydrate(&limiter, gone, revoked(1), 0).await;
    server.tell(&["CONFIG", "RESETSTAT"]);

    let asked = keys.repeat(60);
    let verdicts = join_all(asked.iter().map(|key| limiter.admit(*key))).await;

    // 150 on each of two connections, 64 at a time.
    assert_eq!(server.calls_of("evalsha"), 6);
    let mut admitted = [0; 5];
    for (key, verdict) in asked.iter().zip(verdicts) {
        let place = keys.iter().position(|known| known == key).unwrap();
        match verdict.unwrap() {
            Verdict::Admitted { .. } => admitted[place] += 1,
            Verdict::RateLimited { .. } => assert_eq!(*key, full),
            Verdict::QuotaExceeded { .. } => assert_eq!(*key, spent),
            Verdict::Revoked => assert_eq!(*key, gone),
            Verdict::Unknown { .. } => assert_eq!(*key, unknown),
        }
    }
    assert_eq!(admitted, [60, 7, 2, 0, 0]);
}

#[tokio::test]
async fn a_corrupt_key_fails_no_other_keys_admission() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    let keys: Vec<_> = (1..=4).map(numbered).collect();
    for key in &keys {
        hydrate(&limiter, *key, state(6_000, Some(100), 1), 0).await;
    }
    // A text where the log is, a text where the state is, and a limit that is no number.
    server.tell(&["SET", &log_of(keys[0]), "a text"]);
    server.tell(&["SET", &state_of(keys[1]), "a text"]);
    server.number(&["HSET", &state_of(keys[2]), "l", "many"]);

    let asked = keys.repeat(10);
    let verdicts = join_all(asked.iter().map(|key| limiter.admit(*key))).await;

    for (key, verdict) in asked.iter().zip(verdicts) {
        match verdict {
            Ok(verdict) => assert!(is_admitted(&verdict) && *key == keys[3], "{verdict:?}"),
            Err(error) => assert_ne!(*key, keys[3], "{error}"),
        }
    }
    assert_eq!(used_of(&limiter, keys[3]).await, 10);
}

#[tokio::test]
async fn a_cancelled_admission_is_not_counted() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    for _ in 0..9 {
        assert!(limiter.admit(KEY).now_or_never().is_none());
    }
    assert!(is_admitted(&limiter.admit(KEY).await.unwrap()));
    assert_eq!(used_of(&limiter, KEY).await, 1);
}

#[tokio::test]
async fn an_admission_behind_a_failed_call_fails_uncounted() {
    let Some(server) = redis() else { return };
    let patience = Duration::from_millis(300);
    let limiter = RedisLimiter::single(&server.url(), &with_timeouts(patience)).unwrap();
    hydrate(&limiter, KEY, state(6_000, Some(1_000), 1), 0).await;
    server.signal("STOP");
    let asked = tokio::time::Instant::now();
    for verdict in join_all((0..300).map(|_| limiter.admit(KEY))).await {
        assert!(verdict.is_err());
    }
    // Three calls on each connection would have taken three times as long.
    assert!(asked.elapsed() < 2 * patience, "{:?}", asked.elapsed());
    server.signal("CONT");
    assert!(is_admitted(&admit_after_recovery(&limiter, KEY).await));
    // What was sent may have counted; most of it wasn't.
    let used = used_of(&limiter, KEY).await;
    assert!((1..=2 * 64 + 1).contains(&used), "{used}");
}

#[tokio::test]
async fn queued_admissions_fail_when_the_workers_runtime_ends() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    hydrate(&limiter, KEY, state(60, Some(100), 1), 0).await;
    let limiter = Arc::new(limiter);
    let other = Arc::clone(&limiter);
    // The worker is spawned on a runtime that never runs it.
    let short = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut waiting = Box::pin(async move { other.admit(KEY).await });
    let entered = short.enter();
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(entered);
    short.shutdown_background();
    assert!(waiting.await.is_err());
    // The other connection's worker, then a new one of this connection.
    for _ in 0..2 {
        assert!(is_admitted(&limiter.admit(KEY).await.unwrap()));
    }
}

#[tokio::test]
async fn a_slow_server_delays_no_admission_beyond_its_timeout() {
    let Some(server) = redis() else { return };
    hydrate(&limiter_on(&server), KEY, state(6_000, Some(6_000), 1), 0).await;
    let proxy = slow_proxy(&server, Duration::from_millis(200)).await;
    let patience = Duration::from_millis(400);
    let limiter =
        RedisLimiter::single(&format!("redis://{proxy}"), &with_timeouts(patience)).unwrap();

    // Sixteen calls on each connection; six fit into the timeout.
    let asked = tokio::time::Instant::now();
    let verdicts = join_all((0..2_048).map(|_| limiter.admit(KEY))).await;
    assert!(asked.elapsed() < 4 * patience, "{:?}", asked.elapsed());
    let admitted = verdicts.iter().flatten().filter(|v| is_admitted(v)).count();
    let some_failed = verdicts.iter().any(Result::is_err);
    assert!(admitted > 0 && some_failed, "{admitted}");

    // Of the timed-out admissions, only those already sent are counted.
    let used = used_of(&limiter_on(&server), KEY).await;
    let used = usize::try_from(used).unwrap();
    let counted = admitted..=admitted + 2 * 64;
    assert!(counted.contains(&used), "{admitted} and {used}");
}

#[tokio::test]
async fn a_single_server_in_cluster_mode_gets_no_batches() {
    let Some(server) = Redis::start(&["--cluster-enabled", "yes"]) else {
        return;
    };
    server.tell(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    until("the server has all slots", || {
        let state = server.ask(&["CLUSTER", "INFO"]);
        state.contains("cluster_state:ok")
    });
    let limiter = limiter_on(&server);
    let keys: Vec<_> = (1..=5).map(numbered).collect();
    for key in &keys {
        hydrate(&limiter, *key, state(7, None, 1), 0).await;
    }
    let asked = keys.repeat(9);
    let verdicts = join_all(asked.iter().map(|key| limiter.admit(*key))).await;
    let verdicts = verdicts.into_iter().map(Result::unwrap);
    assert_eq!(verdicts.filter(is_admitted).count(), 5 * 7);
}

#[tokio::test]
async fn a_page_of_keys_is_read_in_one_call() {
    let Some(server) = redis() else { return };
    let limiter = limiter_on(&server);
    let keys: Vec<_> = (1..=100).map(numbered).collect();
    for key in &keys {
        hydrate(&limiter, *key, state(60, None, 1), 0).await;
    }
    limiter.peek(keys[0]).await.unwrap();
    server.tell(&["CONFIG", "RESETSTAT"]);

    let peeked = limiter.peek_many(&keys).await.unwrap();

    assert!(peeked.iter().all(Option::is_some));
    assert_eq!(server.calls_of("evalsha"), 1);
}

/// It is allocated and filled for each request; rare paths are boxed, so that they don't lengthen it.
#[tokio::test]
async fn the_future_of_an_admission_is_short() {
    let limiter = RedisLimiter::single("redis://127.0.0.1:1", &options()).unwrap();
    let size = size_of_val(&*limiter.admit(KEY));
    assert!((1..1_000).contains(&size), "{size} bytes");
}
