//! The use case of a whole proof request: admission, lookup, settlement.

use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;

use domain::idempotency::{FirstAnswer, is_repeatable};
use domain::key::Environment;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::Lane;
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::seen::{EarlierDeliveries, ProofMark};
use futures::FutureExt as _;
use ports::Cause;
use ports::inbound::{
    AdmissionRequest, CheckExchange, Delivery, FetchError, InvalidRequest, LookupDetails,
    LookupExchange, ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
use ports::outbound::{Clock, ScopeClaim};
use tracing::{Instrument as _, Span};

use super::delivery_history::{DeliveryHistory, Presented, Turn};
use super::file_checks::FileChecks;
use super::lookup::{FetchReport, ProofRequest, ProofService};
use super::memory::CachedProof;
use super::memory::ProofSource;
use super::spawn::SpawnTask;
use crate::admission::{Admission, GatekeeperService, Identified, Settlement};
use crate::idempotency::IdempotencyService;
use crate::lookups::LookupService;

mod check;
mod create;
mod entrance;
mod repeated;

use entrance::Entrance;

/// Serves proof requests.
pub struct ProofRequestService {
    steps: Arc<RequestSteps>,
    spawn: SpawnTask,
}

/// The steps of a request, by the services that take them.
pub struct RequestSteps {
    /// Admits requests, and settles them.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Looks proofs up.
    pub proofs: Arc<ProofService>,
    /// Checks files.
    pub files: FileChecks,
    /// Recognises proofs that were delivered before.
    pub history: Arc<DeliveryHistory>,
    /// Stores lookups.
    pub lookups: Arc<LookupService>,
    /// Recognises repeated requests.
    pub idempotency: Arc<IdempotencyService>,
    /// Measures durations.
    pub clock: Arc<dyn Clock>,
}

/// A request that is processed, as far as its processing needs it.
#[derive(Clone)]
struct Admitted {
    request_id: RequestId,
    endpoint: Endpoint,
    environment: Environment,
    lane: Lane,
}

/// An admitted request, to be processed and settled.
struct Entered {
    admission: Admission,
    admitted: Admitted,
    /// Its idempotency key, if it has one.
    claim: Option<ScopeClaim>,
}

/// A request that is repeated.
struct Repeated {
    by: Identified,
    admitted: Admitted,
    first: FirstAnswer,
}

/// A processed request that hasn't been settled yet.
struct Processed {
    outcome: Outcome,
    details: LookupDetails,
    reply: Reply,
    /// The proofs in the answer.
    delivered: Vec<ProofMark>,
    /// Their turn, until they are recorded.
    turn: Turn,
    /// The verdict on their seals, or the result of their checks, the gravest.
    seal: Option<SealVerdict>,
    /// Facts by which the same answer is made again, if it may be.
    repeatable: Option<FirstAnswer>,
    /// The proof, as it is kept for a repeated request.
    kept: Option<Arc<CachedProof>>,
}

impl ProofRequestService {
    /// A service that runs each request as a task of `spawn`.
    pub fn new(steps: RequestSteps, spawn: SpawnTask) -> Self {
        let steps = Arc::new(steps);
        Self { steps, spawn }
    }
}

impl ProofRequests for ProofRequestService {
    fn serve(&self, request: AdmissionRequest, mut exchange: Box<dyn ProofExchange>) {
        let steps = Arc::clone(&self.steps);
        let span = Span::current();
        let task = async move {
            let serving = steps.serve(request, &mut *exchange);
            let served = serving.instrument(span).await;
            exchange.finish(served).await;
        };
        (self.spawn)(task.boxed());
    }

    fn check(&self, request: AdmissionRequest, mut exchange: Box<dyn CheckExchange>) {
        let steps = Arc::clone(&self.steps);
        let span = Span::current();
        let task = async move {
            let checking = steps.check(request, &mut *exchange);
            let served = checking.instrument(span).await;
            exchange.finish(served).await;
        };
        (self.spawn)(task.boxed());
    }

    fn create(&self, request: AdmissionRequest, mut exchange: Box<dyn LookupExchange>) {
        let steps = Arc::clone(&self.steps);
        let span = Span::current();
        let task = async move {
            let creating = steps.create(request, &mut *exchange);
            let (served, created) = creating.instrument(span).await;
            exchange.finish(served, created).await;
        };
        (self.spawn)(task.boxed());
    }
}

impl RequestSteps {
    async fn serve(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn ProofExchange,
    ) -> ServedRequest {
        match self.enter(request, exchange).await {
            Entrance::Admitted(entered) => {
                let admitted = &entered.admitted;
                let processed = process(admitted, pin!(self.deliver(admitted, exchange))).await;
                ServedRequest::Settled(self.settle(entered, processed).await)
            }
            Entrance::Repeated(repeated) => {
                let repeating = pin!(self.deliver_again(&repeated, exchange));
                self.repeat(&repeated, repeating).await
            }
            Entrance::Closed(served) => *served,
        }
    }

    async fn check(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn CheckExchange,
    ) -> ServedRequest {
        match self.enter(request, exchange).await {
            Entrance::Admitted(entered) => {
                let admitted = &entered.admitted;
                let processed =
                    process(admitted, pin!(self.check_file(admitted, exchange, None))).await;
                ServedRequest::Settled(self.settle(entered, processed).await)
            }
            Entrance::Repeated(repeated) => {
                let checking = self.check_file(&repeated.admitted, exchange, Some(repeated.first));
                let repeating = pin!(checking.map(Some));
                self.repeat(&repeated, repeating).await
            }
            Entrance::Closed(served) => *served,
        }
    }

    /// Decodes the query, looks the proof up and encodes the result.
    async fn deliver(&self, admitted: &Admitted, exchange: &mut dyn ProofExchange) -> Processed {
        let query = match exchange.decode().await {
            Ok(query) => query,
            Err(InvalidRequest) => return Processed::invalid(),
        };
        let report = self.proofs.fetch(admitted.lookup(query)).await;
        self.encode(admitted, exchange, report, None).await
    }

    /// Encodes the result of a lookup. `first` is the first answer to a repeated request.
    async fn encode(
        &self,
        admitted: &Admitted,
        exchange: &mut dyn ProofExchange,
        report: FetchReport,
        first: Option<FirstAnswer>,
    ) -> Processed {
        let FetchReport {
            details,
            mut result,
            cached,
        } = report;
        let outcome = match &result {
            Ok(_) => Outcome::Delivered,
            Err(error) => error.outcome(),
        };
        let (mut delivered, mut seen, mut turn) = (Vec::new(), None, Turn::default());
        if let (Ok(delivery), Some(cached)) = (&mut result, &cached) {
            let presented = Presented {
                environment: admitted.environment,
                issuer: Some(delivery.issuer),
                proof: &delivery.proof,
            };
            let marks = cached.marks.get_or_init(|| self.history.marks(presented));
            delivered = Vec::from_iter(marks.first().copied());
            if admitted.endpoint.is_parsed() {
                turn = self.turn(admitted, &delivered, first).await;
                seen = self.seen(admitted, marks, (&turn, first)).await;
                delivery.seen = seen;
            }
        }
        let seal = result.as_ref().ok().map(|found| found.seal.verdict.into());
        let repeatable = is_made_again(&result, outcome);
        let encoded = exchange.encode(result, &details.inferred).await;
        Processed {
            outcome,
            details,
            reply: Reply::Encoded,
            delivered,
            turn,
            seal,
            repeatable: repeatable.then_some(FirstAnswer::Immediate { outcome, seen }),
            kept: cached,
        }
        .unless_failed(&admitted.request_id, encoded)
    }

    /// Waits for the turn of the proofs with these marks. A repeated request has no need of one.
    async fn turn(
        &self,
        admitted: &Admitted,
        marks: &[ProofMark],
        first: Option<FirstAnswer>,
    ) -> Turn {
        match first {
            Some(_) => Turn::default(),
            None => self.history.turn(admitted.lane.customer, marks).await,
        }
    }

    /// Earlier deliveries of a proof, or those that the first answer had.
    async fn seen(
        &self,
        admitted: &Admitted,
        marks: &[ProofMark],
        (turn, first): (&Turn, Option<FirstAnswer>),
    ) -> Option<EarlierDeliveries> {
        if let Some(FirstAnswer::Immediate { seen, .. }) = first {
            return seen;
        }
        let (customer, reading) = (admitted.lane.customer, (Some(turn), &admitted.request_id));
        self.history.earlier(customer, marks, reading).await
    }

    /// Settles an admitted request, and records its answer for the next one with its idempotency key.
    async fn settle(&self, entered: Box<Entered>, processed: Processed) -> SettledRequest {
        let Entered {
            admission, claim, ..
        } = *entered;
        let Processed {
            outcome,
            details,
            reply,
            delivered,
            turn,
            seal,
            repeatable,
            kept,
        } = processed;
        let (key, environment) = (admission.charged.key.id, admission.environment);
        let (counted, admitted_at) = (admission.limit_status, admission.admitted_at_monotonic);
        let (customer, marks) = (admission.charged.customer, delivered.clone());
        let admitted_on = admission.charged.admitted_at;
        let settlement = Settlement {
            outcome,
            banks: details.banks,
            bank_time: details.bank_time,
            delivered,
            seal,
        };
        let span = tracing::info_span!(target: "cep::trace", "settlement");
        let settling = self.gatekeeper.settle(admission, settlement);
        let settled = settling.instrument(span).await;
        if settled.is_ok() && outcome == Outcome::Delivered {
            self.history
                .recorded(customer, &marks, (&turn, admitted_on));
        } else {
            self.history.forget(customer, &marks);
        }
        drop(turn);
        let settled = match settled {
            Ok(limit_status) => SettledRequest {
                key,
                environment,
                limit_status,
                outcome,
                details,
                reply,
            },
            Err(error) => {
                let elapsed = self.clock.monotonic().saturating_sub(admitted_at);
                SettledRequest {
                    key,
                    environment,
                    limit_status: counted.after(elapsed).after_refund(),
                    // The answer stays here, and nobody pays for it.
                    outcome: Outcome::InternalError,
                    details,
                    reply: Reply::NotDurable(error),
                }
            }
        };
        if let Some(claim) = claim {
            // Otherwise a repeated request on another replica would ask the bank.
            if let Some(proof) = kept {
                proof.archived().await;
            }
            let answer = repeatable.filter(|_| is_repeatable(settled.outcome));
            self.idempotency.end(claim, answer).await;
        }
        settled
    }
}

impl Admitted {
    /// The lookup of a transfer for this request.
    fn lookup(&self, query: ProofQuery) -> ProofRequest {
        ProofRequest {
            query,
            source: ProofSource::Any,
            wanted: self.endpoint.wanted(),
            environment: self.environment,
            lane: self.lane,
            request_id: self.request_id.clone(),
        }
    }
}

impl Processed {
    /// A request without a query or file; the exchange has encoded what is wrong.
    fn invalid() -> Self {
        Self {
            outcome: Outcome::InvalidRequest,
            details: LookupDetails::default(),
            reply: Reply::Encoded,
            delivered: Vec::new(),
            turn: Turn::default(),
            seal: None,
            repeatable: Some(FirstAnswer::Immediate {
                outcome: Outcome::InvalidRequest,
                seen: None,
            }),
            kept: None,
        }
    }

    /// This, or a failure of ours when the answer could not be encoded.
    fn unless_failed(self, request_id: &RequestId, encoded: Result<(), Cause>) -> Self {
        match encoded {
            Ok(()) => self,
            Err(cause) => Self {
                details: self.details,
                ..failed(request_id, cause)
            },
        }
    }
}

/// Returns `false` for an answer with more than is kept of it: the bank's record of a payment that it calls
/// unknown, which may be known later.
fn is_made_again(result: &Result<Delivery, FetchError>, outcome: Outcome) -> bool {
    let has_record = matches!(
        result,
        Err(FetchError::NotFound {
            payment: Some(_),
            ..
        })
    );
    !(has_record && outcome == Outcome::NotFound)
}

fn failed(request_id: &RequestId, cause: impl std::fmt::Display) -> Processed {
    tracing::error!(%request_id, %cause, "a proof request failed within");
    Processed {
        outcome: Outcome::InternalError,
        details: LookupDetails::default(),
        reply: Reply::Failed,
        delivered: Vec::new(),
        turn: Turn::default(),
        seal: None,
        repeatable: None,
        kept: None,
    }
}

/// Processes an admitted request; a panic is a failure of ours.
async fn process(
    admitted: &Admitted,
    processing: Pin<&mut (dyn Future<Output = Processed> + Send)>,
) -> Processed {
    let failed = || {
        let request_id = &admitted.request_id;
        failed(request_id, "the answer to a proof request panicked")
    };
    caught(processing, failed).await
}

/// Processes a request; a panic is what `failed` returns.
async fn caught<T>(
    processing: Pin<&mut (dyn Future<Output = T> + Send)>,
    failed: impl FnOnce() -> T,
) -> T {
    let processed = AssertUnwindSafe(processing).catch_unwind().await;
    processed.unwrap_or_else(|_| failed())
}
