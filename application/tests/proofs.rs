//! Looking proofs up: what is asked of the bank, how often, and what is accepted.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use application::{BankBySide, BankWatch, ProofMemory, ProofService};
use domain::calendar::parse_date;
use domain::inference::Evidence;
use domain::key::Environment;
use domain::participant::Catalogue;
use domain::query::{Institutions, ProofQuery, RawQuery, Token};
use domain::transfer::Transfer;
use futures::future::join_all;
use memory::{ManualClock, Script, ScriptedBank, by_amount, unsealed_proof};
use ports::inbound::{
    BankState, FetchError, FetchReport, Files, NotFoundReason, ProofRequest, Proofs, RequestedFiles,
};
use ports::outbound::ThrottleReason;

#[path = "proofs/sharing.rs"]
mod sharing;

const PATIENCE: Duration = Duration::from_secs(5);

struct House {
    clock: Arc<ManualClock>,
    live: Arc<ScriptedBank>,
    test: Arc<ScriptedBank>,
    watch: Arc<BankWatch>,
    proofs: Arc<ProofService>,
}

fn house() -> House {
    house_remembering(1 << 20)
}

fn house_remembering(bytes: u64) -> House {
    let live = Arc::new(ScriptedBank::answering(by_amount));
    let test = Arc::new(ScriptedBank::answering(by_amount));
    let clock = Arc::new(ManualClock::at("2026-11-20T16:00:00Z".parse().unwrap()));
    let banks = BankBySide {
        live: live.clone(),
        test: test.clone(),
    };
    let watch = Arc::new(BankWatch::new(clock.clone()));
    let memory = ProofMemory::new(bytes, Duration::from_mins(10));
    let proofs = ProofService::new(
        banks,
        clock.clone(),
        Catalogue::embedded(),
        PATIENCE,
        memory,
        watch.clone(),
    );
    House {
        clock,
        live,
        test,
        watch,
        proofs: Arc::new(proofs),
    }
}

fn query(amount: &'static str) -> ProofQuery {
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

impl House {
    async fn fetch(&self, amount: &'static str, wanted: RequestedFiles) -> FetchReport {
        let request = ProofRequest {
            query: query(amount),
            wanted,
            environment: Environment::Test,
        };
        self.proofs.fetch(request).await
    }

    /// Begins to ask, as a caller of its own.
    fn asking(
        self: &Arc<Self>,
        amount: &'static str,
        wanted: RequestedFiles,
    ) -> impl Future<Output = FetchReport> + use<> {
        let house = Arc::clone(self);
        let asking = tokio::spawn(async move { house.fetch(amount, wanted).await });
        async { asking.await.unwrap() }
    }

    /// So many ask for the XML at the same time; the bank answers once it was asked.
    async fn together(self: &Arc<Self>, callers: usize, amount: &'static str) -> Vec<FetchReport> {
        self.test.hold();
        let asking: Vec<_> = (0..callers)
            .map(|_| self.asking(amount, RequestedFiles::Xml))
            .collect();
        self.is_asked().await;
        self.test.release();
        join_all(asking).await
    }

    /// Waits until the test bank was asked something.
    async fn is_asked(&self) {
        while self.test.times_asked() == 0 {
            tokio::task::yield_now().await;
        }
    }

    /// What the test bank was asked for, in order.
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
    let house = house();
    let report = house.fetch("10.00", RequestedFiles::Xml).await;
    let banks = report.details.banks.unwrap();
    assert_eq!(
        (banks.issuer.to_string(), banks.receiver.to_string()),
        ("40012".into(), "40002".into())
    );
    let kind = |evidence: Option<Evidence>| evidence.map(|evidence| evidence.kind());
    assert_eq!(
        [
            report.details.issuer_evidence,
            report.details.receiver_evidence
        ]
        .map(kind),
        [Some("tracking_key_shape:high"), Some("clabe_prefix")]
    );
    let delivery = report.result.unwrap();
    assert_eq!(delivery.inferred_issuer.unwrap().code, banks.issuer);
    assert_eq!(delivery.inferred_receiver.unwrap().code, banks.receiver);
    assert!(matches!(delivery.files, Files::Xml(_)));
    assert_eq!(house.live.times_asked(), 0);
}

#[tokio::test]
async fn a_live_lookup_never_asks_the_sandbox() {
    let house = house();
    let request = ProofRequest {
        query: query("10.00"),
        wanted: RequestedFiles::Xml,
        environment: Environment::Live,
    };
    house.proofs.fetch(request).await.result.unwrap();
    house
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    assert_eq!((house.live.times_asked(), house.test.times_asked()), (1, 1));
}

#[tokio::test]
async fn a_second_format_and_a_repeat_ask_for_what_is_missing_alone() {
    let house = house();
    for wanted in [
        RequestedFiles::Xml,
        RequestedFiles::Xml,
        RequestedFiles::Pdf,
        RequestedFiles::Pdf,
        RequestedFiles::Xml,
    ] {
        house.fetch("10.00", wanted).await.result.unwrap();
    }
    assert_eq!(house.asked(), [RequestedFiles::Xml, RequestedFiles::Pdf]);
}

#[tokio::test]
async fn a_pair_is_of_one_session_whatever_was_fetched_before() {
    for before in [
        &[][..],
        &[RequestedFiles::Xml],
        &[RequestedFiles::Xml, RequestedFiles::Pdf],
    ] {
        let house = house();
        for wanted in before {
            house.fetch("10.00", *wanted).await.result.unwrap();
        }
        // The pair, once it is there, serves every format.
        for wanted in [
            RequestedFiles::Both,
            RequestedFiles::Both,
            RequestedFiles::Pdf,
            RequestedFiles::Xml,
        ] {
            house.fetch("10.00", wanted).await.result.unwrap();
        }
        assert_eq!(house.asked(), [before, &[RequestedFiles::Both]].concat());
    }
}

#[tokio::test]
async fn a_pair_that_was_fetched_for_its_pdf_is_a_pair() {
    let house = house();
    house
        .fetch("10.00", RequestedFiles::Pdf)
        .await
        .result
        .unwrap();
    house
        .fetch("10.00", RequestedFiles::Both)
        .await
        .result
        .unwrap();
    assert_eq!(house.asked(), [RequestedFiles::Both]);
}

#[tokio::test]
async fn an_xml_that_comes_again_with_other_bytes_is_not_understood() {
    let house = house();
    let first = unsealed_proof(&transfer(1_000));
    house
        .test
        .script(transfer(1_000), Script::Issue(first.clone()));
    house
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    let mut changed = first.clone();
    changed.xml = changed.xml.map(|xml| [&xml[..], b"\n"].concat().into());
    house.test.script(transfer(1_000), Script::Issue(changed));
    let error = house
        .fetch("10.00", RequestedFiles::Both)
        .await
        .result
        .unwrap_err();
    assert!(
        matches!(error, FetchError::BankProtocol { .. }),
        "{error:?}"
    );
    let Files::Xml(xml) = house
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap()
        .files
    else {
        panic!("the XML alone was wanted");
    };
    assert_eq!(Some(xml), first.xml, "the changed one was remembered");
}

#[tokio::test]
async fn a_pdf_comes_with_the_xml_that_it_is_checked_by() {
    let house = house();
    let report = house.fetch("10.00", RequestedFiles::Pdf).await;
    assert!(matches!(report.result.unwrap().files, Files::Pdf(_)));
    assert_eq!(house.asked(), [RequestedFiles::Both]);
}

#[tokio::test]
async fn without_memory_every_lookup_asks() {
    let house = house_remembering(0);
    for _ in 0..3 {
        house
            .fetch("10.00", RequestedFiles::Both)
            .await
            .result
            .unwrap();
    }
    assert_eq!(house.test.times_asked(), 3);
}

#[tokio::test]
async fn why_the_bank_may_not_be_asked_is_passed_on() {
    let house = house();
    for (amount, expected) in [
        ("429.00", ThrottleReason::TooManyQueriesPage),
        ("429.01", ThrottleReason::CaptchaPage),
    ] {
        let error = house
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
    let code = |text| Catalogue::embedded().parse_code(text).unwrap();
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
async fn a_proof_of_another_transfer_reaches_nobody() {
    let house = house();
    let others = unsealed_proof(&transfer(99_999));
    house.test.script(transfer(1_000), Script::Issue(others));
    for wanted in [
        RequestedFiles::Xml,
        RequestedFiles::Pdf,
        RequestedFiles::Both,
    ] {
        let error = house.fetch("10.00", wanted).await.result.unwrap_err();
        assert!(
            matches!(error, FetchError::BankProtocol { .. }),
            "{error:?}"
        );
    }
    assert_eq!(house.test.times_asked(), 3, "a wrong proof was remembered");
}

#[tokio::test]
async fn a_file_that_is_missing_from_the_answer_is_an_error_and_no_endless_loop() {
    let house = house();
    let mut half = unsealed_proof(&transfer(1_000));
    half.pdf = None;
    house.test.script(transfer(1_000), Script::Issue(half));
    let error = house
        .fetch("10.00", RequestedFiles::Pdf)
        .await
        .result
        .unwrap_err();
    assert!(matches!(error, FetchError::BankProtocol { .. }));
}

#[tokio::test]
async fn what_was_not_found_comes_with_hints_and_what_was_not_issued_with_its_state() {
    let house = house();
    let FetchError::NotFound { reason, hints } = house
        .fetch("404.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err()
    else {
        panic!("404.00 was found");
    };
    assert_eq!(reason, NotFoundReason::NotInSpei);
    assert!(!hints.is_empty());
    let FetchError::NotFound { reason, .. } = house
        .fetch("404.02", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err()
    else {
        panic!("404.02 was found");
    };
    let NotFoundReason::ProofNotIssued(payment) = reason else {
        panic!("{reason:?}")
    };
    assert_eq!(payment.state, domain::payment::PaymentState::Settled);
}

#[tokio::test]
async fn what_cannot_be_inferred_asks_nobody() {
    let house = house();
    let mut unknown = query("10.00");
    unknown.tracking_key = domain::tracking_key::TrackingKey::parse("NOBODYS-1").unwrap();
    let request = ProofRequest {
        query: unknown,
        wanted: RequestedFiles::Xml,
        environment: Environment::Test,
    };
    let report = house.proofs.fetch(request).await;
    let Err(FetchError::InferenceFailed { issuer, receiver }) = report.result else {
        panic!("an issuer was inferred from nothing");
    };
    assert!(issuer.is_some() && receiver.is_none());
    assert_eq!(house.test.times_asked(), 0);
}

#[tokio::test]
async fn the_banks_health_is_made_of_what_was_really_asked() {
    let house = Arc::new(house());
    let unknown = house.watch.health(Environment::Test, None);
    assert_eq!(unknown.state, BankState::Unknown);
    for report in house.together(5, "10.00").await {
        report.result.unwrap();
    }
    house
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    house
        .fetch("404.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err();
    let health = house.watch.health(Environment::Test, None);
    assert_eq!((health.lookups, health.success_rate), (2, Some(1.0)));
    house
        .fetch("502.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap_err();
    let health = house.watch.health(Environment::Test, None);
    assert_eq!((health.lookups, health.state), (3, BankState::Degraded));
    assert_eq!(house.watch.health(Environment::Live, None).lookups, 0);
}
