//! Testbed: all measured programs, side by side on one PostgreSQL and one Redis.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result};
use tempfile::TempDir;
use testkit::redis::Redis;

use super::Programs;
use super::keys::Keys;
use super::nginx;
use super::redis_stats::{PATIENCE, limiter};
use super::servers::{self, Postgres, Server};
use crate::load::Connection;
use crate::process::{Program, baseline_command, gateway_command_of};

/// Keys in total: as many as the gateway caches.
pub(super) const KEYS: usize = 100_000;
const REPLICAS: usize = 3;

/// The running programs. They are ended from the first field to the last.
pub(super) struct Testbed {
    pub(super) bare: Program,
    pub(super) nginx: Option<Server>,
    pub(super) gateways: Vec<Program>,
    pub(super) redis: Redis,
    pub(super) postgres: Postgres,
    pub(super) keys: Arc<Keys>,
    folder: TempDir,
}

impl Testbed {
    /// Starts all of them, with gateways of another build if `program` is given; nginx, if it is installed.
    pub(super) async fn start(connections: usize, program: Option<&Path>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let postgres = Postgres::start(folder.path())?;
        let redis = servers::redis()?;
        let keys = Arc::new(Keys::make(KEYS)?);
        let gateway = |name: &str| replica(program, folder.path(), name, &postgres, &redis);
        servers::migrate(gateway("migration")?)?;
        keys.fill(&postgres)?;
        keys.hydrate(&Arc::new(limiter(&redis)?)).await?;

        let mut gateways = Vec::new();
        for number in 1..=REPLICAS {
            gateways.push(Program::start(gateway(&format!("gateway-{number}"))?)?);
        }
        // Each of them queries the sandbox once, and caches the proof.
        let mut proof = Vec::new();
        for gateway in &gateways {
            let mut connection = Connection::open(gateway.address).await?;
            let answer = connection.succeed(&keys.requests(0..1)[0]).await?;
            proof = connection.body(&answer).to_vec();
        }
        let settings = nginx::Settings {
            keys: &keys,
            proof: &proof,
            redis: redis.port(),
            script: &redis.ask(&["SCRIPT", "LOAD", nginx::ADMIT]),
            // As many as a gateway has threads.
            workers: std::thread::available_parallelism()?.get(),
            connections,
        };
        let nginx = if nginx::missing().is_empty() {
            Some(nginx::start(folder.path(), &settings)?)
        } else {
            None
        };
        Ok(Self {
            bare: Program::start(baseline_command()?)?,
            nginx,
            gateways,
            redis,
            postgres,
            keys,
            folder,
        })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Addresses of the first so many gateways.
    pub(super) fn addresses(&self, replicas: usize) -> Vec<SocketAddr> {
        let gateways = self.gateways.iter().take(replicas);
        gateways.map(|gateway| gateway.address).collect()
    }

    /// Processes of the first so many gateways, and of what they use.
    pub(super) fn programs(&self, replicas: usize) -> Programs {
        let gateways = self.gateways.iter().take(replicas);
        let mut programs: Programs = gateways.map(|it| ("gateway", it.id())).collect();
        programs.push(("Redis", self.redis.id()));
        programs.push(("PostgreSQL", self.postgres.server.id()));
        programs
    }
}

impl Server {
    pub(super) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }
}

/// One gateway of many, with its log in a file.
fn replica(
    program: Option<&Path>,
    folder: &Path,
    name: &str,
    postgres: &Postgres,
    redis: &Redis,
) -> Result<Command> {
    let log = folder.join(format!("{name}.log"));
    let log = File::create(&log).with_context(|| format!("making {}", log.display()))?;
    let mut command = gateway_command_of(program, &folder.join(name))?;
    servers::use_by(&mut command, postgres, redis);
    command
        .env("CEP_REPLICAS", REPLICAS.to_string())
        .env("CEP_REDIS_TIMEOUT", PATIENCE.as_millis().to_string())
        .stderr(Stdio::from(log));
    Ok(command)
}
