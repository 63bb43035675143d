//! Lookups of proofs: the queries to the bank, and the proofs that are accepted.

use std::sync::Arc;
use std::time::Duration;

use application::{
    ArchiveService, BankBySide, BankMonitor, BankState, Delivery, FetchError, FetchReport, Files,
    ProofCache, ProofMemory, ProofParts, ProofRequest, ProofService, ProofSource,
};
use domain::amount::Amount;
use domain::hints::Hint;
use domain::keys::Environment;
use domain::outcome::Outcome;
use domain::pacing::ThrottleReason;
use domain::participants::inference::{self, InferredBanks};
use domain::participants::{Catalogue, ParticipantCode};
use domain::payment::PaymentState;
use domain::proofs::file::RequestedFiles;
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::seals::{SealHash, Verdict};
use domain::transfer::Transfer;
use futures::future::join_all;
use ports::contract::bank::scene;
use ports::contract::pacer::LANE;
use ports::outbound::BankError;
use testkit::fakes::{ManualClock, Script, ScriptedBank, by_amount, unsealed_proof};

use crate::support::ScriptedSeals;
use crate::support::payments::{TRACKING_KEY, query, query_of, with_key};

mod archive;
mod archive_failures;
mod memory;
mod single_flight;

const PATIENCE: Duration = Duration::from_secs(5);
const XML: RequestedFiles = RequestedFiles::Xml;
const PDF: RequestedFiles = RequestedFiles::Pdf;
const BOTH: RequestedFiles = RequestedFiles::Both;
const VALID: Verdict = Verdict::Valid(SealHash::Sha512);

struct Fixture {
    clock: Arc<ManualClock>,
    live: Arc<ScriptedBank>,
    test: Arc<ScriptedBank>,
    monitor: Arc<BankMonitor>,
    seals: Arc<ScriptedSeals>,
    proofs: Arc<ProofService>,
}

fn fixture() -> Fixture {
    fixture_caching(1 << 20)
}

fn fixture_caching(bytes: u64) -> Fixture {
    fixture_on(bytes, |_| None)
}

/// A fixture with a memory of so many bytes, and an archive on its clock.
fn fixture_on(
    bytes: u64,
    archive: impl FnOnce(&Arc<ManualClock>) -> Option<Arc<ArchiveService>>,
) -> Fixture {
    let live = Arc::new(ScriptedBank::answering(by_amount));
    let test = Arc::new(ScriptedBank::answering(by_amount));
    let clock = Arc::new(ManualClock::at("2026-11-20T16:00:00Z".parse().unwrap()));
    let banks = BankBySide {
        live: live.clone(),
        test: test.clone(),
    };
    let monitor = Arc::new(BankMonitor::new(clock.clone()));
    let memory = ProofMemory::new(bytes, Duration::from_mins(10));
    let seals = Arc::<ScriptedSeals>::default();
    seals.find_all(VALID);
    let proofs = ProofService::new(ProofParts {
        banks,
        clock: clock.clone(),
        participants: testkit::lookups::catalogue(),
        patience: PATIENCE,
        cache: ProofCache {
            memory,
            archive: archive(&clock),
        },
        monitor: monitor.clone(),
        printed: testkit::lookups::printed(seals.clone(), clock.clone()),
        seals: seals.clone(),
    });
    Fixture {
        clock,
        live,
        test,
        monitor,
        proofs: Arc::new(proofs),
        seals,
    }
}

/// A request with a test key.
fn request(query: ProofQuery, wanted: RequestedFiles) -> ProofRequest {
    ProofRequest {
        query,
        source: ProofSource::Any,
        wanted,
        environment: Environment::Test,
        lane: LANE,
        request_id: RequestId::parse("request-1").unwrap(),
    }
}

impl Fixture {
    async fn fetch(&self, amount: &str, wanted: RequestedFiles) -> FetchReport {
        self.proofs.fetch(request(query_of(amount), wanted)).await
    }

    async fn delivery(&self, amount: &str, wanted: RequestedFiles) -> Delivery {
        self.fetch(amount, wanted).await.result.unwrap()
    }

    async fn error(&self, amount: &str, wanted: RequestedFiles) -> FetchError {
        self.fetch(amount, wanted).await.result.unwrap_err()
    }

    /// The error of the bank itself, whatever is kept.
    async fn error_of_the_bank(&self, amount: &str) -> FetchError {
        let request = ProofRequest {
            source: ProofSource::Bank,
            ..request(query_of(amount), XML)
        };
        self.proofs.fetch(request).await.result.unwrap_err()
    }

    /// A delivery with a live key.
    async fn live_delivery(&self, amount: &str) -> Delivery {
        let request = ProofRequest {
            environment: Environment::Live,
            ..request(query_of(amount), XML)
        };
        self.proofs.fetch(request).await.result.unwrap()
    }

    /// Starts a lookup, as another caller.
    fn asking(
        self: &Arc<Self>,
        amount: &'static str,
        wanted: RequestedFiles,
    ) -> impl Future<Output = FetchReport> + use<> {
        let fixture = Arc::clone(self);
        let asking = tokio::spawn(async move { fixture.fetch(amount, wanted).await });
        async { asking.await.unwrap() }
    }

    /// Makes so many lookups of the XML at the same time; the bank answers once it has the query.
    async fn together(self: &Arc<Self>, callers: usize, amount: &'static str) -> Vec<FetchReport> {
        self.test.hold();
        let callers = 0..callers;
        let asking: Vec<_> = callers.map(|_| self.asking(amount, XML)).collect();
        self.is_asked().await;
        self.test.release();
        join_all(asking).await
    }

    /// Waits until the test bank has a query.
    async fn is_asked(&self) {
        while self.test.times_asked() == 0 {
            tokio::task::yield_now().await;
        }
    }

    /// The files that the test bank was asked for, in order.
    fn asked(&self) -> Vec<RequestedFiles> {
        let asked = self.test.asked().into_iter();
        asked.map(|lookup| lookup.wanted).collect()
    }
}

#[tokio::test]
async fn a_proof_is_delivered_with_what_was_inferred() {
    let fixture = fixture();
    let report = fixture.fetch("10.00", XML).await;
    let banks = report.details.banks.unwrap();
    let codes = [banks.issuer, banks.receiver];
    assert_eq!(codes.map(|code| code.to_string()), ["40012", "40002"]);
    let InferredBanks { issuer, receiver } = report.details.inferred;
    let inferred = [issuer.unwrap(), receiver.unwrap()];
    let kinds = inferred.each_ref().map(|side| side.evidence.kind());
    assert_eq!(kinds, ["tracking_key_shape:high", "clabe_prefix"]);
    assert_eq!(inferred.map(|side| side.code), codes);
    assert!(matches!(report.result.unwrap().files, Files::Xml(_)));
    assert_eq!(fixture.live.times_asked(), 0);
}

#[tokio::test]
async fn the_reason_of_a_throttled_lookup_is_passed_on() {
    let fixture = fixture();
    for (amount, expected) in [
        ("429.00", ThrottleReason::TooManyQueriesPage),
        ("429.01", ThrottleReason::CaptchaPage),
    ] {
        let FetchError::Bank(BankError::Throttled { reason, .. }) =
            fixture.error(amount, XML).await
        else {
            panic!("{amount}");
        };
        assert_eq!(reason, expected);
    }
}

/// The transfer that the queries of these tests name, with another amount.
fn transfer(centavos: u64) -> Transfer {
    let resolved = inference::resolve(query(centavos), Catalogue::embedded());
    resolved.transfer.unwrap()
}

#[tokio::test]
async fn a_proof_of_another_transfer_is_not_delivered() {
    let fixture = fixture();
    let others = unsealed_proof(&transfer(99_999));
    fixture.test.script(transfer(1_000), Script::Issue(others));
    for wanted in [XML, PDF, BOTH] {
        let error = fixture.error("10.00", wanted).await;
        let is_wrong = matches!(error, FetchError::Bank(BankError::Protocol { .. }));
        assert!(is_wrong, "{error:?}");
    }
    let asked = fixture.test.times_asked();
    assert_eq!(asked, 3, "a wrong proof was remembered");
    fixture.error("404.00", XML).await;
    assert_eq!(fixture.seals.checked(), []);
    assert_eq!(fixture.seals.recorded(), []);
}

#[tokio::test]
async fn a_seal_is_checked_once_for_a_proof_whatever_is_delivered_of_it() {
    let fixture = fixture();
    for wanted in [PDF, XML, BOTH, XML] {
        let delivery = fixture.delivery("10.00", wanted).await;
        assert_eq!(delivery.seal.verdict, VALID);
        assert_eq!(delivery.proof.centavos(), 1_000);
        assert_eq!(delivery.issuer.number(), 40_012);
    }
    let once = [(Environment::Test, TRACKING_KEY.to_owned())];
    assert_eq!(fixture.seals.checked(), once);
    assert_eq!(fixture.seals.recorded(), once);
}

#[tokio::test]
async fn a_file_that_is_missing_from_the_answer_is_an_error_and_no_endless_loop() {
    let fixture = fixture();
    let mut half = unsealed_proof(&transfer(1_000));
    half.pdf = None;
    fixture.test.script(transfer(1_000), Script::Issue(half));
    let error = fixture.error("10.00", PDF).await;
    assert!(matches!(
        error,
        FetchError::Bank(BankError::Protocol { .. })
    ));
}

#[tokio::test]
async fn what_was_not_found_comes_with_hints_and_what_was_not_issued_with_its_state() {
    let fixture = fixture();
    let without_record = ("404.00".to_owned(), None);
    let with_record = scene::STATES.map(|(centavos, state)| {
        let amount = Amount::from_centavos(centavos).unwrap();
        (amount.to_string(), Some(state))
    });
    for (amount, state) in [without_record].into_iter().chain(with_record) {
        let error = fixture.error(&amount, XML).await;
        let FetchError::NotFound { payment, hints } = &error else {
            panic!("{amount}: {error:?}");
        };
        assert_eq!(payment.map(|payment| payment.state), state, "{amount}");
        let expected = state.map_or(Outcome::NotFound, PaymentState::outcome);
        assert_eq!(error.outcome(), expected, "{amount}");
        // Of a payment that the bank knows every field was right.
        assert_eq!(hints.is_empty(), expected != Outcome::NotFound, "{amount}");
    }
}

#[tokio::test]
async fn what_was_inferred_is_reported_whatever_comes_of_the_lookup() {
    let fixture = fixture();
    for amount in ["404.00", "404.02", "429.00", "502.00", "503.00", "504.00"] {
        let report = fixture.fetch(amount, XML).await;
        assert!(report.result.is_err(), "{amount}");
        let InferredBanks { issuer, receiver } = report.details.inferred;
        assert!(issuer.is_some() && receiver.is_some(), "{amount}");
    }
}

#[tokio::test]
async fn callers_of_one_query_get_the_hints_of_their_own_request() {
    let fixture = Arc::new(fixture());
    let inferring = with_key("CPO000012345678", query_of("404.00"));
    let mut naming = inferring.clone();
    naming.issuer = Some(ParticipantCode::parse("90722").unwrap());
    fixture.test.hold();
    let asking = [inferring, naming].map(|query| {
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move {
            let report = fixture.proofs.fetch(request(query, XML)).await;
            report.result.unwrap_err()
        })
    });
    fixture.is_asked().await;
    fixture.test.release();
    let was_inferred = join_all(asking).await.into_iter().map(|error| {
        let FetchError::NotFound { hints, .. } = error.unwrap() else {
            panic!("404.00 was found");
        };
        let inferred = |hint: &Hint| matches!(hint, Hint::IssuerWasInferred { .. });
        hints.iter().any(inferred)
    });
    assert_eq!(was_inferred.collect::<Vec<_>>(), [true, false]);
    assert_eq!(fixture.test.times_asked(), 1);
}

#[tokio::test]
async fn a_transfer_that_cannot_be_inferred_is_not_looked_up() {
    let fixture = fixture();
    let unknown = with_key("NOBODYS-1", query_of("10.00"));
    let report = fixture.proofs.fetch(request(unknown, XML)).await;
    let Err(FetchError::InferenceFailed { issuer, receiver }) = report.result else {
        panic!("an issuer was inferred from nothing");
    };
    assert!(issuer.is_some() && receiver.is_none());
    assert_eq!(fixture.test.times_asked(), 0);
}

#[tokio::test]
async fn the_banks_health_is_made_of_queries_that_were_sent() {
    let fixture = Arc::new(fixture());
    let unknown = fixture.monitor.health(Environment::Test, None);
    assert_eq!(unknown.state, BankState::Unknown);
    for report in fixture.together(5, "10.00").await {
        report.result.unwrap();
    }
    fixture.delivery("10.00", XML).await;
    fixture.error("404.00", XML).await;
    let health = fixture.monitor.health(Environment::Test, None);
    assert_eq!((health.lookups, health.success_rate), (2, Some(1.0)));
    fixture.error("502.00", XML).await;
    let health = fixture.monitor.health(Environment::Test, None);
    assert_eq!((health.lookups, health.state), (3, BankState::Degraded));
    assert_eq!(fixture.monitor.health(Environment::Live, None).lookups, 0);
}
