//! Position of a lookup in the queue.

use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::lookups::{LookupState, QueuePlace};
use domain::pacing::Pacing;
use ports::outbound::{LookupStore, StoreError, StoredLookup};

/// Position and expected time of a lookup that is due and not claimed; `None` for others. `live` is the query
/// budget of the portal; the sandbox has none.
pub(super) async fn place(
    store: &dyn LookupStore,
    live: Pacing,
    lookup: &StoredLookup,
    now: DateTime<Utc>,
) -> Result<Option<QueuePlace>, StoreError> {
    let waits = matches!(lookup.state, LookupState::Queued | LookupState::Waiting);
    if !waits || lookup.due_at.is_none_or(|due_at| due_at > now) {
        return Ok(None);
    }
    let ahead = store.queue_ahead(lookup, now).await?;
    let pacing = match lookup.facts.environment {
        Environment::Live => Some(live),
        Environment::Test => None,
    };
    Ok(Some(ahead.place(pacing, now)))
}
