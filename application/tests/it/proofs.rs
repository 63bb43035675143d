//! Lookups of proofs: the queries to the bank, and the proofs that are accepted.

use std::sync::Arc;
use std::time::Duration;

use application::{
    ArchiveService, BankBySide, BankMonitor, FetchReport, ProofCache, ProofMemory, ProofRequest,
    ProofService,
};
use domain::calendar::parse_date;
use domain::file::RequestedFiles;
use domain::hints::Hint;
use domain::inference::InferredBanks;
use domain::key::Environment;
use domain::outcome::Outcome;
use domain::pacing::ThrottleReason;
use domain::participant::{Catalogue, ParticipantCode};
use domain::payment::PaymentState;
use domain::query::{Institutions, ProofQuery, RawQuery, Token};
use domain::request::RequestId;
use domain::transfer::Transfer;
use futures::future::join_all;
use ports::contract::bank::scene;
use ports::contract::pacer::LANE;
use ports::inbound::{BankState, FetchError, Files};
use seals::RecordingSeals;
use testkit::fakes::{ManualClock, Script, ScriptedBank, by_amount, unsealed_proof};

mod archive;
mod archive_failures;
mod memory;
mod seals;
mod single_flight;

const PATIENCE: Duration = Duration::from_secs(5);

struct Fixture {
    clock: Arc<ManualClock>,
    live: Arc<ScriptedBank>,
    test: Arc<ScriptedBank>,
    monitor: Arc<BankMonitor>,
    seals: Arc<RecordingSeals>,
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
    let seals = Arc::<RecordingSeals>::default();
    let proofs = ProofService::new(
        banks,
        clock.clone(),
        Arc::new(Catalogue::embedded().clone()),
        PATIENCE,
        ProofCache {
            memory,
            archive: archive(&clock),
        },
        monitor.clone(),
        seals.clone(),
    );
    Fixture {
        clock,
        live,
        test,
        monitor,
        proofs: Arc::new(proofs),
        seals,
    }
}

fn request_id() -> RequestId {
    RequestId::parse("request-1").unwrap()
}

fn query(amount: &str) -> ProofQuery {
    let raw = RawQuery {
        date: Token::Text("2026-11-18".into()),
        tracking_key: Token::Text("MBAN01002611180000000001".into()),
        account: Token::Text("002010077777777771".into()),
        amount: Token::Number(amount),
        ..RawQuery::default()
    };
    let today = parse_date("2026-11-20").unwrap();
    ProofQuery::parse(&raw, Institutions::Inferable, today, Catalogue::embedded()).unwrap()
}

impl Fixture {
    async fn fetch(&self, amount: &str, wanted: RequestedFiles) -> FetchReport {
        let request = ProofRequest {
            query: query(amount),
            wanted,
            environment: Environment::Test,
            lane: LANE,
            request_id: request_id(),
        };
        self.proofs.fetch(request).await
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
        let asking: Vec<_> = (0..callers)
            .map(|_| self.asking(amount, RequestedFiles::Xml))
            .collect();
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
        self.test
            .asked()
            .iter()
            .map(|lookup| lookup.wanted)
            .collect()
    }
}

#[tokio::test]
async fn a_proof_is_delivered_with_what_was_inferred() {
    let fixture = fixture();
    let report = fixture.fetch("10.00", RequestedFiles::Xml).await;
    let banks = report.details.banks.unwrap();
    assert_eq!(
        (banks.issuer.to_string(), banks.receiver.to_string()),
        ("40012".into(), "40002".into())
    );
    let InferredBanks { issuer, receiver } = report.details.inferred;
    let inferred = [issuer.unwrap(), receiver.unwrap()];
    assert_eq!(
        inferred.each_ref().map(|side| side.evidence.kind()),
        ["tracking_key_shape:high", "clabe_prefix"]
    );
    assert_eq!(
        inferred.map(|side| side.code),
        [banks.issuer, banks.receiver]
    );
    assert!(matches!(report.result.unwrap().files, Files::Xml(_)));
    assert_eq!(fixture.live.times_asked(), 0);
}

#[tokio::test]
async fn a_live_lookup_never_asks_the_sandbox() {
    let fixture = fixture();
    let request = ProofRequest {
        query: query("10.00"),
        wanted: RequestedFiles::Xml,
        environment: Environment::Live,
        lane: LANE,
        request_id: request_id(),
    };
    fixture.proofs.fetch(request).await.result.unwrap();
    fixture
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    assert_eq!(
        (fixture.live.times_asked(), fixture.test.times_asked()),
        (1, 1)
    );
}

#[tokio::test]
async fn the_reason_of_a_throttled_lookup_is_passed_on() {
    let fixture = fixture();
    for (amount, expected) in [
        ("429.00", ThrottleReason::TooManyQueriesPage),
        ("429.01", ThrottleReason::CaptchaPage),
    ] {
        let error = fixture
            .fetch(amount, RequestedFiles::Xml)
            .await
            .result
            .unwrap_err();
        assert!(
            matches!(error, FetchError::BankThrottled { reason, .. } if reason == expected),
            "{error:?}"
        );
    }
}

/// The transfer that the queries of these tests name, with another amount.
fn transfer(centavos: u64) -> Transfer {
    let query = query("10.00");
    let code = |text| ParticipantCode::parse(text).unwrap();
    let amount = domain::amount::Amount::from_centavos(centavos).unwrap();
    Transfer::new(
        query.date,
        query.tracking_key,
        query.account,
        amount,
        code("40012"),
        code("40002"),
    )
    .unwrap()
}

#[tokio::test]
async fn a_proof_of_another_transfer_is_not_delivered() {
    let fixture = fixture();
    let others = unsealed_proof(&transfer(99_999));
    fixture.test.script(transfer(1_000), Script::Issue(others));
    for wanted in [
        RequestedFiles::Xml,
        RequestedFiles::Pdf,
        RequestedFiles::Both,
    ] {
        let error = fixture.fetch("10.00", wanted).await.result.unwrap_err();
        assert!(
            matches!(error, FetchError::BankProtocol { .. }),
            "{error:?}"
        );
    }
    assert_eq!(
        fixture.test.times_asked(),
        3,
        "a wrong proof was remembered"
    );
}

#[tokio::test]
async fn a_file_that_is_missing_from_the_answer_is_an_error_and_no_endless_loop() {
    let fixture = fixture();
    let mut half = unsealed_proof(&transfer(1_000));
    half.pdf = None;
    fixture.test.script(transfer(1_000), Script::Issue(half));
    let error = fixture
        .fetch("10.00", RequestedFiles::Pdf)
        .await
        .result
        .unwrap_err();
    assert!(matches!(error, FetchError::BankProtocol { .. }));
}

#[tokio::test]
async fn what_was_not_found_comes_with_hints_and_what_was_not_issued_with_its_state() {
    let fixture = fixture();
    let without_record = ("404.00".to_owned(), None);
    let with_record = scene::STATES.map(|(centavos, state)| {
        let amount = domain::amount::Amount::from_centavos(centavos).unwrap();
        (amount.to_string(), Some(state))
    });
    for (amount, state) in [without_record].into_iter().chain(with_record) {
        let report = fixture.fetch(&amount, RequestedFiles::Xml).await;
        let error = report.result.unwrap_err();
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
        let report = fixture.fetch(amount, RequestedFiles::Xml).await;
        assert!(report.result.is_err(), "{amount}");
        let InferredBanks { issuer, receiver } = report.details.inferred;
        assert!(issuer.is_some() && receiver.is_some(), "{amount}");
    }
}

#[tokio::test]
async fn callers_of_one_query_get_the_hints_of_their_own_request() {
    let fixture = Arc::new(fixture());
    let mut inferring = query("404.00");
    inferring.tracking_key = domain::tracking_key::TrackingKey::parse("CPO000012345678").unwrap();
    let mut naming = inferring.clone();
    naming.issuer = Some(ParticipantCode::parse("90722").unwrap());
    fixture.test.hold();
    let asking = [inferring, naming].map(|query| {
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move {
            let request = ProofRequest {
                query,
                wanted: RequestedFiles::Xml,
                environment: Environment::Test,
                lane: LANE,
                request_id: request_id(),
            };
            fixture.proofs.fetch(request).await.result.unwrap_err()
        })
    });
    fixture.is_asked().await;
    fixture.test.release();
    let was_inferred = join_all(asking).await.into_iter().map(|error| {
        let FetchError::NotFound { hints, .. } = error.unwrap() else {
            panic!("404.00 was found");
        };
        hints
            .iter()
            .any(|hint| matches!(hint, Hint::IssuerWasInferred { .. }))
    });
    assert_eq!(was_inferred.collect::<Vec<_>>(), [true, false]);
    assert_eq!(fixture.test.times_asked(), 1);
}

#[tokio::test]
async fn a_transfer_that_cannot_be_inferred_is_not_looked_up() {
    let fixture = fixture();
    let mut unknown = query("10.00");
    unknown.tracking_key = domain::tracking_key::TrackingKey::parse("NOBODYS-1").unwrap();
    let request = ProofRequest {
        query: unknown,
        wanted: RequestedFiles::Xml,
        environment: Environment::Test,
        lane: LANE,
        request_id: request_id(),
    };
    let report = fixture.proofs.fetch(request).await;
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
    fixture
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    fixture
        .fetch("404.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err();
    let health = fixture.monitor.health(Environment::Test, None);
    assert_eq!((health.lookups, health.success_rate), (2, Some(1.0)));
    fixture
        .fetch("502.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err();
    let health = fixture.monitor.health(Environment::Test, None);
    assert_eq!((health.lookups, health.state), (3, BankState::Degraded));
    assert_eq!(fixture.monitor.health(Environment::Live, None).lookups, 0);
}
