//! Other programs use the database beside the gateway: they read, copy, and hold locks.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::effects::Effects;
use super::programs::{Repeated, Session, Sqlite};
use super::round::{Round, in_rounds, log_says};
use super::row::lasting;
use crate::gateway::holds_within;
use crate::metrics::Measured;

/// Proofs that are delivered after an event: lost counts show here.
const AFTERWARDS: usize = 400;
/// Runs of a program that opens, reads and closes the database.
const READS: usize = 10;
/// Copies of each kind.
const COPIES: usize = 3;
/// The time that a writer holds the lock.
const LOCKED: Duration = Duration::from_secs(3);
/// The longest that the metric may lag behind the file.
const SHOWN_WITHIN: Duration = Duration::from_secs(5);
/// Size of the log that the gateway warns of. It must have done so in less than twice the time.
const LARGE: u64 = 64 << 20;
/// Proofs over which a log that is written anew from its beginning doesn't grow.
const STEADY: usize = 500;

#[tokio::test(flavor = "multi_thread")]
async fn no_count_is_lost_without_other_programs() {
    in_rounds("nobody else", async |round, _| {
        round.goes_on(AFTERWARDS).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_opens_reads_and_closes_costs_no_count() {
    in_rounds("open, read, close", async |round, row| {
        let reader = Repeated::start(reading(round.sqlite()));
        let read = holds_within(Duration::from_secs(20), async || reader.runs() >= READS).await;
        round.check(read, "readers get through");
        round.goes_on(AFTERWARDS).await;
        row.note(format!("reads {}", reader.runs()));
        let failures = reader.finished();
        round.check(failures.is_empty(), format!("readers read: {failures:?}"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_whole_and_have_the_keys_and_cost_no_count() {
    in_rounds("backups", async |round, _| {
        for copy in copies(round, "copy") {
            let made = copy.made_with(&round.key.id);
            round.check(made.is_ok(), format!("a copy is whole: {made:?}"));
        }
        // A key that is created after the first copies, and a copy with it.
        match round.gateway.try_key(&[]) {
            Ok(key) => {
                // One by each way.
                for copy in copies(round, "later").into_iter().take(2) {
                    let made = copy.made_with(&key.id);
                    round.check(made.is_ok(), format!("a later copy is whole: {made:?}"));
                }
            }
            Err(said) => round.check(false, format!("a key is made: {said}")),
        }
        round.goes_on(AFTERWARDS).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stays_makes_the_log_grow_in_sight_and_only_while_it_stays() {
    in_rounds("a reader stays", async |round, row| {
        let log = round.data().join("cep.db-wal");
        let size = || fs::metadata(&log).map_or(0, |log| log.len());
        let mut reader = round.sqlite().session();
        let seen = reader.ask("BEGIN; SELECT count(*) FROM api_keys;");
        round.check(seen.parse().is_ok_and(|keys: u32| keys > 0), "it reads");
        let staying = Instant::now();
        while staying.elapsed() < lasting(Duration::from_secs(2), Duration::from_mins(1)) {
            round.goes_on(STEADY).await;
        }
        let held = size();
        let mut shown = 0.0;
        let known = holds_within(SHOWN_WITHIN, async || {
            let measured = Measured::of(&round.gateway).await;
            shown = measured.value("cep_database_log_bytes");
            held > 0 && shown >= f64::from(u32::try_from(held).unwrap())
        })
        .await;
        round.check(
            known,
            format!("cep_database_log_bytes reaches {held}: {shown:?}"),
        );
        let peak = size();
        if peak >= 2 * LARGE {
            let said = log_says(&round.gateway, 0, &["write-ahead log is large"]);
            round.check(said, "the log of the gateway says that it is large");
        }
        reader.close();
        round.check(size() > 0, "the log is there after the reader");
        let mut settled = size();
        for _ in 0..20 {
            round.goes_on(STEADY).await;
            if size() <= settled {
                break;
            }
            settled = size();
        }
        round.check(
            size() <= settled,
            format!("the log stops growing: {}", size()),
        );
        row.note(format!("log {peak} with it, {} after it", size()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_holds_the_lock_makes_answers_late_and_none_fail() {
    in_rounds("a writer holds the lock", async |round, row| {
        let writer = locked(&round.sqlite());
        round.check(writer.is_some(), "it gets the lock");
        round.stands_still_for(LOCKED).await;
        if let Some(writer) = writer {
            writer.close();
        }
        round.goes_on(AFTERWARDS).await;
        let slowest = round.load.so_far().slowest;
        round.check(
            slowest + Duration::from_millis(500) > LOCKED,
            format!("answers wait for the lock: {slowest:?}"),
        );
        row.note(format!("slowest {slowest:?}"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_programs_together_cost_no_count_and_keys_take_effect() {
    in_rounds("all programs together", async |round, row| {
        let reader = Repeated::start(reading(round.sqlite()));
        let mut staying = round.sqlite().session();
        staying.ask("BEGIN; SELECT count(*) FROM api_keys;");
        let failures = Arc::new(Mutex::new(Vec::new()));
        let copier = std::thread::spawn({
            let (copies, failures) = (copies(round, "copy"), Arc::clone(&failures));
            let (sqlite, key) = (round.sqlite(), round.key.clone());
            move || {
                for copy in copies {
                    failures
                        .lock()
                        .unwrap()
                        .extend(copy.made_with(&key.id).err());
                }
                let held = sqlite.run(&["BEGIN IMMEDIATE", ".shell sleep 3", "COMMIT"]);
                failures.lock().unwrap().extend(held.err());
            }
        });
        let mut effects = Effects::default();
        while !copier.is_finished() {
            effects.measure(&round.gateway).await;
        }
        copier.join().unwrap();
        staying.close();
        effects.measure(&round.gateway).await;
        round.goes_on(AFTERWARDS).await;
        failures.lock().unwrap().extend(reader.finished());
        let failures = std::mem::take(&mut *failures.lock().unwrap());
        round.check(failures.is_empty(), format!("programs work: {failures:?}"));
        row.note(effects.summary());
        effects.check(round);
    })
    .await;
}

/// Opens the database, reads, and closes it.
fn reading(sqlite: Sqlite) -> impl FnMut() -> Result<(), String> + Send + 'static {
    move || sqlite.run(&["SELECT count(*) FROM api_keys"]).map(drop)
}

/// Takes the write lock; `None` when it can't.
fn locked(sqlite: &Sqlite) -> Option<Session> {
    let mut writer = sqlite.session();
    let held = writer.ask("BEGIN IMMEDIATE; SELECT 'held';");
    (held == "held").then_some(writer)
}

/// A copy of the database.
struct Copy {
    source: Sqlite,
    command: String,
    path: PathBuf,
}

/// Copies by both ways, in turn.
fn copies(round: &Round, name: &str) -> Vec<Copy> {
    let ways = ["VACUUM INTO", ".backup"].into_iter().cycle();
    let copies = ways.take(2 * COPIES).enumerate().map(|(number, way)| {
        let path = round.gateway.folder().join(format!("{name}{number}.db"));
        Copy {
            source: round.sqlite(),
            command: format!("{way} '{}'", path.display()),
            path,
        }
    });
    copies.collect()
}

impl Copy {
    /// Makes the copy, and checks that it is intact and has this key.
    fn made_with(&self, key: &str) -> Result<(), String> {
        self.source.run(&[&self.command])?;
        let copy = Sqlite::on(self.path.clone());
        let whole = copy.integrity();
        if whole != "ok" {
            return Err(whole);
        }
        let keys = format!("SELECT count(*) FROM api_keys WHERE id = '{key}'");
        match copy.run(&[&keys])?.as_str() {
            "1" => Ok(()),
            _ => Err(format!("{} doesn't have the key", self.path.display())),
        }
    }
}
