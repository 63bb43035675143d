//! Options of the server's socket.

use std::net::SocketAddr;
use std::str::FromStr as _;

use clap::Args;
use web::ProxyNetwork;

use super::{heading, value};

/// Address of the API.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SERVER)]
pub struct ListenOptions {
    /// Address to serve on.
    #[arg(
        long,
        env = "CEP_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080",
        value_parser = value::address
    )]
    pub listen: SocketAddr,
}

/// Connections of callers.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SERVER)]
pub struct ConnectionOptions {
    /// Connections that are served at the same time; some more wait.
    #[arg(
        long,
        env = "CEP_MAX_CONNECTIONS",
        value_name = "N",
        default_value_t = 8_192,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub max_connections: u32,

    /// Connections that are served at the same time of one IPv4 address or IPv6 network (/64); more are
    /// closed. Half of all, when it is not given. Trusted proxies have no such limit.
    #[arg(
        long,
        env = "CEP_MAX_CONNECTIONS_PER_ADDRESS",
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub max_connections_per_address: Option<u32>,

    /// Addresses and networks of proxies in front, separated by commas. What they say in
    /// `X-Forwarded-For` or `Forwarded` is a caller's address, by which guessed keys are counted; anybody
    /// else isn't believed.
    #[arg(
        long,
        env = "CEP_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        value_delimiter = ',',
        value_parser = ProxyNetwork::from_str
    )]
    pub trusted_proxies: Vec<ProxyNetwork>,
}
