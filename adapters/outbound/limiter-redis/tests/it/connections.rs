//! Commands and connections of the limiter.

use std::sync::Arc;

use limiter_redis::RedisLimiter;
use testkit::redis::Redis;

use crate::support::{KEY, admitted_of, hydrate, options, state};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admission_is_one_command_at_most_and_nothing_else() {
    let Some(server) = Redis::start(&[]) else {
        return;
    };
    let limiter = Arc::new(RedisLimiter::single(&server.url(), &options()).unwrap());
    hydrate(&limiter, KEY, state(6_000, None, 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 10).await, 10);
    server.tell(&["CONFIG", "RESETSTAT"]);

    // One by one, and then many that may share a call.
    assert_eq!(admitted_of(&limiter, KEY, 100).await, 100);
    assert_eq!(server.calls_of("evalsha"), 100);
    let asked: Vec<_> = (0..20)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move { admitted_of(&limiter, KEY, 50).await })
        })
        .collect();
    for task in asked {
        assert_eq!(task.await.unwrap(), 50);
    }

    let calls = server.calls_of("evalsha") - 100;
    assert!((1..=1_000).contains(&calls), "{calls}");
    for command in [
        "eval",
        "ping",
        "unwatch",
        "script|load",
        "hello",
        "auth",
        "select",
        "client|setinfo",
    ] {
        assert_eq!(server.calls_of(command), 0, "{command}");
    }
    // Each of the test's own questions is a connection; the limiter's two have lasted.
    let clients = server.ask(&["CLIENT", "LIST"]);
    assert_eq!(
        clients
            .lines()
            .filter(|client| client.contains("cmd=evalsha"))
            .count(),
        2
    );
}
