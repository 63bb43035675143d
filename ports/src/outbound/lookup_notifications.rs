//! Port: notifications of what other processes do with stored lookups.

use async_trait::async_trait;
use domain::lookup::LookupId;

use super::StoreError;

/// Notification of something that happened to stored lookups, after it was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupNotification {
    /// Notifications arrive from now on. Earlier ones may have been lost.
    Listening,
    /// A lookup was added, which is due.
    Added,
    /// The state of a lookup changed.
    Changed(LookupId),
}

/// Port: notifications of what other processes do with stored lookups. They hold no personal data, and a
/// few may be lost: whoever relies on them also looks at the store now and then.
#[async_trait]
pub trait LookupNotifications: Send + Sync {
    /// Passes notifications of other processes on, [`LookupNotification::Listening`] first, until the
    /// connection is lost; returns the reason. Those of this process may be among them.
    async fn listen(&self, notify: &(dyn Fn(LookupNotification) + Send + Sync)) -> StoreError;
}
