//! The public client `graphql-ws` in a process of its own.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::skip;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::gateway::Gateway;
use crate::person::Person;
use crate::shared_sessions::SESSION;

/// Longest wait for something that happens.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client that subscribes, and tells what happens.
pub(super) struct Subscriber {
    _process: Child,
    commands: ChildStdin,
    events: Lines<BufReader<ChildStdout>>,
}

impl Subscriber {
    /// A client with a person's session, as a page of the gateway has it.
    pub(super) fn of(gateway: &Gateway, person: &Person, path: &str) -> Option<Self> {
        let cookie = format!("{SESSION}={}", person.cookie(SESSION).unwrap());
        Self::start(gateway, &json!({ "cookie": cookie }), path)
    }

    /// A client whose handshake has these headers; `None` where the client isn't installed.
    pub(super) fn start(gateway: &Gateway, headers: &Value, path: &str) -> Option<Self> {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/graphql_over_web_socket");
        if !folder.join("node_modules/graphql-ws").is_dir() {
            skip("graphql-ws is missing; scripts/test installs it");
            return None;
        }
        let mut process = Command::new("node")
            .arg(folder.join("client.js"))
            .env("URL", gateway.url(path).replacen("http", "ws", 1))
            .env("HEADERS", headers.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let commands = process.stdin.take().unwrap();
        let events = BufReader::new(process.stdout.take().unwrap()).lines();
        Some(Self {
            _process: process,
            commands,
            events,
        })
    }

    pub(super) async fn command(&mut self, command: Value) {
        let line = format!("{command}\n");
        self.commands.write_all(line.as_bytes()).await.unwrap();
    }

    pub(super) async fn subscribe(&mut self, id: &str, query: &str, variables: &Value) {
        self.command(json!({
            "command": "subscribe", "id": id, "query": query, "variables": variables,
        }))
        .await;
    }

    pub(super) async fn end(&mut self, id: &str) {
        self.command(json!({ "command": "end", "id": id })).await;
    }

    /// Opens a connection without the client, and returns what comes of it.
    pub(super) async fn open(&mut self, protocols: &[&str]) -> Value {
        self.command(json!({ "command": "open", "protocols": protocols }))
            .await;
        self.next().await
    }

    /// Opens one that isn't refused.
    pub(super) async fn opened(&mut self) {
        let opened = self.open(&["graphql-transport-ws"]).await;
        assert_eq!(opened["event"], "opened");
    }

    pub(super) async fn send(&mut self, text: &str) {
        self.command(json!({ "command": "send", "text": text }))
            .await;
    }

    pub(super) async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.events.next_line()).await;
        let line = line.expect("nothing happens").unwrap();
        serde_json::from_str(&line.expect("the client ended")).unwrap()
    }

    /// The events until a subscription is completed.
    pub(super) async fn until_completed(&mut self) -> Vec<Value> {
        let mut events = vec![];
        loop {
            let event = self.next().await;
            if event["event"] == "completed" {
                return events;
            }
            events.push(event);
        }
    }

    /// The end of the connection; other events before it are passed over.
    pub(super) async fn closed(&mut self) -> Value {
        loop {
            let event = self.next().await;
            if event["event"] == "closed" {
                return event;
            }
        }
    }
}
