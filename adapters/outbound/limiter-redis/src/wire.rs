//! A connection, and how a script runs on it.

use std::time::Duration;

use deadpool_redis::redis;
use redis::aio::MultiplexedConnection;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value, from_redis_value};

use crate::scripts::Script;

/// Times that a cluster may send us elsewhere: once by an outdated map, once in the middle of a
/// resharding, and some while its nodes disagree.
const REDIRECTIONS: usize = 5;
/// Between two questions at a cluster whose nodes disagree.
const DISAGREEMENT: Duration = Duration::from_millis(10);

/// A shared connection; a clone of it is the same connection.
#[derive(Clone)]
pub(crate) enum Wire {
    /// To the one server.
    Single(MultiplexedConnection),
    /// To all nodes of a cluster.
    Cluster(ClusterConnection),
}

/// The keys of one API key, of many for an admission, or of the bank, and what else a script is told.
pub(crate) struct Call<'a> {
    pub(crate) script: &'a Script,
    pub(crate) keys: &'a [String],
    pub(crate) arguments: &'a [Argument],
}

/// An argument of a script.
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

impl Call<'_> {
    fn with(&self, mut command: Cmd) -> Cmd {
        command.arg(self.keys.len()).arg(self.keys);
        for argument in self.arguments {
            match argument {
                Argument::Number(number) => command.arg(number),
                Argument::Text(text) => command.arg(text),
            };
        }
        command
    }
}

impl Wire {
    /// Runs a script where the keys are. A server that doesn't know it is sent its text; nothing
    /// was done until then. Errors within its answer stay there.
    pub(crate) async fn run(&mut self, call: &Call<'_>) -> RedisResult<Value> {
        let slot = &call.keys[0];
        let by_hash = call.with(call.script.by_hash());
        match self.send(by_hash, slot).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.send(call.with(call.script.by_text()), slot).await
            }
            answer => answer,
        }
    }

    /// Waits until a replica has what this connection wrote; returns how many have it.
    pub(crate) async fn wait(&mut self, slot: &str, most: Duration) -> RedisResult<i64> {
        let mut command = redis::cmd("WAIT");
        command.arg(1).arg(most.as_millis());
        self.send(command, slot)
            .await
            .and_then(|answer| Ok(from_redis_value(answer)?))
    }

    /// Sends a command to the server that has the slot of a key.
    async fn send(&mut self, command: Cmd, slot: &str) -> RedisResult<Value> {
        match self {
            Self::Single(connection) => {
                let answer = connection.send_packed_command(&command).await;
                answer.and_then(refused)
            }
            Self::Cluster(connection) => send_to_slot(connection, command, slot).await,
        }
    }
}

/// Follows a cluster's redirections. The driver's own way of it also sends again what may have
/// been done already, so it is switched off; what is sent again here was refused before it began.
async fn send_to_slot(
    connection: &mut ClusterConnection,
    command: Cmd,
    slot: &str,
) -> RedisResult<Value> {
    let home = || SingleNodeRoutingInfo::SpecificNode(Route::with_key(slot, SlotAddr::Master));
    let mut asking = false;
    let mut node = home();
    for _ in 0..REDIRECTIONS {
        let answer = if asking {
            ask(connection, &command, node).await
        } else {
            let routing = RoutingInfo::SingleNode(node);
            connection
                .route_command(command.clone(), routing)
                .await
                .and_then(refused)
        };
        let error = match answer {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let ErrorKind::Server(kind) = error.kind() else {
            return Err(error);
        };
        asking = kind == ServerErrorKind::Ask;
        node = match kind {
            ServerErrorKind::Moved | ServerErrorKind::Ask => {
                redirected(&error).unwrap_or_else(home)
            }
            ServerErrorKind::TryAgain | ServerErrorKind::ReadOnly => {
                tokio::time::sleep(DISAGREEMENT).await;
                home()
            }
            _ => return Err(error),
        };
    }
    Err(RedisError::from((
        ErrorKind::Client,
        "the cluster's nodes send us from one to the other",
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
    let mut answers = connection.route_pipeline(pipeline, 1, 1, node).await?;
    refused(answers.pop().unwrap_or(Value::Nil))
}

/// An answer that is an error is one.
fn refused(answer: Value) -> RedisResult<Value> {
    match answer {
        Value::ServerError(error) => Err(error.into()),
        answer => Ok(answer),
    }
}

/// The node that an error names; `None` when it names only a port, or none.
fn redirected(error: &RedisError) -> Option<SingleNodeRoutingInfo> {
    let (address, _) = error.redirect_node()?;
    let (host, port) = address.rsplit_once(':')?;
    let port = port.parse().ok()?;
    (!host.is_empty()).then(|| SingleNodeRoutingInfo::ByAddress {
        host: host.to_owned(),
        port,
    })
}
