//! Forwards other processes' notifications to the signals of this process.

use std::sync::Arc;
use std::time::Duration;

use ports::outbound::{LookupNotification, LookupNotifications, Timer};

use super::signals::LookupSignals;

/// Pause before a lost connection is reestablished; doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(15);

/// Listens to other processes' changes of lookups, and signals them to the worker and the waiting callers of
/// this process.
pub struct LookupListener {
    notifications: Arc<dyn LookupNotifications>,
    signals: Arc<LookupSignals>,
    timer: Arc<dyn Timer>,
}

impl LookupListener {
    /// Creates a listener that forwards notifications to `signals`.
    pub fn new(
        notifications: Arc<dyn LookupNotifications>,
        signals: Arc<LookupSignals>,
        timer: Arc<dyn Timer>,
    ) -> Self {
        Self {
            notifications,
            signals,
            timer,
        }
    }

    /// Listens until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        let notify = |notification| self.notify(notification);
        let mut pause = FIRST_PAUSE;
        loop {
            let error = self.notifications.listen(&notify).await;
            if self.signals.is_listening() {
                tracing::warn!(
                    %error,
                    "what other replicas do with lookups isn't heard of: the database is looked at more often \
                     until its connection is back"
                );
                self.signals.listening(false);
                pause = FIRST_PAUSE;
            } else {
                tracing::debug!(%error, "the database can't be listened to");
            }
            self.timer.pause(pause).await;
            pause = (2 * pause).min(MAX_PAUSE);
        }
    }

    fn notify(&self, notification: LookupNotification) {
        match notification {
            LookupNotification::Listening => self.signals.listening(true),
            LookupNotification::Added => self.signals.work(),
            LookupNotification::Changed(id) => self.signals.changed(id),
        }
    }
}
