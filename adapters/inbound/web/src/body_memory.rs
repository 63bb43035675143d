//! Memory limit for large bodies. All requests share a fixed amount, so that many concurrent or slow
//! uploads can't exhaust the memory of the process.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Bytes of a block, the unit of reservation.
const BLOCK: usize = 64 * 1024;
/// `Retry-After` when no memory is free: other bodies are usually processed by then.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Memory for bodies that are being read or processed.
#[derive(Clone, Debug)]
pub struct BodyMemory(Arc<Semaphore>);

/// A body's reserved share, released on drop.
#[derive(Debug)]
pub struct HeldMemory {
    memory: BodyMemory,
    held: Option<OwnedSemaphorePermit>,
}

impl BodyMemory {
    /// A limit of `bytes`, rounded up to whole blocks.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.div_ceil(BLOCK))))
    }

    /// An empty reservation.
    pub(crate) fn nothing(&self) -> HeldMemory {
        HeldMemory {
            memory: self.clone(),
            held: None,
        }
    }
}

impl HeldMemory {
    /// Extends the reservation to `bytes` in total.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = bytes.div_ceil(BLOCK).saturating_sub(held);
        let free = Arc::clone(&self.memory.0);
        let more = u32::try_from(missing).ok();
        let more = more.and_then(|missing| free.try_acquire_many_owned(missing).ok());
        let more = more.ok_or(Problem::Unavailable {
            retry_after: RETRY_AFTER,
        })?;
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_body_holds_another_one_cannot_until_it_is_dropped() {
        let memory = BodyMemory::new(3 * BLOCK);
        let (mut first, mut second) = (memory.nothing(), memory.nothing());
        first.grow(1).unwrap();
        first.grow(BLOCK).unwrap();
        first.grow(BLOCK + 1).unwrap();
        second.grow(BLOCK).unwrap();
        assert!(matches!(
            second.grow(BLOCK + 1),
            Err(Problem::Unavailable { .. })
        ));
        drop(first);
        second.grow(3 * BLOCK).unwrap();
        assert!(second.grow(3 * BLOCK + 1).is_err());
    }
}
