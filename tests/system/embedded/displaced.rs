//! The database's files are moved, replaced or removed under a serving gateway: it notices, logs
//! it, and answers nothing that it couldn't count.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rstest::rstest;

use super::programs::Sqlite;
use super::round::{Ended, Round, copy_folder, file, log_says, names, repeated};
use crate::gateway::{Gateway, holds_within};
use crate::load::{Asker, question};

/// The longest that proofs may still be delivered.
pub(super) const NOTICED_WITHIN: Duration = Duration::from_secs(2);
/// Requests that are refused before the counts are compared.
const REFUSALS: usize = 50;
/// The longest until it serves again once the files are back.
const RECOVERY: Duration = Duration::from_secs(10);

/// Waits until the gateway refuses everything, and checks that its log names the reason and the
/// remedy. The event was at `since`, when the log had `logged` bytes.
pub(super) async fn refuses(round: &mut Round, since: Instant, logged: usize, words: &[&str]) {
    let noticed = holds_within(NOTICED_WITHIN, async || ready(&round.gateway).await == 503).await;
    round.check(noticed, format!("/readyz is 503 within {NOTICED_WITHIN:?}"));
    let refused = round.load.is_refused(REFUSALS).await;
    round.check(refused, "proofs are refused");
    let answer = Asker::new(&round.gateway).ask(&question(&round.key)).await;
    let status = answer.map(|answer| answer.status);
    round.check(
        matches!(status, Ok(503)),
        format!("a proof is refused with 503: {status:?}"),
    );
    let newest = round.load.newest().saturating_duration_since(since);
    round.check(
        newest <= NOTICED_WITHIN,
        format!("the last proof is delivered within {NOTICED_WITHIN:?}: {newest:?}"),
    );
    let said = log_says(
        &round.gateway,
        logged,
        &[words, &["top the gateway"]].concat(),
    );
    round.check(said, format!("the log says {words:?} and what to do"));
}

/// The status of `/readyz`; 0 when nothing answers.
pub(super) async fn ready(gateway: &Gateway) -> u16 {
    let answer = gateway.client.get(gateway.url("/readyz")).send().await;
    answer.map_or(0, |answer| answer.status().as_u16())
}

#[derive(Clone, Copy, Debug)]
enum End {
    /// The gateway is ended, and started on the folder where it is now.
    Restart,
    /// The folder is moved back under the gateway.
    PutBack,
}

#[rstest]
#[case::restart(End::Restart)]
#[case::put_back(End::PutBack)]
#[tokio::test(flavor = "multi_thread")]
async fn a_moved_folder_is_noticed_and_not_made_again(#[case] end: End) {
    repeated(&format!("the folder is moved, {end:?}"), &[], async |_| {
        let mut round = Round::start().await;
        let (data, logged) = (round.data(), round.gateway.log().len());
        let elsewhere = round.gateway.folder().join("elsewhere");
        fs::rename(&data, &elsewhere).unwrap();
        refuses(&mut round, Instant::now(), logged, &["cep.db", "moved"]).await;
        round.check(!data.exists(), "the folder isn't made again");
        let ended = match end {
            End::Restart => {
                let ended = round.kill().await;
                let _ = fs::remove_dir_all(&data);
                fs::rename(&elsewhere, &data).unwrap();
                ended
            }
            End::PutBack => {
                let _ = fs::remove_dir_all(&data);
                fs::rename(&elsewhere, &data).unwrap();
                let ready_again =
                    holds_within(RECOVERY, async || ready(&round.gateway).await == 200).await;
                round.check(ready_again, "/readyz is 200 once it is back");
                round.goes_on(200).await;
                round.kill().await
            }
        };
        Some(ended.compared().await)
    })
    .await;
}

/// Makes hard links to the gateway's open files, by which they are found in the end.
fn keep(data: &Path, kept: &Path) {
    fs::create_dir(kept).unwrap();
    for name in ["cep.db", "cep.db-wal"] {
        fs::hard_link(data.join(name), kept.join(name)).unwrap();
    }
}

/// Restores the gateway's open files to their paths.
fn restore(data: &Path, kept: &Path) {
    for name in ["cep.db", "cep.db-wal", "cep.db-shm"] {
        let _ = fs::remove_file(data.join(name));
    }
    for name in names(kept) {
        fs::rename(kept.join(&name), data.join(&name)).unwrap();
    }
}

/// Counts of the files at the paths: they lack what the log had.
fn in_place(ended: &Ended) -> String {
    let copy = ended.folder.path().join("in place");
    copy_folder(&ended.data(), &copy);
    let counted = Sqlite::on(copy.join("cep.db")).month_used(ended.key());
    format!("in place {counted:?}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_file_is_noticed_and_not_written_to() {
    repeated("the file is replaced", &[], async |row| {
        let mut round = Round::start().await;
        let (data, logged) = (round.data(), round.gateway.log().len());
        let kept = round.gateway.folder().join("kept");
        keep(&data, &kept);
        let (database, copy) = (data.join("cep.db"), data.join("copy.db"));
        fs::copy(&database, &copy).unwrap();
        let bytes = fs::read(&copy).unwrap();
        fs::rename(&copy, &database).unwrap();
        let (replaced, there) = (file(&database), names(&data));
        refuses(&mut round, Instant::now(), logged, &["cep.db", "replaced"]).await;
        let mut ended = round.kill().await;
        ended.check(
            file(&database) == replaced && fs::read(&database).unwrap() == bytes,
            "the new file stays as it was",
        );
        let now = names(&data);
        ended.check(now == there, format!("no file is made: {there:?}, {now:?}"));
        row.note(in_place(&ended));
        restore(&data, &kept);
        Some(ended.compared().await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_log_is_noticed_and_saved_and_not_made_again() {
    repeated("the log is removed", &[], async |_| {
        let mut round = Round::start().await;
        let (data, logged) = (round.data(), round.gateway.log().len());
        remove_log(&mut round).await;
        let saved = holds_within(NOTICED_WITHIN, async || {
            log_says(&round.gateway, logged, &["removed log was saved"])
        });
        let saved = saved.await;
        round.check(saved, "the log's content is saved");
        let mut ended = round.kill().await;
        ended.check(!data.join("cep.db-wal").exists(), "no log is made");
        Some(ended.compared().await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_logs_content_is_saved_when_the_gateway_is_stopped() {
    repeated("the log is removed, then SIGTERM", &[], async |_| {
        let mut round = Round::start().await;
        remove_log(&mut round).await;
        Some(round.stop().await.compared().await)
    })
    .await;
}

async fn remove_log(round: &mut Round) {
    let logged = round.gateway.log().len();
    fs::remove_file(round.data().join("cep.db-wal")).unwrap();
    refuses(round, Instant::now(), logged, &["cep.db-wal", "removed"]).await;
}
