//! Safety measures after a restore of the database from a copy.

use chrono::{DateTime, Utc};
use domain::webhooks::DisabledReason;
use ports::outbound::{DenyList, StoreError, WebhookStore};

/// Ends what a copy may have revived: sessions that were signed out since, and webhooks that were removed since. Tokens
/// issued until `at` are refused from the next start on, and every webhook is disabled until its owner enables it.
/// Returns the number of webhooks that were enabled.
///
/// # Errors
/// The store failed; calling it again is safe.
pub async fn end_revived(
    sessions: &dyn DenyList,
    webhooks: &dyn WebhookStore,
    at: DateTime<Utc>,
) -> Result<u64, StoreError> {
    sessions.end_sessions(at).await?;
    webhooks
        .disable_all_endpoints(DisabledReason::Restored, at)
        .await
}
