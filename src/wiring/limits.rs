//! Who counts requests: this process, or Redis for all replicas.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use limiter_redis::{RedisLimiter, RedisOptions};
use memory::InProcessLimiter;
use ports::outbound::{Clock, Limiter};

use crate::config::{Options, ServerUrl};

/// How many processes serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deployment {
    /// One, with an embedded database and the limits in its memory.
    Embedded,
    /// Any number, which share a database server and Redis.
    Replicated,
}

impl Deployment {
    /// What the options make it.
    ///
    /// # Errors
    /// When they share the one and not the other: limits would be multiplied, or lost.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let server = options
            .database_url
            .as_ref()
            .is_some_and(ServerUrl::is_server);
        let redis = options.redis_url.is_some() || !options.redis_cluster.is_empty();
        match (server, redis) {
            (false, false) => Ok(Self::Embedded),
            (true, true) => Ok(Self::Replicated),
            (true, false) => bail!(
                "CEP_DATABASE_URL names a server that replicas share, and their limits would be \
                 each its own: set CEP_REDIS_URL or CEP_REDIS_CLUSTER too"
            ),
            (false, true) => bail!(
                "CEP_REDIS_URL and CEP_REDIS_CLUSTER are for replicas, which need a database server: \
                 set CEP_DATABASE_URL to postgres://…, or leave Redis out"
            ),
        }
    }
}

/// Who counts requests.
pub(crate) struct Limits {
    /// What counts.
    pub(crate) limiter: Arc<dyn Limiter>,
    /// The same when it is in this process, which has to forget idle keys by itself.
    pub(crate) in_process: Option<Arc<InProcessLimiter>>,
}

/// The limiter that the options name.
///
/// # Errors
/// When they can't be used.
pub(super) fn limits(options: &Options, clock: &Arc<dyn Clock>) -> Result<Limits> {
    let mut redis_options = RedisOptions::default();
    redis_options.timeouts.response = Duration::from_millis(options.redis_timeout);
    let redis = match (&options.redis_url, options.redis_cluster.as_slice()) {
        (Some(url), _) => {
            let single = RedisLimiter::single(url.reveal(), &redis_options);
            single.context("CEP_REDIS_URL")?
        }
        (None, []) => {
            let in_process = Arc::new(InProcessLimiter::new(Arc::clone(clock)));
            return Ok(Limits {
                limiter: in_process.clone(),
                in_process: Some(in_process),
            });
        }
        (None, urls) => {
            let urls: Vec<_> = urls.iter().map(ServerUrl::reveal).collect();
            let cluster = RedisLimiter::cluster(&urls, &redis_options);
            cluster.context("CEP_REDIS_CLUSTER")?
        }
    };
    Ok(Limits {
        limiter: Arc::new(redis),
        in_process: None,
    })
}
