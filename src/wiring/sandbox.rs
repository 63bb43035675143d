//! The sandbox bank.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use bank_portal::PortalUrl;
use ports::outbound::Clock as _;
use sandbox::{SandboxConfig, VALIDATOR_PATH};
use tokio_util::sync::CancellationToken;

use crate::config::SandboxOptions;
use crate::server;
use crate::system::SystemClock;

/// Addresses of the sandbox bank.
pub(crate) struct SandboxUrls {
    pub(crate) portal: PortalUrl,
    pub(crate) validator: PortalUrl,
}

/// Starts the sandbox bank on loopback; cancelling the token ends it.
///
/// # Errors
/// Its address is taken.
pub(crate) fn start_sandbox(options: &SandboxOptions) -> Result<(CancellationToken, SandboxUrls)> {
    let listener = server::listen(options.sandbox_listen).with_context(|| {
        format!(
            "listening on {} (CEP_SANDBOX_LISTEN)",
            options.sandbox_listen
        )
    })?;
    let address = listener
        .local_addr()
        .context("asking for the sandbox's address")?;
    let url = |path: &str| {
        PortalUrl::parse(&format!("http://{address}{path}")).context("the sandbox's address")
    };
    let urls = SandboxUrls {
        portal: url("/cep")?,
        validator: url(VALIDATOR_PATH)?,
    };
    let config = sandbox_config(Duration::from_millis(options.sandbox_latency));
    let stop = CancellationToken::new();
    tokio::spawn(sandbox::serve(
        listener,
        sandbox::router(config),
        stop.clone().cancelled_owned(),
    ));
    Ok((stop, urls))
}

/// Configures a sandbox bank that uses the system clock.
pub(crate) fn sandbox_config(latency: Duration) -> SandboxConfig {
    let clock = SystemClock::new();
    SandboxConfig {
        latency,
        now: Arc::new(move || clock.now()),
    }
}
