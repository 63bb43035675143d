//! SQLite's shared lock, which keeps other programs from removing the log: the serving process
//! holds it at every moment, by the kernel's account (`/proc`).

use std::time::Duration;

use testkit::sqlite::holds_shared_lock;

use super::effects::slowest_effect;
use super::programs::{Repeated, installed};
use super::round::in_rounds;
use crate::gateway::Gateway;

/// Pause between two checks.
const PAUSE: Duration = Duration::from_millis(5);

#[tokio::test(flavor = "multi_thread")]
async fn the_serving_process_holds_the_shared_lock_at_every_moment() {
    if !installed(&["sqlite3"]) {
        return;
    }
    let idle = Gateway::start();
    let database = idle.folder().join("data/cep.db");
    assert!(holds_shared_lock(idle.id(), &database));
    drop(idle);
    in_rounds("the lock is looked at", async |round, notes| {
        let (process, database) = (round.gateway.id(), round.data().join("cep.db"));
        let watch = Repeated::start(move || {
            std::thread::sleep(PAUSE);
            assert!(holds_shared_lock(process, &database));
        });
        for _ in 0..3 {
            slowest_effect(&round.gateway).await;
        }
        for _ in 0..3 {
            round.sqlite().ask("SELECT count(*) FROM api_keys");
        }
        round.goes_on(400).await;
        let looks = watch.finished();
        assert!(looks > 10, "{looks}");
        notes.push(format!("looks {looks}"));
    })
    .await;
}
