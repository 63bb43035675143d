//! Contract of a bank.
//!
//! A transfer's amount selects the answer, as at the sandbox: a bank under test MUST answer the
//! amounts of [`scene`] accordingly, and issue a proof of any other transfer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::NaiveDate;
use domain::account::Account;
use domain::amount::Amount;
use domain::criterion::ReferenceNumber;
use domain::participants::ParticipantCode;
use domain::proofs::file::RequestedFiles;
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use futures::future::join_all;

use super::pacer::LANE;
use crate::outbound::{Bank, BankAnswer, BankError, BankFiles, Lookup};

/// The amounts that select an answer, in centavos.
#[expect(
    clippy::inconsistent_digit_grouping,
    reason = "pesos_centavos, as they are written in the form"
)]
pub mod scene {
    use domain::payment::PaymentState;

    /// An amount without a meaning: the proof is issued.
    pub const ISSUED: u64 = 1_234_56;
    /// Several transfers, if it is asked for by a reference number.
    pub const SEVERAL: u64 = 300_00;
    /// Not found, in the portal's form for recent dates.
    pub const NOT_FOUND_RECENT: u64 = 404_00;
    /// Not found, in the portal's form for older dates.
    pub const NOT_FOUND_HISTORIC: u64 = 404_01;
    /// The payment is in a state, and has no proof.
    pub const STATES: [(u64, PaymentState); PaymentState::ALL.len()] = [
        (404_02, PaymentState::Settled),
        (404_03, PaymentState::Returned),
        (404_04, PaymentState::InProcess),
        (404_05, PaymentState::Canceled),
        (404_06, PaymentState::Rejected),
        (404_07, PaymentState::ReturnInProcess),
        (404_08, PaymentState::NotSettled),
        (404_09, PaymentState::NotFound),
        (404_10, PaymentState::SentBack),
    ];
    /// Too many queries.
    pub const TOO_MANY_QUERIES: u64 = 429_00;
    /// A captcha.
    pub const CAPTCHA: u64 = 429_01;
    /// The bank fails.
    pub const FAILURE: u64 = 500_00;
    /// An unknown answer.
    pub const UNKNOWN_PAGE: u64 = 502_00;
    /// The connection is closed.
    pub const HANG_UP: u64 = 503_00;
    /// No answer, ever.
    pub const SILENCE: u64 = 504_00;
}

/// Time limit of a lookup that is answered at once.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time limit of a lookup that is never answered.
const SHORT_PATIENCE: Duration = Duration::from_millis(400);
/// Tolerance for a lookup that returns after its patience, on a busy machine.
const LATENESS: Duration = Duration::from_secs(3);

cases! {
    $ bank(Arc<dyn Bank>)
    self::exactly_the_requested_files_are_returned_and_an_xml_never_changes,
    self::a_reference_number_finds_both_files_of_one_transfer_or_a_zip_of_several,
    self::both_forms_of_not_found_are_recognised,
    self::a_payment_without_a_proof_has_its_state,
    self::a_bank_that_throttles_says_when_to_retry,
    self::a_captcha_throttles_too,
    self::a_bank_that_fails_or_hangs_up_is_unavailable,
    self::an_unknown_answer_is_never_not_found,
    self::a_silent_bank_is_abandoned_when_the_patience_is_over,
    self::lookups_at_the_same_time_get_their_own_proofs,
    self::a_budget_shows_what_is_left_and_the_time_of_a_back_off,
}

/// A transfer of the suite: settled long ago, between two long-established institutions.
pub fn transfer(centavos: u64, tracking_key: &str) -> Transfer {
    let code = |text| ParticipantCode::parse(text).expect("a code of the suite");
    Transfer::new(
        NaiveDate::from_ymd_opt(2025, 6, 16).expect("a day of the suite"),
        TrackingKey::parse(tracking_key).expect("a tracking key of the suite"),
        Account::parse("014180000000000017").expect("an account of the suite"),
        Amount::from_centavos(centavos).expect("an amount of the suite"),
        code("40012"),
        code("40014"),
    )
    .expect("two institutions")
}

/// A patient lookup of a transfer of the suite.
pub fn lookup(centavos: u64, wanted: RequestedFiles) -> Lookup {
    Lookup {
        transfer: transfer(centavos, "CONTRACT0001"),
        wanted,
        lane: LANE,
        patience: PATIENCE,
    }
}

/// The same, by a reference number.
pub fn lookup_by_reference(centavos: u64) -> Lookup {
    let of_key = transfer(centavos, "CONTRACT0001");
    let reference = ReferenceNumber::parse("4600001").expect("a number of the suite");
    let banks = of_key.banks();
    Lookup {
        transfer: Transfer::new(
            of_key.date(),
            reference,
            of_key.account().clone(),
            of_key.amount(),
            banks.issuer,
            banks.receiver,
        )
        .expect("two institutions"),
        ..lookup(centavos, RequestedFiles::Both)
    }
}

async fn a_reference_number_finds_both_files_of_one_transfer_or_a_zip_of_several(
    bank: Arc<dyn Bank>,
) {
    let one = files(&bank, &lookup_by_reference(scene::ISSUED)).await;
    assert!(one.xml.is_some() && one.pdf.is_some());
    let several = bank.fetch(&lookup_by_reference(scene::SEVERAL)).await;
    let Ok(BankAnswer::Several(zip)) = several else {
        panic!("several transfers were expected, not {several:?}");
    };
    assert!(zip.starts_with(b"PK"));
    let none = bank
        .fetch(&lookup_by_reference(scene::NOT_FOUND_RECENT))
        .await;
    assert!(matches!(none, Ok(BankAnswer::NotFound)), "{none:?}");
    // By a tracking key there is one.
    files(&bank, &lookup(scene::SEVERAL, RequestedFiles::Both)).await;
}

async fn ask(bank: &Arc<dyn Bank>, centavos: u64) -> Result<BankAnswer, BankError> {
    bank.fetch(&lookup(centavos, RequestedFiles::Both)).await
}

async fn files(bank: &Arc<dyn Bank>, lookup: &Lookup) -> BankFiles {
    match bank.fetch(lookup).await {
        Ok(BankAnswer::Issued(files)) => files,
        other => panic!("a proof was expected, not {other:?}"),
    }
}

async fn exactly_the_requested_files_are_returned_and_an_xml_never_changes(bank: Arc<dyn Bank>) {
    let mut xmls = Vec::new();
    for (wanted, has_xml, has_pdf) in [
        (RequestedFiles::Xml, true, false),
        (RequestedFiles::Pdf, false, true),
        (RequestedFiles::Both, true, true),
    ] {
        let BankFiles { xml, pdf } = files(&bank, &lookup(scene::ISSUED, wanted)).await;
        assert_eq!((xml.is_some(), pdf.is_some()), (has_xml, has_pdf));
        assert!(pdf.is_none_or(|pdf| pdf.starts_with(b"%PDF-")));
        xmls.extend(xml);
    }
    assert!(xmls.iter().all(|xml| contains(xml, "<SPEI_Tercero")));
    assert_eq!(xmls[0], xmls[1]);
}

async fn both_forms_of_not_found_are_recognised(bank: Arc<dyn Bank>) {
    for centavos in [scene::NOT_FOUND_RECENT, scene::NOT_FOUND_HISTORIC] {
        let answer = ask(&bank, centavos).await;
        assert_eq!(answer.expect("an answer"), BankAnswer::NotFound);
    }
}

async fn a_payment_without_a_proof_has_its_state(bank: Arc<dyn Bank>) {
    for (centavos, state) in scene::STATES {
        match ask(&bank, centavos).await {
            Ok(BankAnswer::NotIssued(payment)) => {
                assert_eq!(payment.state, state);
                assert!(payment.received_at <= payment.processed_at);
            }
            other => panic!("a payment was expected, not {other:?}"),
        }
    }
}

async fn a_bank_that_throttles_says_when_to_retry(bank: Arc<dyn Bank>) {
    assert_throttled(ask(&bank, scene::TOO_MANY_QUERIES).await);
}

async fn a_captcha_throttles_too(bank: Arc<dyn Bank>) {
    assert_throttled(ask(&bank, scene::CAPTCHA).await);
}

fn assert_throttled(answer: Result<BankAnswer, BankError>) {
    match answer {
        Err(BankError::Throttled { retry_after, .. }) => assert!(!retry_after.is_zero()),
        other => panic!("throttling was expected, not {other:?}"),
    }
}

async fn a_bank_that_fails_or_hangs_up_is_unavailable(bank: Arc<dyn Bank>) {
    for centavos in [scene::FAILURE, scene::HANG_UP] {
        match ask(&bank, centavos).await {
            Err(BankError::Unavailable { retry_after, .. }) => assert!(!retry_after.is_zero()),
            other => panic!("an unavailable bank was expected, not {other:?}"),
        }
    }
}

async fn an_unknown_answer_is_never_not_found(bank: Arc<dyn Bank>) {
    match ask(&bank, scene::UNKNOWN_PAGE).await {
        Err(BankError::Protocol { .. }) => {}
        other => panic!("a protocol error was expected, not {other:?}"),
    }
}

async fn a_silent_bank_is_abandoned_when_the_patience_is_over(bank: Arc<dyn Bank>) {
    let lookup = Lookup {
        patience: SHORT_PATIENCE,
        ..lookup(scene::SILENCE, RequestedFiles::Xml)
    };
    let started = Instant::now();
    let answer = bank.fetch(&lookup).await;
    let waited = started.elapsed();
    assert!(
        matches!(answer, Err(BankError::Timeout)),
        "a timeout was expected, not {answer:?}"
    );
    let in_time = SHORT_PATIENCE..SHORT_PATIENCE + LATENESS;
    assert!(in_time.contains(&waited), "it gave up after {waited:?}");
}

async fn lookups_at_the_same_time_get_their_own_proofs(bank: Arc<dyn Bank>) {
    let asking = (0..24).map(async |number| {
        let key = format!("CONTRACT1{number:03}");
        let lookup = Lookup {
            transfer: transfer(scene::ISSUED, &key),
            ..lookup(scene::ISSUED, RequestedFiles::Xml)
        };
        let proof = files(&bank, &lookup).await;
        assert!(proof.xml.is_some_and(|xml| contains(&xml, &key)), "{key}");
    });
    join_all(asking).await;
}

async fn a_budget_shows_what_is_left_and_the_time_of_a_back_off(bank: Arc<dyn Bank>) {
    let Some(fresh) = bank.budget().await else {
        return;
    };
    assert!(fresh.remaining > 0, "nobody has asked yet: {fresh:?}");
    assert!(fresh.remaining <= fresh.per_minute, "{fresh:?}");
    assert_eq!(fresh.paused_for, None);
    assert_eq!(bank.budget().await, Some(fresh), "to look takes nothing");
    files(&bank, &lookup(scene::ISSUED, RequestedFiles::Xml)).await;
    let asked = bank.budget().await.expect("a budget stays one");
    assert_eq!(asked.per_minute, fresh.per_minute);
    assert!(asked.remaining < fresh.remaining, "{asked:?}");
    assert_throttled(ask(&bank, scene::TOO_MANY_QUERIES).await);
    let paused = bank.budget().await.expect("a budget stays one").paused_for;
    assert!(paused.is_some_and(|wait| !wait.is_zero()), "{paused:?}");
}

fn contains(bytes: &Bytes, text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}
