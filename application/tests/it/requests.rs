//! Whole proof requests: the order of their steps, and one settlement each, whatever happens.

mod checks;

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::fixture::{self, HERE, Holder, request};
use crate::support::payments::query_of;
use crate::support::{WatchedKeys, disk_full, hasher, limits};
use application::{BankMonitor, DeliveryHistory, ProofRequestService, SpawnTask};
use async_trait::async_trait;
use domain::inference::InferredBanks;
use domain::limits::MonthlyUse;
use domain::lookup::RetryScale;
use domain::outcome::Outcome;
use domain::pacing::Pacing;
use domain::query::ProofQuery;
use domain::seal::SealVerdict;
use domain::transfer::Transfer;
use ports::Cause;
use ports::inbound::{
    AdmissionError, Delivery, FetchError, InvalidRequest, ProofExchange, ProofRequests,
    RepeatableExchange, Reply, ServedRequest, SettledRequest,
};
use ports::outbound::BankError;
use testkit::fakes::{NoSealKeys, Script, ScriptedBank, unsealed_proof};
use testkit::lookups::{LookupParts, LookupServices, proofs};
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
    base: fixture::Fixture,
    bank: Arc<ScriptedBank>,
    holder: Holder,
    service: ProofRequestService,
    fault: Option<Fault>,
    steps: Steps,
    /// Size of the future of the last request.
    size: Arc<AtomicUsize>,
}

async fn fixture(fault: Option<Fault>) -> Fixture {
    let base = fixture::fixture();
    let holder = base.holder(limits(10, Some(5))).await;
    let steps = Steps::default();
    let size = Arc::<AtomicUsize>::default();
    let bank = ScriptedBank::answering({
        let steps = steps.clone();
        move |transfer| {
            steps.lock().unwrap().push("look up");
            answer(fault, transfer)
        }
    });
    let bank = Arc::new(bank);
    let (clock, monitor) = (base.clock.clone(), BankMonitor::new(base.clock.clone()));
    let (seals, data) = (Arc::new(NoSealKeys), Arc::new(base.data.clone()));
    let history = DeliveryHistory::new(hasher(), data, base.journal.clone());
    let parts = LookupParts {
        store: base.data.clone(),
        workers: base.data.clone(),
        gatekeeper: base.gatekeeper.clone(),
        proofs: proofs((&bank, &bank), clock, Arc::new(monitor), seals.clone()),
        history: Arc::new(history),
        seals,
        clock: base.clock.clone(),
        timer: base.clock.clone(),
        random: Arc::default(),
        secrets: vec![1],
        pacing: Pacing::new(NonZeroU32::MIN),
        places: 1,
        test_scale: RetryScale::NONE,
    };
    let spawn = || -> SpawnTask { Box::new(|task| drop(tokio::spawn(task))) };
    let lookups = LookupServices::of(&parts, (spawn(), spawn())).callers;
    let service = parts.requests(
        lookups,
        Box::new({
            let size = size.clone();
            move |task| {
                size.store(size_of_val(&*task), Ordering::Relaxed);
                drop(tokio::spawn(task));
            }
        }),
    );
    Fixture {
        base,
        bank,
        holder,
        service,
        fault,
        steps,
        size,
    }
}

impl Fixture {
    /// Starts to serve a request with the key.
    fn start(&self, key: &str) -> oneshot::Receiver<ServedRequest> {
        let (served, receiver) = oneshot::channel();
        let exchange = FaultyExchange {
            fault: self.fault,
            steps: self.steps.clone(),
            served,
        };
        self.service
            .serve(request(Some(key), HERE), Box::new(exchange));
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

    /// The outcomes that were written down.
    fn recorded(&self) -> Vec<Outcome> {
        let requests = self.base.journal.requests();
        requests.iter().map(|request| request.outcome).collect()
    }

    /// The verdicts on seals that were written down.
    fn recorded_seals(&self) -> Vec<Option<SealVerdict>> {
        let requests = self.base.journal.requests();
        requests.iter().map(|request| request.seal).collect()
    }

    async fn used(&self) -> MonthlyUse {
        self.base.used(self.holder.id).await
    }
}

#[tokio::test]
async fn a_request_takes_its_steps_in_order_and_is_settled_once() {
    let fixture = fixture(None).await;
    let settled = fixture.serve().await;
    assert_eq!(fixture.steps(), ["decode", "look up", "encode", "finish"]);
    assert!(matches!(settled.reply, Reply::Encoded));
    assert_eq!(settled.outcome, Outcome::Delivered);
    assert_eq!(settled.key, fixture.holder.id);
    assert_eq!(settled.limit_status.month.unwrap().used, 1);
    assert_eq!(fixture.recorded(), [Outcome::Delivered]);
    // No key of the bank's certificates is known here.
    assert_eq!(fixture.recorded_seals(), [Some(SealVerdict::NotChecked)]);
}

/// It is allocated and filled for each request; rare paths are boxed, so that they don't lengthen it.
#[tokio::test]
async fn the_future_of_a_request_is_short() {
    let fixture = fixture(None).await;
    fixture.serve().await;
    let size = fixture.size.load(Ordering::Relaxed);
    assert!((1..3_000).contains(&size), "{size} bytes");
}

#[tokio::test]
async fn deliveries_of_one_proof_are_recorded_by_one_mark() {
    let fixture = fixture(None).await;
    for _ in 0..2 {
        fixture.serve().await;
    }
    let requests = fixture.base.journal.requests();
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
    assert_eq!(fixture.recorded(), []);
}

#[tokio::test]
async fn an_invalid_request_is_charged_and_nothing_is_looked_up() {
    let fixture = fixture(Some(Fault::InvalidQuery)).await;
    let settled = fixture.serve().await;
    assert_eq!(fixture.steps(), ["decode", "finish"]);
    assert!(matches!(settled.reply, Reply::Encoded));
    assert_eq!(settled.outcome, Outcome::InvalidRequest);
    assert_eq!(settled.limit_status.month.unwrap().used, 1);
    assert_eq!(fixture.recorded(), [Outcome::InvalidRequest]);
    assert_eq!(fixture.recorded_seals(), [None]);
}

#[tokio::test]
async fn a_failure_of_the_bank_is_encoded_and_refunded() {
    let fixture = fixture(Some(Fault::LookupTimesOut)).await;
    let settled = fixture.serve().await;
    assert_eq!(fixture.steps(), ["decode", "look up", "encode", "finish"]);
    assert!(matches!(settled.reply, Reply::Encoded));
    assert_eq!(settled.limit_status.month.unwrap().used, 0);
    assert_eq!(fixture.recorded(), [Outcome::BankTimeout]);
    assert_eq!(fixture.recorded_seals(), [None]);
}

#[tokio::test]
async fn a_failure_within_any_step_is_settled_once_and_refunded() {
    for fault in [
        Fault::DecodePanics,
        Fault::LookupPanics,
        Fault::NoEncoding,
        Fault::EncodePanics,
    ] {
        let fixture = fixture(Some(fault)).await;
        let settled = fixture.serve().await;
        assert!(matches!(settled.reply, Reply::Failed), "{fault:?}");
        assert_eq!(settled.outcome, Outcome::InternalError, "{fault:?}");
        assert_eq!(settled.limit_status.month.unwrap().used, 0, "{fault:?}");
        assert_eq!(fixture.recorded(), [Outcome::InternalError], "{fault:?}");
        assert_eq!(fixture.recorded_seals(), [None], "{fault:?}");
        let used = fixture.used().await;
        assert_eq!((used.charged, used.refunded), (1, 1), "{fault:?}");
    }
}

#[tokio::test]
async fn an_answer_whose_admission_is_not_durable_is_withheld_and_refunded() {
    let fixture = fixture(None).await;
    fixture.serve().await;
    fixture.base.journal.fail_with(Some(disk_full()));
    let settled = fixture.serve().await;
    assert!(matches!(settled.reply, Reply::NotDurable(_)));
    assert_eq!(settled.outcome, Outcome::InternalError);
    assert_eq!(settled.limit_status.month.unwrap().used, 1);
}

#[tokio::test]
async fn a_request_whose_caller_hangs_up_is_served_to_its_end() {
    let fixture = fixture(None).await;
    fixture.bank.hold();
    let abandoned = fixture.start(fixture.holder.secret.reveal());
    drop(abandoned);
    fixture.bank.release();
    while fixture.steps().last() != Some(&"finish") {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.recorded(), [Outcome::Delivered]);
    assert_eq!(fixture.used().await.net(), 1);
}

#[tokio::test]
async fn a_panic_in_the_admission_drops_the_exchange() {
    let fixture = fixture(None).await;
    let store = &fixture.base.store;
    store.after_next_snapshot(async { panic!("as ordered") });
    let key = fixture.holder.secret.reveal();
    assert!(fixture.start(key).await.is_err());
    assert_eq!(fixture.steps(), Vec::<&str>::new());
    assert_eq!(fixture.recorded(), []);
}
