//! Other programs use the database beside the gateway: they read, copy, and hold locks; commands of the gateway
//! and a second one run.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::effects::slowest_effect;
use super::programs::{Repeated, Session, Sqlite};
use super::round::{Round, in_rounds, lasting, log_says};
use crate::gateway::{Key, command, eventually, refusal};
use crate::metrics::Measured;

/// Proofs that are delivered after an event: lost counts show here.
const AFTERWARDS: usize = 400;
/// Runs of a program that opens, reads and closes the database.
const READS: usize = 10;
/// Copies by both ways together.
const COPIES: usize = 6;
/// The time that a writer holds the lock.
const LOCKED: Duration = Duration::from_secs(3);
/// The longest that the metric may lag behind the file.
const SHOWN_WITHIN: Duration = Duration::from_secs(5);
/// Size of the log that the gateway warns of. It must have done so in less than twice the time.
const LARGE: u64 = 64 << 20;
/// Proofs over which a log that is written anew from its beginning doesn't grow.
const STEADY: usize = 500;

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_opens_reads_and_closes_costs_no_count() {
    in_rounds("open, read, close", async |round, notes| {
        let reader = reading(round);
        let patience = Duration::from_secs(20);
        let got_through = async || reader.runs() >= READS;
        eventually("readers get through", patience, got_through).await;
        round.goes_on(AFTERWARDS).await;
        notes.push(format!("reads {}", reader.finished()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_whole_and_have_the_keys_and_cost_no_count() {
    in_rounds("backups", async |round, _| {
        copy(&round.sqlite(), round.gateway.folder(), COPIES, &round.key);
        // A key that is created after the first copies, and a copy with it by each way.
        let key = round.gateway.key(&[]);
        copy(&round.sqlite(), round.gateway.folder(), 2, &key);
        round.goes_on(AFTERWARDS).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stays_makes_the_log_grow_in_sight_and_only_while_it_stays() {
    in_rounds("a reader stays", async |round, notes| {
        let log = round.data().join("cep.db-wal");
        let size = || fs::metadata(&log).map_or(0, |log| log.len());
        let reader = staying(round);
        let begun = Instant::now();
        while begun.elapsed() < lasting(Duration::from_secs(2), Duration::from_mins(1)) {
            round.goes_on(STEADY).await;
        }
        let held = u32::try_from(size()).unwrap();
        assert!(held > 0);
        let what = format!("cep_database_log_bytes reaches {held}");
        eventually(&what, SHOWN_WITHIN, async || {
            let measured = Measured::of(&round.gateway).await;
            measured.value("cep_database_log_bytes") >= f64::from(held)
        })
        .await;
        let peak = size();
        if peak >= 2 * LARGE {
            let said = log_says(&round.gateway, 0, &["write-ahead log is large"]);
            assert!(said, "the log of the gateway says that it is large");
        }
        reader.close();
        let mut settled = size();
        assert!(settled > 0, "the log is there after the reader");
        for _ in 0..20 {
            round.goes_on(STEADY).await;
            if size() <= settled {
                break;
            }
            settled = size();
        }
        assert!(size() <= settled, "the log stops growing: {}", size());
        notes.push(format!("log {peak} with it, {} after it", size()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_holds_the_lock_makes_answers_late_and_none_fail() {
    in_rounds("a writer holds the lock", async |round, notes| {
        let mut writer = round.sqlite().session();
        let held = writer.ask("BEGIN IMMEDIATE; SELECT 'held';");
        assert_eq!(held, "held");
        round.stands_still_for(LOCKED).await;
        writer.close();
        round.goes_on(AFTERWARDS).await;
        let slowest = round.load.so_far().slowest;
        let waited = slowest + Duration::from_millis(500) > LOCKED;
        assert!(waited, "answers wait for the lock: {slowest:?}");
        notes.push(format!("slowest {slowest:?}"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_programs_together_cost_no_count_and_keys_take_effect() {
    in_rounds("all programs together", async |round, notes| {
        let reader = reading(round);
        let staying = staying(round);
        let copier = std::thread::spawn({
            let (sqlite, key) = (round.sqlite(), round.key.clone());
            let folder = round.gateway.folder().to_owned();
            move || {
                copy(&sqlite, &folder, COPIES, &key);
                let held = ["BEGIN IMMEDIATE", ".shell sleep 3", "COMMIT"];
                sqlite.run(&held).unwrap();
            }
        });
        let mut slowest = Duration::ZERO;
        while !copier.is_finished() {
            slowest = slowest.max(slowest_effect(&round.gateway).await);
        }
        copier.join().unwrap();
        staying.close();
        slowest = slowest.max(slowest_effect(&round.gateway).await);
        round.goes_on(AFTERWARDS).await;
        reader.finished();
        notes.push(format!("slowest effect {slowest:?}"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_gateway_is_refused_by_the_lock_and_the_first_goes_on() {
    in_rounds("a second gateway", async |round, _| {
        let said = refusal(&mut command(round.gateway.folder()));
        for part in ["another gateway serves", "cep.db.lock"] {
            assert!(said.contains(part), "{said}");
        }
        round.goes_on(AFTERWARDS).await;
    })
    .await;
}

/// Opens the database, reads, and closes it, again and again.
fn reading(round: &Round) -> Repeated {
    let sqlite = round.sqlite();
    Repeated::start(move || drop(sqlite.ask("SELECT count(*) FROM api_keys")))
}

/// A reader whose transaction stays open.
fn staying(round: &Round) -> Session {
    let mut reader = round.sqlite().session();
    let seen = reader.ask("BEGIN; SELECT count(*) FROM api_keys;");
    assert!(seen.parse().is_ok_and(|keys: u32| keys > 0), "it reads");
    reader
}

/// Copies the database by both ways in turn, so often in all, and checks that each copy is intact and has a key.
fn copy(source: &Sqlite, folder: &Path, times: usize, key: &Key) {
    let ways = ["VACUUM INTO", ".backup"].into_iter().cycle();
    for (number, way) in ways.take(times).enumerate() {
        let path = folder.join(format!("{}-{number}.db", key.id));
        source.ask(&format!("{way} '{}'", path.display()));
        let copy = Sqlite::on(path);
        assert_eq!(copy.integrity(), "ok", "by {way}");
        assert!(copy.knows(key), "the copy by {way} lacks the key");
    }
}
