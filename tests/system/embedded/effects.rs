//! The time from the end of a command on keys to its effect in the gateway beside it.

use std::time::{Duration, Instant};

use super::round::Round;
use crate::gateway::{Gateway, holds_within};
use crate::load::{Answer, Asker, question};

/// The longest that a change may take to have its effect.
const ALLOWED: Duration = Duration::from_secs(1);
/// Time after which the effect is given up.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// Commands so far, and the slowest effect.
#[derive(Debug, Default)]
pub(super) struct Effects {
    commands: usize,
    slowest: Duration,
    pub(super) failures: Vec<String>,
}

impl Effects {
    /// Creates a key, limits it and revokes it, each by a command, and waits for each effect.
    pub(super) async fn measure(&mut self, gateway: &Gateway) {
        if let Err(failure) = self.try_measure(gateway).await {
            self.failures.push(failure);
        }
    }

    async fn try_measure(&mut self, gateway: &Gateway) -> Result<(), String> {
        let key = gateway.try_key(&["--per-minute", "100000"])?;
        let question = question(&key);
        let mut asker = Asker::new(gateway);
        self.wait("keys create", &mut asker, &question, |answer| {
            answer.status == 200
        })
        .await?;
        run(
            gateway,
            &["keys", "set-limits", &key.id, "--per-minute", "1"],
        )?;
        self.wait("keys set-limits", &mut asker, &question, |answer| {
            let policy = answer.header("ratelimit-policy");
            policy.is_some_and(|policy| policy.contains("\"minute\";q=1;"))
        })
        .await?;
        run(gateway, &["keys", "revoke", &key.id])?;
        self.wait("keys revoke", &mut asker, &question, |answer| {
            answer.status == 401
        })
        .await
    }

    /// Waits until a request that is sent after a command's end gets this answer. The effect's time
    /// counts until the last request with the old answer was sent; an answer itself may be late,
    /// when it waits for the database.
    async fn wait(
        &mut self,
        command: &str,
        asker: &mut Asker,
        question: &[u8],
        has_effect: impl Fn(&Answer) -> bool,
    ) -> Result<(), String> {
        let ended = Instant::now();
        self.commands += 1;
        let mut last = Ok(());
        let holds = holds_within(GIVEN_UP, async || match asker.ask(question).await {
            Ok(answer) if has_effect(&answer) => true,
            Ok(answer) => {
                self.slowest = self.slowest.max(answer.sent - ended);
                last = Err(format!("{command} has no effect: {answer:?}"));
                false
            }
            Err(error) => {
                last = Err(format!("after {command}: {error}"));
                false
            }
        });
        if holds.await { Ok(()) } else { last }
    }

    /// Summary for the line.
    pub(super) fn summary(&self) -> String {
        format!(
            "commands {}, slowest effect {:?}",
            self.commands, self.slowest
        )
    }

    /// Adds what failed to the round's checks.
    pub(super) fn check(self, round: &mut Round) {
        round.check(self.commands > 0, "commands take effect");
        round.check(
            self.slowest <= ALLOWED,
            format!("effects within {ALLOWED:?}: {:?}", self.slowest),
        );
        for failure in self.failures {
            round.check(false, failure);
        }
    }
}

fn run(gateway: &Gateway, arguments: &[&str]) -> Result<(), String> {
    let ran = gateway.run(arguments);
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(format!("{arguments:?}: {said}"))
}
