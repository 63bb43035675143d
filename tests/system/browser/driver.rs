//! chromedriver: a test's own process, or the one of the whole run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::PATIENCE;
use crate::gateway::{client, json_of};

/// A driver that answers.
pub(super) struct Driver {
    port: u16,
    /// Folder of profiles.
    pub(super) folder: PathBuf,
    own: Option<(Child, TempDir)>,
}

impl Driver {
    /// The driver of the run, where `scripts/test` has started one, or a new one.
    pub(super) fn find_or_start(chromedriver: &Path) -> Self {
        if let Some(shared) = of_run() {
            return shared;
        }
        let folder = tempfile::tempdir().unwrap();
        let (driver, port) = start_driver(chromedriver, folder.path());
        Self {
            port,
            folder: folder.path().to_owned(),
            own: Some((driver, folder)),
        }
    }

    /// Tells whether other tests use it, too.
    pub(super) fn is_shared(&self) -> bool {
        self.own.is_none()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The value that a command returns.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Value {
        let asked = client().post(self.url(path));
        let asked = asked.header("content-type", "application/json");
        let answer = asked.body(body.to_string()).send().await.unwrap();
        json_of(answer, 200).await["value"].take()
    }

    pub(super) async fn has_session(&self, id: &str) -> bool {
        let asked = client().get(self.url(&format!("/session/{id}/url")));
        let answer = asked.send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// Sends a command where nothing can wait asynchronously, and waits for its answer.
    pub(super) fn send(&self, method: &str, path: &str, body: &Value) {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let asked = TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut driver| {
            driver.set_read_timeout(Some(PATIENCE))?;
            driver.write_all(request.as_bytes())?;
            // The connection stays open behind the answer.
            driver.read(&mut [0; 256])
        });
        // The driver may be gone already, and its browser with it.
        drop(asked);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some((driver, _)) = &mut self.own {
            let _ = driver.kill();
            let _ = driver.wait();
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "which processes a run of the tests shares is no setting of the program"
)]
fn of_run() -> Option<Driver> {
    let folder = std::env::var_os("CEP_TEST_BROWSERS").map(PathBuf::from)?;
    let port = std::fs::read_to_string(folder.join("port")).ok()?;
    Some(Driver {
        port: port.trim().parse().ok()?,
        folder,
        own: None,
    })
}

/// Starts the driver on a free port, which it prints. It takes one of IPv4 and gives up when the
/// same isn't free for IPv6: then another one is tried.
fn start_driver(chromedriver: &Path, folder: &Path) -> (Child, u16) {
    for _ in 0..10 {
        let mut driver = Command::new(chromedriver)
            .arg("--port=0")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').trim().parse().ok()
        });
        if let Some(port) = port {
            std::thread::spawn(move || lines.for_each(drop));
            return (driver, port);
        }
        driver.wait().unwrap();
    }
    panic!("the driver prints its port");
}
