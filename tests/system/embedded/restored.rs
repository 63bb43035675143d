//! A backup is restored into the database while the gateway serves on it.

use super::displaced::{NOTICED_WITHIN, is_ready_with, ready, refuses};
use super::effects::slowest_effect;
use super::programs::{Sqlite, installed, run};
use super::round::{Round, in_rounds, repeated};
use crate::gateway::Gateway;

/// Proofs between the backup and its restoration.
const MEANWHILE: usize = 200;

/// Makes a backup while the gateway serves; returns its path.
fn backed_up(gateway: &Gateway, database: &Sqlite) -> String {
    let copy = gateway.folder().join("copy.db").display().to_string();
    database.ask(&format!(".backup '{copy}'"));
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_that_asks_for_the_lock_is_refused_and_changes_nothing() {
    if !installed(&["flock"]) {
        return;
    }
    in_rounds("a restoration with the lock", async |round, _| {
        let copy = backed_up(&round.gateway, &round.sqlite());
        let later = round.gateway.key(&[]);
        round.goes_on(MEANWHILE).await;
        let path = |name: &str| round.data().join(name).to_str().unwrap().to_owned();
        let (lock, database) = (path("cep.db.lock"), path("cep.db"));
        let restore = format!(".restore '{copy}'");
        let restoring = ["--nonblock", &lock, "sqlite3", &database, &restore];
        run("flock", &restoring).unwrap_err();
        assert!(round.sqlite().knows(&later), "a key that was made since");
        assert_eq!(ready(&round.gateway).await, 200);
        round.goes_on(MEANWHILE).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_beside_an_idle_gateway_is_noticed() {
    if !installed(&["sqlite3"]) {
        return;
    }
    let gateway = Gateway::start();
    let database = Sqlite::on(gateway.folder().join("data/cep.db"));
    let copy = backed_up(&gateway, &database);
    // A change that the gateway has seen, as its effect shows.
    slowest_effect(&gateway).await;
    database.ask(&format!(".restore '{copy}'"));
    is_ready_with(&gateway, 503, NOTICED_WITHIN).await;
    assert!(gateway.log().contains("set back"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_past_the_lock_is_noticed_and_nothing_is_delivered_uncounted() {
    repeated("a restoration past the lock", &[], async |_| {
        let round = Round::start().await;
        let copy = backed_up(&round.gateway, &round.sqlite());
        let counted = Sqlite::on(copy.clone().into()).month_used(&round.key);
        let counted = counted.expect("the backup can be read");
        round.gateway.key(&[]);
        round.goes_on(MEANWHILE).await;
        let sqlite = round.sqlite();
        let mut delivered = 0;
        let restore = || {
            // The command gives up when the gateway writes between its steps.
            testkit::until("the backup is restored", || {
                sqlite.run(&[&format!(".restore '{copy}'")]).is_ok()
            });
            delivered = round.load.so_far().delivered;
        };
        refuses(&round, restore, &["set back"]).await;
        let ended = round.kill().await;
        // Proofs delivered before are gone with the restored state; those delivered later must be
        // counted on top of it.
        Some(ended.since(counted, delivered).compared().await)
    })
    .await;
}
