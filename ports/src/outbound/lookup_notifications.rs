//! Port: notifications of other processes' changes of stored lookups.

use async_trait::async_trait;
use domain::lookups::LookupId;

use super::StoreError;

/// Notification of a committed change of a stored lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupNotification {
    /// The connection is established: notifications are received from now on. Earlier ones may be lost.
    Listening,
    /// A due lookup was added.
    Added,
    /// The state of a lookup changed.
    Changed(LookupId),
}

/// Port: notifications of other processes' changes of stored lookups. They contain no personal data. Some may
/// be lost, so receivers also poll the store at intervals.
#[async_trait]
pub trait LookupNotifications: Send + Sync {
    /// Calls `notify` for each notification, first with [`LookupNotification::Listening`], until the
    /// connection is lost; returns the reason. Notifications of the own process may be included.
    async fn listen(&self, notify: &(dyn Fn(LookupNotification) + Send + Sync)) -> StoreError;
}
