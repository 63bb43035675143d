//! Use cases of whole requests: admission, parsing, answer and settlement.

use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;

use domain::idempotency::{FirstAnswer, is_repeatable};
use domain::keys::Environment;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::Lane;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use domain::query::ProofQuery;
use domain::request::RequestId;
use domain::seals::SealVerdict;
use futures::FutureExt as _;
use ports::outbound::Clock;
use tracing::Instrument as _;

use super::delivery::{Delivery, FetchError, LookupDetails};
use super::delivery_history::{DeliveryHistory, Presented, Turn};
use super::file_checks::FileChecks;
use super::lookup::{FetchReport, ProofRequest, ProofService};
use super::memory::CachedProof;
use super::memory::ProofSource;
use super::second_opinions::SecondOpinions;
use crate::admission::{AdmissionRequest, GatekeeperService, Identified, Settlement};
use crate::idempotency::IdempotencyService;
use crate::lookups::LookupService;
use crate::receipts::ReceiptReading;
use crate::sync::SpawnTask;

mod check;
mod checked;
mod create;
mod entrance;
mod question;
mod read_receipt;
mod repeated;
mod served;

pub use checked::{
    BankComparison, CheckRequest, CheckedFile, CheckedUpload, SealValidation, ZippedCheck,
};
pub use question::Question;
pub use served::{Answered, Charge, NotRepeated, RepeatError, Reply, Served};

use entrance::{Entrance, Open};

/// Serves requests of callers with an API key: [`Self::serve`], [`Self::check`],
/// [`Self::create`] and [`Self::read_receipt`].
///
/// Each admits the request, reads the question, answers it and settles the admission, in this order and at
/// most once. The futures should be polled to the end even if the caller disconnects, because the bank was
/// already queried. If a future is dropped before its settlement begins,
/// its admission is settled as an internal error.
///
/// A request with an idempotency key is compared with earlier ones before its admission. If it repeats one,
/// it is neither admitted nor settled, and gets the first answer.
pub struct ProofRequestService {
    /// Admits and settles requests.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Looks up proofs.
    pub proofs: Arc<ProofService>,
    /// Checks uploaded files.
    pub files: FileChecks,
    /// Asks the central bank's validator about seals.
    pub second_opinions: SecondOpinions,
    /// Reads receipts.
    pub receipts: ReceiptReading,
    /// Finds earlier deliveries of proofs.
    pub history: Arc<DeliveryHistory>,
    /// Creates stored lookups.
    pub lookups: Arc<LookupService>,
    /// Recognises repeated requests.
    pub idempotency: Arc<IdempotencyService>,
    /// Clock for measuring durations.
    pub clock: Arc<dyn Clock>,
    /// Spawns the settlement of requests whose future was dropped.
    pub spawn: SpawnTask,
}

/// Data of an admitted or repeated request that its processing needs.
#[derive(Clone)]
struct Admitted {
    request_id: RequestId,
    endpoint: Endpoint,
    environment: Environment,
    lane: Lane,
}

/// A request that repeats an earlier one.
struct Repeated {
    by: Identified,
    admitted: Admitted,
    first: FirstAnswer,
}

/// A processed request that isn't settled yet.
struct Processed<A, E> {
    outcome: Outcome,
    details: LookupDetails,
    reply: Reply<A, E>,
    /// Marks of the proofs in the answer.
    delivered: Vec<ProofMark>,
    /// Turn of these proofs, held until their deliveries are recorded.
    turn: Turn,
    /// Worst verdict on their seals, or worst result of their checks.
    seal: Option<SealVerdict>,
    /// Data for repeating the answer; `None` if it can't be repeated.
    repeatable: Option<FirstAnswer>,
    /// The stored proof, from which a repeated request is answered.
    kept: Option<Arc<CachedProof>>,
}

/// Result of the lookup of a proof.
type Found = Result<Delivery, FetchError>;

impl ProofRequestService {
    /// Serves a request for a proof.
    pub async fn serve<E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        question: Question<'_, ProofQuery, E>,
    ) -> Served<Found, E> {
        match self.enter(request, question).await {
            Entrance::Admitted(entered, question) => {
                let admitted = &entered.admitted;
                let processed = process(admitted, pin!(self.deliver(admitted, question))).await;
                self.settle(entered.close(), processed).await
            }
            Entrance::Repeated(repeated, question) => {
                // Boxed because the future is large, and repeated requests are rare.
                let mut repeating = Box::pin(self.deliver_again(&repeated, question));
                self.repeat(&repeated, repeating.as_mut()).await
            }
            Entrance::Closed(served) => *served,
        }
    }

    /// Serves the check of a file; if requested, queries the bank for its payment, and the bank's validator for a
    /// second opinion on its seal. The number of
    /// concurrent checks per key is limited; more wait. A file or ZIP without a proof counts as
    /// [`Outcome::InvalidRequest`], any other result as [`Outcome::Delivered`]. An error is that of the
    /// lookup, if the bank could not be queried.
    pub async fn check<E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        question: Question<'_, CheckRequest, E>,
    ) -> Served<Result<CheckedUpload, FetchError>, E> {
        match self.enter(request, question).await {
            Entrance::Admitted(entered, question) => {
                let admitted = &entered.admitted;
                let checking = self.check_file(admitted, question, None);
                let processed = process(admitted, pin!(checking)).await;
                self.settle(entered.close(), processed).await
            }
            Entrance::Repeated(repeated, question) => {
                let checking = self.check_file(&repeated.admitted, question, Some(repeated.first));
                self.repeat(&repeated, pin!(checking.map(Some))).await
            }
            Entrance::Closed(served) => *served,
        }
    }

    /// Reads the query, and looks up the proof.
    async fn deliver<E: Send + 'static>(
        &self,
        admitted: &Admitted,
        question: Question<'_, ProofQuery, E>,
    ) -> Processed<Found, E> {
        let query = match question.read().await {
            Ok(query) => query,
            Err(fault) => return Processed::faulty(fault),
        };
        let report = self.proofs.fetch(admitted.lookup(query)).await;
        self.found(admitted, report, None).await
    }

    /// Adds the proof's earlier deliveries to the result of a lookup. `first` is the first answer to a
    /// repeated request.
    async fn found<E>(
        &self,
        admitted: &Admitted,
        report: FetchReport,
        first: Option<FirstAnswer>,
    ) -> Processed<Found, E> {
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
        Processed {
            outcome,
            details,
            delivered,
            turn,
            seal: result.as_ref().ok().map(|found| found.seal.verdict.into()),
            repeatable: is_made_again(&result, outcome)
                .then_some(FirstAnswer::Immediate { outcome, seen }),
            kept: cached,
            reply: Reply::Answer(result),
        }
    }

    /// Waits for the turn of the proofs with these marks. A repeated request doesn't need one.
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

    /// Earlier deliveries of a proof; for a repeated request, those of the first answer.
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

    /// Settles an admitted request, and records its answer for repetitions with its idempotency key.
    async fn settle<A, E>(
        &self,
        Open { admission, claim }: Open,
        processed: Processed<A, E>,
    ) -> Served<A, E> {
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
        let (limit_status, outcome, reply) = match settled {
            Ok(limit_status) => (limit_status, outcome, reply),
            Err(error) => {
                let elapsed = self.clock.monotonic().saturating_sub(admitted_at);
                let limit_status = counted.after(elapsed).after_refund();
                // The answer isn't sent, and the request is refunded.
                (
                    limit_status,
                    Outcome::InternalError,
                    Reply::NotDurable(error),
                )
            }
        };
        if let Some(claim) = claim {
            // Otherwise another replica might query the bank for a repeated request.
            if let Some(proof) = kept {
                proof.archived().await;
            }
            let answer = repeatable.filter(|_| is_repeatable(outcome));
            self.idempotency.end(claim, answer).await;
        }
        Served::Answered(Box::new(Answered {
            key,
            environment,
            limit_status,
            charge: Charge::Settled(outcome),
            details,
            reply,
        }))
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

impl<A, E> Processed<A, E> {
    /// A request with only a reply, and an outcome that is the same if it is repeated.
    fn of(outcome: Outcome, reply: Reply<A, E>) -> Self {
        Self {
            outcome,
            details: LookupDetails::default(),
            reply,
            delivered: Vec::new(),
            turn: Turn::default(),
            seal: None,
            repeatable: Some(FirstAnswer::Immediate {
                outcome,
                seen: None,
            }),
            kept: None,
        }
    }

    /// A request whose body is invalid.
    fn faulty(fault: E) -> Self {
        Self::of(Outcome::InvalidRequest, Reply::Faulty(fault))
    }

    /// A request that failed with an internal error.
    fn failed(request_id: &RequestId, cause: impl std::fmt::Display) -> Self {
        tracing::error!(%request_id, %cause, "a proof request failed within");
        Self {
            repeatable: None,
            ..Self::of(Outcome::InternalError, Reply::Failed)
        }
    }
}

/// Returns `false` for an answer that can't be repeated, because a part of it isn't stored: the bank's record
/// of a payment that it reports as unknown, which may change.
fn is_made_again(result: &Found, outcome: Outcome) -> bool {
    let has_record = matches!(
        result,
        Err(FetchError::NotFound {
            payment: Some(_),
            ..
        })
    );
    !(has_record && outcome == Outcome::NotFound)
}

/// Processes an admitted request; a panic becomes an internal error.
async fn process<A, E>(
    admitted: &Admitted,
    processing: Pin<&mut (dyn Future<Output = Processed<A, E>> + Send)>,
) -> Processed<A, E> {
    let failed = || {
        let request_id = &admitted.request_id;
        Processed::failed(request_id, "the answer to a proof request panicked")
    };
    caught(processing, failed).await
}

/// Processes a request; a panic becomes the result of `failed`.
async fn caught<T>(
    processing: Pin<&mut (dyn Future<Output = T> + Send)>,
    failed: impl FnOnce() -> T,
) -> T {
    let processed = AssertUnwindSafe(processing).catch_unwind().await;
    processed.unwrap_or_else(|_| failed())
}
