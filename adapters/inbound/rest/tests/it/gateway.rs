//! The application over in-memory adapters.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use application::{
    AccountKeys, ChangeFeed, CredentialCache, HealthService, ProofMemory, ProofRequestService,
    SpawnTask,
};
use domain::month::Month;
use domain::outcome::Outcome;
use domain::page::{PageRequest, PageSize};
use domain::seals::SealOpinion;
use ports::outbound::{BankError, CustomerStore as _, RequestEntry};
use testkit::fakes::ScriptedValidator;
use testkit::lookups::{LookupParts, LookupServices};
use testkit::people::PeopleServices;
use tokio_util::task::TaskTracker;

use crate::bank;
use crate::data::now;

/// Time that the bank takes for an answer.
const BANK_TIME: Duration = Duration::from_millis(12);

/// Services for machines, and those for people over the same adapters.
pub(crate) struct Gateway {
    pub(crate) services: PeopleServices,
    pub(crate) proof_requests: Arc<ProofRequestService>,
    /// Starts the tasks of requests.
    pub(crate) spawn: SpawnTask,
    pub(crate) lookups: LookupServices,
    pub(crate) account_keys: Arc<AccountKeys>,
    pub(crate) health: Arc<HealthService>,
    /// The validator of seals of `test` keys.
    pub(crate) validator: Arc<ScriptedValidator>,
    charged_before: u64,
    requests_before: usize,
}

impl Gateway {
    /// A gateway with the data of `services`, whose proof requests run as tasks of `tasks`.
    pub(crate) async fn over(services: PeopleServices, tasks: TaskTracker) -> Self {
        let (limiter, clock) = (services.limiter.clone(), services.clock.clone());
        let credentials = Arc::<CredentialCache>::default();
        services.test_bank.answer_by({
            let clock = clock.clone();
            move |transfer| {
                clock.advance(BANK_TIME);
                bank::by_amount(transfer)
            }
        });
        let attempts = tasks.clone();
        let feeding = attempts.clone();
        let spawns: (SpawnTask, SpawnTask) = (
            Arc::new(move |task| drop(attempts.spawn(task))),
            Arc::new(move |task| drop(feeding.spawn(task))),
        );
        let memory = ProofMemory::new(1 << 20, Duration::from_mins(10));
        let store = services.store.clone();
        let mut parts = LookupParts::over(&services, store, credentials.clone(), memory);
        let answers = [
            Ok(SealOpinion::Valid),
            Ok(SealOpinion::Invalid),
            Err(BankError::Timeout),
        ];
        let validator = Arc::new(ScriptedValidator::answering(answers));
        parts.validators.test = Some(validator.clone());
        let lookups = LookupServices::of(&parts, spawns);
        let spawn_request: SpawnTask = Arc::new(move |task| drop(tasks.spawn(task)));
        let proof_requests = parts.requests(lookups.callers.clone(), spawn_request.clone());
        let store = Arc::new(services.store.elsewhere());
        let feed = ChangeFeed::start(store, limiter.clone(), credentials, clock).await;
        let health = HealthService::new(
            Arc::new(feed.unwrap()),
            services.journal.clone(),
            limiter,
            services.clock.clone(),
        );
        Self {
            charged_before: charged(&services).await,
            requests_before: services.journal.requests().len(),
            services,
            proof_requests: Arc::new(proof_requests),
            spawn: spawn_request,
            lookups,
            account_keys: parts.account_keys(),
            health: Arc::new(health),
            validator,
        }
    }

    /// The requests that ended here, in order.
    pub(crate) fn requests(&self) -> Vec<RequestEntry> {
        self.services
            .journal
            .requests()
            .split_off(self.requests_before)
    }

    /// The outcomes of the requests that ended here, in order. Fails unless every admission was settled
    /// once.
    pub(crate) async fn outcomes(&self) -> Vec<Outcome> {
        let requests = self.requests();
        let settled: HashSet<_> = requests.iter().map(|request| request.id).collect();
        assert_eq!(requests.len(), settled.len(), "an admission settled twice");
        let admitted = charged(&self.services).await - self.charged_before;
        assert_eq!(admitted, settled.len() as u64, "an admission not settled");
        requests.iter().map(|request| request.outcome).collect()
    }
}

/// Admissions of all keys that were written down.
async fn charged(services: &PeopleServices) -> u64 {
    let page = PageRequest::first(PageSize::MAX);
    let store = services.store.elsewhere();
    let customers = store.customers(None, Month::of(now()), &page).await;
    let customers = customers.unwrap().items.into_iter();
    customers.map(|(_, customer)| customer.used.charged).sum()
}
