//! One at a time for each key.

use std::iter;

use domain::key::KeyId;
use futures::lock::{Mutex, MutexGuard};

/// Keys that have a turn at the same time, at most.
const PLACES: usize = 64;

/// Turns of keys: of those who ask for one key's, one has it. Some keys share theirs.
pub(super) struct Turns(Vec<Mutex<()>>);

impl Default for Turns {
    fn default() -> Self {
        Self(iter::repeat_with(Mutex::default).take(PLACES).collect())
    }
}

impl Turns {
    /// A key's turn; it ends when this is dropped.
    pub(super) async fn of(&self, key: KeyId) -> MutexGuard<'_, ()> {
        let place = usize::try_from(key.0.as_u128() % PLACES as u128).unwrap_or_default();
        self.0[place].lock().await
    }
}
