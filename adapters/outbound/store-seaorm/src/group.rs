//! Group commit: changes that arrive while a transaction is written share the next one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::channel::oneshot;
use ports::outbound::StoreError;

/// Maximum number of changes in one transaction.
const MOST: usize = 128;

/// Changes of one kind that wait for the next transaction. One that fails doesn't fail the others.
pub(crate) struct Group<T, R> {
    waiting: Mutex<Waiting<T, R>>,
    /// Time that the first change of a transaction waits for others.
    linger: Duration,
}

struct Waiting<T, R> {
    changes: VecDeque<(T, oneshot::Sender<Result<R, StoreError>>)>,
    is_writing: bool,
}

/// The task that writes ended without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the task that writes changes ended early")]
struct GivenUp;

fn given_up() -> StoreError {
    StoreError {
        cause: Arc::new(GivenUp),
    }
}

impl<T, R> Default for Group<T, R> {
    fn default() -> Self {
        Self::lingering(Duration::ZERO)
    }
}

impl<T, R> Group<T, R> {
    /// Creates a group in which the first change of a transaction waits for others.
    pub(crate) fn lingering(linger: Duration) -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                changes: VecDeque::new(),
                is_writing: false,
            }),
            linger,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<T, R>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone + Send + 'static, R: Send + 'static> Group<T, R> {
    /// Writes a change together with others. `write` writes several in one transaction and returns
    /// a result for each, in order. A submitted change is written even if its caller disconnects.
    pub(crate) async fn submit<W, F>(self: &Arc<Self>, change: T, write: W) -> Result<R, StoreError>
    where
        W: Fn(Vec<T>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Vec<R>, StoreError>> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let is_first = {
            let mut waiting = self.waiting();
            waiting.changes.push_back((change, sender));
            !std::mem::replace(&mut waiting.is_writing, true)
        };
        if is_first {
            tokio::spawn(Arc::clone(self).write_all(write));
        }
        receiver.await.unwrap_or_else(|_| Err(given_up()))
    }

    /// Writes the waiting changes until there are none.
    async fn write_all<W, F>(self: Arc<Self>, write: W)
    where
        W: Fn(Vec<T>) -> F + Send + Sync,
        F: Future<Output = Result<Vec<R>, StoreError>> + Send + 'static,
    {
        // If writing panics, the next change starts it again.
        let unfinished = Unfinished(&self);
        loop {
            if !self.linger.is_zero() {
                tokio::time::sleep(self.linger).await;
            }
            let Some((changes, senders)) = self.next() else {
                break;
            };
            let results = match write(changes.clone()).await {
                Ok(results) => results.into_iter().map(Ok).collect(),
                Err(error) if changes.len() == 1 => vec![Err(error)],
                Err(_) => one_by_one(changes, &write).await,
            };
            for (sender, result) in senders.into_iter().zip(results) {
                // The receiver is gone when the caller disconnected.
                drop(sender.send(result));
            }
        }
        std::mem::forget(unfinished);
    }

    /// Takes the next changes; `None` when there are none, after which no task writes.
    #[expect(clippy::type_complexity, reason = "a pair of lists")]
    fn next(&self) -> Option<(Vec<T>, Vec<oneshot::Sender<Result<R, StoreError>>>)> {
        let mut waiting = self.waiting();
        if waiting.changes.is_empty() {
            waiting.is_writing = false;
            return None;
        }
        let most = waiting.changes.len().min(MOST);
        Some(waiting.changes.drain(..most).unzip())
    }
}

/// Guard of unfinished writing, dropped if it panics.
struct Unfinished<'a, T, R>(&'a Group<T, R>);

impl<T, R> Drop for Unfinished<'_, T, R> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.is_writing = false;
        // Dropping their senders reports the failure to the callers.
        waiting.changes.clear();
    }
}

/// Writes changes whose shared transaction failed, each in a transaction of its own.
async fn one_by_one<T, R, W, F>(changes: Vec<T>, write: &W) -> Vec<Result<R, StoreError>>
where
    W: Fn(Vec<T>) -> F,
    F: Future<Output = Result<Vec<R>, StoreError>>,
{
    let mut results = Vec::with_capacity(changes.len());
    for change in changes {
        let written = write(vec![change]).await;
        let result = written.and_then(|mut results| results.pop().ok_or_else(given_up));
        results.push(result);
    }
    results
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    type Written = Arc<Mutex<Vec<Vec<u32>>>>;

    /// Writes changes once `gate` lets it, and refuses number 13.
    fn writer(
        gate: &Arc<Semaphore>,
        written: &Written,
    ) -> impl Fn(Vec<u32>) -> futures::future::BoxFuture<'static, Result<Vec<u32>, StoreError>>
    + Send
    + Sync
    + use<> {
        let (gate, written) = (Arc::clone(gate), Arc::clone(written));
        move |changes| {
            let (gate, written) = (Arc::clone(&gate), Arc::clone(&written));
            Box::pin(async move {
                gate.acquire().await.unwrap().forget();
                if changes.contains(&13) {
                    return Err(given_up());
                }
                written.lock().unwrap().push(changes.clone());
                Ok(changes.into_iter().map(|change| change * 10).collect())
            })
        }
    }

    #[tokio::test]
    async fn changes_that_arrive_meanwhile_are_written_together() {
        let (gate, written) = (Arc::new(Semaphore::new(0)), Written::default());
        let group = Arc::new(Group::default());
        let submitted = (1..=5).map(|change| group.submit(change, writer(&gate, &written)));
        gate.add_permits(2);
        let results = join_all(submitted).await;
        let results: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(results, [10, 20, 30, 40, 50]);
        let written = written.lock().unwrap();
        assert!(written.len() <= 2, "{written:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn changes_of_a_group_that_lingers_are_written_together_after_that_time() {
        let linger = Duration::from_millis(10);
        let (gate, written) = (Arc::new(Semaphore::new(10)), Written::default());
        let group = Arc::new(Group::lingering(linger));
        let started = tokio::time::Instant::now();
        let (early, late) = tokio::join!(group.submit(1, writer(&gate, &written)), async {
            tokio::time::sleep(linger / 2).await;
            group.submit(2, writer(&gate, &written)).await
        });
        assert_eq!((early.ok(), late.ok()), (Some(10), Some(20)));
        assert_eq!(*written.lock().unwrap(), [[1, 2]]);
        assert_eq!(started.elapsed(), linger);
    }

    #[tokio::test]
    async fn a_change_that_fails_does_not_fail_the_others() {
        let (gate, written) = (Arc::new(Semaphore::new(10)), Written::default());
        let group = Arc::new(Group::default());
        let submitted =
            [11, 12, 13, 14].map(|change| group.submit(change, writer(&gate, &written)));
        let results = join_all(submitted).await;
        let results: Vec<_> = results.into_iter().map(Result::ok).collect();
        assert_eq!(results, [Some(110), Some(120), None, Some(140)]);
    }

    #[tokio::test]
    async fn after_a_panic_the_next_change_is_written() {
        let group = Arc::new(Group::<u32, u32>::default());
        let panics = |_: Vec<u32>| -> std::future::Ready<Result<Vec<u32>, StoreError>> {
            panic!("of the test")
        };
        assert!(group.submit(1, panics).await.is_err());
        let (gate, written) = (Arc::new(Semaphore::new(1)), Written::default());
        let next = group.submit(2, writer(&gate, &written)).await;
        assert_eq!(next.ok(), Some(20));
    }
}
