//! One round of a scenario: a gateway under load, an event, `kill -9`, and the comparison of
//! delivered proofs with the database's counts.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::programs::{Sqlite, installed};
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

/// Measurements of a round for its line.
pub(super) type Notes = Vec<String>;

/// Duration of an event: the short one, or the full one with `CEP_TEST_FULL=1`.
pub(super) fn lasting(short: Duration, full: Duration) -> Duration {
    if variable("CEP_TEST_FULL").as_deref() == Some("1") {
        full
    } else {
        short
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long tests take is no setting of the program"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Runs a scenario in rounds (`CEP_TEST_ROUNDS`, or one), each on a gateway of its own; nothing where one of these
/// programs isn't installed, or a round can't be made.
pub(super) async fn repeated(
    scenario: &str,
    programs: &[&str],
    round: impl AsyncFn(&mut Notes) -> Option<Outcome>,
) {
    if !installed(&["sqlite3"]) || !installed(programs) {
        return;
    }
    let rounds = variable("CEP_TEST_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    for _ in 0..rounds {
        let mut notes = Notes::new();
        let Some(outcome) = round(&mut notes).await else {
            return;
        };
        outcome.finish(scenario, &notes);
    }
}

/// Does the same for an event during which no request may fail, and the database's files must stay the same.
pub(super) async fn in_rounds(scenario: &str, event: impl AsyncFn(&mut Round, &mut Notes)) {
    repeated(scenario, &[], async |notes| {
        let mut round = Round::start().await;
        let before = files(&round.data());
        event(&mut round, notes).await;
        round.no_request_failed();
        round.files_are(&before);
        Some(round.kill().await.compared().await)
    })
    .await;
}

/// A gateway under load.
pub(super) struct Round {
    pub(super) gateway: Gateway,
    pub(super) key: Key,
    pub(super) load: Load,
    planned: Planned,
}

/// A gateway that ended under load.
pub(super) struct Ended {
    pub(super) folder: TempDir,
    pub(super) key: Key,
    load: Tally,
    planned: Planned,
}

impl Round {
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
        let round = Self {
            gateway,
            key,
            load,
            planned: Box::new(planned),
        };
        round.goes_on(WARM_UP).await;
        round
    }

    pub(super) fn data(&self) -> PathBuf {
        self.gateway.folder().join("data")
    }

    /// SQLite's own program on the gateway's database.
    pub(super) fn sqlite(&self) -> Sqlite {
        Sqlite::on(self.data().join("cep.db"))
    }

    /// Waits until so many more proofs are delivered.
    pub(super) async fn goes_on(&self, more: usize) {
        let holds = self.load.goes_on(more).await;
        assert!(holds, "proofs are delivered: {:?}", self.load.so_far());
    }

    /// Asserts that no proof is delivered for this long, except those in flight.
    pub(super) async fn stands_still_for(&self, duration: Duration) {
        let until = self.load.so_far().delivered + self.load.connections();
        let moved = holds_within(duration, async || self.load.so_far().delivered > until).await;
        assert!(!moved, "nothing is delivered: {:?}", self.load.so_far());
    }

    /// Compares the load with an undisturbed one.
    pub(super) fn no_request_failed(&self) {
        let seen = self.load.so_far();
        assert_eq!(seen.refused + seen.unanswered, 0, "{seen:?}");
    }

    /// Compares the database's files with these.
    pub(super) fn files_are(&self, before: &[Option<File>]) {
        assert_eq!(files(&self.data()), before, "the files stay the same");
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
        }
    }
}

impl Ended {
    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Leaves out the proofs that were delivered before the database was set back to `counted`: so
    /// many, and those in flight.
    pub(super) fn since(mut self, counted: usize, delivered: usize) -> Self {
        let later = self.load.delivered - delivered;
        self.load.delivered = counted + later.saturating_sub(CONNECTIONS);
        self
    }

    /// Starts the gateway again, and counts by the database before anything repairs it, and by the
    /// gateway's own answer.
    pub(super) async fn compared(self) -> Outcome {
        // A copy: opening the database would recover the log and remove it, which is to be the
        // gateway's work.
        let copy = self.folder.path().join("copy");
        copy_folder(&self.data(), &copy);
        let copied = Sqlite::on(copy.join("cep.db"));
        let by_database = copied.month_used(&self.key);
        let before = copied.integrity();

        let data = self.data();
        let gateway = (self.planned)(Plan::in_folder(self.folder)).start();
        let by_gateway = month_used(&gateway, &self.key).await;
        // Its folder must outlive the last look.
        let _folder = gateway.stop();
        let after = Sqlite::on(data.join("cep.db")).integrity();
        Outcome {
            load: self.load,
            counted: [by_database, by_gateway],
            integrity: [before, after],
        }
    }
}

/// The result of one round.
#[derive(Debug)]
pub(super) struct Outcome {
    load: Tally,
    /// The month's use by the database that the ended gateway left, and by the restarted gateway; `None` when it
    /// can't be read.
    counted: [Option<usize>; 2],
    /// Answers of the integrity check before and after the restart.
    integrity: [String; 2],
}

impl Outcome {
    /// Prints the round's line, and fails when a proof isn't counted or the database isn't whole.
    #[expect(
        clippy::print_stdout,
        reason = "the lines of all scenarios make a table"
    )]
    fn finish(&self, scenario: &str, notes: &[String]) {
        println!("embedded | {scenario} | {self:?} | {}", notes.join(", "));
        let Tally {
            delivered,
            refused,
            unanswered,
            ..
        } = self.load;
        let possible = delivered..=delivered + refused + unanswered;
        for counted in self.counted {
            let is_possible = counted.is_some_and(|counted| possible.contains(&counted));
            assert!(is_possible, "all that was delivered is counted: {self:?}");
        }
        assert_eq!(self.integrity, ["ok"; 2], "the database is whole");
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

pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

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
