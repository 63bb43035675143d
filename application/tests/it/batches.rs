//! Batches: their creation, the lookups of their rows, their ends, and imports into them.

mod answered;
mod cancellation;
mod changes;
mod charges;
mod creation;
mod downloads;
mod events;
mod idempotency;
mod imports;
mod keys;
mod leases;
mod limits;
mod owners;
mod reads;
mod rows;
mod secrets;
mod waits;
mod window;

use std::time::Duration;

use application::{
    BatchAccess, BatchDraft, BatchError, BatchQuery, BatchView, CreatedBatch, DraftRow, RowOutcome,
    RowView,
};
use domain::batches::BatchState::{Finished, Paused};
use domain::batches::{BatchId, BatchState, RowCounts, RowNumber};
use domain::keys::Environment;
use domain::limits::Limits;
use domain::lookups::{LookupState, RetryFor};
use domain::outcome::Outcome;
use domain::page::{PageRequest, PageSize};
use domain::people::customer::Role;
use domain::query::ProofQuery;
use ports::outbound::{BatchStore as _, Clock as _, StoredLookup};
use testkit::fakes::Fault;

use crate::support::fixture::{self, Holder};
use crate::support::world::{Process, Settings, World, ample, seconds, settle, world};
use crate::support::{operator, person};
use rows::*;

/// A world with one process and a test key of the operator's.
async fn start() -> (World, Process, Holder) {
    start_with(ample()).await
}

/// The same, with another process.
async fn start_two() -> (World, Process, Process, Holder) {
    let (world, process, holder) = start().await;
    let other = world.process(secrets(&[1]));
    (world, process, other, holder)
}

/// A world with one process and a test key of these limits.
async fn start_with(limits: Limits) -> (World, Process, Holder) {
    let world = world();
    let process = world.process(secrets(&[1]));
    let holder = world.base.holder(limits).await;
    (world, process, holder)
}

/// A world with a batch of these rows.
async fn start_batch(rows: Vec<DraftRow>) -> (World, Process, Holder, BatchId) {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, rows).await;
    (world, process, holder, id)
}

/// Limits of a key that may ask often in a minute, and so often in a month.
fn monthly(quota: u64) -> Limits {
    crate::support::limits(1_000, Some(quota))
}

/// A batch of twelve rows whose key may ask seven times a month: it is paused after these.
async fn start_paused() -> (World, Process, Holder, BatchView) {
    let (world, process, holder) = start_with(monthly(7)).await;
    let id = process.create(&holder, ready(12)).await;
    process.feed_and_work().await;
    let paused = process.view(&holder, id).await;
    assert_eq!((paused.state, paused.ended()), (Paused, 7));
    (world, process, holder, paused)
}

/// A process with secrets of these generations, the newest first, which works on many rows at once.
fn secrets(secrets: &'static [u16]) -> Settings {
    Settings {
        places: 512,
        secrets,
        ..Settings::default()
    }
}

fn access(holder: &Holder) -> BatchAccess {
    BatchAccess::Key(fixture::access(holder))
}

/// The question for all batches.
fn all() -> BatchQuery {
    BatchQuery {
        environment: None,
        states: Vec::new(),
        key: None,
        page: PageRequest::first(PageSize::MAX),
    }
}

async fn listed(process: &Process, access: &BatchAccess, query: &BatchQuery) -> Vec<BatchId> {
    let page = process.batches.list(access, query).await.unwrap().found;
    page.items.iter().map(|(_, view)| view.id).collect()
}

impl World {
    /// Net charges of a key that are stored.
    async fn stored_use(&self, holder: &Holder) -> u64 {
        self.base.used(holder.id).await.net()
    }

    /// Asserts that so many requests of a key count, in the store and in the limiter.
    #[track_caller]
    fn charged<'a>(&'a self, holder: &'a Holder, requests: u64) -> impl Future<Output = ()> + 'a {
        let place = std::panic::Location::caller();
        async move {
            let counted = [self.stored_use(holder).await, self.counted(holder).await];
            let expected = [requests; 2];
            assert_eq!(counted, expected, "in the store, in the limiter: {place}");
        }
    }

    /// Works on all batches until one is in this state.
    async fn until(&self, process: &Process, id: BatchId, state: BatchState) {
        for _ in 0..500 {
            process.feed_and_work().await;
            if process.state(id).await == state {
                return;
            }
            self.pass(Duration::from_millis(500)).await;
        }
        panic!("it never is {}", state.name());
    }

    async fn run_for(&self, process: &Process, time: u64) {
        for _ in 0..time {
            process.feed_and_work().await;
            self.pass(seconds(1)).await;
        }
    }

    async fn feed_for(&self, process: &Process, time: u64) {
        for _ in 0..time {
            process.feed().await;
            self.pass(seconds(1)).await;
        }
    }
}

/// Steps with batches on a process.
trait BatchSteps {
    fn process(&self) -> &Process;

    async fn try_create(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
    ) -> Result<CreatedBatch, BatchError> {
        self.process().batches.create(access, draft, None).await
    }

    async fn create_of(&self, access: &BatchAccess, draft: BatchDraft) -> BatchView {
        let created = self.try_create(access, draft).await.unwrap();
        assert!(!created.repeated);
        created.batch.found.unwrap()
    }

    async fn create(&self, holder: &Holder, rows: Vec<DraftRow>) -> BatchId {
        self.create_of(&access(holder), draft(rows)).await.id
    }

    async fn cancel(&self, holder: &Holder, id: BatchId) -> Result<BatchView, BatchError> {
        let canceled = self.process().batches.cancel(&access(holder), id).await;
        canceled.map(|read| read.found)
    }

    async fn erase(&self, holder: &Holder, id: BatchId) -> Result<(), BatchError> {
        let erased = self.process().batches.erase(&access(holder), id).await;
        erased.map(drop)
    }

    async fn find(&self, holder: &Holder, id: BatchId) -> Result<BatchView, BatchError> {
        let batches = &self.process().batches;
        let found = batches.find(&access(holder), id, Duration::ZERO).await;
        found.map(|read| read.found)
    }

    async fn view(&self, holder: &Holder, id: BatchId) -> BatchView {
        self.find(holder, id).await.unwrap()
    }

    /// The state of a batch of the operator's.
    async fn state(&self, id: BatchId) -> BatchState {
        let (batches, operator) = (&self.process().batches, BatchAccess::Person(operator()));
        let found = batches.find(&operator, id, Duration::ZERO).await;
        found.unwrap().found.state
    }

    /// Rows from one on.
    async fn rows(&self, holder: &Holder, id: BatchId, first: u32) -> Vec<RowView> {
        let (batches, access) = (&self.process().batches, access(holder));
        let rows = batches.rows(&access, id, RowNumber(first)).await;
        let mut rows = rows.unwrap().found;
        let mut all = Vec::new();
        while let Some(some) = rows.next().await.unwrap() {
            all.extend(some);
        }
        all
    }

    async fn outcomes(&self, holder: &Holder, id: BatchId) -> Vec<String> {
        let rows = self.rows(holder, id, 0).await;
        rows.iter().map(|row| outcome(&row.outcome)).collect()
    }

    async fn lookups_of(&self, id: BatchId) -> Vec<StoredLookup> {
        let store = &self.process().store;
        let lookups = store.batch_lookups(id, RowNumber(0), u32::MAX).await;
        lookups.unwrap()
    }

    /// Rows of a batch that have a lookup, each once.
    async fn begun(&self, id: BatchId) -> Vec<u32> {
        let lookups = self.lookups_of(id).await.into_iter();
        let rows = lookups.map(|lookup| lookup.facts.batch.unwrap().row.0);
        rows.collect()
    }
}

impl BatchSteps for Process {
    fn process(&self) -> &Process {
        self
    }
}

fn outcome(outcome: &RowOutcome) -> String {
    match outcome {
        RowOutcome::Faulty(faulty) => format!("faulty: {}", faulty.0),
        RowOutcome::Unresolved(_) => "unresolved".to_owned(),
        RowOutcome::Duplicate { of, line } => format!("duplicate of {} in {line}", of.0),
        RowOutcome::NotBegun { batch: Paused } => "not begun, paused".to_owned(),
        RowOutcome::NotBegun { .. } => "not begun".to_owned(),
        RowOutcome::Erased => "erased".to_owned(),
        RowOutcome::Lookup(view) => view.state.name().to_owned(),
    }
}
