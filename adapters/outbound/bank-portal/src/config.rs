//! Settings of the adapter.

use std::path::PathBuf;
use std::time::Duration;

use crate::address::PortalUrl;

#[derive(Clone, Debug)]
pub struct PortalConfig {
    pub base_url: PortalUrl,
    /// Time limit for establishing a connection, TLS included.
    pub connect_timeout: Duration,
    /// Version in the `User-Agent`: `cep-gateway/<version>`.
    pub version: String,
    /// Maximum number of concurrent queries; more are refused. Each is a connection and, measured
    /// together with a slow server, at most 56 kB.
    pub max_lookups: usize,
    /// Directory in which unknown pages are stored for the operator; `None` stores none. They hold
    /// personal data.
    pub diagnostics_dir: Option<PathBuf>,
}

impl PortalConfig {
    /// Returns the default settings for the portal at `base_url`, without diagnostics.
    pub fn new(base_url: PortalUrl) -> Self {
        Self {
            base_url,
            connect_timeout: Duration::from_secs(5),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            max_lookups: 4096,
            diagnostics_dir: None,
        }
    }
}
