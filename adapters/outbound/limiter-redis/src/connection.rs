//! A Redis connection, and running a script on it.

use std::time::Duration;

use deadpool_redis::redis;
use redis::aio::MultiplexedConnection;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value, from_redis_value};

use crate::scripts::Script;

/// Maximum number of redirections: one for an outdated slot map, one in the middle of a resharding,
/// and some while the nodes disagree.
const MAX_REDIRECTIONS: usize = 5;
/// Delay before a retry while the nodes of a cluster disagree.
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// A multiplexed connection; a clone shares it.
#[derive(Clone)]
pub(crate) enum Connection {
    /// To the one server.
    Single(MultiplexedConnection),
    /// To all nodes of a cluster.
    Cluster(ClusterConnection),
}

/// A script with its arguments and its keys: those of one API key, of many for admissions, or of
/// the bank.
pub(crate) struct ScriptCall {
    pub(crate) script: &'static Script,
    pub(crate) keys: Vec<String>,
    pub(crate) arguments: Vec<Argument>,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Number(i64),
    Text(String),
}

impl From<i64> for Argument {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl ScriptCall {
    fn append_to(&self, mut command: Cmd) -> Cmd {
        command.arg(self.keys.len()).arg(&self.keys);
        for argument in &self.arguments {
            match argument {
                Argument::Number(number) => command.arg(number),
                Argument::Text(text) => command.arg(text),
            };
        }
        command
    }
}

impl Connection {
    /// Runs a script on the node that has the keys. A node that hasn't cached the script is sent
    /// its text; it did nothing before. Errors inside the reply are returned as values.
    pub(crate) async fn run(&mut self, call: &ScriptCall) -> RedisResult<Value> {
        let slot = &call.keys[0];
        let by_hash = call.append_to(call.script.by_hash());
        match self.send(by_hash, slot).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.send(call.append_to(call.script.by_text()), slot).await
            }
            reply => reply,
        }
    }

    /// Waits until a replica has this connection's writes; returns how many have.
    pub(crate) async fn wait(&mut self, slot: &str, max: Duration) -> RedisResult<i64> {
        let mut command = redis::cmd("WAIT");
        command.arg(1).arg(max.as_millis());
        self.send(command, slot)
            .await
            .and_then(|reply| Ok(from_redis_value(reply)?))
    }

    /// Sends a command to the node that has the slot of a key.
    async fn send(&mut self, command: Cmd, slot: &str) -> RedisResult<Value> {
        match self {
            Self::Single(connection) => {
                let reply = connection.send_packed_command(&command).await;
                reply.and_then(into_result)
            }
            Self::Cluster(connection) => send_to_slot(connection, command, slot).await,
        }
    }
}

/// Follows a cluster's redirections. The driver's own implementation also repeats commands that may
/// have been executed, so it is disabled; commands repeated here were refused before they began.
async fn send_to_slot(
    connection: &mut ClusterConnection,
    command: Cmd,
    slot: &str,
) -> RedisResult<Value> {
    let home = || SingleNodeRoutingInfo::SpecificNode(Route::with_key(slot, SlotAddr::Master));
    let mut asking = false;
    let mut node = home();
    for _ in 0..MAX_REDIRECTIONS {
        let reply = if asking {
            ask(connection, &command, node).await
        } else {
            let routing = RoutingInfo::SingleNode(node);
            connection
                .route_command(command.clone(), routing)
                .await
                .and_then(into_result)
        };
        let error = match reply {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let ErrorKind::Server(kind) = error.kind() else {
            return Err(error);
        };
        asking = kind == ServerErrorKind::Ask;
        node = match kind {
            ServerErrorKind::Moved | ServerErrorKind::Ask => {
                redirection_target(&error).unwrap_or_else(home)
            }
            ServerErrorKind::TryAgain | ServerErrorKind::ReadOnly => {
                tokio::time::sleep(RETRY_DELAY).await;
                home()
            }
            _ => return Err(error),
        };
    }
    Err(RedisError::from((
        ErrorKind::Client,
        "too many redirections between the cluster's nodes",
    )))
}

async fn ask(
    connection: &mut ClusterConnection,
    command: &Cmd,
    node: SingleNodeRoutingInfo,
) -> RedisResult<Value> {
    let mut pipeline = redis::pipe();
    pipeline.cmd("ASKING").ignore();
    pipeline.add_command(command.clone());
    let mut replies = connection.route_pipeline(pipeline, 1, 1, node).await?;
    into_result(replies.pop().unwrap_or(Value::Nil))
}

/// Converts an error reply to an error.
fn into_result(reply: Value) -> RedisResult<Value> {
    match reply {
        Value::ServerError(error) => Err(error.into()),
        reply => Ok(reply),
    }
}

/// Returns the node that a redirection names; `None` when it names only a port, or none.
fn redirection_target(error: &RedisError) -> Option<SingleNodeRoutingInfo> {
    let (address, _) = error.redirect_node()?;
    let (host, port) = address.rsplit_once(':')?;
    let port = port.parse().ok()?;
    (!host.is_empty()).then(|| SingleNodeRoutingInfo::ByAddress {
        host: host.to_owned(),
        port,
    })
}
