//! One round of a scenario: a gateway under load, an event, `kill -9`, and the comparison of
//! delivered proofs with the database's counts.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::programs::{Sqlite, installed};
use super::row::{Outcome, Row, rounds};
use crate::counted::{Load, Tally, metered_key, month_used};
use crate::gateway::{Gateway, Key, Plan, holds_within};
use crate::load::{Asker, question};

/// Requests in flight.
const CONNECTIONS: usize = 16;
/// Proofs that are delivered before anything happens.
const WARM_UP: usize = 200;
/// The database, and SQLite's files beside it.
const FILES: [&str; 3] = ["cep.db", "cep.db-wal", "cep.db-shm"];

/// Changes to a gateway's plan: the first start's and the restart's.
type Planned = Box<dyn Fn(Plan) -> Plan>;

/// Runs a scenario in rounds, each on a gateway of its own, and prints its line; nothing where one of these programs
/// isn't installed, or a round can't be made.
pub(super) async fn repeated(
    scenario: &str,
    programs: &[&str],
    round: impl AsyncFn(&mut Row) -> Option<Outcome>,
) {
    if !installed(&["sqlite3"]) || !installed(programs) {
        return;
    }
    let mut row = Row::of(scenario);
    for _ in 0..rounds() {
        let Some(outcome) = round(&mut row).await else {
            return;
        };
        row.add(outcome);
    }
    row.finish();
}

/// Does the same for an event during which no request may fail, and the database's files must stay the same.
pub(super) async fn in_rounds(scenario: &str, event: impl AsyncFn(&mut Round, &mut Row)) {
    repeated(scenario, &[], async |row| {
        let mut round = Round::start().await;
        let before = files(&round.data());
        event(&mut round, row).await;
        round.no_request_failed();
        round.files_are(&before);
        Some(round.end().await)
    })
    .await;
}

/// A gateway under load, and the checks that failed.
pub(super) struct Round {
    pub(super) gateway: Gateway,
    pub(super) key: Key,
    pub(super) load: Load,
    planned: Planned,
    failures: Vec<String>,
}

/// A gateway that ended under load.
pub(super) struct Ended {
    pub(super) folder: TempDir,
    key: Key,
    load: Tally,
    planned: Planned,
    failures: Vec<String>,
}

impl Round {
    /// Starts a gateway with default settings, and the load.
    pub(super) async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), CONNECTIONS, |plan| plan).await
    }

    /// Starts a gateway in this folder with this plan, and a load of so many connections.
    pub(super) async fn start_in(
        folder: TempDir,
        connections: usize,
        planned: impl Fn(Plan) -> Plan + 'static,
    ) -> Self {
        let gateway = planned(Plan::in_folder(folder)).start();
        let key = metered_key(&gateway);
        // From here on the proof is cached: nothing depends on the bank.
        let first = Asker::new(&gateway).ask(&question(&key)).await.unwrap();
        assert_eq!(first.status, 200, "{first:?}");
        let load = Load::start(&gateway, &key, connections);
        let mut round = Self {
            gateway,
            key,
            load,
            planned: Box::new(planned),
            failures: Vec::new(),
        };
        round.goes_on(WARM_UP).await;
        round
    }

    /// The data folder.
    pub(super) fn data(&self) -> PathBuf {
        self.gateway.folder().join("data")
    }

    /// SQLite's own program on the gateway's database.
    pub(super) fn sqlite(&self) -> Sqlite {
        Sqlite::on(self.data().join("cep.db"))
    }

    /// Records a failed check; the round goes on, so that its proofs are compared too.
    pub(super) fn check(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.failures.push(what.into());
        }
    }

    /// Waits until so many more proofs are delivered.
    pub(super) async fn goes_on(&mut self, more: usize) {
        let holds = self.load.goes_on(more).await;
        let seen = self.load.so_far();
        self.check(holds, format!("proofs are delivered: {seen:?}"));
    }

    /// Checks that no proof is delivered for this long, except those in flight.
    pub(super) async fn stands_still_for(&mut self, duration: Duration) {
        let until = self.load.so_far().delivered + self.load.connections();
        let moved = holds_within(duration, async || self.load.so_far().delivered > until).await;
        let seen = self.load.so_far();
        self.check(!moved, format!("nothing is delivered meanwhile: {seen:?}"));
    }

    /// Compares the load with an undisturbed one.
    pub(super) fn no_request_failed(&mut self) {
        let seen = self.load.so_far();
        self.check(
            seen.refused + seen.unanswered == 0,
            format!("no request fails: {seen:?}"),
        );
    }

    /// Compares the database's files with these.
    pub(super) fn files_are(&mut self, before: &[Option<File>]) {
        let now = files(&self.data());
        self.check(
            now == before,
            format!("the files stay the same: {before:?}, {now:?}"),
        );
    }

    /// Ends the gateway at once, under load; it may have ended by itself.
    pub(super) async fn kill(self) -> Ended {
        self.ended_by(Gateway::kill).await
    }

    /// Asks the gateway to stop, under load.
    pub(super) async fn stop(self) -> Ended {
        self.ended_by(Gateway::stop).await
    }

    async fn ended_by(self, end: impl FnOnce(Gateway) -> TempDir) -> Ended {
        let before = self.load.so_far();
        let connections = self.load.connections();
        let folder = end(self.gateway);
        // With the first one.
        let delivered = self.load.stopped().await.delivered + 1;
        Ended {
            folder,
            key: self.key,
            load: Tally {
                delivered,
                // Requests in flight at the end may be counted.
                unanswered: before.unanswered + connections,
                ..before
            },
            planned: self.planned,
            failures: self.failures,
        }
    }

    /// Ends the gateway at once, under load, and compares.
    pub(super) async fn end(self) -> Outcome {
        self.kill().await.compared().await
    }
}

impl Ended {
    /// The data folder.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    /// Records a failed check.
    pub(super) fn check(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.failures.push(what.into());
        }
    }

    /// Leaves out the proofs that were delivered before the database was set back to `counted`: so
    /// many, and those in flight.
    pub(super) fn since(mut self, counted: usize, delivered: usize) -> Self {
        let later = self.load.delivered - delivered;
        self.load.delivered = counted + later.saturating_sub(CONNECTIONS);
        self
    }

    /// Starts the gateway again, and compares the delivered proofs with the counts: by the database
    /// before anything repairs it, and by the gateway's own answer.
    pub(super) async fn compared(mut self) -> Outcome {
        // A copy: opening the database would recover the log and remove it, which is to be the
        // gateway's work.
        let copy = self.folder.path().join("copy");
        copy_folder(&self.data(), &copy);
        let copied = Sqlite::on(copy.join("cep.db"));
        let by_database = copied.month_used(&self.key);
        let mut integrity = copied.integrity();

        let data = self.data();
        let mut by_gateway = None;
        match (self.planned)(Plan::in_folder(self.folder)).try_start() {
            Ok(gateway) => {
                by_gateway = month_used(&gateway, &self.key).await;
                // Its folder must outlive the last look.
                let _folder = gateway.stop();
                let after = Sqlite::on(data.join("cep.db")).integrity();
                if after != "ok" {
                    integrity = format!("{integrity}, after the restart {after}");
                }
            }
            Err(log) => {
                let said = log.lines().next_back().unwrap_or_default();
                self.failures.push(format!("it starts again: {said}"));
            }
        }
        Outcome {
            load: self.load,
            by_database,
            by_gateway,
            integrity,
            failures: self.failures,
        }
    }
}

/// Identity of a file: its device and its inode.
pub(super) type File = (u64, u64);

/// The database, and SQLite's files beside it.
pub(super) fn paths(data: &Path) -> Vec<PathBuf> {
    FILES.map(|name| data.join(name)).to_vec()
}

/// The identities of the database's files.
pub(super) fn files(data: &Path) -> Vec<Option<File>> {
    paths(data).iter().map(|path| file(path)).collect()
}

/// Returns the identity of a file; `None` when there is none.
pub(super) fn file(path: &Path) -> Option<File> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// The names in a folder, sorted.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Copies the files of a folder.
pub(super) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for name in names(from) {
        let path = from.join(&name);
        if path.is_file() {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}

/// Returns whether the gateway logged, after the first `from` bytes, a warning or an error with all
/// these words.
pub(super) fn log_says(gateway: &Gateway, from: usize, words: &[&str]) -> bool {
    gateway.log()[from..].lines().any(|line| {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            return false;
        };
        let text = line.to_string();
        (line["level"] == "WARN" || line["level"] == "ERROR")
            && words.iter().all(|word| text.contains(word))
    })
}
