//! Options of replicas: Redis, and their number.

use std::num::NonZeroU32;

use clap::Args;

use super::secret::{Secret, SecretKind};
use super::url::ServerUrl;
use super::{heading, secret, url};

/// Largest file of certificates: the bundles of whole systems are four times smaller.
const LARGEST_CERTIFICATES: u64 = 1024 * 1024;

/// Redis, and the number of replicas.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::REPLICAS)]
pub struct ReplicaOptions {
    /// Replicas that serve at the same time, instead of the number that they count by themselves.
    /// While Redis is down each admits its share of every limit: too small a number admits too much
    /// then.
    #[arg(
        long,
        env = "CEP_REPLICAS",
        value_name = "N",
        value_parser = replicas
    )]
    pub replicas: Option<NonZeroU32>,

    /// Milliseconds that Redis may take to answer; a call that takes longer has failed.
    #[arg(
        long,
        env = "CEP_REDIS_TIMEOUT",
        value_name = "MS",
        default_value_t = 150,
        value_parser = clap::value_parser!(u64).range(1..=60_000)
    )]
    pub redis_timeout: u64,

    /// File (PEM) with the certificate of the authority that signed those of Redis, for `rediss://`.
    /// The authorities that the system trusts, when it is not given.
    #[arg(
        long,
        env = "CEP_REDIS_CA",
        value_name = "FILE",
        value_parser = Certificates::read
    )]
    pub redis_ca: Option<Certificates>,

    /// Address of a single Redis.
    #[command(flatten)]
    pub redis_url: Secret<RedisUrl>,

    /// Addresses of a Redis Cluster.
    #[command(flatten)]
    pub redis_cluster: Secret<RedisCluster>,
}

impl ReplicaOptions {
    /// Addresses of the nodes of a Redis Cluster; none when there is no cluster.
    pub fn cluster(&self) -> &[ServerUrl] {
        self.redis_cluster.get().map_or(&[], Vec::as_slice)
    }

    /// Reports whether a Redis was named.
    pub fn has_redis(&self) -> bool {
        self.redis_url.get().is_some() || !self.cluster().is_empty()
    }
}

/// The option `--redis-url`.
#[derive(Debug)]
pub struct RedisUrl;

impl SecretKind for RedisUrl {
    type Value = ServerUrl;
    const NAME: &'static str = "redis-url";
    const VALUE_NAME: &'static str = "URL";
    const HELP: &'static str = "Redis that replicas share their limits in: `redis://` or, with TLS, \
        `rediss://`";
    const HEADING: &'static str = heading::REPLICAS;
    const EXCLUDES: &'static [&'static str] = &[RedisCluster::NAME];

    fn parse(text: &str) -> Result<ServerUrl, String> {
        url::redis(text)
    }
}

/// The option `--redis-cluster`.
#[derive(Debug)]
pub struct RedisCluster;

impl SecretKind for RedisCluster {
    type Value = Vec<ServerUrl>;
    const NAME: &'static str = "redis-cluster";
    const VALUE_NAME: &'static str = "URLS";
    const HELP: &'static str = "Nodes of a Redis Cluster that replicas share their limits in, \
        separated by commas; some of them are enough";
    const HEADING: &'static str = heading::REPLICAS;
    const EXCLUDES: &'static [&'static str] = &[RedisUrl::NAME];

    fn parse(text: &str) -> Result<Vec<ServerUrl>, String> {
        text.split(',').map(url::redis).collect()
    }
}

/// Certificates, PEM.
#[derive(Clone, Debug)]
pub struct Certificates(Vec<u8>);

impl Certificates {
    /// The whole file.
    pub fn pem(&self) -> &[u8] {
        &self.0
    }

    fn read(path: &str) -> Result<Self, String> {
        let bytes = secret::bytes(path, LARGEST_CERTIFICATES)?;
        Ok(Self(bytes.to_vec()))
    }
}

/// Reads a number of replicas.
///
/// # Errors
/// Names the least.
fn replicas(text: &str) -> Result<NonZeroU32, String> {
    let number = text.parse();
    number.map_err(|_| "must be a whole number, and at least 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_replica_at_least() {
        assert_eq!(replicas("1").unwrap().get(), 1);
        for wrong in ["0", "-1", "two", ""] {
            let refused = replicas(wrong).unwrap_err();
            assert!(refused.contains("at least 1"), "{wrong}: {refused}");
        }
    }
}
