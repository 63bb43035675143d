//! Rate limits and pacing of the bank: in this process, or in Redis for all replicas.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use application::{FallbackLimiter, FallbackPacer, LimiterMode, ReplicaCount};
use domain::pacing::Pacing;
use limiter_redis::{RedisLimiter, RedisOptions};
use memory::{InProcessLimiter, InProcessPacer};
use ports::outbound::{Clock, KeyStore, Limiter, Pacer};
use uuid::Uuid;

use crate::config::{ReplicaOptions, ServerUrl};
use crate::metrics::MeteredLimiter;

pub(super) enum LimitBackend {
    /// Limits in the memory of this process.
    InProcess {
        limiter: Arc<dyn Limiter>,
        in_process: Arc<InProcessLimiter>,
    },
    /// Limits in Redis for all replicas; in this process while Redis fails.
    Shared {
        redis: Arc<RedisLimiter>,
        limiter: Arc<FallbackLimiter>,
        in_process: Arc<InProcessLimiter>,
    },
}

/// Pacing of queries to the bank.
pub(super) struct BankPacing {
    pub(super) pacer: Arc<dyn Pacer>,
    /// The same pacer if it falls back to this process while Redis fails; `None` without Redis.
    pub(super) fallback: Option<Arc<FallbackPacer>>,
}

impl LimitBackend {
    /// Creates the backend that the options select; calls of its limiter are measured.
    ///
    /// # Errors
    /// The options can't be used.
    pub(super) fn of(
        options: &ReplicaOptions,
        keys: &Arc<dyn KeyStore>,
        clock: &Arc<dyn Clock>,
        replicas: &Arc<ReplicaCount>,
    ) -> Result<Self> {
        let in_process = Arc::new(InProcessLimiter::new(Arc::clone(clock)));
        let metered = |limiter| -> Arc<dyn Limiter> {
            Arc::new(MeteredLimiter::new(limiter, Arc::clone(clock)))
        };
        let Some(redis) = redis(options)? else {
            return Ok(Self::InProcess {
                limiter: metered(in_process.clone()),
                in_process,
            });
        };
        let redis = Arc::new(redis);
        let limiter = FallbackLimiter::new(
            metered(redis.clone()),
            in_process.clone(),
            Arc::clone(keys),
            Arc::clone(clock),
            Arc::clone(replicas),
        );
        Ok(Self::Shared {
            redis,
            limiter: Arc::new(limiter),
            in_process,
        })
    }

    /// Creates the pacing of queries to the bank on the same backend, within `budget`.
    pub(super) fn pacing(
        &self,
        budget: NonZeroU32,
        replicas: &Arc<ReplicaCount>,
        process: Uuid,
        clock: &Arc<dyn Clock>,
    ) -> BankPacing {
        let pacing = Pacing::new(budget);
        let Self::Shared { redis, .. } = self else {
            return BankPacing {
                pacer: Arc::new(InProcessPacer::new(pacing)),
                fallback: None,
            };
        };
        let replicas = Arc::clone(replicas);
        let share = move || pacing.share_of(replicas.get());
        let fallback = Arc::new(FallbackPacer::new(
            Arc::new(redis.pacer(process, pacing)),
            Arc::new(InProcessPacer::following(share)),
            Arc::clone(clock),
        ));
        BankPacing {
            pacer: fallback.clone(),
            fallback: Some(fallback),
        }
    }

    /// Tries the shared limiter, and logs a warning when it doesn't answer.
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

    pub(super) fn limiter(&self) -> Arc<dyn Limiter> {
        match self {
            Self::InProcess { limiter, .. } => Arc::clone(limiter),
            Self::Shared { limiter, .. } => limiter.clone(),
        }
    }

    /// The rate limiter that falls back to this process while Redis fails; `None` without Redis.
    pub(super) fn fallback_limiter(&self) -> Option<Arc<FallbackLimiter>> {
        match self {
            Self::InProcess { .. } => None,
            Self::Shared { limiter, .. } => Some(Arc::clone(limiter)),
        }
    }

    /// The limiter of this process; its idle keys must be removed regularly.
    pub(super) fn in_process(&self) -> Arc<InProcessLimiter> {
        match self {
            Self::InProcess { in_process, .. } | Self::Shared { in_process, .. } => {
                Arc::clone(in_process)
            }
        }
    }
}

fn redis(options: &ReplicaOptions) -> Result<Option<RedisLimiter>> {
    let mut redis = RedisOptions::default();
    redis.timeouts.response = Duration::from_millis(options.redis_timeout);
    redis.root_certificate = root_certificate(options)?;
    let limiter = match (options.redis_url.get(), options.cluster()) {
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

/// Certificate of Redis's authority; `None` trusts the system's authorities.
fn root_certificate(options: &ReplicaOptions) -> Result<Option<Vec<u8>>> {
    let Some(authority) = &options.redis_ca else {
        return Ok(None);
    };
    let mut urls = options.redis_url.get().into_iter().chain(options.cluster());
    if !urls.any(|url| url.reveal().starts_with("rediss://")) {
        bail!("CEP_REDIS_CA is for TLS, and no address of Redis begins with rediss://");
    }
    Ok(Some(authority.pem().to_vec()))
}
