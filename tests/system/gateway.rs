//! A gateway process that a test starts on a free port, in a temporary folder, and stops by its own
//! process id.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use domain::outcome::Endpoint;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
pub(crate) use testkit::{eventually, holds_within};

mod bank;
mod plan;

pub(crate) use bank::CountingBank;
pub(crate) use plan::{Plan, command, refusal};

/// Longer than anything takes that nothing delays, on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Waits until `condition` holds, and fails when it doesn't soon.
pub(crate) async fn soon(what: &str, condition: impl AsyncFnMut() -> bool) {
    eventually(what, SOON, condition).await;
}

/// The names of all endpoints that look proofs up.
pub(crate) fn endpoints() -> impl Iterator<Item = &'static str> {
    Endpoint::immediate().map(Endpoint::name)
}

/// A running gateway, its folder, and a client.
pub(crate) struct Gateway {
    child: Child,
    pub(crate) address: SocketAddr,
    folder: TempDir,
    pub(crate) client: Client,
    /// Its standard output so far.
    printed: Arc<Mutex<String>>,
    variables: Vec<(String, String)>,
}

/// A client with kept-alive connections and a timeout long enough for anything the gateway does.
pub(crate) fn client() -> Client {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        rustls::crypto::aws_lc_rs::default_provider()
            .install_default()
            .unwrap();
    });
    Client::builder()
        .timeout(Duration::from_mins(1))
        .build()
        .unwrap()
}

/// An API key.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) prefix: String,
    /// The whole key.
    pub(crate) full: String,
}

impl Key {
    /// The key that somebody was told who created it.
    pub(crate) fn read(made: &Value) -> Self {
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Self {
            id: text("id"),
            prefix: text("prefix"),
            full: text("api_key"),
        }
    }

    /// A key that nobody has.
    pub(crate) fn unknown() -> Self {
        Self {
            id: String::new(),
            prefix: "cep_test_AAAAAAAA".to_owned(),
            full: format!("cep_test_AAAAAAAA.{}", "A".repeat(24)),
        }
    }
}

impl Gateway {
    pub(crate) fn start() -> Self {
        Plan::new().start()
    }

    /// A gateway, and a `test` key with limits that no test reaches.
    pub(crate) fn with_key() -> (Self, Key) {
        let gateway = Self::start();
        let key = gateway.roomy_key();
        (gateway, key)
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its standard output after the line with its address.
    pub(crate) fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder().join("log")).unwrap()
    }

    /// An address of its listener for operators, once it is printed.
    pub(crate) async fn admin_url(&self, path: &str) -> String {
        let address = || {
            let printed = self.printed();
            let (_, rest) = printed.split_once("Metrics are at ")?;
            rest.split_once("/metrics").map(|(url, _)| url.to_owned())
        };
        let said = async || address().is_some();
        soon("it says where metrics are", said).await;
        format!("{}{path}", address().unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Runs a command of the program beside the server, with the same settings.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = command(self.folder());
        command.envs(self.variables.iter().cloned());
        command.args(arguments).output().unwrap()
    }

    /// Creates a `test` key with these further arguments.
    pub(crate) fn key(&self, arguments: &[&str]) -> Key {
        let environment: &[&str] = if arguments.contains(&"--env") {
            &[]
        } else {
            &["--env", "test"]
        };
        let create = ["keys", "create", "--name", "test"];
        Key::read(&self.says(&[&create, environment, arguments].concat()))
    }

    /// The JSON that a command prints, which succeeds.
    pub(crate) fn says(&self, arguments: &[&str]) -> Value {
        let said = self.run(arguments);
        assert!(said.status.success(), "{arguments:?}: {said:?}");
        serde_json::from_slice(&said.stdout).unwrap()
    }

    /// Revokes a key on the command line, which is another process; returns its answer.
    pub(crate) fn revoke(&self, key: &Key) -> Value {
        self.says(&["keys", "revoke", &key.id])
    }

    /// The charged requests of a key in this month, by the list on the command line.
    pub(crate) fn used(&self, key: &Key) -> Value {
        let listed = self.says(&["keys", "list", "--json"]);
        let mut listed = listed.as_array().unwrap().iter();
        let found = listed.find(|listed| listed["prefix"] == key.prefix);
        found.unwrap()["month"]["used"].clone()
    }

    /// A `test` key with limits that no test reaches.
    pub(crate) fn roomy_key(&self) -> Key {
        self.key(&["--per-minute", "100000", "--no-cap"])
    }

    pub(crate) async fn post(&self, endpoint: &str, key: &Key, body: &Value) -> Response {
        self.post_text(endpoint, key, body.to_string()).await
    }

    pub(crate) async fn post_text(
        &self,
        endpoint: &str,
        key: &Key,
        body: impl Into<reqwest::Body>,
    ) -> Response {
        self.asking(endpoint, key).body(body).send().await.unwrap()
    }

    /// The status of a request for a proof that the sandbox has.
    pub(crate) async fn status_of(&self, key: &Key) -> StatusCode {
        self.post("xml", key, &request(1, "10.00")).await.status()
    }

    /// A request to this endpoint without a body.
    pub(crate) fn asking(&self, endpoint: &str, key: &Key) -> RequestBuilder {
        let path = format!("/v1/cep/{endpoint}");
        self.keyed(Method::POST, &path, key)
            .header("content-type", "application/json")
    }

    /// A request with this key.
    pub(crate) fn keyed(&self, method: Method, path: &str, key: &Key) -> RequestBuilder {
        let request = self.client.request(method, self.url(path));
        request.header("x-api-key", &key.full)
    }

    /// The answer to a GET with this key.
    pub(crate) async fn read(&self, path: &str, key: &Key) -> Response {
        let reading = self.keyed(Method::GET, path, key);
        reading.send().await.unwrap()
    }

    /// The answer to a GET without a credential.
    pub(crate) async fn get(&self, path: &str) -> Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }

    /// The state of a component by `/readyz`, while the gateway is ready.
    pub(crate) async fn state_of(&self, part: &str) -> String {
        let ready = json_of(self.get("/readyz").await, 200).await;
        let mut parts = ready["components"].as_array().unwrap().iter();
        let found = parts.find(|found| found["name"] == part).unwrap();
        found["state"].as_str().unwrap().to_owned()
    }

    /// A `live` key with limits that no test reaches.
    pub(crate) fn live_key(&self) -> Key {
        self.key(&["--env", "live", "--per-minute", "100000", "--no-cap"])
    }

    /// Asks the process to stop, and returns once it has.
    pub(crate) fn stop(mut self) -> TempDir {
        self.signal("TERM");
        testkit::until("the gateway has stopped", || {
            self.child.try_wait().unwrap().is_some()
        });
        self.keep_folder()
    }

    /// The same, while what runs in this test goes on.
    pub(crate) async fn stopped(self) -> TempDir {
        let stopped = tokio::task::spawn_blocking(|| self.stop());
        stopped.await.unwrap()
    }

    /// Kills the process, as a crash would.
    pub(crate) fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.keep_folder()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id();
        // The shell's own `kill`: minimal systems have no other.
        let kill = format!("kill -s {name} {id}");
        let killed = Command::new("sh").args(["-c", &kill]).status();
        assert!(killed.unwrap().success());
    }

    fn keep_folder(&mut self) -> TempDir {
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request for a transfer of `amount` that the sandbox finds, unless the amount is a magic one.
/// Every number is another transfer.
pub(crate) fn request(number: u32, amount: &str) -> Value {
    let mut request = json!({
        "fecha": "2026-11-18",
        "clave_rastreo": format!("MBAN01002611180{number:09}"),
        "cuenta": "002010077777777771",
        "emisor": "40012",
        "receptor": "40002",
    });
    request["monto"] = serde_json::from_str(amount).unwrap();
    request
}

/// Requests that are left in the `minute` or `month` of a key, by its answer.
pub(crate) fn left(answer: &Response, limit: &str) -> u64 {
    let limits = answer.headers()["ratelimit"].to_str().unwrap();
    let (_, rest) = limits.split_once(&format!("\"{limit}\";r=")).unwrap();
    rest.split(';').next().unwrap().parse().unwrap()
}

/// The JSON body of an answer with this status.
pub(crate) async fn json_of(answer: Response, status: u16) -> Value {
    let found = answer.status();
    let body = answer.text().await.unwrap();
    assert_eq!(found, StatusCode::from_u16(status).unwrap(), "{body}");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}
