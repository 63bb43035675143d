//! The validator of seals, at the sandbox's and at servers that answer anything else.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _};
use bank_portal::Validator;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::pacing::ThrottleReason;
use domain::proofs::Proof;
use domain::proofs::file::RequestedFiles;
use domain::seals::SealOpinion;
use ports::contract::bank as suite;
use ports::contract::pacer::LANE;
use ports::outbound::{
    Bank as _, BankAnswer, BankError, Lookup, SealValidator as _, ValidatedFile,
};
use rstest::rstest;
use sandbox::seal::SealCertificate;
use sandbox::{SandboxConfig, VALIDATOR_PATH};
use tokio::net::TcpListener;

use crate::support::{CAPTCHA, TOO_MANY, TestPortal, adapter, config, lookup, throttled};

const PATIENCE: Duration = Duration::from_secs(10);

/// Address of a sandbox.
async fn sandbox() -> String {
    let now: DateTime<Utc> = "2026-11-20T17:00:00Z".parse().unwrap();
    let router = sandbox::router(SandboxConfig {
        latency: Duration::ZERO,
        now: Arc::new(move || now),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(sandbox::serve(listener, router, std::future::pending()));
    format!("http://{address}")
}

/// The sandbox's proof of an amount.
async fn file(sandbox: &str, centavos: u64) -> ValidatedFile {
    let asked = Lookup {
        transfer: suite::transfer(centavos, "SANDBOX0001"),
        ..lookup("SANDBOX0001", RequestedFiles::Xml)
    };
    let portal = adapter(config(&format!("{sandbox}/cep")));
    let BankAnswer::Issued(files) = portal.fetch(&asked).await.unwrap() else {
        panic!("a proof was expected");
    };
    let xml = files.xml.unwrap();
    let seal = Proof::parse(&xml).unwrap().seal;
    ValidatedFile { xml, seal }
}

fn some_file() -> ValidatedFile {
    ValidatedFile {
        xml: Bytes::from_static(b"<SPEI_Tercero sello='AAAA'/>"),
        seal: "AAAA".to_owned(),
    }
}

async fn validate(url: &str, file: &ValidatedFile) -> Result<SealOpinion, BankError> {
    let validator = Validator::new(adapter(config(url)));
    validator.validate(file, LANE, PATIENCE).await
}

#[rstest]
#[case::by_a_known_certificate(123_456, Some(SealOpinion::Valid))]
#[case::by_an_unknown_certificate(60_001, Some(SealOpinion::Valid))]
#[case::of_another_text(60_002, Some(SealOpinion::Invalid))]
#[case::an_error(60_003, None)]
#[case::an_unseen_page(60_004, None)]
#[case::about_another_file(60_005, None)]
#[case::with_other_totals(60_006, None)]
#[case::with_another_seal(60_007, None)]
#[tokio::test]
async fn the_sandboxs_validator_tells_good_seals_from_bad_ones(
    #[case] centavos: u64,
    #[case] expected: Option<SealOpinion>,
) {
    let sandbox = sandbox().await;
    let file = file(&sandbox, centavos).await;
    let answer = validate(&format!("{sandbox}{VALIDATOR_PATH}"), &file).await;
    assert_eq!(answer.as_ref().ok(), expected.as_ref(), "{answer:?}");
}

#[tokio::test]
async fn the_sandboxs_validator_has_no_verdict_on_a_real_banks_certificate() {
    let sandbox = sandbox().await;
    let ValidatedFile { xml, seal } = file(&sandbox, 60_001).await;
    let text = std::str::from_utf8(&xml).unwrap();
    let xml = text.replace(SealCertificate::Unknown.number(), "00001000000500000001");
    let file = ValidatedFile {
        xml: xml.into(),
        seal,
    };
    let answer = validate(&format!("{sandbox}{VALIDATOR_PATH}"), &file).await;
    assert!(
        matches!(answer, Err(BankError::Unavailable { .. })),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_validator_is_sent_the_file_alone_in_a_form() {
    let server = TestPortal::start(|_| async { "" }).await;
    let answer = validate(&server.url(), &some_file()).await;
    assert!(
        matches!(answer, Err(BankError::Protocol { .. })),
        "{answer:?}"
    );
    let [request] = &server.requests()[..] else {
        panic!("one request was expected");
    };
    assert_eq!(
        (request.method.as_str(), &*request.target),
        ("POST", "/cep")
    );
    assert_eq!(request.cookies(), None);
    let declared = request.headers["content-type"].to_str().unwrap();
    let boundary = declared
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap();
    let body = std::str::from_utf8(&request.body).unwrap();
    let lines: Vec<_> = body.split("\r\n").collect();
    let (first, last) = (format!("--{boundary}"), format!("--{boundary}--"));
    let named =
        lines[1].strip_prefix("Content-Disposition: form-data; name=\"file[0]\"; filename=\"cep-");
    assert!(named.unwrap().ends_with(".xml\""), "{body}");
    let file = "<SPEI_Tercero sello='AAAA'/>";
    assert_eq!(
        lines,
        [
            &first,
            lines[1],
            "Content-Type: text/xml",
            "",
            file,
            &last,
            ""
        ]
    );
}

#[rstest]
#[case::another_status(|| StatusCode::NOT_FOUND.into_response())]
#[case::a_redirect(|| (StatusCode::FOUND, [("location", "http://127.0.0.1:1/")]).into_response())]
#[case::of_the_portal(|| Html("<p>Operación no encontrada.</p>").into_response())]
#[case::too_much(|| vec![b' '; 1024 * 1024].into_response())]
#[tokio::test]
async fn any_other_answer_is_no_verdict(#[case] answer: fn() -> axum::response::Response) {
    let server = TestPortal::start(move |_| async move { answer() }).await;
    let answer = validate(&server.url(), &some_file()).await;
    assert!(
        matches!(answer, Err(BankError::Protocol { .. })),
        "{answer:?}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_validator_that_fails_or_is_not_there_is_unavailable() {
    let failing = TestPortal::start(|_| async { StatusCode::INTERNAL_SERVER_ERROR }).await;
    for url in [&*failing.url(), "http://127.0.0.1:1/"] {
        let answer = validate(url, &some_file()).await;
        assert!(
            matches!(answer, Err(BankError::Unavailable { .. })),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn a_validator_that_says_nothing_is_waited_for_no_longer_than_the_patience() {
    let server = TestPortal::start(|_| std::future::pending::<&str>()).await;
    let validator = Validator::new(server.adapter());
    let patience = Duration::from_millis(200);
    let answer = validator.validate(&some_file(), LANE, patience).await;
    assert!(matches!(answer, Err(BankError::Timeout)), "{answer:?}");
}

#[rstest]
#[case::too_many(TOO_MANY, ThrottleReason::TooManyQueriesPage)]
#[case::a_captcha(CAPTCHA, ThrottleReason::CaptchaPage)]
#[tokio::test]
async fn after_a_page_that_throttles_the_validator_is_left_alone(
    #[case] page: &'static str,
    #[case] reason: ThrottleReason,
) {
    let server = TestPortal::start(move |_| async move { page }).await;
    let validator = Validator::new(server.paced_adapter());
    for expected in [reason, ThrottleReason::BackingOff] {
        let answer = validator.validate(&some_file(), LANE, PATIENCE).await;
        assert_eq!(throttled(answer).1, expected);
    }
    assert_eq!(server.requests().len(), 1);
}
