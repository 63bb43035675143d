//! The time from the end of a command on keys to its effect in the gateway beside it.

use std::time::{Duration, Instant};

use crate::gateway::{Gateway, holds_within};
use crate::load::{Answer, Asker, question};

/// The longest that a change may take to have its effect.
const ALLOWED: Duration = Duration::from_secs(1);
/// Time after which the effect is given up.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// Creates a key, limits it and revokes it, each by a command, and waits for each effect; returns the slowest
/// one's time, which is allowed.
pub(super) async fn slowest_effect(gateway: &Gateway) -> Duration {
    let key = gateway.key(&["--per-minute", "100000"]);
    let question = question(&key);
    let limit = ["keys", "set-limits", &key.id, "--per-minute", "1"];
    let is_limited = |answer: &Answer| {
        let policy = answer.header("ratelimit-policy");
        policy.is_some_and(|policy| policy.contains("\"minute\";q=1;"))
    };
    let is_known = |answer: &Answer| answer.status == 200;
    let created = effect(gateway, &question, is_known).await;
    let ran = gateway.run(&limit);
    assert!(ran.status.success(), "{ran:?}");
    let limited = effect(gateway, &question, is_limited).await;
    gateway.revoke(&key);
    let is_revoked = |answer: &Answer| answer.status == 401;
    let revoked = effect(gateway, &question, is_revoked).await;
    let slowest = created.max(limited).max(revoked);
    assert!(
        slowest <= ALLOWED,
        "created {created:?}, limited {limited:?}, revoked {revoked:?}"
    );
    slowest
}

/// Waits until a request that is sent after a command's end gets this answer. The effect's time
/// counts until the last request with the old answer was sent; an answer itself may be late,
/// when it waits for the database.
async fn effect(
    gateway: &Gateway,
    question: &[u8],
    has_effect: impl Fn(&Answer) -> bool,
) -> Duration {
    let ended = Instant::now();
    let mut asker = Asker::new(gateway);
    let mut slowest = Duration::ZERO;
    let mut seen = String::new();
    let holds = holds_within(GIVEN_UP, async || {
        let answer = asker.ask(question).await;
        seen = format!("{answer:?}");
        let Ok(answer) = answer else { return false };
        let is_there = has_effect(&answer);
        if !is_there {
            slowest = slowest.max(answer.sent - ended);
        }
        is_there
    });
    assert!(holds.await, "a command has no effect: {seen}");
    slowest
}
