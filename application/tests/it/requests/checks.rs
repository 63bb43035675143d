//! Checks of files: their steps, their settlement, and a customer with many of them.

use bytes::Bytes;
use domain::check::{CheckName, CheckReason, CheckResult};
use domain::inference;
use domain::participant::Catalogue;
use domain::seal::Verdict;
use ports::contract::bank::transfer;
use ports::inbound::{BankComparison, CheckExchange, CheckRequest, CheckedFile, CheckedUpload};
use tokio::sync::watch;

use super::*;

type Encoded = Arc<Mutex<Option<Result<CheckedFile, FetchError>>>>;

/// An exchange that passes on what it was given, and the served request.
struct FileExchange {
    file: Result<CheckRequest, InvalidRequest>,
    /// Number of exchanges that began to decode.
    decoding: watch::Sender<usize>,
    /// Decoding ends once this is `true`.
    gate: watch::Receiver<bool>,
    encoded: Encoded,
    served: oneshot::Sender<ServedRequest>,
}

#[async_trait]
impl RepeatableExchange for FileExchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        None
    }
}

#[async_trait]
impl CheckExchange for FileExchange {
    async fn decode(&mut self) -> Result<CheckRequest, InvalidRequest> {
        self.decoding.send_modify(|decoding| *decoding += 1);
        self.gate.wait_for(|is_open| *is_open).await.unwrap();
        self.file.clone()
    }

    async fn encode(&mut self, result: Result<CheckedUpload, FetchError>) -> Result<(), Cause> {
        let file = result.map(|checked| match checked {
            CheckedUpload::File(file) => *file,
            CheckedUpload::Zip(_) => panic!("no ZIP was sent"),
        });
        *self.encoded.lock().unwrap() = Some(file);
        // Others go on before this one is recorded.
        tokio::task::yield_now().await;
        Ok(())
    }

    async fn finish(self: Box<Self>, served: ServedRequest) {
        drop(self.served.send(served));
    }
}

/// Exchanges that wait for one gate.
struct Gate {
    open: watch::Sender<bool>,
    decoding: watch::Sender<usize>,
}

impl Gate {
    fn new(is_open: bool) -> Self {
        Self {
            open: watch::channel(is_open).0,
            decoding: watch::channel(0).0,
        }
    }

    fn start(
        &self,
        fixture: &Fixture,
        holder: &Holder,
        file: Result<CheckRequest, InvalidRequest>,
    ) -> (oneshot::Receiver<ServedRequest>, Encoded) {
        let encoded = Encoded::default();
        let (served, receiver) = oneshot::channel();
        let exchange = FileExchange {
            file,
            decoding: self.decoding.clone(),
            gate: self.open.subscribe(),
            encoded: encoded.clone(),
            served,
        };
        let request = request(Some(holder.secret.reveal()), HERE);
        fixture.process.requests.check(request, Box::new(exchange));
        (receiver, encoded)
    }

    /// Waits until as many exchanges have begun to decode, or more.
    async fn decoding(&self, number: usize) {
        let mut decoding = self.decoding.subscribe();
        decoding.wait_for(|it| *it >= number).await.unwrap();
    }
}

/// The file of a payment that the bank of the fixture has a proof of.
fn proof(bank_comparison: BankComparison) -> CheckRequest {
    let transfer = transfer(123_456, "MBAN01002506160000000001");
    CheckRequest {
        file: unsealed_proof(&transfer).xml.unwrap(),
        bank_comparison,
    }
}

async fn check(
    fixture: &Fixture,
    file: Result<CheckRequest, InvalidRequest>,
) -> (SettledRequest, Option<Result<CheckedFile, FetchError>>) {
    let (served, encoded) = Gate::new(true).start(fixture, &fixture.holder, file);
    let ServedRequest::Settled(settled) = served.await.unwrap() else {
        panic!("the key is good");
    };
    let encoded = encoded.lock().unwrap().take();
    (settled, encoded)
}

#[tokio::test]
async fn a_file_is_checked_without_the_bank_and_charged_once() {
    let fixture = fixture(None).await;
    let (settled, encoded) = check(&fixture, Ok(proof(BankComparison::Skipped))).await;
    let checked = encoded.unwrap().unwrap();
    assert!(checked.report.proof.is_some());
    assert!(checked.report.check(CheckName::Portal).is_none());
    assert_eq!(fixture.steps(), Vec::<&str>::new(), "the bank isn't asked");
    assert!(matches!(settled.reply, Reply::Encoded));
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
    let (_, encoded) = check(&fixture, Ok(request)).await;
    let report = encoded.unwrap().unwrap().report;
    assert!(matches!(report.verdict, Verdict::NotChecked(_)));
    assert_eq!(fixture.recorded_seals(), [Some(SealVerdict::Invalid)]);
}

#[tokio::test]
async fn a_file_is_compared_with_the_banks_proof() {
    let fixture = fixture(None).await;
    let (settled, encoded) = check(&fixture, Ok(proof(BankComparison::Wanted))).await;
    let checked = encoded.unwrap().unwrap();
    let portal = checked.report.check(CheckName::Portal).unwrap();
    assert_eq!(portal.result, CheckResult::Ok, "{portal:?}");
    assert_eq!(fixture.steps(), ["look up"]);
    assert!(settled.details.banks.is_some());
}

#[tokio::test]
async fn what_is_no_proof_counts_as_an_invalid_request_and_nothing_is_looked_up() {
    let fixture = fixture(None).await;
    let file = CheckRequest {
        file: Bytes::from_static(b"<a/>"),
        ..proof(BankComparison::Wanted)
    };
    let (_, encoded) = check(&fixture, Ok(file)).await;
    let report = encoded.unwrap().unwrap().report;
    assert_eq!(report.checks[0].reason, Some(CheckReason::Root));
    let (_, encoded) = check(&fixture, Err(InvalidRequest)).await;
    assert!(encoded.is_none(), "it has encoded what is wrong itself");
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
        };
        let (_, encoded) = check(&fixture, Ok(file)).await;
        let checked = encoded.unwrap().unwrap();
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
    for (served, encoded) in started {
        served.await.unwrap();
        let checked = encoded.lock().unwrap().take().unwrap().unwrap();
        times.push(checked.seen.unwrap().times);
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
    let (settled, encoded) = check(&fixture, Ok(proof(BankComparison::Wanted))).await;
    let is_told = matches!(encoded, Some(Err(FetchError::BankTimeout)));
    assert_eq!(is_told, outcome == Outcome::BankTimeout);
    assert_eq!(matches!(settled.reply, Reply::Failed), !is_told);
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
        served.push(gate.start(&fixture, &greedy, file()).0);
    }
    gate.decoding(8).await;
    let (settled, _) = check(&fixture, file()).await;
    assert_eq!(settled.outcome, Outcome::Delivered);
    assert_eq!(*gate.decoding.borrow(), 8, "no ninth began meanwhile");
    gate.open.send_replace(true);
    for served in served {
        assert!(matches!(served.await, Ok(ServedRequest::Settled(_))));
    }
}
