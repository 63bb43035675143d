//! How the portal is reached.

use std::path::PathBuf;
use std::time::Duration;

use crate::address::PortalUrl;

/// How the portal is reached.
#[derive(Clone, Debug)]
pub struct PortalConfig {
    /// Where it is.
    pub base_url: PortalUrl,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// Our version, as the honest `User-Agent` says it: `cep-gateway/<version>`.
    pub version: String,
    /// Lookups that may be under way at once; more are refused. Each is a connection and, measured
    /// together with a server that answers slowly, at most 56 kB.
    pub most_lookups: usize,
    /// Where unknown pages are kept for the operator; `None` keeps none. They hold personal data.
    pub diagnostics_dir: Option<PathBuf>,
}

impl PortalConfig {
    /// The settings for the portal at `base_url`, without diagnosis.
    pub fn new(base_url: PortalUrl) -> Self {
        Self {
            base_url,
            connect_timeout: Duration::from_secs(5),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            most_lookups: 4096,
            diagnostics_dir: None,
        }
    }
}
