//! Other processes of the gateway beside the one that serves: commands in a loop, a second server.

use super::effects::Effects;
use super::round::in_rounds;
use crate::gateway::command;

/// Keys that are made, limited and revoked in a round.
const KEYS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn commands_take_effect_within_a_second_and_cost_no_count() {
    in_rounds("commands in a loop", async |round, row| {
        let mut effects = Effects::default();
        for _ in 0..KEYS {
            effects.measure(&round.gateway).await;
        }
        round.goes_on(400).await;
        row.note(effects.summary());
        effects.check(round);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_gateway_is_refused_by_the_lock_and_the_first_goes_on() {
    in_rounds("a second gateway", async |round, _| {
        let second = command(round.gateway.folder()).output().unwrap();
        let said = String::from_utf8_lossy(&second.stderr);
        round.check(
            !second.status.success()
                && said.contains("another gateway serves")
                && said.contains("cep.db.lock"),
            format!("the second one is refused by the lock: {said}"),
        );
        round.goes_on(400).await;
    })
    .await;
}
