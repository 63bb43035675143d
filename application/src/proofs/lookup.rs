//! Lookup of a proof: inference, the cache, the bank, and the check of what the bank issued.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::calendar;
use domain::file::{FileStem, RequestedFiles};
use domain::hints;
use domain::inference::{self, Inferred, Unresolved};
use domain::key::Environment;
use domain::participant::Catalogue;
use domain::payment::PaymentState;
use domain::proof::Proof;
use domain::transfer::{Banks, Transfer};
use futures::FutureExt;
use ports::inbound::{
    Delivery, FetchError, FetchReport, Files, LookupDetails, NotFoundReason, ProofRequest, Proofs,
};
use ports::outbound::{Bank, BankAnswer, BankError, BankFiles, Clock, Lookup};
use tracing::Instrument as _;

use super::memory::{CachedProof, Pdf, ProofMemory, Session, Subject};
use super::single_flight::SingleFlight;
use crate::bank::BankMonitor;

/// The bank of each environment: live keys never reach the sandbox, test keys never the portal.
#[derive(Clone)]
pub struct BankBySide {
    /// The central bank's portal.
    pub live: Arc<dyn Bank>,
    /// The sandbox.
    pub test: Arc<dyn Bank>,
}

impl BankBySide {
    pub(crate) fn of(&self, environment: Environment) -> &Arc<dyn Bank> {
        match environment {
            Environment::Live => &self.live,
            Environment::Test => &self.test,
        }
    }
}

/// Looks proofs up. A query that several callers make at the same moment is sent once.
pub struct ProofService {
    banks: BankBySide,
    clock: Arc<dyn Clock>,
    catalogue: &'static Catalogue,
    /// Time that all queries to the bank for one caller may take together.
    patience: Duration,
    memory: ProofMemory,
    monitor: Arc<BankMonitor>,
    flights: SingleFlight,
}

impl ProofService {
    /// A service that asks these banks, and waits for `patience` for each lookup; `monitor` records
    /// each.
    pub fn new(
        banks: BankBySide,
        clock: Arc<dyn Clock>,
        catalogue: &'static Catalogue,
        patience: Duration,
        memory: ProofMemory,
        monitor: Arc<BankMonitor>,
    ) -> Self {
        Self {
            banks,
            clock,
            catalogue,
            patience,
            memory,
            monitor,
            flights: SingleFlight::default(),
        }
    }

    /// The proof with the files wanted, from the cache as far as they are there. `started_at` is
    /// when the patience of its caller began.
    async fn proof(
        &self,
        subject: &Subject,
        wanted: RequestedFiles,
        started_at: Duration,
    ) -> Result<Arc<CachedProof>, FetchError> {
        loop {
            let known = self.memory.get(subject);
            if let Some(known) = known.as_ref().filter(|known| known.has(wanted)) {
                return Ok(Arc::clone(known));
            }
            // A query may be in flight already, though perhaps for another file: then look again.
            let elapsed = self.clock.monotonic().saturating_sub(started_at);
            let left = self.patience.saturating_sub(elapsed);
            if left.is_zero() {
                return Err(FetchError::BankTimeout);
            }
            let query = || self.query(subject.clone(), known, wanted, left);
            // It belongs to the trace of the first caller, though others wait for it too.
            let start = || query().in_current_span().boxed();
            let proof = self.flights.run(subject, start).await?;
            if proof.has(wanted) {
                return Ok(proof);
            }
        }
    }

    /// Asks the bank for the missing files. Owns all it needs, because several callers wait for it.
    fn query(
        &self,
        subject: Subject,
        known: Option<Arc<CachedProof>>,
        wanted: RequestedFiles,
        patience: Duration,
    ) -> impl Future<Output = Result<Arc<CachedProof>, FetchError>> + Send + 'static {
        let bank = Arc::clone(self.banks.of(subject.environment));
        let memory = self.memory.clone();
        let monitor = Arc::clone(&self.monitor);
        let today = calendar::today(self.clock.now());
        let catalogue = self.catalogue;
        async move {
            let missing = match (&known, wanted) {
                // The XML was accepted before, and the PDF belongs to it.
                (Some(_), RequestedFiles::Pdf) => RequestedFiles::Pdf,
                // The PDF alone can't be checked against the query, so the XML comes with it.
                (None, RequestedFiles::Pdf) => RequestedFiles::Both,
                (_, RequestedFiles::Xml | RequestedFiles::Both) => wanted,
            };
            let transfer = subject.transfer.clone();
            let lookup = Lookup {
                transfer,
                wanted: missing,
                patience,
            };
            match monitor
                .record(subject.environment, bank.fetch(&lookup))
                .await
                .map_err(bank_failed)?
            {
                BankAnswer::Issued(files) => {
                    let proof = Arc::new(accept(&subject.transfer, known.as_deref(), files)?);
                    if !proof.has(wanted) {
                        return Err(not_understood(MissingFile));
                    }
                    memory.insert(subject, Arc::clone(&proof));
                    Ok(proof)
                }
                BankAnswer::NotIssued(payment) if payment.state != PaymentState::NotFound => {
                    let reason = NotFoundReason::ProofNotIssued(payment);
                    Err(FetchError::NotFound {
                        reason,
                        hints: Vec::new(),
                    })
                }
                BankAnswer::NotIssued(_) | BankAnswer::NotFound => Err(FetchError::NotFound {
                    reason: NotFoundReason::NotInSpei,
                    hints: hints::hints(&subject.transfer, today, catalogue),
                }),
            }
        }
    }
}

/// The bank's files, once the proof in them is the one asked for. An XML that was accepted before
/// isn't checked again, but must be the same when it comes again.
fn accept(
    transfer: &Transfer,
    known: Option<&CachedProof>,
    files: BankFiles,
) -> Result<CachedProof, FetchError> {
    let session = match &files.xml {
        Some(_) => Session::OfBoth,
        None => Session::OfThePdf,
    };
    let pdf = files.pdf.map(|bytes| Pdf { bytes, session });
    if let Some(known) = known {
        if files.xml.is_some_and(|xml| xml != known.xml) {
            return Err(not_understood(AnotherXml));
        }
        return Ok(CachedProof {
            stem: known.stem.clone(),
            xml: known.xml.clone(),
            pdf: pdf.or_else(|| known.pdf.clone()),
        });
    }
    let xml: Bytes = files.xml.ok_or_else(|| not_understood(MissingFile))?;
    let proof = Proof::parse(&xml).map_err(not_understood)?;
    proof.answers(transfer).map_err(not_understood)?;
    let stem = FileStem::new(proof.operation_date, transfer.tracking_key());
    Ok(CachedProof { stem, xml, pdf })
}

/// The bank delivered fewer files than it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("a file that was asked for is missing from the answer")]
struct MissingFile;

/// The bank delivered an XML whose bytes aren't those that it delivered before.
#[derive(Debug, thiserror::Error)]
#[error("the XML differs from the one that was delivered before")]
struct AnotherXml;

fn not_understood(cause: impl std::error::Error + Send + Sync + 'static) -> FetchError {
    FetchError::BankProtocol {
        cause: Arc::new(cause),
    }
}

fn bank_failed(error: BankError) -> FetchError {
    match error {
        BankError::Protocol { cause } => FetchError::BankProtocol { cause },
        BankError::Unavailable { retry_after, cause } => {
            FetchError::BankUnavailable { retry_after, cause }
        }
        BankError::Throttled {
            retry_after,
            reason,
        } => FetchError::BankThrottled {
            retry_after,
            reason,
        },
        BankError::Timeout => FetchError::BankTimeout,
    }
}

fn files(proof: &CachedProof, wanted: RequestedFiles) -> Result<Files, FetchError> {
    let xml = proof.xml.clone();
    let pdf = proof.pdf.as_ref().map(|pdf| pdf.bytes.clone());
    match (wanted, pdf) {
        (RequestedFiles::Xml, _) => Ok(Files::Xml(xml)),
        (RequestedFiles::Pdf, Some(pdf)) => Ok(Files::Pdf(pdf)),
        (RequestedFiles::Both, Some(pdf)) => Ok(Files::Both { xml, pdf }),
        (RequestedFiles::Pdf | RequestedFiles::Both, None) => Err(not_understood(MissingFile)),
    }
}

#[async_trait]
impl Proofs for ProofService {
    async fn fetch(&self, request: ProofRequest) -> FetchReport {
        let resolved = match inference::resolve(request.query, self.catalogue) {
            Ok(resolved) => resolved,
            Err(unresolved) => {
                let error = match unresolved {
                    Unresolved::InferenceFailed { issuer, receiver } => {
                        FetchError::InferenceFailed { issuer, receiver }
                    }
                    Unresolved::SameInstitution(same) => FetchError::SameInstitution(same),
                };
                return FetchReport {
                    details: LookupDetails::default(),
                    result: Err(error),
                };
            }
        };
        let evidence_of = |side: &Option<Inferred>| side.as_ref().map(|side| side.evidence.clone());
        let issuer_evidence = evidence_of(&resolved.issuer);
        let receiver_evidence = evidence_of(&resolved.receiver);
        let transfer = resolved.transfer;
        let banks = Banks {
            issuer: transfer.issuer(),
            receiver: transfer.receiver(),
        };
        let subject = Subject {
            environment: request.environment,
            transfer,
        };
        let started = self.clock.monotonic();
        let cached = self.memory.get(&subject);
        let cached = cached.filter(|proof| proof.has(request.wanted));
        let (proof, bank_time) = if let Some(proof) = cached {
            (Ok(proof), None)
        } else {
            let proof = self.proof(&subject, request.wanted, started).await;
            (proof, Some(self.clock.monotonic().saturating_sub(started)))
        };
        let delivery = proof.and_then(|proof| {
            Ok(Delivery {
                files: files(&proof, request.wanted)?,
                stem: proof.stem.clone(),
                inferred_issuer: resolved.issuer,
                inferred_receiver: resolved.receiver,
            })
        });
        FetchReport {
            details: LookupDetails {
                banks: Some(banks),
                issuer_evidence,
                receiver_evidence,
                bank_time,
            },
            result: delivery,
        }
    }
}
