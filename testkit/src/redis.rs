//! Redis servers and clusters.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::tls::Certificates;
use crate::{free_port, signal, skip, until};

/// Slots of the first and of the second master of a cluster; the third has one more.
const SLOTS_OF_A_MASTER: u64 = 5_461;

/// Time that a node of a cluster may be silent before the others take it for lost, in milliseconds:
/// short, yet longer than a busy machine keeps it waiting.
const NODE_TIMEOUT: &str = "3000";

/// Attempts to start a server.
const ATTEMPTS: usize = 5;

/// A Redis server.
pub struct Redis {
    process: Option<Child>,
    port: u16,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    folder: TempDir,
}

impl Redis {
    /// Starts a server that keeps nothing on disk unless the arguments say so; `None`, after
    /// printing it, where Redis isn't installed.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        Self::start_with(arguments, &[])
    }

    /// Starts a server with these environment variables.
    pub fn start_with(arguments: &[&str], variables: &[(String, String)]) -> Option<Self> {
        let arguments: Vec<_> = arguments.iter().map(|&text| text.to_owned()).collect();
        Self::start_by(|| arguments.clone(), variables)
    }

    /// Starts a server with arguments that are made anew for each attempt: a port that was free may be
    /// somebody else's by the time that the server wants it.
    fn start_by(
        arguments: impl Fn() -> Vec<String>,
        variables: &[(String, String)],
    ) -> Option<Self> {
        let installed = Command::new("redis-server").arg("--version").output();
        if installed.is_err() {
            skip("redis-server is not installed");
            return None;
        }
        for _ in 0..ATTEMPTS {
            let mut server = Self {
                process: None,
                port: free_port(),
                arguments: arguments(),
                variables: variables.to_vec(),
                folder: tempfile::tempdir().unwrap(),
            };
            if server.launch() {
                return Some(server);
            }
        }
        panic!("redis-server ended at once, {ATTEMPTS} times");
    }

    /// Starts a server that accepts TLS as well, and returns the TLS port.
    pub fn start_secure(files: &Certificates) -> Option<(Self, u16)> {
        let port = free_port();
        let [certificate, key, authority] =
            [&files.certificate, &files.key, &files.authority].map(|file| file.to_str().unwrap());
        let arguments = [
            ["--tls-port", &port.to_string()],
            ["--tls-cert-file", certificate],
            ["--tls-key-file", key],
            ["--tls-ca-cert-file", authority],
            ["--tls-auth-clients", "no"],
        ];
        Some((Self::start(arguments.as_flattened())?, port))
    }

    /// Starts it again on its port, with the data it has on disk.
    pub fn start_again(&mut self) {
        assert!(self.process.is_none(), "it runs");
        assert!(self.launch(), "redis-server ended at once");
    }

    /// Starts the process, and waits until it answers; returns `false` when it ends before.
    fn launch(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", ""])
            .args(&self.arguments)
            .envs(self.variables.iter().cloned())
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        let mut runs = true;
        until("Redis answers", || {
            let process = self.process.as_mut().unwrap();
            runs = process.try_wait().unwrap().is_none();
            // Where its default user is off, NOAUTH is the answer.
            let answers = |answer: String| answer == "PONG" || answer.starts_with("NOAUTH");
            !runs || self.answer(&["PING"]).is_some_and(answers)
        });
        runs
    }

    /// Kills it, as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Stops (`STOP`) or resumes (`CONT`) its process.
    pub fn signal(&self, name: &str) {
        signal(name, &[self.id().to_string()]);
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.process.as_ref().unwrap().id()
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its data folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The answer to a command of the default user, as `redis-cli` prints it: an error as its text.
    pub fn ask(&self, words: &[&str]) -> String {
        let answer = self.answer(words);
        answer.unwrap_or_else(|| panic!("nobody answers {words:?}"))
    }

    fn answer(&self, words: &[&str]) -> Option<String> {
        let said = Command::new("redis-cli")
            .args(["-p", &self.port.to_string()])
            .args(words)
            .output()
            .unwrap();
        let text = || String::from_utf8(said.stdout).unwrap().trim().to_owned();
        said.status.success().then(text)
    }

    /// The numeric answer to a command.
    pub fn number(&self, words: &[&str]) -> i64 {
        let answer = self.ask(words);
        let number = answer.parse();
        number.unwrap_or_else(|_| panic!("{words:?}: {answer}"))
    }

    /// Runs a command that must answer `OK`.
    pub fn tell(&self, words: &[&str]) {
        assert_eq!(self.ask(words), "OK", "{words:?}");
    }

    /// Calls of a command since the server started, from its own statistics.
    pub fn calls_of(&self, command: &str) -> u64 {
        let stats = self.ask(&["INFO", "commandstats"]);
        let line = format!("cmdstat_{command}:calls=");
        let calls = stats.split(&line).nth(1);
        let calls = calls.and_then(|rest| rest.split(',').next());
        calls.map_or(0, |calls| calls.parse().unwrap())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A cluster of three masters, optionally with a replica of the first.
pub struct Cluster {
    /// The masters.
    pub nodes: Vec<Redis>,
    replica: Option<Redis>,
}

impl Cluster {
    /// Starts masters alone, with the default settings; `None`, after printing it, where Redis
    /// isn't installed.
    pub fn of_masters() -> Option<Self> {
        Self::start(&[], None)
    }

    /// Starts masters and a replica with a short failover timeout: for tests in which a node is
    /// lost.
    pub fn with_replica() -> Option<Self> {
        let impatient = [
            ["--cluster-node-timeout", NODE_TIMEOUT],
            ["--cluster-require-full-coverage", "no"],
        ];
        let impatient = impatient.as_flattened();
        let cluster = Self::start(impatient, Some(node(impatient)?))?;
        let replica = cluster.replica();
        let first = cluster.nodes[0].ask(&["CLUSTER", "MYID"]);
        // It has to know the first one.
        until("there is a replica", || {
            replica.ask(&["CLUSTER", "REPLICATE", &first]) == "OK"
        });
        until("it has all that the first one has", || {
            let replication = replica.ask(&["INFO", "replication"]);
            replication.contains("master_link_status:up")
        });
        // A replica that the others don't know isn't voted for.
        until("all know of it", || {
            let mut nodes = cluster.nodes.iter();
            nodes.all(|node| node.ask(&["CLUSTER", "NODES"]).contains(" slave "))
        });
        Some(cluster)
    }

    fn start(arguments: &[&str], replica: Option<Redis>) -> Option<Self> {
        let nodes: Vec<Redis> = (0..3).map_while(|_| node(arguments)).collect();
        if nodes.len() < 3 {
            return None;
        }
        for (node, epoch) in nodes.iter().zip(1..) {
            let (first, last) = [("0", "5460"), ("5461", "10921"), ("10922", "16383")][epoch - 1];
            node.tell(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
            node.tell(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]);
        }
        for node in nodes[1..].iter().chain(&replica) {
            let bus = node.ask(&["CONFIG", "GET", "cluster-port"]);
            let (port, bus) = (node.port.to_string(), bus.lines().last().unwrap());
            nodes[0].tell(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
        }
        let cluster = Self { nodes, replica };
        until("the cluster agrees", || cluster.agrees());
        Some(cluster)
    }

    fn agrees(&self) -> bool {
        let known = self.nodes.len() + usize::from(self.replica.is_some());
        self.nodes.iter().chain(&self.replica).all(|node| {
            let info = node.ask(&["CLUSTER", "INFO"]);
            let nodes = node.ask(&["CLUSTER", "NODES"]);
            info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:16384")
                && info.contains(&format!("cluster_known_nodes:{known}"))
                && !nodes.contains("handshake")
                && !nodes.contains("fail")
        })
    }

    /// URLs of all masters.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Redis::url).collect()
    }

    /// Index of the master that has the slot of a key of Redis, and the slot.
    pub fn home_of(&self, key: &str) -> (usize, u64) {
        // Any node that runs can answer.
        let asked = self.replica.as_ref().unwrap_or(&self.nodes[0]);
        let slot: u64 = asked.ask(&["CLUSTER", "KEYSLOT", key]).parse().unwrap();
        let place = usize::try_from(slot / SLOTS_OF_A_MASTER).unwrap();
        (place.min(2), slot)
    }

    /// Calls of a command, summed over all masters.
    pub fn calls_of(&self, command: &str) -> u64 {
        self.nodes.iter().map(|node| node.calls_of(command)).sum()
    }

    /// Waits until the replica has caught up with the first master.
    pub fn is_replicated(&self) {
        let position = |node: &Redis, name: &str| {
            let said = node.ask(&["INFO", "replication"]);
            let (_, rest) = said.split_once(name).unwrap();
            rest.lines().next().unwrap().trim().to_owned()
        };
        until("all is replicated", || {
            position(&self.nodes[0], "master_repl_offset:")
                == position(self.replica(), "slave_repl_offset:")
        });
    }

    /// Returns whether the replica has taken over.
    pub fn replica_is_master(&self) -> bool {
        self.replica().ask(&["ROLE"]).starts_with("master")
    }

    fn replica(&self) -> &Redis {
        self.replica.as_ref().expect("the cluster has a replica")
    }
}

fn node(arguments: &[&str]) -> Option<Redis> {
    let arguments = || {
        let bus = free_port().to_string();
        let clustered = ["--cluster-enabled", "yes", "--cluster-port", &bus];
        let all = clustered.iter().chain(arguments);
        all.map(|&text| text.to_owned()).collect()
    };
    Redis::start_by(arguments, &[])
}
