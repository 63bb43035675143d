//! The archive of issued proofs.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use application::{ArchiveParts, ArchiveService};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use tokio_util::task::TaskTracker;

use super::infrastructure::Infrastructure;
use super::tasks::spawning_in;
use crate::config::{ServeOptions, StoreSecret};
use crate::system::SystemTimer;

/// Creates the archive, whose writes `tasks` tracks; `None` when it is off.
///
/// # Errors
/// There is no secret, or it can't be used.
pub(super) fn archive(
    base: &Infrastructure,
    options: &ServeOptions,
    tasks: &TaskTracker,
    secret: &StoreSecret,
) -> Result<Option<Arc<ArchiveService>>> {
    let days = options.archive.proof_archive;
    if days == 0 {
        return Ok(None);
    }
    let secrets = secret.archive();
    Ok(Some(Arc::new(ArchiveService::new(ArchiveParts {
        store: Arc::new(base.store.clone()),
        cipher: Arc::new(AesCipher),
        secrets: secrets.map_err(|problem| anyhow!("CEP_STORE_SECRET: {problem}"))?,
        retention: TimeDelta::days(days.into()),
        clock: Arc::clone(&base.clock),
        timer: Arc::new(SystemTimer),
        spawn: spawning_in(tasks),
    }))))
}
