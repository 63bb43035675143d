//! The database, its disk or Redis is gone in the middle of a batch: nothing is lost, each row is charged
//! once, and the batch goes on.

use std::time::Duration;

use reqwest::StatusCode;

use super::{PATIENCE, assert_asked_once, create, finished, get, table, under_way};
use crate::embedded::mounted::Disk;
use crate::gateway::{CountingBank, Gateway, Key, eventually};
use crate::lookups::outages::{charged, two_replicas};
use crate::servers::Servers;

const ROWS: u32 = 300;
/// Time that an answer of the bank takes, so that a fault finds rows under way.
const LATENCY: Duration = Duration::from_millis(20);

/// Waits until the batch is finished with each row delivered, and read again after a failure.
async fn finishes(gateway: &Gateway, key: &Key, path: &str) {
    let is_read = async || get(gateway, key, path).await.status() == StatusCode::OK;
    eventually("the batch is read again", PATIENCE, is_read).await;
    finished(gateway, key, path, ROWS).await;
}

/// A batch of two replicas finishes though a server fails once it is under way; each row is charged once.
async fn outlives(servers: Option<Servers>, fault: impl AsyncFnOnce(&mut Servers, &[Gateway])) {
    let Some(mut servers) = servers else {
        return;
    };
    let bank = CountingBank::start(LATENCY).await;
    let (replicas, key) = two_replicas(&servers, &bank);
    let path = create(&replicas[0], &key, table(0, ROWS)).await;
    under_way(&replicas[0], &key, &path, 30).await;
    fault(&mut servers, &replicas).await;
    finishes(&replicas[1], &key, &path).await;
    assert_eq!(charged(&servers, &key), ROWS);
    assert_asked_once(&bank, ROWS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_goes_on_when_the_database_is_back() {
    outlives(Servers::start_own(&[]), async |servers, replicas| {
        servers.database.own_server().kill();
        for gateway in replicas {
            let noticed = async || gateway.log().contains("the queue of lookups can't be read");
            eventually("the database is missed", PATIENCE, noticed).await;
        }
        servers.database.own_server().start_again();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_goes_on_without_redis() {
    outlives(Servers::start(), async |servers, _| servers.redis.kill()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_goes_on_when_its_disk_has_room_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(folder.path().join("data"), 32) else {
        return;
    };
    let bank = CountingBank::start(LATENCY).await;
    let gateway = bank.gateway_in(folder);
    let key = gateway.live_key();
    let path = create(&gateway, &key, table(0, ROWS)).await;
    under_way(&gateway, &key, &path, 30).await;
    disk.fill();
    let lost = async || {
        let log = gateway.log();
        log.contains("the result of an attempt could not be stored")
    };
    eventually("nothing can be stored", PATIENCE, lost).await;
    let asked = bank.cycles().len();
    disk.free();
    finishes(&gateway, &key, &path).await;
    assert!(asked < ROWS as usize, "it stopped while its disk was full");
    assert_eq!(gateway.used(&key), ROWS);
}
