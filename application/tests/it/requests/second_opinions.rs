//! Second opinions on seals: who is asked, about which file, and how often.

use std::io::{Cursor, Write as _};
use std::time::Duration;

use application::{BankComparison, CheckRequest, CheckedUpload, SealValidation, ValidatorBySide};
use domain::pacing::ThrottleReason;
use domain::proofs::check::{CheckName, CheckOutcome, CheckReport, CheckResult};
use domain::seals::{NoOpinion, SealOpinion, SecondOpinion};
use futures::future::join_all;
use ports::Cause;
use testkit::fakes::ScriptedValidator;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::checks::{Gate, check, checked, proof};
use super::*;

const VALID: Result<SealOpinion, BankError> = Ok(SealOpinion::Valid);

/// A fixture whose `test` keys have a validator with these answers.
async fn validated(
    answers: impl Into<Vec<Result<SealOpinion, BankError>>>,
) -> (Fixture, Arc<ScriptedValidator>) {
    let validator = Arc::new(ScriptedValidator::answering(answers));
    let mut world = world();
    world.validators.test = Some(validator.clone());
    world
        .base
        .clock
        .set_wall("2025-06-17T18:00:00Z".parse().unwrap());
    (fixture_in(world, None).await, validator)
}

/// A file about whose seal the validator is to be asked.
fn asked() -> CheckRequest {
    CheckRequest {
        seal_validation: SealValidation::Wanted,
        ..proof(BankComparison::Skipped)
    }
}

/// The same file with another text in place of one.
fn edited(from: &str, to: &str) -> CheckRequest {
    let whole = asked();
    let text = std::str::from_utf8(&whole.file).unwrap().replace(from, to);
    assert_ne!(text.as_bytes(), whole.file);
    CheckRequest {
        file: text.into(),
        ..whole
    }
}

async fn report_on(fixture: &Fixture, file: CheckRequest) -> CheckReport {
    checked(check(fixture, Ok(file)).await).report
}

async fn opinion_on(fixture: &Fixture, file: CheckRequest) -> SecondOpinion {
    let opinion = report_on(fixture, file).await.second_opinion;
    opinion.expect("it was asked for")
}

#[tokio::test]
async fn nobody_is_asked_unless_the_caller_says_so() {
    let (fixture, validator) = validated([VALID]).await;
    let report = report_on(&fixture, proof(BankComparison::Skipped)).await;
    assert_eq!(report.second_opinion, None);
    assert_eq!(validator.asked().len(), 0);
}

#[tokio::test]
async fn a_verdict_is_that_of_the_seal_and_is_recorded() {
    let (fixture, validator) = validated([VALID, Ok(SealOpinion::Invalid)]).await;
    let report = report_on(&fixture, asked()).await;
    assert_eq!(
        report.check(CheckName::Seal).unwrap().result,
        CheckResult::Ok
    );
    assert_eq!(report.outcome(), CheckOutcome::Valid);
    let other = edited("PRUEBA", "OTRA");
    let report = report_on(&fixture, other.clone()).await;
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
    let sent = validator.asked();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].xml, other.file);
    let recorded = [SealVerdict::Valid, SealVerdict::Invalid].map(Some);
    assert_eq!(fixture.recorded_seals(), recorded);
    assert_eq!(
        fixture.used().await.net(),
        2,
        "no more than the check counts"
    );
}

#[tokio::test]
async fn a_verdict_is_kept_for_the_same_file_and_for_no_edit_of_it() {
    let (fixture, validator) = validated([Ok(SealOpinion::Invalid), VALID]).await;
    let edit = || edited("claveRastreo=\"", "claveRastreo=\"X");
    // A forger can't have the original refused.
    for _ in 0..2 {
        assert_eq!(opinion_on(&fixture, edit()).await, Ok(SealOpinion::Invalid));
    }
    for _ in 0..2 {
        assert_eq!(opinion_on(&fixture, asked()).await, Ok(SealOpinion::Valid));
    }
    assert_eq!(validator.asked().len(), 2);
}

#[tokio::test]
async fn simultaneous_questions_about_one_file_are_one() {
    let (fixture, validator) = validated([VALID]).await;
    let holder = fixture.world.base.holder(limits(100, None)).await;
    validator.hold(true);
    let gate = Gate::new(true);
    let start = |_| gate.start(&fixture, &holder, Ok(asked()));
    let started: Vec<_> = (0..8).map(start).collect();
    validator.was_asked(1).await;
    settle().await;
    validator.hold(false);
    for answer in join_all(started).await {
        let report = checked(answer.unwrap()).report;
        assert_eq!(report.second_opinion, Some(Ok(SealOpinion::Valid)));
    }
    assert_eq!(validator.asked().len(), 1);
}

#[rstest]
#[case::busy(BankError::Throttled { retry_after: Duration::ZERO, reason: ThrottleReason::BudgetUsedUp }, NoOpinion::Busy)]
#[case::timeout(BankError::Timeout, NoOpinion::Timeout)]
#[case::unavailable(BankError::Unavailable { retry_after: Duration::ZERO, cause: cause() }, NoOpinion::Unavailable)]
#[case::unknown(BankError::Protocol { cause: cause() }, NoOpinion::UnknownAnswer)]
#[tokio::test]
async fn a_failure_is_no_verdict_and_is_not_kept(
    #[case] error: BankError,
    #[case] reason: NoOpinion,
) {
    let (fixture, validator) = validated([Err(error), VALID]).await;
    let report = report_on(&fixture, asked()).await;
    assert_eq!(report.second_opinion, Some(Err(reason)));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert_eq!(opinion_on(&fixture, asked()).await, Ok(SealOpinion::Valid));
    assert_eq!(validator.asked().len(), 2);
    assert_eq!(fixture.world.outcomes(), [Outcome::Delivered; 2]);
}

fn cause() -> Cause {
    Arc::new(std::io::Error::other("a synthetic cause"))
}

#[tokio::test]
async fn files_of_test_keys_never_go_to_the_central_bank_and_none_goes_out_unless_it_is_configured()
{
    let live = Arc::new(ScriptedValidator::answering([VALID]));
    let mut world = world();
    world.validators = ValidatorBySide {
        live: Some(live.clone()),
        test: None,
    };
    let fixture = fixture_in(world, None).await;
    let opinion = opinion_on(&fixture, asked()).await;
    assert_eq!(opinion, Err(NoOpinion::NotConfigured));
    assert_eq!(live.asked().len(), 0);
}

#[tokio::test]
async fn an_old_file_and_one_that_could_change_the_answer_are_not_sent() {
    let (fixture, validator) = validated([VALID]).await;
    let unsafe_file = edited("Concepto=\"PRUEBA\"", "Concepto=\"&lt;b>\"");
    assert_eq!(
        opinion_on(&fixture, unsafe_file).await,
        Err(NoOpinion::UnsafeText)
    );
    fixture
        .world
        .base
        .clock
        .set_wall("2025-09-01T18:00:00Z".parse().unwrap());
    assert_eq!(
        opinion_on(&fixture, asked()).await,
        Err(NoOpinion::OutOfRange)
    );
    assert_eq!(validator.asked().len(), 0);
}

/// The files of a checked ZIP.
async fn zipped(fixture: &Fixture, files: &[&CheckRequest]) -> Vec<SecondOpinion> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, file) in files.iter().enumerate() {
        let name = format!("{number}.xml");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&file.file).unwrap();
    }
    let file = CheckRequest {
        file: zip.finish().unwrap().into_inner().into(),
        ..asked()
    };
    let Reply::Answer(Ok(CheckedUpload::Zip(files))) = check(fixture, Ok(file)).await.reply else {
        panic!("a ZIP was expected");
    };
    let opinions = files.iter().map(|file| file.checked.report.second_opinion);
    opinions.map(Option::unwrap).collect()
}

#[tokio::test]
async fn of_a_zip_one_seal_is_asked_about() {
    let (fixture, validator) = validated([VALID]).await;
    let (whole, other) = (asked(), edited("PRUEBA", "OTRA"));
    let opinions = zipped(&fixture, &[&whole, &other]).await;
    assert_eq!(opinions, [Err(NoOpinion::SeveralSeals); 2]);
    assert_eq!(validator.asked().len(), 0);
    let copy = edited("claveRastreo=\"", "claveRastreo=\"X");
    let opinions = zipped(&fixture, &[&whole, &copy]).await;
    assert_eq!(opinions, [Ok(SealOpinion::Valid); 2]);
    assert_eq!(validator.asked().len(), 1);
    assert_eq!(validator.asked()[0].xml, whole.file);
}
