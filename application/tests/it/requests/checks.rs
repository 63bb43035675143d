//! Checks of files: their steps, their settlement, and a customer with many of them.

use application::{
    BankComparison, CheckRequest, CheckedFile, CheckedUpload, Question, SealValidation,
};
use bytes::Bytes;
use domain::participants::Catalogue;
use domain::participants::inference;
use domain::proofs::check::{CheckName, CheckReason, CheckResult};
use domain::seals::Verdict;
use futures::FutureExt as _;
use ports::contract::bank::transfer;
use ports::outbound::BankError;
use tokio::sync::watch;

use super::*;

type CheckAnswer = Answered<Result<CheckedUpload, FetchError>, Invalid>;

/// A gate, at which the reading of files waits.
pub(super) struct Gate {
    pub(super) open: watch::Sender<bool>,
    /// Number of files that are being read.
    pub(super) reading: watch::Sender<usize>,
}

impl Gate {
    pub(super) fn new(is_open: bool) -> Self {
        Self {
            open: watch::channel(is_open).0,
            reading: watch::channel(0).0,
        }
    }

    /// A question that is read at the gate.
    pub(super) fn question<Q: Send + 'static>(
        &self,
        asked: Result<Q, Invalid>,
    ) -> Question<'static, Q, Invalid> {
        let (reading, mut gate) = (self.reading.clone(), self.open.subscribe());
        Question {
            body: async move {
                reading.send_modify(|reading| *reading += 1);
                gate.wait_for(|is_open| *is_open).await.unwrap();
                Ok(Bytes::new())
            }
            .boxed(),
            content: Box::new(|body| Some(body.ok()?.to_vec())),
            parse: Box::new(|_| asked),
        }
    }

    pub(super) fn start(
        &self,
        fixture: &Fixture,
        holder: &Holder,
        file: Result<CheckRequest, Invalid>,
    ) -> JoinHandle<CheckAnswer> {
        let question = self.question(file);
        let requests = fixture.process.requests.clone();
        let request = request(Some(holder.secret.reveal()), HERE);
        tokio::spawn(async move { answered(requests.check(request, question).await) })
    }

    /// Waits until as many files are being read, or more.
    pub(super) async fn reading(&self, number: usize) {
        let mut reading = self.reading.subscribe();
        reading.wait_for(|it| *it >= number).await.unwrap();
    }
}

/// The file of a payment that the bank of the fixture has a proof of.
pub(super) fn proof(bank_comparison: BankComparison) -> CheckRequest {
    let transfer = transfer(123_456, "MBAN01002506160000000001");
    CheckRequest {
        file: unsealed_proof(&transfer).xml.unwrap(),
        bank_comparison,
        seal_validation: SealValidation::Skipped,
    }
}

pub(super) async fn check(fixture: &Fixture, file: Result<CheckRequest, Invalid>) -> CheckAnswer {
    let checking = Gate::new(true).start(fixture, &fixture.holder, file);
    checking.await.unwrap()
}

/// The file that was checked.
pub(super) fn checked(answer: CheckAnswer) -> CheckedFile {
    match answer.reply {
        Reply::Answer(Ok(CheckedUpload::File(file))) => *file,
        reply => panic!("{reply:?}"),
    }
}

#[tokio::test]
async fn a_file_is_checked_without_the_bank_and_charged_once() {
    let fixture = fixture(None).await;
    let checked = checked(check(&fixture, Ok(proof(BankComparison::Skipped))).await);
    assert!(checked.report.proof.is_some());
    assert!(checked.report.check(CheckName::Portal).is_none());
    assert_eq!(fixture.steps(), Vec::<&str>::new(), "the bank isn't asked");
    assert_eq!(fixture.world.outcomes(), [Outcome::Delivered]);
    assert_eq!(fixture.used().await.net(), 1);
}

#[tokio::test]
async fn an_altered_file_is_recorded_by_all_its_checks_and_not_by_its_seal_alone() {
    let fixture = fixture(None).await;
    let mut request = proof(BankComparison::Skipped);
    let file = std::str::from_utf8(&request.file).unwrap();
    let altered = file.replace("MontoPago=\"1234.56\"", "MontoPago=\"9234.56\"");
    assert_ne!(altered, file);
    request.file = altered.into();
    let report = checked(check(&fixture, Ok(request)).await).report;
    assert!(matches!(report.verdict, Verdict::NotChecked(_)));
    assert_eq!(fixture.recorded_seals(), [Some(SealVerdict::Invalid)]);
}

#[tokio::test]
async fn a_file_is_compared_with_the_banks_proof() {
    let fixture = fixture(None).await;
    let answer = check(&fixture, Ok(proof(BankComparison::Wanted))).await;
    assert!(answer.details.banks.is_some());
    let checked = checked(answer);
    let portal = checked.report.check(CheckName::Portal).unwrap();
    assert_eq!(portal.result, CheckResult::Ok, "{portal:?}");
    assert_eq!(fixture.steps(), ["look up"]);
}

#[tokio::test]
async fn what_is_no_proof_counts_as_an_invalid_request_and_nothing_is_looked_up() {
    let fixture = fixture(None).await;
    let file = CheckRequest {
        file: Bytes::from_static(b"<a/>"),
        ..proof(BankComparison::Wanted)
    };
    let report = checked(check(&fixture, Ok(file)).await).report;
    assert_eq!(report.checks[0].reason, Some(CheckReason::Root));
    let answer = check(&fixture, Err(Invalid)).await;
    assert!(matches!(answer.reply, Reply::Faulty(Invalid)));
    assert_eq!(fixture.steps(), Vec::<&str>::new());
    assert_eq!(fixture.world.outcomes(), [Outcome::InvalidRequest; 2]);
    assert_eq!(fixture.used().await.net(), 2);
}

#[tokio::test]
async fn a_proof_is_recognised_though_nobody_knows_its_issuer_and_a_seal_that_is_none_is_not_counted()
 {
    let fixture = fixture(None).await;
    fixture.serve().await;
    for _ in 0..2 {
        let resolved = inference::resolve(query_of("1234.56"), Catalogue::embedded());
        let file = CheckRequest {
            file: unsealed_proof(&resolved.transfer.unwrap()).xml.unwrap(),
            bank_comparison: BankComparison::Skipped,
            seal_validation: SealValidation::Skipped,
        };
        let checked = checked(check(&fixture, Ok(file)).await);
        assert_eq!(checked.issuer, None);
        assert_eq!(checked.seen.unwrap().times, 1, "the delivery alone");
    }
}

#[tokio::test]
async fn of_simultaneous_checks_of_one_proof_each_has_seen_those_before_it() {
    let fixture = fixture(None).await;
    let sealed = proof(BankComparison::Skipped);
    // A seal that can be read, of a certificate that isn't known.
    let seal = format!("{}==", "A".repeat(342));
    let xml = String::from_utf8(sealed.file.to_vec()).unwrap();
    let file = CheckRequest {
        file: xml.replace("c2luIHNlbGxv", &seal).into(),
        ..sealed
    };
    let gate = Gate::new(true);
    let holder = fixture.world.base.holder(limits(100, None)).await;
    let start = |_| gate.start(&fixture, &holder, Ok(file.clone()));
    let started: Vec<_> = (0..16).map(start).collect();
    let mut times = Vec::new();
    for checking in started {
        times.push(checked(checking.await.unwrap()).seen.unwrap().times);
    }
    times.sort_unstable();
    assert_eq!(times, (0..16).collect::<Vec<_>>());
}

#[rstest]
#[case::of_the_bank(Fault::LookupTimesOut, Outcome::BankTimeout)]
#[case::of_ours(Fault::LookupPanics, Outcome::InternalError)]
#[tokio::test]
async fn a_failure_is_settled_once_and_refunded(#[case] fault: Fault, #[case] outcome: Outcome) {
    let fixture = fixture(Some(fault)).await;
    let reply = check(&fixture, Ok(proof(BankComparison::Wanted)))
        .await
        .reply;
    let is_told = match reply {
        Reply::Answer(Err(FetchError::Bank(BankError::Timeout))) => outcome == Outcome::BankTimeout,
        Reply::Failed => outcome == Outcome::InternalError,
        _ => false,
    };
    assert!(is_told, "{reply:?}");
    assert_eq!(fixture.world.outcomes(), [outcome]);
    assert_eq!(fixture.used().await.net(), 0);
}

#[tokio::test]
async fn a_key_has_eight_files_in_work_and_another_keys_are_not_held_up() {
    let fixture = fixture(None).await;
    let gate = Gate::new(false);
    let greedy = fixture.world.base.holder(limits(100, None)).await;
    let file = || Ok(proof(BankComparison::Skipped));
    let mut served = Vec::new();
    for _ in 0..20 {
        served.push(gate.start(&fixture, &greedy, file()));
    }
    gate.reading(8).await;
    let answer = check(&fixture, file()).await;
    assert_eq!(answer.charge, Charge::Settled(Outcome::Delivered));
    assert_eq!(*gate.reading.borrow(), 8, "no ninth began meanwhile");
    gate.open.send_replace(true);
    for answer in served {
        checked(answer.await.unwrap());
    }
}
