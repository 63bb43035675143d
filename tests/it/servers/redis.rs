//! Redis: a server, or a cluster of them.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::{free_port, until};
use crate::browser::skip;
use crate::gateway::Key;

/// How long a node of a cluster may be silent before the others take it for lost, in milliseconds:
/// short, yet longer than a busy machine keeps it waiting.
const NODE_TIMEOUT: &str = "3000";

/// A Redis server.
pub(crate) struct Redis {
    process: Option<Child>,
    port: u16,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    folder: TempDir,
}

impl Redis {
    /// Starts one, which keeps nothing on disk unless the arguments say so; `None`, said aloud,
    /// where it isn't installed.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        Self::start_with(arguments, &[])
    }

    /// Starts one in an environment with these variables.
    pub(crate) fn start_with(arguments: &[&str], variables: &[(String, String)]) -> Option<Self> {
        let installed = Command::new("redis-server").arg("--version").output();
        if installed.is_err() {
            skip("redis-server is not installed");
            return None;
        }
        let mut server = Self {
            process: None,
            port: free_port(),
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            variables: variables.to_vec(),
            folder: tempfile::tempdir().unwrap(),
        };
        server.start_again();
        Some(server)
    }

    /// Starts it again on its port, with what it has kept on disk.
    pub(crate) fn start_again(&mut self) {
        assert!(self.process.is_none(), "it runs");
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
        until("Redis answers", || self.ask(&["PING"]) == "PONG");
    }

    /// Ends it at once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// What a command answers, as `redis-cli` prints it: an error as its text.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let answer = Command::new("redis-cli")
            .args(["-p", &self.port.to_string()])
            .args(words)
            .output()
            .unwrap();
        String::from_utf8(answer.stdout).unwrap().trim().to_owned()
    }

    /// Has a command done that answers `OK`.
    pub(crate) fn tell(&self, words: &[&str]) {
        assert_eq!(self.ask(words), "OK", "{words:?}");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Three masters that share the slots, and a replica of the first.
pub(crate) struct Cluster {
    /// The masters.
    pub(crate) nodes: Vec<Redis>,
    replica: Redis,
}

impl Cluster {
    /// Starts them and has them agree; `None`, said aloud, where Redis isn't installed.
    pub(crate) fn start() -> Option<Self> {
        let nodes: Vec<Redis> = (0..3).map_while(|_| Self::node()).collect();
        let replica = Self::node()?;
        for (node, epoch) in nodes.iter().zip(1..) {
            let (first, last) = [("0", "5460"), ("5461", "10922"), ("10923", "16383")][epoch - 1];
            node.tell(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
            node.tell(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]);
        }
        for node in nodes[1..].iter().chain([&replica]) {
            let bus = node.ask(&["CONFIG", "GET", "cluster-port"]);
            let (port, bus) = (node.port.to_string(), bus.lines().last().unwrap());
            nodes[0].tell(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
        }
        let cluster = Self { nodes, replica };
        until("the cluster agrees", || cluster.agrees());
        let first = cluster.nodes[0].ask(&["CLUSTER", "MYID"]);
        // It has to have heard of the first one.
        until("there is a replica", || {
            cluster.replica.ask(&["CLUSTER", "REPLICATE", &first]) == "OK"
        });
        until("it has all that the first one has", || {
            let replication = cluster.replica.ask(&["INFO", "replication"]);
            replication.contains("master_link_status:up")
        });
        // A replica that nobody knows of is not voted for.
        until("all know of it", || {
            let mut nodes = cluster.nodes.iter();
            nodes.all(|node| node.ask(&["CLUSTER", "NODES"]).contains(" slave "))
        });
        Some(cluster)
    }

    fn node() -> Option<Redis> {
        let bus = free_port().to_string();
        Redis::start(&[
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            &bus,
            "--cluster-node-timeout",
            NODE_TIMEOUT,
            "--cluster-require-full-coverage",
            "no",
        ])
    }

    fn agrees(&self) -> bool {
        self.nodes.iter().chain([&self.replica]).all(|node| {
            let info = node.ask(&["CLUSTER", "INFO"]);
            let nodes = node.ask(&["CLUSTER", "NODES"]);
            info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:16384")
                && info.contains("cluster_known_nodes:4")
                && !nodes.contains("handshake")
                && !nodes.contains("fail")
        })
    }

    /// All masters' addresses, as `CEP_REDIS_CLUSTER` takes them.
    pub(crate) fn urls(&self) -> String {
        let urls: Vec<_> = self.nodes.iter().map(Redis::url).collect();
        urls.join(",")
    }

    /// The place of the node that counts a key.
    pub(crate) fn home_of(&self, key: &Key) -> usize {
        let state = format!("cep:{{{}}}:s", key.id.replace('-', ""));
        let slot = self.replica.ask(&["CLUSTER", "KEYSLOT", &state]);
        let slot: usize = slot.parse().unwrap();
        (slot / 5_461).min(2)
    }

    /// Waits until the replica has all that the first node has.
    pub(crate) fn is_replicated(&self) {
        let position = |node: &Redis, name: &str| {
            let said = node.ask(&["INFO", "replication"]);
            let (_, rest) = said.split_once(name).unwrap();
            rest.lines().next().unwrap().trim().to_owned()
        };
        until("all is replicated", || {
            position(&self.nodes[0], "master_repl_offset:")
                == position(&self.replica, "slave_repl_offset:")
        });
    }

    /// Whether the replica has taken over.
    pub(crate) fn replica_is_master(&self) -> bool {
        self.replica.ask(&["ROLE"]).starts_with("master")
    }
}
