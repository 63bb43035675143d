//! Options of the server's socket.

use std::net::SocketAddr;

use clap::Args;

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
    /// Connections that are served at the same time; more wait.
    #[arg(
        long,
        env = "CEP_MAX_CONNECTIONS",
        value_name = "N",
        default_value_t = 8_192,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub max_connections: u32,
}
