//! Whole proof requests: the order of their steps, and one settlement each, whatever happens.

mod checks;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::support::fixture::{HERE, Holder, request};
use crate::support::payments::query_of;
use crate::support::world::{Process, Settings, World, world};
use crate::support::{WatchedKeys, disk_full, limits};
use async_trait::async_trait;
use domain::inference::InferredBanks;
use domain::limits::MonthlyUse;
use domain::outcome::Outcome;
use domain::query::ProofQuery;
use domain::seal::SealVerdict;
use domain::transfer::Transfer;
use ports::Cause;
use ports::inbound::{
    AdmissionError, Delivery, FetchError, InvalidRequest, ProofExchange, ProofRequests,
    RepeatableExchange, Reply, ServedRequest, SettledRequest,
};
use ports::outbound::BankError;
use rstest::rstest;
use testkit::fakes::{Script, unsealed_proof};
use tokio::sync::oneshot;

/// Fault of a step of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    InvalidQuery,
    DecodePanics,
    LookupTimesOut,
    LookupPanics,
    NoEncoding,
    EncodePanics,
}

type Steps = Arc<Mutex<Vec<&'static str>>>;

/// The bank's answer, with a fault that was ordered.
fn answer(fault: Option<Fault>, transfer: &Transfer) -> Script {
    assert_ne!(fault, Some(Fault::LookupPanics), "as ordered");
    match fault {
        Some(Fault::LookupTimesOut) => Script::Fail(BankError::Timeout),
        _ => Script::Issue(unsealed_proof(transfer)),
    }
}

/// An exchange with faults to order, which passes on the served request.
struct FaultyExchange {
    fault: Option<Fault>,
    steps: Steps,
    served: oneshot::Sender<ServedRequest>,
}

#[async_trait]
impl RepeatableExchange for FaultyExchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        self.steps.lock().unwrap().push("read");
        Some(b"content".to_vec())
    }
}

#[async_trait]
impl ProofExchange for FaultyExchange {
    async fn decode(&mut self) -> Result<ProofQuery, InvalidRequest> {
        self.steps.lock().unwrap().push("decode");
        assert_ne!(self.fault, Some(Fault::DecodePanics), "as ordered");
        match self.fault {
            Some(Fault::InvalidQuery) => Err(InvalidRequest),
            _ => Ok(query_of("1234.56")),
        }
    }

    async fn encode(
        &mut self,
        _: Result<Delivery, FetchError>,
        _: &InferredBanks,
    ) -> Result<(), Cause> {
        self.steps.lock().unwrap().push("encode");
        assert_ne!(self.fault, Some(Fault::EncodePanics), "as ordered");
        match self.fault {
            Some(Fault::NoEncoding) => Err(Arc::new(std::io::Error::other("no encoding"))),
            _ => Ok(()),
        }
    }

    async fn finish(self: Box<Self>, served: ServedRequest) {
        self.steps.lock().unwrap().push("finish");
        drop(self.served.send(served));
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
    let world = world();
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
    fn start(&self, key: &str) -> oneshot::Receiver<ServedRequest> {
        let (served, receiver) = oneshot::channel();
        let exchange = Box::new(FaultyExchange {
            fault: self.fault,
            steps: self.steps.clone(),
            served,
        });
        let request = request(Some(key), HERE);
        self.process.requests.serve(request, exchange);
        receiver
    }

    /// Serves a request of the holder's.
    async fn serve(&self) -> SettledRequest {
        let served = self.start(self.holder.secret.reveal()).await.unwrap();
        let ServedRequest::Settled(settled) = served else {
            panic!("{served:?}");
        };
        settled
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

const STEPS: [&str; 3] = ["decode", "look up", "encode"];

#[rstest]
#[case::delivered(None, 3, Outcome::Delivered)]
#[case::invalid(Some(Fault::InvalidQuery), 1, Outcome::InvalidRequest)]
#[case::bank_failed(Some(Fault::LookupTimesOut), 3, Outcome::BankTimeout)]
#[case::decoding_panicked(Some(Fault::DecodePanics), 1, Outcome::InternalError)]
#[case::lookup_panicked(Some(Fault::LookupPanics), 2, Outcome::InternalError)]
#[case::not_encoded(Some(Fault::NoEncoding), 3, Outcome::InternalError)]
#[case::encoding_panicked(Some(Fault::EncodePanics), 3, Outcome::InternalError)]
#[tokio::test]
async fn a_request_takes_its_steps_in_order_and_is_settled_once_and_refunded_for_a_failure(
    #[case] fault: Option<Fault>,
    #[case] steps: usize,
    #[case] outcome: Outcome,
) {
    let fixture = fixture(fault).await;
    let settled = fixture.serve().await;
    assert_eq!(fixture.steps(), [&STEPS[..steps], &["finish"]].concat());
    match outcome {
        Outcome::InternalError => assert!(matches!(settled.reply, Reply::Failed)),
        _ => assert!(matches!(settled.reply, Reply::Encoded)),
    }
    assert_eq!((settled.outcome, settled.key), (outcome, fixture.holder.id));
    assert_eq!(fixture.world.outcomes(), [outcome]);
    // No key of the bank's certificates is known here.
    let seal = (outcome == Outcome::Delivered).then_some(SealVerdict::NotChecked);
    assert_eq!(fixture.recorded_seals(), [seal]);
    let refunded = u64::from(outcome.is_refunded());
    assert_eq!(settled.limit_status.month.unwrap().used, 1 - refunded);
    let used = fixture.used().await;
    assert_eq!((used.charged, used.refunded), (1, refunded));
}

/// It is allocated and filled for each request; rare paths are boxed, so that they don't lengthen it.
#[tokio::test]
async fn the_future_of_a_request_is_short() {
    let fixture = fixture(None).await;
    fixture.serve().await;
    let size = fixture.process.request_size.load(Ordering::Relaxed);
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
async fn a_refused_request_is_neither_decoded_nor_settled() {
    let fixture = fixture(None).await;
    let served = fixture.start("cep_test_nonsense").await.unwrap();
    let ServedRequest::Refused(AdmissionError::InvalidKey) = served else {
        panic!("{served:?}");
    };
    assert_eq!(fixture.steps(), ["finish"]);
    assert_eq!(fixture.world.outcomes(), []);
}

#[tokio::test]
async fn an_answer_whose_admission_is_not_durable_is_withheld_and_refunded() {
    let fixture = fixture(None).await;
    fixture.serve().await;
    fixture.world.base.journal.fail_with(Some(disk_full()));
    let settled = fixture.serve().await;
    assert!(matches!(settled.reply, Reply::NotDurable(_)));
    assert_eq!(settled.outcome, Outcome::InternalError);
    assert_eq!(settled.limit_status.month.unwrap().used, 1);
}

#[tokio::test]
async fn a_request_whose_caller_hangs_up_is_served_to_its_end() {
    let fixture = fixture(None).await;
    fixture.world.bank.hold();
    let abandoned = fixture.start(fixture.holder.secret.reveal());
    drop(abandoned);
    fixture.world.bank.release();
    while fixture.steps().last() != Some(&"finish") {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.world.outcomes(), [Outcome::Delivered]);
    assert_eq!(fixture.used().await.net(), 1);
}

#[tokio::test]
async fn a_panic_in_the_admission_drops_the_exchange() {
    let fixture = fixture(None).await;
    let store = &fixture.world.base.store;
    store.after_next_snapshot(async { panic!("as ordered") });
    let key = fixture.holder.secret.reveal();
    assert!(fixture.start(key).await.is_err());
    assert_eq!(fixture.steps(), Vec::<&str>::new());
    assert_eq!(fixture.world.outcomes(), []);
}
