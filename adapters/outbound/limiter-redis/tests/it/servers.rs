//! Redis servers of the tests: each on a free port, in a folder of its own, and stopped with the
//! test that started it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use deadpool_redis::redis;
use redis::FromRedisValue;
use tempfile::TempDir;

/// How long a server may take to start, or a cluster to agree.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of a test.
pub(crate) struct Server {
    process: Option<Child>,
    folder: TempDir,
    arguments: Vec<String>,
    pub(crate) port: u16,
}

impl Server {
    /// Starts one; `None` where Redis isn't installed.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        if Command::new("redis-server")
            .arg("--version")
            .output()
            .is_err()
        {
            skip("redis-server is not installed");
            return None;
        }
        let mut server = Self {
            process: None,
            folder: tempfile::tempdir().unwrap(),
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            port: free_port(),
        };
        server.start_again();
        Some(server)
    }

    /// Starts the server again on its port, with what it has kept on disk.
    pub(crate) fn start_again(&mut self) {
        assert!(self.process.is_none(), "it runs");
        let mut command = Command::new("redis-server");
        command
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--loglevel", "warning"])
            .arg("--dir")
            .arg(self.folder.path())
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        until("the server answers", || {
            let client = redis::Client::open(self.url()).unwrap();
            let pong = client
                .get_connection()
                .and_then(|mut connection| redis::cmd("PING").query::<String>(&mut connection));
            pong.is_ok()
        });
    }

    /// Ends it at once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Stops its process where it stands (`STOP`), or lets it go on (`CONT`).
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        let status = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(status.unwrap().success());
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs a command as the default user.
    pub(crate) fn run<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_connection().unwrap();
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query(&mut connection).unwrap()
    }

    /// Times that a command was called since the server started, by its own account.
    pub(crate) fn calls_of(&self, command: &str) -> u64 {
        let stats: String = self.run(&["INFO", "commandstats"]);
        let line = format!("cmdstat_{command}:calls=");
        let rest = stats.split(&line).nth(1);
        rest.and_then(|rest| rest.split(',').next())
            .map_or(0, |calls| calls.parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Three masters that share the slots; no replicas.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Server>,
}

impl Cluster {
    /// Starts them and has them agree; `None` where Redis isn't installed.
    pub(crate) fn start() -> Option<Self> {
        let nodes: Vec<Server> = (0..3).map_while(|_| Self::node()).collect();
        if nodes.len() < 3 {
            return None;
        }
        for (node, epoch) in nodes.iter().zip(1..) {
            let (first, last) = [("0", "5460"), ("5461", "10922"), ("10923", "16383")][epoch - 1];
            node.run::<String>(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
            node.run::<String>(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]);
        }
        for node in &nodes[1..] {
            let bus: Vec<String> = node.run(&["CONFIG", "GET", "cluster-port"]);
            let port = node.port.to_string();
            nodes[0].run::<String>(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus[1]]);
        }
        let cluster = Self { nodes };
        until("the cluster agrees", || cluster.agrees());
        Some(cluster)
    }

    fn node() -> Option<Server> {
        let bus = free_port().to_string();
        Server::start(&["--cluster-enabled", "yes", "--cluster-port", &bus])
    }

    fn agrees(&self) -> bool {
        self.nodes.iter().all(|node| {
            let info: String = node.run(&["CLUSTER", "INFO"]);
            let nodes: String = node.run(&["CLUSTER", "NODES"]);
            info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:16384")
                && info.contains("cluster_known_nodes:3")
                && !nodes.contains("handshake")
                && !nodes.contains("fail")
        })
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Server::url).collect()
    }

    /// The place of the node that has the slot of `key`, and the slot.
    pub(crate) fn home_of(&self, key: &str) -> (usize, u64) {
        let slot: u64 = self.nodes[0].run(&["CLUSTER", "KEYSLOT", key]);
        (usize::try_from(slot / 5461).unwrap().min(2), slot)
    }

    pub(crate) fn calls_of(&self, command: &str) -> u64 {
        self.nodes.iter().map(|node| node.calls_of(command)).sum()
    }
}

/// Waits for a condition.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Says aloud that a test is skipped; fails it where everything must run.
#[expect(
    clippy::disallowed_methods,
    reason = "tests know by the environment where they run"
)]
#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests must hear of it"
)]
pub(crate) fn skip(why: &str) {
    let must_run = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!must_run, "{why}");
    eprintln!("SKIPPED: {why}");
}
