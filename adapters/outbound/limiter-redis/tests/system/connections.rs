//! Commands and connections of the limiter.

use std::sync::Arc;

use crate::support::{KEY, admitted_of, hydrate, limiter_on, redis, state};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admission_is_one_command_at_most_and_nothing_else() {
    let Some(server) = redis() else { return };
    let limiter = Arc::new(limiter_on(&server));
    hydrate(&limiter, KEY, state(6_000, None, 1), 0).await;
    assert_eq!(admitted_of(&limiter, KEY, 10).await, 10);
    server.tell(&["CONFIG", "RESETSTAT"]);

    // One by one, and then many that may share a call.
    assert_eq!(admitted_of(&limiter, KEY, 100).await, 100);
    assert_eq!(server.calls_of("evalsha"), 100);
    let asked = (0..20).map(|_| {
        let limiter = Arc::clone(&limiter);
        tokio::spawn(async move { admitted_of(&limiter, KEY, 50).await })
    });
    let asked: Vec<_> = asked.collect();
    for task in asked {
        assert_eq!(task.await.unwrap(), 50);
    }

    let calls = server.calls_of("evalsha") - 100;
    assert!((1..=1_000).contains(&calls), "{calls}");
    let for_scripts = ["eval", "script|load", "unwatch"];
    let for_connections = ["ping", "hello", "auth", "select", "client|setinfo"];
    for command in for_scripts.iter().chain(&for_connections) {
        assert_eq!(server.calls_of(command), 0, "{command}");
    }
    // Each of the test's own questions is a connection; the limiter's two have lasted.
    let clients = server.ask(&["CLIENT", "LIST"]);
    let asking = clients.lines().filter(|it| it.contains("cmd=evalsha"));
    assert_eq!(asking.count(), 2);
}
