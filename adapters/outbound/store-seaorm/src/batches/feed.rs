//! Creation of lookups for the rows of a claimed batch.

use domain::batches::BatchState;
use ports::outbound::{BatchFeed, StoreError};
use sea_orm::DatabaseTransaction;

use super::state::{self, LockedBatch};
use crate::error::failed;
use crate::lookups::{insert, row};
use crate::stored::Stored;
use crate::usage::monthly::{self, Use};

/// Reason why no lookups are created.
pub(super) enum FeedError {
    /// The lease isn't held any more, or one of the rows has a lookup.
    Refused,
    Store(StoreError),
}

impl From<StoreError> for FeedError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Creates lookups of rows, and charges them.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    feed: &BatchFeed,
) -> Result<(), FeedError> {
    let held = state::held(transaction, feed.id, feed.token).await?;
    let Some(held) = held else {
        return Err(FeedError::Refused);
    };
    let lookups = { feed.lookups.iter() }.map(|new| row::queued(&new.facts, &new.question));
    let inserted = insert::rows(transaction, lookups.collect()).await;
    if inserted.map_err(failed)? < feed.lookups.len() as u64 {
        return Err(FeedError::Refused);
    }
    let after = LockedBatch {
        state: Stored(BatchState::Running),
        next_row: Stored(feed.next_row),
        ..held.clone()
    };
    state::store(transaction, &held, after, feed.now).await?;
    if let Some(charge) = feed.charge {
        let used = Use {
            key: charge.key,
            month: charge.month,
            charged: charge.requests.into(),
            refunded: 0,
            last_used_at: Some(feed.now),
        };
        monthly::add(transaction, vec![used]).await?;
    }
    Ok(())
}
