//! Whole proof requests: the order of their steps, and one settlement each, whatever happens.

mod checks;
mod receipts;
mod second_opinions;

use std::sync::{Arc, Mutex};

use crate::support::fixture::{HERE, Holder, request};
use crate::support::payments::query_of;
use crate::support::world::{Process, Settings, World, settle, world};
use crate::support::{WatchedKeys, disk_full, limits};
use application::{AdmissionError, Answered, Charge, Delivery, FetchError, Reply, Served};
use domain::limits::MonthlyUse;
use domain::outcome::Outcome;
use domain::query::ProofQuery;
use domain::seals::SealVerdict;
use domain::transfer::Transfer;
use ports::outbound::BankError;
use rstest::rstest;
use testkit::fakes::{Script, unsealed_proof};
use testkit::lookups::{Invalid, question};
use tokio::task::JoinHandle;

/// Fault of a step of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    InvalidQuery,
    ReadingPanics,
    LookupTimesOut,
    LookupPanics,
}

type Steps = Arc<Mutex<Vec<&'static str>>>;
type ProofAnswer = Served<Result<Delivery, FetchError>, Invalid>;

/// The bank's answer, with a fault that was ordered.
fn answer(fault: Option<Fault>, transfer: &Transfer) -> Script {
    assert_ne!(fault, Some(Fault::LookupPanics), "as ordered");
    match fault {
        Some(Fault::LookupTimesOut) => Script::Fail(BankError::Timeout),
        _ => Script::Issue(unsealed_proof(transfer)),
    }
}

/// What is read, with a fault that was ordered.
fn read(fault: Option<Fault>, steps: &Steps) -> Result<ProofQuery, Invalid> {
    steps.lock().unwrap().push("read");
    assert_ne!(fault, Some(Fault::ReadingPanics), "as ordered");
    match fault {
        Some(Fault::InvalidQuery) => Err(Invalid),
        _ => Ok(query_of("1234.56")),
    }
}

/// A request of a good key, at its end.
fn answered<A: std::fmt::Debug>(served: Served<A, Invalid>) -> Answered<A, Invalid> {
    match served {
        Served::Answered(answered) => *answered,
        served => panic!("{served:?}"),
    }
}

struct Fixture {
    world: World,
    process: Process,
    holder: Holder,
    fault: Option<Fault>,
    steps: Steps,
}

async fn fixture(fault: Option<Fault>) -> Fixture {
    fixture_in(world(), fault).await
}

async fn fixture_in(world: World, fault: Option<Fault>) -> Fixture {
    let steps = Steps::default();
    world.bank.answer_by({
        let steps = steps.clone();
        move |transfer| {
            steps.lock().unwrap().push("look up");
            answer(fault, transfer)
        }
    });
    Fixture {
        process: world.process(Settings::default()),
        holder: world.base.holder(limits(10, Some(5))).await,
        world,
        fault,
        steps,
    }
}

impl Fixture {
    /// Starts to serve a request with the key.
    fn start(&self, key: &str) -> JoinHandle<ProofAnswer> {
        let (requests, request) = (self.process.requests.clone(), request(Some(key), HERE));
        let (fault, steps) = (self.fault, self.steps.clone());
        tokio::spawn(async move {
            let question = question(|| read(fault, &steps));
            requests.serve(request, question).await
        })
    }

    /// Serves a request of the holder's.
    async fn serve(&self) -> Answered<Result<Delivery, FetchError>, Invalid> {
        answered(self.start(self.holder.secret.reveal()).await.unwrap())
    }

    fn steps(&self) -> Vec<&'static str> {
        self.steps.lock().unwrap().clone()
    }

    /// The verdicts on seals that were written down.
    fn recorded_seals(&self) -> Vec<Option<SealVerdict>> {
        let ended = self.world.ended();
        ended.iter().map(|request| request.seal).collect()
    }

    async fn used(&self) -> MonthlyUse {
        self.world.base.used(self.holder.id).await
    }
}

#[rstest]
#[case::delivered(None, 2, Outcome::Delivered)]
#[case::invalid(Some(Fault::InvalidQuery), 1, Outcome::InvalidRequest)]
#[case::bank_failed(Some(Fault::LookupTimesOut), 2, Outcome::BankTimeout)]
#[case::reading_panicked(Some(Fault::ReadingPanics), 1, Outcome::InternalError)]
#[case::lookup_panicked(Some(Fault::LookupPanics), 2, Outcome::InternalError)]
#[tokio::test]
async fn a_request_takes_its_steps_in_order_and_is_settled_once_and_refunded_for_a_failure(
    #[case] fault: Option<Fault>,
    #[case] steps: usize,
    #[case] outcome: Outcome,
) {
    let fixture = fixture(fault).await;
    let answered = fixture.serve().await;
    assert_eq!(fixture.steps(), ["read", "look up"][..steps]);
    let is_told = match answered.reply {
        Reply::Answer(Ok(_)) => outcome == Outcome::Delivered,
        Reply::Answer(Err(_)) => outcome == Outcome::BankTimeout,
        Reply::Faulty(Invalid) => outcome == Outcome::InvalidRequest,
        Reply::Failed => outcome == Outcome::InternalError,
        Reply::NotDurable(_) => false,
    };
    assert!(is_told, "{:?}", answered.reply);
    let of = (answered.charge, answered.key);
    assert_eq!(of, (Charge::Settled(outcome), fixture.holder.id));
    assert_eq!(fixture.world.outcomes(), [outcome]);
    // No key of the bank's certificates is known here.
    let seal = (outcome == Outcome::Delivered).then_some(SealVerdict::NotChecked);
    assert_eq!(fixture.recorded_seals(), [seal]);
    let refunded = u64::from(outcome.is_refunded());
    assert_eq!(answered.limit_status.month.unwrap().used, 1 - refunded);
    let used = fixture.used().await;
    assert_eq!((used.charged, used.refunded), (1, refunded));
}

/// It is allocated and filled for each request; rare paths are boxed, so that they don't lengthen it.
#[tokio::test]
async fn the_future_of_a_request_is_short() {
    let fixture = fixture(None).await;
    let request = request(Some(fixture.holder.secret.reveal()), HERE);
    let question = question(|| read(None, &fixture.steps));
    let size = size_of_val(&fixture.process.requests.serve(request, question));
    assert!((1..3_000).contains(&size), "{size} bytes");
}

#[tokio::test]
async fn deliveries_of_one_proof_are_recorded_by_one_mark() {
    let fixture = fixture(None).await;
    for _ in 0..2 {
        fixture.serve().await;
    }
    let requests = fixture.world.ended();
    let [first, second] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(first.delivered.len(), 1);
    assert_eq!(first.delivered, second.delivered);
}

#[tokio::test]
async fn a_refused_request_is_neither_read_nor_settled() {
    let fixture = fixture(None).await;
    let served = fixture.start("cep_test_nonsense").await.unwrap();
    let Served::Refused(AdmissionError::InvalidKey) = served else {
        panic!("{served:?}");
    };
    assert_eq!(fixture.steps(), Vec::<&str>::new());
    assert_eq!(fixture.world.outcomes(), []);
}

#[tokio::test]
async fn an_answer_whose_admission_is_not_durable_is_withheld_and_refunded() {
    let fixture = fixture(None).await;
    fixture.serve().await;
    fixture.world.base.journal.fail_with(Some(disk_full()));
    let answered = fixture.serve().await;
    assert!(matches!(answered.reply, Reply::NotDurable(_)));
    assert_eq!(answered.charge, Charge::Settled(Outcome::InternalError));
    assert_eq!(answered.limit_status.month.unwrap().used, 1);
}

#[tokio::test]
async fn a_request_that_is_dropped_is_settled_once_as_a_failure_of_ours() {
    let fixture = fixture(None).await;
    fixture.world.bank.hold();
    let serving = fixture.start(fixture.holder.secret.reveal());
    settle().await;
    assert_eq!(fixture.world.bank.times_asked(), 1);
    serving.abort();
    settle().await;
    assert_eq!(fixture.world.outcomes(), [Outcome::InternalError]);
    assert_eq!(fixture.used().await.net(), 0);
}

#[tokio::test]
async fn after_a_panic_in_the_admission_there_is_nothing_to_settle() {
    let fixture = fixture(None).await;
    let store = &fixture.world.base.store;
    store.after_next_snapshot(async { panic!("as ordered") });
    let key = fixture.holder.secret.reveal();
    assert!(fixture.start(key).await.unwrap_err().is_panic());
    assert_eq!(fixture.steps(), Vec::<&str>::new());
    assert_eq!(fixture.world.outcomes(), []);
}
