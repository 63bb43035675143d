//! A backup is restored into the database while the gateway serves on it.

use std::time::{Duration, Instant};

use super::displaced::{NOTICED_WITHIN, ready, refuses};
use super::effects::Effects;
use super::programs::{Sqlite, installed, run};
use super::round::{Round, in_rounds, repeated};
use crate::gateway::{Gateway, eventually, holds_within};

/// Proofs between the backup and its restoration.
const MEANWHILE: usize = 200;

/// Makes a backup under load; returns its path.
fn backed_up(round: &mut Round) -> String {
    let copy = round.gateway.folder().join("copy.db");
    let copy = copy.to_str().unwrap().to_owned();
    let made = round.sqlite().run(&[&format!(".backup '{copy}'")]);
    round.check(made.is_ok(), format!("a backup is made: {made:?}"));
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_that_asks_for_the_lock_is_refused_and_changes_nothing() {
    if !installed(&["sqlite3", "flock"]) {
        return;
    }
    in_rounds("a restoration with the lock", async |round, _| {
        let copy = backed_up(round);
        let later = round.gateway.try_key(&[]).unwrap();
        round.goes_on(MEANWHILE).await;
        let path = |name: &str| round.data().join(name).to_str().unwrap().to_owned();
        let (lock, database) = (path("cep.db.lock"), path("cep.db"));
        let restored = run(
            "flock",
            &[
                "--nonblock",
                &lock,
                "sqlite3",
                &database,
                &format!(".restore '{copy}'"),
            ],
        );
        round.check(restored.is_err(), "the restoration is refused");
        let known = round.sqlite().knows(&later);
        round.check(known, "a key that was made since is there");
        let status = ready(&round.gateway).await;
        round.check(status == 200, format!("/readyz is 200: {status}"));
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
    let copy = gateway.folder().join("copy.db").display().to_string();
    database.run(&[&format!(".backup '{copy}'")]).unwrap();
    // A change that the gateway has seen, as its effect shows.
    let mut effects = Effects::default();
    effects.measure(&gateway).await;
    assert!(effects.failures.is_empty(), "{effects:?}");
    database.run(&[&format!(".restore '{copy}'")]).unwrap();
    eventually("/readyz is 503", NOTICED_WITHIN, async || {
        ready(&gateway).await == 503
    })
    .await;
    assert!(gateway.log().contains("set back"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_past_the_lock_is_noticed_and_nothing_is_delivered_uncounted() {
    repeated("a restoration past the lock", &[], async |_| {
        let mut round = Round::start().await;
        let copy = backed_up(&mut round);
        let counted = Sqlite::on(copy.clone().into()).month_used(&round.key);
        let counted = counted.expect("the backup can be read");
        let later = round.gateway.try_key(&[]);
        round.check(later.is_ok(), format!("a key is made: {later:?}"));
        round.goes_on(MEANWHILE).await;
        let logged = round.gateway.log().len();
        let sqlite = round.sqlite();
        // The command gives up when the gateway writes between its steps.
        let restored = holds_within(Duration::from_secs(20), async || {
            sqlite.run(&[&format!(".restore '{copy}'")]).is_ok()
        })
        .await;
        round.check(restored, "the backup is restored");
        let delivered = round.load.so_far().delivered;
        refuses(&mut round, Instant::now(), logged, &["set back"]).await;
        let ended = round.kill().await;
        // Proofs delivered before are gone with the restored state; those delivered later must be
        // counted on top of it.
        Some(ended.since(counted, delivered).compared().await)
    })
    .await;
}
