//! Limits on connections and subscriptions of each session. Each process counts separately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use domain::people::sign_in::token_fingerprint;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum connections of a session, one for each open page of a front end.
pub(super) const MAX_CONNECTIONS: usize = 5;
/// Maximum subscriptions of a session over all of its connections.
pub(super) const MAX_SUBSCRIPTIONS: usize = 5;

/// Semaphores of all sessions with open connections, keyed by token fingerprint.
#[derive(Default)]
pub(super) struct Places {
    sessions: Mutex<HashMap<String, Weak<SessionPlaces>>>,
}

struct SessionPlaces {
    connections: Arc<Semaphore>,
    subscriptions: Arc<Semaphore>,
}

/// A connection's permit, released on drop.
pub(super) struct ConnectionPlace {
    session: Arc<SessionPlaces>,
    #[expect(dead_code, reason = "dropping it gives the place back")]
    permit: OwnedSemaphorePermit,
}

impl Places {
    /// Takes a permit for a connection; `None` when the session is at [`MAX_CONNECTIONS`].
    pub(super) fn connect(&self, token: &str) -> Option<ConnectionPlace> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // Remove sessions without open connections, so that the map doesn't grow.
        sessions.retain(|_, session| session.strong_count() > 0);
        let entry = sessions.entry(token_fingerprint(token)).or_default();
        let session = entry.upgrade().unwrap_or_else(|| {
            let session = Arc::new(SessionPlaces {
                connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
                subscriptions: Arc::new(Semaphore::new(MAX_SUBSCRIPTIONS)),
            });
            *entry = Arc::downgrade(&session);
            session
        });
        let permit = Arc::clone(&session.connections).try_acquire_owned().ok()?;
        Some(ConnectionPlace { session, permit })
    }
}

impl ConnectionPlace {
    /// Takes a permit for a subscription, released on drop; `None` when the session is at
    /// [`MAX_SUBSCRIPTIONS`].
    pub(super) fn subscribe(&self) -> Option<OwnedSemaphorePermit> {
        let subscriptions = Arc::clone(&self.session.subscriptions);
        subscriptions.try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_counted_by_session_and_places_come_back() {
        let places = Places::default();
        let mut held: Vec<_> = (0..MAX_CONNECTIONS)
            .map(|_| places.connect("a.b.c").unwrap())
            .collect();
        // The signature is no part of a session: see `token_fingerprint`.
        assert!(places.connect("a.b.d").is_none());
        assert!(places.connect("a.x.c").is_some());
        held.pop();
        assert!(places.connect("a.b.c").is_some());
    }

    #[test]
    fn subscriptions_are_counted_over_all_connections_of_a_session() {
        let places = Places::default();
        let connect = || places.connect("a.b.c").unwrap();
        let (one, other) = (connect(), connect());
        let mut held: Vec<_> = (0..MAX_SUBSCRIPTIONS)
            .map(|number| if number % 2 == 0 { &one } else { &other })
            .map(|connection| connection.subscribe().unwrap())
            .collect();
        assert!(one.subscribe().is_none() && other.subscribe().is_none());
        held.pop();
        assert!(other.subscribe().is_some());
    }

    #[test]
    fn sessions_without_a_connection_take_no_room() {
        let places = Places::default();
        drop(places.connect("a.b.c"));
        drop(places.connect("x.y.z"));
        let kept = places.connect("k.k.k");
        assert_eq!(places.sessions.lock().unwrap().len(), 1);
        drop(kept);
    }
}
