//! Who counts requests and turns to ask the bank: this process, or Redis for all replicas.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use application::{FallbackLimiter, FallbackPacer, LimiterMode};
use domain::pacing::Pacing;
use limiter_redis::{RedisLimiter, RedisOptions};
use memory::{InProcessLimiter, InProcessPacer};
use ports::outbound::{Clock, KeyStore, Limiter, Pacer};

use crate::config::{Options, ServerUrl};
use crate::metrics::{MeteredLimiter, Metrics};

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
pub(super) enum Counting {
    /// This process.
    Here {
        limiter: Arc<dyn Limiter>,
        in_process: Arc<InProcessLimiter>,
        pacer: Arc<InProcessPacer>,
    },
    /// Redis, for all replicas; this process while Redis is down.
    Shared {
        limiter: Arc<FallbackLimiter>,
        in_process: Arc<InProcessLimiter>,
        pacer: Arc<FallbackPacer>,
    },
}

impl Counting {
    /// What the options name, measured.
    ///
    /// # Errors
    /// When they can't be used.
    pub(super) fn of(
        options: &Options,
        keys: &Arc<dyn KeyStore>,
        clock: &Arc<dyn Clock>,
        metrics: &Metrics,
    ) -> Result<Self> {
        let in_process = Arc::new(InProcessLimiter::new(Arc::clone(clock)));
        let metered = |limiter| -> Arc<dyn Limiter> {
            Arc::new(MeteredLimiter::new(metrics, limiter, Arc::clone(clock)))
        };
        let pacing = Pacing::new(options.bank_budget);
        let Some(redis) = redis(options)? else {
            return Ok(Self::Here {
                limiter: metered(in_process.clone()),
                in_process,
                pacer: Arc::new(InProcessPacer::new(pacing)),
            });
        };
        let pacer = FallbackPacer::new(
            Arc::new(redis.pacer(pacing)),
            Arc::new(InProcessPacer::new(pacing.share_of(options.replicas))),
            Arc::clone(clock),
        );
        let limiter = FallbackLimiter::new(
            metered(Arc::new(redis)),
            in_process.clone(),
            Arc::clone(keys),
            Arc::clone(clock),
            options.replicas,
        );
        Ok(Self::Shared {
            limiter: Arc::new(limiter),
            in_process,
            pacer: Arc::new(pacer),
        })
    }

    /// Says whether what is shared works, once that is known.
    pub(super) async fn begin(&self) {
        let Self::Shared { limiter, .. } = self else {
            return;
        };
        limiter.begin().await;
        if limiter.mode() == LimiterMode::Degraded {
            tracing::warn!(
                "beginning without Redis: look whether it runs, and at CEP_REDIS_URL or \
                 CEP_REDIS_CLUSTER"
            );
        }
    }

    /// What counts.
    pub(super) fn limiter(&self) -> Arc<dyn Limiter> {
        match self {
            Self::Here { limiter, .. } => Arc::clone(limiter),
            Self::Shared { limiter, .. } => limiter.clone(),
        }
    }

    /// What says when the central bank's portal may be asked.
    pub(super) fn pacer(&self) -> Arc<dyn Pacer> {
        match self {
            Self::Here { pacer, .. } => pacer.clone(),
            Self::Shared { pacer, .. } => pacer.clone(),
        }
    }

    /// What counts, when it can be degraded.
    pub(super) fn degrading_limiter(&self) -> Option<Arc<FallbackLimiter>> {
        match self {
            Self::Here { .. } => None,
            Self::Shared { limiter, .. } => Some(Arc::clone(limiter)),
        }
    }

    /// What says when the portal may be asked, when it can be degraded.
    pub(super) fn degrading_pacer(&self) -> Option<Arc<FallbackPacer>> {
        match self {
            Self::Here { .. } => None,
            Self::Shared { pacer, .. } => Some(Arc::clone(pacer)),
        }
    }

    /// What of it is in this process, and has to be told to forget idle keys.
    pub(super) fn in_process(&self) -> Arc<InProcessLimiter> {
        match self {
            Self::Here { in_process, .. } | Self::Shared { in_process, .. } => {
                Arc::clone(in_process)
            }
        }
    }
}

fn redis(options: &Options) -> Result<Option<RedisLimiter>> {
    let mut redis = RedisOptions::default();
    redis.timeouts.response = Duration::from_millis(options.redis_timeout);
    redis.root_certificate = root_certificate(options)?;
    let limiter = match (&options.redis_url, options.redis_cluster.as_slice()) {
        (Some(url), _) => {
            RedisLimiter::single(url.reveal(), &redis).context("CEP_REDIS_URL, CEP_REDIS_CA")?
        }
        (None, []) => return Ok(None),
        (None, urls) => {
            let urls: Vec<_> = urls.iter().map(ServerUrl::reveal).collect();
            RedisLimiter::cluster(&urls, &redis).context("CEP_REDIS_CLUSTER, CEP_REDIS_CA")?
        }
    };
    Ok(Some(limiter))
}

/// The authority that vouches for Redis, when it isn't one of the system's.
fn root_certificate(options: &Options) -> Result<Option<Vec<u8>>> {
    let Some(authority) = &options.files.redis_ca else {
        return Ok(None);
    };
    let mut urls = options.redis_url.iter().chain(&options.redis_cluster);
    if !urls.any(|url| url.reveal().starts_with("rediss://")) {
        bail!("CEP_REDIS_CA is for TLS, and no address of Redis begins with rediss://");
    }
    Ok(Some(authority.pem().to_vec()))
}
