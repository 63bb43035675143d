//! Stored lookups: their creation, their attempts, and what callers read of them.

mod answers;
mod attempts;
mod cancellation;
mod changes;
mod creation;
mod failures;
mod leases;
mod notifications;
mod own_accounts;
mod people;
mod places;
mod questions;
mod reads;
mod references;
mod secrets;
mod waits;

use std::sync::Arc;
use std::time::Duration;

use application::{
    AdmissionRequest, Charge, FetchError, LookupError, LookupListener, LookupQuery, LookupRequest,
    LookupView, Read, RemovedLookup, Reply, Served,
};
use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::lookups::LookupState::{
    Ambiguous, Canceled, Delivered, Expired, Failed, NotFound, Queued, Running, Waiting,
};
use domain::lookups::{LookupId, LookupState, RetryScale};
use domain::outcome::{Endpoint, Outcome};
use domain::page::{PageRequest, PageSize};
use domain::people::customer::Role;
use ports::outbound::{BankError, Clock as _, LookupFilter, LookupStore as _, StoredLookup};
use testkit::fakes::{Fault, Script, unsealed_proof};
use testkit::lookups::{Asked, Invalid};
use tokio::task::JoinHandle;

use crate::support::fixture::{HERE, Holder, access, request};
use crate::support::payments::{TRACKING_KEY, query_of, with_key};
use crate::support::world::{Process, Settings, World, seconds, settle, world};
use crate::support::{operator, person};
use questions::*;

/// The answer to a creation.
type Answer = application::Answered<Result<Option<LookupView>, FetchError>, Invalid>;

/// The lookup that was created.
fn created(answer: Answer) -> LookupView {
    let Reply::Answer(Ok(Some(created))) = answer.reply else {
        panic!("{:?}", answer.reply);
    };
    created
}

/// A world with one process and a test key of the operator's.
async fn start() -> (World, Process, Holder) {
    let world = world();
    let process = world.process(Settings::default());
    let holder = world.holder(&operator(), Environment::Test).await;
    (world, process, holder)
}

/// The same, and a lookup of two days ago that was created.
async fn start_queued(amount: &str) -> (World, Process, Holder, LookupId) {
    start_created(lookup(amount)).await
}

/// The same, and a lookup that was created.
async fn start_created(request: LookupRequest) -> (World, Process, Holder, LookupId) {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, request).await.id;
    (world, process, holder, id)
}

/// The question for all lookups.
fn all() -> LookupQuery {
    LookupQuery {
        states: Vec::new(),
        created_from: None,
        batch: None,
        page: PageRequest::first(PageSize::MAX),
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

impl World {
    /// Admissions and refunds of a key that are stored.
    async fn charges(&self, holder: &Holder) -> (u64, u64) {
        let used = self.base.used(holder.id).await;
        (used.charged, used.refunded)
    }

    async fn stored(&self, holder: &Holder, id: LookupId) -> StoredLookup {
        let all = self.all_stored(holder).await.into_iter();
        { all }.find(|stored| stored.facts.id == id).unwrap()
    }

    /// All lookups that are stored of a customer.
    async fn all_stored(&self, holder: &Holder) -> Vec<StoredLookup> {
        let key = Some(holder.secret.reveal());
        let identified = self.base.gatekeeper.identify(key, HERE).await;
        let customer = identified.unwrap().customer;
        let (all, page) = (LookupFilter::default(), PageRequest::first(PageSize::MAX));
        let listed = self.base.data.lookups(customer, &all, &page);
        let items = listed.await.unwrap().items.into_iter();
        items.map(|(_, lookup)| lookup).collect()
    }

    /// From now on the bank has a proof of each payment.
    fn issue_all(&self) {
        let issue = |transfer: &_| Script::Issue(unsealed_proof(transfer));
        self.bank.answer_by(issue);
    }

    /// Seconds since the beginning of the test.
    fn elapsed(&self) -> u64 {
        self.base.clock.monotonic().as_secs()
    }

    /// Time until an instant, in seconds.
    fn seconds_until(&self, instant: Option<DateTime<Utc>>) -> i64 {
        (instant.unwrap() - self.base.clock.now()).num_seconds()
    }
}

/// Steps with lookups on a process.
trait LookupSteps {
    fn process(&self) -> &Process;

    /// Listens to what other processes do from now on.
    async fn listen(&self) -> JoinHandle<()> {
        let process = self.process();
        let notifications = Arc::new(process.store.clone());
        let (signals, timer) = (process.signals.clone(), process.timer.clone());
        let listener = LookupListener::new(notifications, signals, timer);
        let listening = tokio::spawn(Arc::new(listener).run());
        settle().await;
        listening
    }

    fn begin(&self, holder: &Holder, asked: impl Into<Asked>) -> JoinHandle<Answer> {
        let question = asked.into().question();
        let request = AdmissionRequest {
            endpoint: Endpoint::Lookups,
            ..request(Some(holder.secret.reveal()), HERE)
        };
        let requests = self.process().requests.clone();
        tokio::spawn(async move {
            match requests.create(request, question).await {
                Served::Answered(answered) => *answered,
                served => panic!("the key is good: {served:?}"),
            }
        })
    }

    async fn ask(&self, holder: &Holder, asked: impl Into<Asked>) -> Answer {
        self.begin(holder, asked).await.unwrap()
    }

    async fn create(&self, holder: &Holder, request: LookupRequest) -> LookupView {
        let answer = self.ask(holder, request).await;
        assert_eq!(answer.charge, Charge::Open);
        created(answer)
    }

    /// The id of a lookup of two days ago that was created.
    async fn queue(&self, holder: &Holder, amount: &str) -> LookupId {
        self.create(holder, lookup(amount)).await.id
    }

    async fn find(&self, holder: &Holder, id: LookupId) -> Result<Read<LookupView>, LookupError> {
        let lookups = &self.process().lookups;
        lookups.find(access(holder), id, Duration::ZERO).await
    }

    async fn view(&self, holder: &Holder, id: LookupId) -> LookupView {
        self.find(holder, id).await.unwrap().found
    }

    /// The lookup after a round of the worker.
    async fn tried(&self, holder: &Holder, id: LookupId) -> LookupView {
        self.process().work().await;
        self.view(holder, id).await
    }

    async fn state(&self, holder: &Holder, id: LookupId) -> LookupState {
        self.view(holder, id).await.state
    }

    async fn remove(&self, holder: &Holder, id: LookupId) -> Result<RemovedLookup, LookupError> {
        let removed = self.process().lookups.remove(access(holder), id).await;
        removed.map(|read| read.found)
    }
}

/// Makes attempts, each of which leaves a lookup in a state, and lets so many seconds pass after it.
async fn attempts<const N: usize>(
    (world, process, holder): (&World, &Process, &Holder),
    id: LookupId,
    steps: [(LookupState, u64); N],
) {
    for (state, wait) in steps {
        assert_eq!(process.work().await, 1);
        assert_eq!(process.state(holder, id).await, state);
        world.pass(seconds(wait)).await;
    }
}

impl LookupSteps for Process {
    fn process(&self) -> &Process {
        self
    }
}
