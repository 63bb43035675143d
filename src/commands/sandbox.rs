//! `cep-gateway sandbox`: the sandbox bank alone.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};

use super::signals::stop_signal;
use crate::console::say;
use crate::{server, wiring};

pub(super) async fn run(listen: SocketAddr, latency_ms: u64) -> Result<()> {
    let listener = server::listen(listen).with_context(|| format!("listening on {listen}"))?;
    let address = listener.local_addr().context("asking for the address")?;
    say(&format!(
        "The sandbox bank answers at http://{address}/cep, as the portal does at https://www.banxico.org.mx/cep.\n\
         Its proofs prove nothing. Stop it with Ctrl-C."
    ));
    let config = wiring::sandbox_config(Duration::from_millis(latency_ms));
    sandbox::serve(listener, sandbox::router(config), stop_signal()).await;
    Ok(())
}
