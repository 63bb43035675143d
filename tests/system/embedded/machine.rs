//! Failures of the machine: its disk is full or refuses writes, descriptors are scarce, the process
//! is suspended, the clock jumps.

use std::fs;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::displaced::ready;
use super::mounted::{Disk, ReadOnly};
use super::round::{Round, files, paths, repeated};
use super::row::lasting;
use crate::clock::Clock;
use crate::gateway::{Plan, eventually, holds_within, request};

/// Requests in flight.
const CONNECTIONS: usize = 16;
/// Time until a failure of the disk shows, and until it is over.
const PATIENCE: Duration = Duration::from_secs(30);
/// Refusals during a failure.
const REFUSALS: usize = 20;
/// Proofs after it.
const AFTERWARDS: usize = 300;

/// Waits until the gateway isn't ready and refuses requests.
async fn refuses(round: &mut Round) {
    let noticed = holds_within(PATIENCE, async || ready(&round.gateway).await == 503).await;
    round.check(noticed, "/readyz is 503 meanwhile");
    let refused = round.load.is_refused(REFUSALS).await;
    round.check(refused, "proofs are refused meanwhile");
}

/// Waits until the gateway is ready and delivers.
async fn recovers(round: &mut Round) {
    let over = holds_within(PATIENCE, async || ready(&round.gateway).await == 200).await;
    round.check(over, "/readyz is 200 afterwards");
    round.goes_on(AFTERWARDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_a_freed_one_goes_on() {
    repeated("the disk is full, and freed", &["mount"], async |_| {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::mount(folder.path().join("data"), 32)?;
        let mut round = Round::start_in(folder, CONNECTIONS, |plan| plan).await;
        disk.fill();
        refuses(&mut round).await;
        disk.free();
        recovers(&mut round).await;
        Some(round.end().await)
    })
    .await;
}

/// A folder on a disk. Files in memory take writes through open descriptors, immutable or not.
fn on_disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_refuse_writes_refuse_proofs_and_it_goes_on_afterwards() {
    repeated("the files refuse writes", &["chattr"], async |_| {
        let mut round = Round::start_in(on_disk(), CONNECTIONS, |plan| plan).await;
        let before = files(&round.data());
        // Without the log's index, see below.
        let files = paths(&round.data()).into_iter().take(2);
        let read_only = ReadOnly::make(files.collect())?;
        refuses(&mut round).await;
        drop(read_only);
        recovers(&mut round).await;
        round.files_are(&before);
        Some(round.end().await)
    })
    .await;
}

/// The index is a memory-mapped file, and a page of it that can't be written ends the process
/// (SIGBUS), as on any read-only disk: then a supervisor has to start it again.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_refuses_writes_may_end_the_process_and_costs_no_count() {
    repeated(
        "the files and the index refuse writes",
        &["chattr"],
        async |row| {
            let mut round = Round::start_in(on_disk(), CONNECTIONS, |plan| plan).await;
            let read_only = ReadOnly::make(paths(&round.data()))?;
            let mut status = 200;
            let stopped = holds_within(PATIENCE, async || {
                status = ready(&round.gateway).await;
                status != 200
            })
            .await;
            round.check(stopped, "/readyz isn't 200 meanwhile");
            row.note(format!("/readyz {status}"));
            let ended = round.kill().await;
            drop(read_only);
            Some(ended.compared().await)
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_connections_than_descriptors_cost_no_count() {
    repeated("128 descriptors, 400 connections", &[], async |row| {
        let folder = tempfile::tempdir().unwrap();
        let scarce = |plan: Plan| {
            let plan = plan.with_descriptors(128);
            plan.with("CEP_MAX_CONNECTIONS_PER_ADDRESS", 400)
        };
        let mut round = Round::start_in(folder, 400, scarce).await;
        let before = files(&round.data());
        round.goes_on(1_000).await;
        round.files_are(&before);
        let seen = round.load.so_far();
        row.note(format!(
            "refused {}, unanswered {}",
            seen.refused, seen.unanswered
        ));
        Some(round.end().await)
    })
    .await;
}

/// Counts descriptors as the kernel does, in `/proc`.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn callers_leave_descriptors_for_the_bank() {
    let gateway = Plan::new()
        .with_descriptors(128)
        .with("CEP_MAX_CONNECTIONS_PER_ADDRESS", 400)
        .start();
    let key = gateway.roomy_key();
    // A connection that the client keeps; none to the bank was needed yet.
    assert_eq!(ready(&gateway).await, 200);
    let mut crowd = Vec::new();
    for _ in 0..400 {
        crowd.push(TcpStream::connect(gateway.address).await.unwrap());
    }
    let descriptors = format!("/proc/{}/fd", gateway.id());
    let mut last = 0;
    eventually("no more are accepted", PATIENCE, async || {
        let now = fs::read_dir(&descriptors).unwrap().count();
        let settled = now > 64 && now == last;
        last = now;
        settled
    })
    .await;
    let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
    assert_eq!(answer.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_process_answers_late_and_counts_all() {
    let suspended = lasting(Duration::from_secs(3), Duration::from_secs(70));
    repeated("the process is suspended", &[], async |row| {
        let mut round = Round::start().await;
        let before = files(&round.data());
        round.gateway.signal("STOP");
        round.stands_still_for(suspended).await;
        round.gateway.signal("CONT");
        round.goes_on(AFTERWARDS).await;
        let seen = round.load.so_far();
        let slowest = seen.slowest;
        // A request whose deadline passed meanwhile is refused, and not answered late.
        let waited = slowest + Duration::from_millis(500) > suspended;
        round.check(
            waited || seen.refused > 0,
            format!("requests wait: {seen:?}"),
        );
        row.note(format!("slowest {slowest:?}"));
        // Some may be refused: their deadlines passed meanwhile.
        let unanswered = round.load.so_far().unanswered;
        round.check(unanswered == 0, format!("unanswered: {unanswered}"));
        round.files_are(&before);
        Some(round.end().await)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumps_by_a_day_costs_no_count() {
    // In the middle of a month, so that all is counted in one.
    let noon: DateTime<Utc> = "2026-11-20T18:00:00Z".parse().unwrap();
    repeated("the clock jumps by a day", &[], async |_| {
        let clock = Clock::at(noon);
        let variables = clock.variables(TimeDelta::zero());
        let planned = move |plan: Plan| plan.with_all(variables.clone());
        let folder = tempfile::tempdir().unwrap();
        let mut round = Round::start_in(folder, CONNECTIONS, planned).await;
        let before = files(&round.data());
        for days in [1, -1, 0] {
            clock.set(noon + TimeDelta::days(days));
            round.goes_on(AFTERWARDS).await;
        }
        round.no_request_failed();
        round.files_are(&before);
        Some(round.end().await)
    })
    .await;
}
