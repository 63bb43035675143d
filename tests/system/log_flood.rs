//! A log that nobody reads while requests flood it: what is kept of it, and what is counted.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use reqwest::{Method, StatusCode};
use rustix::fs::{CWD, Mode, mkfifoat};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::gateway::{Gateway, Plan, eventually};
use crate::metrics::Measured;
use crate::person::{Demo, Person};

/// Longer than tens of thousands of requests take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(4);
/// Time in which the log is read once somebody reads it.
const READING: Duration = Duration::from_secs(30);
/// Lines before one about a key: those in the pipe and in two buffers, far fewer than wait.
const FEW: u32 = 4_000;
/// Requests at the same time.
const TOGETHER: u32 = 32;

/// A gateway whose standard error is a pipe, and the pipe.
fn with_unread_log() -> (Gateway, File) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    // For writing too: a pipe without a writer keeps its reader waiting.
    let pipe = File::options().read(true).write(true).open(path).unwrap();
    (Plan::in_folder(folder).start(), pipe)
}

/// Lines that the gateway's own metrics say were dropped.
async fn dropped(gateway: &Gateway, kind: &str) -> f64 {
    let series = format!("cep_log_lines_dropped_total{{kind=\"{kind}\"}}");
    Measured::of(gateway).await.value(&series)
}

/// Sends this many requests with keys that nobody has: a line of the log each.
async fn guess(gateway: &Gateway, requests: u32) {
    let stranger = || async {
        let asking = gateway.client.post(gateway.url("/v1/cep/xml"));
        let answer = asking.header("x-api-key", "none").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    };
    for _ in 0..requests / TOGETHER {
        futures::future::join_all((0..TOGETHER).map(|_| stranger())).await;
    }
}

#[tokio::test]
async fn a_flood_that_nobody_reads_displaces_no_line_about_a_key() {
    let (gateway, pipe) = with_unread_log();
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let key = admin.create_key("flooded", "test").await;
    let are_dropped = async || {
        guess(&gateway, 2_000).await;
        dropped(&gateway, "ordinary").await > 0.0
    };
    eventually("lines are dropped", PATIENCE, are_dropped).await;
    let revoked = admin.request(Method::DELETE, &format!("/keys/{}", key.id));
    assert_eq!(revoked.send().await.unwrap().status(), StatusCode::OK);
    assert!(dropped(&gateway, "changes").await < 1.0);

    let (found, finding) = oneshot::channel();
    // Not the runtime's: it waits for a line, perhaps in vain.
    std::thread::spawn(move || {
        let (mut revocation, mut drops, mut before) = (None, None, 0);
        let of_key = format!("\"key\":\"{}\"", key.id);
        let mut lines = BufReader::new(pipe).lines();
        while revocation.is_none() || drops.is_none() {
            let line = lines.next().unwrap().unwrap();
            if line.contains("\"action\":\"key_revoked\"") && line.contains(&of_key) {
                revocation = Some(line);
                assert!(before < FEW, "{before} lines come first");
            } else if line.contains("lines of the log were dropped") {
                drops = Some(line);
            }
            before += 1;
        }
        found.send((revocation.unwrap(), drops.unwrap())).unwrap();
    });
    let found = timeout(READING, finding).await;
    let (revocation, drops) = found.expect("both lines are there").unwrap();
    let target = "\"target\":\"cep::keys\"";
    assert!(revocation.contains(target), "{revocation}");
    let drops: serde_json::Value = serde_json::from_str(&drops).unwrap();
    assert!(drops["dropped"].as_u64().unwrap() > 0, "{drops}");
    assert_eq!(drops["dropped_changes"], 0);
}

#[tokio::test]
async fn a_log_that_nobody_reads_stops_nothing() {
    let (gateway, _pipe) = with_unread_log();
    // More than the pipe and the buffer before it hold: the log's thread is stuck.
    guess(&gateway, 2_000).await;
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
    // It waits for its lines a second at most.
    gateway.stopped().await;
}
