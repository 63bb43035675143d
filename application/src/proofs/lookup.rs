//! Lookup of a proof: inference of participants, memory, archive, bank query, and acceptance.

use std::sync::Arc;
use std::time::Duration;

use super::delivery::{Delivery, FetchError, Files, LookupDetails};
use crate::participants::SharedCatalogue;
use domain::keys::Environment;
use domain::outcome::Outcome;
use domain::pacing::{Lane, ThrottleReason};
use domain::payment::Payment;
use domain::proofs::Proof;
use domain::proofs::file::RequestedFiles;
use domain::proofs::notice::ProofOrigin;
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::tracking_key::TrackingKey;
use futures::FutureExt;
use ports::outbound::{Bank, BankAnswer, BankError, Clock, Lookup, SealChecks};
use tracing::Instrument as _;

use super::acceptance::{MissingFile, accept, checked, not_understood};
use super::cache::ProofCache;
use super::in_flight::LookupsInFlight;
use super::memory::{CachedProof, Origin, ProofSource, Subject};
use super::printed::PrintedProofs;
use super::single_flight::{FlightKey, SingleFlight};
use crate::bank::BankMonitor;

mod resolution;

pub(super) use resolution::without_transfer;

/// Shortest `Retry-After` for a key with too many concurrent lookups.
const MIN_LOOKUP_TIME: Duration = Duration::from_secs(1);

/// The bank of each environment: live keys only query the portal, test keys only the sandbox.
#[derive(Clone)]
pub struct BankBySide {
    /// The central bank's portal.
    pub live: Arc<dyn Bank>,
    /// The sandbox bank.
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

/// A lookup to make.
#[derive(Clone, Debug)]
pub struct ProofRequest {
    /// Query of the transfer; participants may be left out.
    pub query: ProofQuery,
    /// Permitted sources of the proof.
    pub source: ProofSource,
    /// The files to return.
    pub wanted: RequestedFiles,
    /// Environment, which decides the bank to query.
    pub environment: Environment,
    /// Queue in which a bank query waits for its turn.
    pub lane: Lane,
    /// Request id for the log.
    pub request_id: RequestId,
}

/// Requested files of a transfer, and the lane of the query.
#[derive(Clone)]
struct Demand {
    wanted: RequestedFiles,
    source: ProofSource,
    lane: Lane,
    request_id: RequestId,
}

/// Result of a lookup.
#[derive(Clone, Debug)]
pub struct FetchReport {
    /// Data for the statistics and the log.
    pub details: LookupDetails,
    /// The proof, or the reason why there is none.
    pub result: Result<Delivery, FetchError>,
    /// The stored proof, with its cached marks; `None` without a proof.
    pub(super) cached: Option<Arc<CachedProof>>,
}

/// Dependencies of a [`ProofService`].
pub struct ProofParts {
    /// The banks to query.
    pub banks: BankBySide,
    /// Times of lookups.
    pub clock: Arc<dyn Clock>,
    /// The participants, for inference.
    pub participants: Arc<SharedCatalogue>,
    /// Time limit for all bank queries of one caller together.
    pub patience: Duration,
    /// Storage of issued proofs.
    pub cache: ProofCache,
    /// Records each query.
    pub monitor: Arc<BankMonitor>,
    /// Checks the proofs.
    pub seals: Arc<dyn SealChecks>,
    /// Reads the answers to queries for reference numbers.
    pub printed: PrintedProofs,
}

/// Looks up proofs. Concurrent lookups of the same proof share one query.
pub struct ProofService {
    parts: ProofParts,
    flights: SingleFlight,
    in_flight: LookupsInFlight,
}

impl ProofService {
    /// Creates a service from its dependencies.
    pub fn new(parts: ProofParts) -> Self {
        Self {
            parts,
            flights: SingleFlight::default(),
            in_flight: LookupsInFlight::default(),
        }
    }

    /// Fetches a proof from the permitted sources; the bank is that of `request.environment`.
    pub async fn fetch(&self, request: ProofRequest) -> FetchReport {
        let (transfer, inferred) = match self.resolve(request.query) {
            Ok(resolved) => resolved,
            Err(report) => return *report,
        };
        let banks = transfer.banks();
        let subject = Subject {
            environment: request.environment,
            transfer,
        };
        // Another transfer with the same reference number may have been made since.
        let source = match subject.transfer.tracking_key() {
            Some(_) => request.source,
            None => ProofSource::Bank,
        };
        let started = self.parts.clock.monotonic();
        let cached = self.parts.cache.remembered(&subject, source);
        let cached = cached.filter(|proof| proof.has(request.wanted));
        let (proof, bank_time) = if let Some(proof) = cached {
            (Ok(proof), None)
        } else {
            let demand = Demand {
                wanted: request.wanted,
                source,
                lane: request.lane,
                request_id: request.request_id,
            };
            let proof = Box::pin(self.proof(&subject, &demand, started)).await;
            let took = self.parts.clock.monotonic().saturating_sub(started);
            let of_the_archive = |proof: &Arc<CachedProof>| proof.origin == Origin::Archive;
            let bank_was_asked = !proof.as_ref().is_ok_and(of_the_archive);
            (proof, bank_was_asked.then_some(took))
        };
        let cached = proof.as_ref().ok().map(Arc::clone);
        let delivery = proof.and_then(|proof| {
            Ok(Delivery {
                files: files(&proof, request.wanted)?,
                stem: proof.stem.clone(),
                proof: Arc::clone(&proof.proof),
                issuer: banks.issuer,
                origin: ProofOrigin::Fetched,
                seal: proof.seal.clone(),
                seen: None,
            })
        });
        let result = delivery.map_err(|error| match error {
            FetchError::NotFound { payment, .. } if error.outcome() == Outcome::NotFound => {
                // Computed for this caller, since another one that shared the query may have named
                // participants that this one left out.
                let hints = self.hints(&subject.transfer, &inferred);
                FetchError::NotFound { payment, hints }
            }
            other => other,
        });
        FetchReport {
            details: LookupDetails {
                banks: Some(banks),
                inferred,
                bank_time,
            },
            result,
            cached,
        }
    }

    /// The proof with the requested files. `started_at` is the monotonic time at which the caller's time
    /// limit began.
    async fn proof(
        &self,
        subject: &Subject,
        demand: &Demand,
        started_at: Duration,
    ) -> Result<Arc<CachedProof>, FetchError> {
        let (wanted, lane) = (demand.wanted, demand.lane);
        let _in_flight = self
            .in_flight
            .begin(lane.key)
            .ok_or_else(|| self.too_many_lookups(subject.environment))?;
        let flight = FlightKey {
            subject: subject.clone(),
            source: demand.source,
            customer: lane.customer,
            class: lane.class,
        };
        loop {
            let known = self.parts.cache.remembered(subject, demand.source);
            if let Some(known) = known.as_ref().filter(|known| known.has(wanted)) {
                return Ok(Arc::clone(known));
            }
            // A shared query may have returned other files than requested; then the loop queries the missing
            // ones.
            let elapsed = self.parts.clock.monotonic().saturating_sub(started_at);
            let left = self.parts.patience.saturating_sub(elapsed);
            if left.is_zero() {
                return Err(BankError::Timeout.into());
            }
            let query = || self.query(subject.clone(), known, demand.clone(), left);
            // Traced with the first caller, even if others share it.
            let start = || query().in_current_span().boxed();
            let proof = self.flights.run(&flight, start).await?;
            if proof.has(wanted) {
                return Ok(proof);
            }
        }
    }

    /// The refusal for too many concurrent lookups of a key; one of them will end within the usual time.
    fn too_many_lookups(&self, environment: Environment) -> FetchError {
        let latency = self.parts.monitor.health(environment, None).latency;
        let retry_after =
            latency.map_or(MIN_LOOKUP_TIME, |latency| latency.p50.max(MIN_LOOKUP_TIME));
        FetchError::Bank(BankError::Throttled {
            retry_after,
            reason: ThrottleReason::TooManyLookupsOfKey,
        })
    }

    /// Reads the archive, and queries the bank for missing files. Borrows nothing from the caller, because
    /// several callers may share the future.
    fn query(
        &self,
        subject: Subject,
        known: Option<Arc<CachedProof>>,
        Demand {
            wanted,
            source,
            lane,
            request_id,
        }: Demand,
        patience: Duration,
    ) -> impl Future<Output = Result<Arc<CachedProof>, FetchError>> + Send + 'static {
        let bank = Arc::clone(self.parts.banks.of(subject.environment));
        let cache = self.parts.cache.clone();
        let clock = Arc::clone(&self.parts.clock);
        let monitor = Arc::clone(&self.parts.monitor);
        let seals = Arc::clone(&self.parts.seals);
        let printed = self.parts.printed.clone();
        async move {
            let started = clock.monotonic();
            let archived = match source {
                ProofSource::Any => {
                    let seals = seals.as_ref();
                    let archived = cache.archived(&subject, known.as_ref(), seals, &request_id);
                    archived.await
                }
                ProofSource::Bank => None,
            };
            let known = archived.or(known);
            if let Some(known) = known.as_ref().filter(|known| known.has(wanted)) {
                return Ok(Arc::clone(known));
            }
            let reading = clock.monotonic().saturating_sub(started);
            let missing = match (&known, wanted) {
                // The PDF alone shows the reference number.
                _ if subject.transfer.tracking_key().is_none() => RequestedFiles::Both,
                // The XML was accepted before, and the PDF belongs to the same transfer.
                (Some(_), RequestedFiles::Pdf) => RequestedFiles::Pdf,
                // A PDF alone can't be checked against the query, so the XML is requested, too.
                (None, RequestedFiles::Pdf) => RequestedFiles::Both,
                (_, RequestedFiles::Xml | RequestedFiles::Both) => wanted,
            };
            let transfer = subject.transfer.clone();
            let lookup = Lookup {
                transfer,
                wanted: missing,
                lane,
                patience: patience.saturating_sub(reading),
            };
            match monitor
                .look_up(subject.environment, bank.fetch(&lookup))
                .await?
            {
                BankAnswer::Issued(files) => {
                    let check = |proof: &Proof| checked(seals.as_ref(), subject.environment, proof);
                    let proof = accept(&subject.transfer, known.as_deref(), files, check)?;
                    let subject = found(subject, &proof, &printed).await?;
                    if known.is_none() {
                        let environment = subject.environment;
                        seals.record(environment, &proof.proof, &proof.seal).await;
                    }
                    let proof = Arc::new(proof);
                    if !proof.has(wanted) {
                        return Err(not_understood(MissingFile));
                    }
                    cache.keep(subject, &proof, request_id);
                    Ok(proof)
                }
                BankAnswer::Several(zip) => {
                    let (environment, transfer) = (subject.environment, &subject.transfer);
                    let candidates = printed.candidates(environment, transfer, zip).await?;
                    Err(FetchError::Ambiguous {
                        candidates: candidates.into(),
                    })
                }
                BankAnswer::NotIssued(payment) => {
                    if payment.state.denies_receipt() {
                        cache.remove(&subject, &request_id).await;
                    }
                    Err(not_found(Some(payment)))
                }
                BankAnswer::NotFound => Err(not_found(None)),
            }
        }
    }
}

/// The transfer of a proof, with its tracking key: of a transfer that was given by its reference number, the PDF has to
/// show that number.
async fn found(
    subject: Subject,
    proof: &CachedProof,
    printed: &PrintedProofs,
) -> Result<Subject, FetchError> {
    let Some(reference) = subject.transfer.criterion().reference() else {
        return Ok(subject);
    };
    let pdf = proof
        .pdf
        .as_ref()
        .ok_or_else(|| not_understood(MissingFile))?;
    let files = (Arc::clone(&proof.proof), pdf.bytes.clone());
    printed
        .confirm(subject.environment, reference, files)
        .await?;
    let key = TrackingKey::parse(proof.proof.tracking_key()).map_err(not_understood)?;
    Ok(Subject {
        transfer: subject.transfer.with_tracking_key(key),
        ..subject
    })
}

/// The error for all callers that share the query; hints are added for each.
fn not_found(payment: Option<Payment>) -> FetchError {
    FetchError::NotFound {
        payment,
        hints: Vec::new(),
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
