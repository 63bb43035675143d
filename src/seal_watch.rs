//! The keys of seals while a server runs.

use application::SealService;

/// Takes keys into use that another process stored. A database that fails is reported by the change
/// feed.
pub(crate) async fn follow(seals: &SealService) {
    if let Err(error) = seals.refresh().await {
        tracing::debug!(%error, "the stored keys of seals can't be read");
    }
}
