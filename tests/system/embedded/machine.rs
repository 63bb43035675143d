//! Failures of the machine: its disk is full or refuses writes, descriptors are scarce, the process
//! is suspended, the clock jumps.

use std::fs;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;
use tokio::net::TcpStream;

use super::displaced::{is_ready_with, ready};
use super::mounted::{Disk, ReadOnly};
use super::round::{Round, files, lasting, paths, repeated};
use crate::clock::Clock;
use crate::gateway::{Plan, eventually, request};

/// Requests in flight.
const CONNECTIONS: usize = 16;
/// Time until a failure of the disk shows, and until it is over.
const PATIENCE: Duration = Duration::from_secs(30);
/// Refusals during a failure.
const REFUSALS: usize = 20;
/// Proofs after it.
const AFTERWARDS: usize = 300;

/// Waits until the gateway isn't ready and refuses requests.
async fn refuses(round: &Round) {
    is_ready_with(&round.gateway, 503, PATIENCE).await;
    let refused = round.load.is_refused(REFUSALS).await;
    assert!(refused, "proofs are refused meanwhile");
}

/// Waits until the gateway is ready and delivers.
async fn recovers(round: &Round) {
    is_ready_with(&round.gateway, 200, PATIENCE).await;
    round.goes_on(AFTERWARDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_a_freed_one_goes_on() {
    repeated("the disk is full, and freed", &["mount"], async |_| {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::mount(folder.path().join("data"), 32)?;
        let round = Round::start_in(folder, CONNECTIONS, |plan| plan).await;
        disk.fill();
        refuses(&round).await;
        disk.free();
        recovers(&round).await;
        Some(round.kill().await.compared().await)
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
        let round = Round::start_in(on_disk(), CONNECTIONS, |plan| plan).await;
        let before = files(&round.data());
        // Without the log's index, see below.
        let files = paths(&round.data()).into_iter().take(2);
        let read_only = ReadOnly::make(files.collect())?;
        refuses(&round).await;
        drop(read_only);
        recovers(&round).await;
        round.files_are(&before);
        Some(round.kill().await.compared().await)
    })
    .await;
}

/// The index is a memory-mapped file, and a page of it that can't be written ends the process
/// (SIGBUS), as on any read-only disk: then a supervisor has to start it again.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_refuses_writes_may_end_the_process_and_costs_no_count() {
    let scenario = "the files and the index refuse writes";
    repeated(scenario, &["chattr"], async |notes| {
        let round = Round::start_in(on_disk(), CONNECTIONS, |plan| plan).await;
        let read_only = ReadOnly::make(paths(&round.data()))?;
        let mut status = 200;
        eventually("/readyz isn't 200", PATIENCE, async || {
            status = ready(&round.gateway).await;
            status != 200
        })
        .await;
        notes.push(format!("/readyz {status}"));
        let ended = round.kill().await;
        drop(read_only);
        Some(ended.compared().await)
    })
    .await;
}

/// Fewer descriptors than connections that may be open.
fn scarce(plan: Plan) -> Plan {
    plan.with_descriptors(128)
        .with("CEP_MAX_CONNECTIONS_PER_ADDRESS", 400)
}

#[tokio::test(flavor = "multi_thread")]
async fn more_connections_than_descriptors_cost_no_count() {
    repeated("128 descriptors, 400 connections", &[], async |notes| {
        let folder = tempfile::tempdir().unwrap();
        let round = Round::start_in(folder, 400, scarce).await;
        let before = files(&round.data());
        round.goes_on(1_000).await;
        round.files_are(&before);
        notes.push(format!("{:?}", round.load.so_far()));
        Some(round.kill().await.compared().await)
    })
    .await;
}

/// Counts descriptors as the kernel does, in `/proc`.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn callers_leave_descriptors_for_the_bank() {
    let gateway = scarce(Plan::new()).start();
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
    repeated("the process is suspended", &[], async |notes| {
        let round = Round::start().await;
        let before = files(&round.data());
        round.gateway.signal("STOP");
        round.stands_still_for(suspended).await;
        round.gateway.signal("CONT");
        round.goes_on(AFTERWARDS).await;
        let seen = round.load.so_far();
        // A request whose deadline passed meanwhile is refused, and not answered late.
        let waited = seen.slowest + Duration::from_millis(500) > suspended;
        assert!(waited || seen.refused > 0, "requests wait: {seen:?}");
        assert_eq!(seen.unanswered, 0);
        notes.push(format!("slowest {:?}", seen.slowest));
        round.files_are(&before);
        Some(round.kill().await.compared().await)
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
        let round = Round::start_in(folder, CONNECTIONS, planned).await;
        let before = files(&round.data());
        for days in [1, -1, 0] {
            clock.set(noon + TimeDelta::days(days));
            round.goes_on(AFTERWARDS).await;
        }
        round.no_request_failed();
        round.files_are(&before);
        Some(round.kill().await.compared().await)
    })
    .await;
}
