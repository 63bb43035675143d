//! The database's files are moved, replaced or removed under a serving gateway: it notices, logs
//! it, and answers nothing that it couldn't count.

use std::fs;
use std::time::{Duration, Instant};

use super::programs::Sqlite;
use super::round::{Round, copy_folder, file, log_says, names, repeated};
use crate::gateway::{Gateway, eventually, holds_within};
use crate::load::{Asker, question};

/// The longest that proofs may still be delivered.
pub(super) const NOTICED_WITHIN: Duration = Duration::from_secs(2);
/// Requests that are refused before the counts are compared.
const REFUSALS: usize = 50;
/// The longest until it serves again once the files are back.
const RECOVERY: Duration = Duration::from_secs(10);

/// Lets something happen, waits until the gateway refuses everything, and checks that its log names the reason and
/// the remedy.
pub(super) async fn refuses(round: &Round, event: impl FnOnce(), words: &[&str]) {
    let logged = round.gateway.log().len();
    event();
    let since = Instant::now();
    is_ready_with(&round.gateway, 503, NOTICED_WITHIN).await;
    let refused = round.load.is_refused(REFUSALS).await;
    assert!(refused, "proofs are refused");
    let answer = Asker::new(&round.gateway).ask(&question(&round.key)).await;
    assert_eq!(answer.unwrap().status, 503);
    let newest = round.load.newest().saturating_duration_since(since);
    assert!(newest <= NOTICED_WITHIN, "the last proof: {newest:?}");
    let words = [words, &["top the gateway"]].concat();
    let said = log_says(&round.gateway, logged, &words);
    assert!(said, "the log says {words:?}");
}

/// The status of `/readyz`; 0 when nothing answers.
pub(super) async fn ready(gateway: &Gateway) -> u16 {
    let answer = gateway.client.get(gateway.url("/readyz")).send().await;
    answer.map_or(0, |answer| answer.status().as_u16())
}

/// Waits until `/readyz` has this status.
pub(super) async fn is_ready_with(gateway: &Gateway, status: u16, patience: Duration) {
    let what = format!("/readyz is {status}");
    let holds = async || ready(gateway).await == status;
    eventually(&what, patience, holds).await;
}

/// The gateway is started again on the folder where it is now, or the folder is moved back under it.
#[tokio::test(flavor = "multi_thread")]
async fn a_moved_folder_is_noticed_and_not_made_again() {
    for is_put_back in [false, true] {
        let scenario = format!("the folder is moved, and put back: {is_put_back}");
        repeated(&scenario, &[], async |_| {
            let round = Round::start().await;
            let data = round.data();
            let elsewhere = round.gateway.folder().join("elsewhere");
            let put_back = || fs::rename(&elsewhere, &data).unwrap();
            let moves = || fs::rename(&data, &elsewhere).unwrap();
            refuses(&round, moves, &["cep.db", "moved"]).await;
            assert!(!data.exists(), "the folder isn't made again");
            let ended = if is_put_back {
                put_back();
                is_ready_with(&round.gateway, 200, RECOVERY).await;
                round.goes_on(200).await;
                round.kill().await
            } else {
                let ended = round.kill().await;
                put_back();
                ended
            };
            Some(ended.compared().await)
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_file_is_noticed_and_not_written_to() {
    repeated("the file is replaced", &[], async |notes| {
        let round = Round::start().await;
        let data = round.data();
        // Hard links to the gateway's open files, by which they are found in the end.
        let kept = round.gateway.folder().join("kept");
        fs::create_dir(&kept).unwrap();
        for name in ["cep.db", "cep.db-wal"] {
            fs::hard_link(data.join(name), kept.join(name)).unwrap();
        }
        let (database, copy) = (data.join("cep.db"), data.join("copy.db"));
        fs::copy(&database, &copy).unwrap();
        let bytes = fs::read(&copy).unwrap();
        let mut replaced = None;
        let replace = || {
            fs::rename(&copy, &database).unwrap();
            replaced = Some((file(&database), names(&data)));
        };
        refuses(&round, replace, &["cep.db", "replaced"]).await;
        let ended = round.kill().await;
        assert_eq!(Some((file(&database), names(&data))), replaced);
        let now = fs::read(&database).unwrap();
        assert!(now == bytes, "the new file stays as it was");
        // The files at the paths lack what the log had.
        let copy = ended.folder.path().join("in place");
        copy_folder(&data, &copy);
        let counted = Sqlite::on(copy.join("cep.db")).month_used(&ended.key);
        notes.push(format!("in place {counted:?}"));
        for name in ["cep.db", "cep.db-wal", "cep.db-shm"] {
            let _ = fs::remove_file(data.join(name));
        }
        for name in names(&kept) {
            fs::rename(kept.join(&name), data.join(&name)).unwrap();
        }
        Some(ended.compared().await)
    })
    .await;
}

/// Removes the write-ahead log, and waits until the gateway has noticed it.
async fn remove_log(round: &Round) {
    let log = round.data().join("cep.db-wal");
    let remove = || fs::remove_file(log).unwrap();
    refuses(round, remove, &["cep.db-wal", "removed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_log_is_noticed_and_saved_and_not_made_again() {
    repeated("the log is removed", &[], async |_| {
        let round = Round::start().await;
        let (data, logged) = (round.data(), round.gateway.log().len());
        remove_log(&round).await;
        let saved = holds_within(NOTICED_WITHIN, async || {
            log_says(&round.gateway, logged, &["removed log was saved"])
        });
        assert!(saved.await, "the log's content is saved");
        let ended = round.kill().await;
        assert!(!data.join("cep.db-wal").exists(), "no log is made");
        Some(ended.compared().await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_logs_content_is_saved_when_the_gateway_is_stopped() {
    repeated("the log is removed, then SIGTERM", &[], async |_| {
        let round = Round::start().await;
        remove_log(&round).await;
        Some(round.stop().await.compared().await)
    })
    .await;
}
