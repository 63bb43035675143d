//! Notifications of what happens to stored lookups.

use async_trait::async_trait;
use ports::outbound::{LookupNotification, LookupNotifications, StoreError};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{MemoryStore, broken};

/// Those who listen, through whichever handle.
#[derive(Debug, Default)]
pub(super) struct Listeners(Vec<UnboundedSender<LookupNotification>>);

impl Listeners {
    pub(super) fn notify(&mut self, notification: LookupNotification) {
        self.0.retain(|it| it.send(notification).is_ok());
    }
}

impl MemoryStore {
    /// Ends the connections of all who listen to notifications.
    pub fn disconnect_listeners(&self) {
        self.tables().listeners.0.clear();
    }
}

#[async_trait]
impl LookupNotifications for MemoryStore {
    async fn listen(&self, notify: &(dyn Fn(LookupNotification) + Send + Sync)) -> StoreError {
        if let Err(error) = self.called("listen").await {
            return error;
        }
        let (listener, mut notifications) = unbounded_channel();
        self.tables().listeners.0.push(listener);
        notify(LookupNotification::Listening);
        while let Some(notification) = notifications.recv().await {
            notify(notification);
        }
        broken("the connection is lost")
    }
}
