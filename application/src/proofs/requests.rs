//! The use case of a whole proof request: admission, lookup, settlement.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use domain::key::Environment;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::{Lane, LookupClass};
use domain::request::RequestId;
use domain::seal::SealVerdict;
use domain::seen::ProofMark;
use futures::FutureExt as _;
use ports::Cause;
use ports::inbound::{
    AdmissionError, AdmissionRequest, CheckExchange, InvalidRequest, LookupDetails, LookupExchange,
    ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
use ports::outbound::Clock;
use tracing::{Instrument as _, Span};

use super::delivery_history::{DeliveryHistory, Presented};
use super::file_checks::FileChecks;
use super::lookup::{FetchReport, ProofRequest, ProofService};
use super::spawn::SpawnTask;
use crate::admission::{Admission, GatekeeperService, Settlement};
use crate::lookups::LookupService;

mod check;
mod create;

/// Serves proof requests.
pub struct ProofRequestService {
    steps: Arc<Steps>,
    spawn: SpawnTask,
}

/// The steps of a request.
struct Steps {
    gatekeeper: Arc<GatekeeperService>,
    proofs: Arc<ProofService>,
    files: FileChecks,
    history: Arc<DeliveryHistory>,
    lookups: Arc<LookupService>,
    clock: Arc<dyn Clock>,
}

/// An admitted request, as far as its processing needs it.
struct Admitted {
    request_id: RequestId,
    endpoint: Endpoint,
    environment: Environment,
    lane: Lane,
}

/// An admitted request that hasn't been settled yet.
struct Processed {
    outcome: Outcome,
    details: LookupDetails,
    reply: Reply,
    /// The proof in the answer.
    delivered: Option<ProofMark>,
    /// The verdict on its seal.
    seal: Option<SealVerdict>,
}

impl ProofRequestService {
    /// A service that runs each request as a task of `spawn`.
    pub fn new(
        gatekeeper: Arc<GatekeeperService>,
        proofs: Arc<ProofService>,
        files: FileChecks,
        history: Arc<DeliveryHistory>,
        lookups: Arc<LookupService>,
        clock: Arc<dyn Clock>,
        spawn: SpawnTask,
    ) -> Self {
        let steps = Arc::new(Steps {
            gatekeeper,
            proofs,
            files,
            history,
            lookups,
            clock,
        });
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

impl Steps {
    async fn serve(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn ProofExchange,
    ) -> ServedRequest {
        match self.admit(request).await {
            Ok((admission, admitted)) => {
                let processing = self.deliver(&admitted, exchange);
                self.conclude(admission, &admitted.request_id, processing)
                    .await
            }
            Err(error) => ServedRequest::Refused(error),
        }
    }

    async fn check(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn CheckExchange,
    ) -> ServedRequest {
        match self.admit(request).await {
            Ok((admission, admitted)) => {
                let processing = self.check_file(&admitted, exchange);
                self.conclude(admission, &admitted.request_id, processing)
                    .await
            }
            Err(error) => ServedRequest::Refused(error),
        }
    }

    async fn admit(
        &self,
        request: AdmissionRequest,
    ) -> Result<(Admission, Admitted), AdmissionError> {
        let request_id = request.request_id.clone();
        let span = tracing::info_span!(target: "cep::trace", "admission");
        let admitted = self.gatekeeper.admit(request).instrument(span).await;
        let admission = admitted.inspect_err(|error| {
            if let AdmissionError::Unavailable { cause, .. } = error {
                tracing::warn!(%request_id, %cause, "a request could be neither admitted nor refused");
            }
        })?;
        let admitted = Admitted {
            request_id,
            endpoint: admission.charged.endpoint,
            environment: admission.environment,
            lane: Lane {
                customer: admission.charged.customer,
                key: admission.charged.key.counters,
                class: LookupClass::Interactive,
            },
        };
        Ok((admission, admitted))
    }

    /// Processes an admitted request, and settles it also if that panics.
    async fn conclude(
        &self,
        admission: Admission,
        request_id: &RequestId,
        processing: impl Future<Output = Processed>,
    ) -> ServedRequest {
        let processed = AssertUnwindSafe(processing)
            .catch_unwind()
            .await
            .unwrap_or_else(|_| failed(request_id, "the answer to a proof request panicked"));
        ServedRequest::Settled(self.settle(admission, processed).await)
    }

    /// Decodes the query, looks the proof up and encodes the result.
    async fn deliver(&self, admitted: &Admitted, exchange: &mut dyn ProofExchange) -> Processed {
        let Admitted {
            request_id,
            endpoint,
            environment,
            lane,
        } = admitted;
        let query = match exchange.decode().await {
            Ok(query) => query,
            Err(InvalidRequest) => return Processed::invalid(),
        };
        let lookup = ProofRequest {
            query,
            wanted: endpoint.wanted(),
            environment: *environment,
            lane: *lane,
            request_id: request_id.clone(),
        };
        let FetchReport {
            details,
            mut result,
            cached,
        } = self.proofs.fetch(lookup).await;
        let outcome = match &result {
            Ok(_) => Outcome::Delivered,
            Err(error) => error.outcome(),
        };
        let mut delivered = None;
        if let (Ok(delivery), Some(cached)) = (&mut result, &cached) {
            let presented = Presented {
                environment: *environment,
                issuer: delivery.issuer,
                proof: &delivery.proof,
            };
            let marks = cached.marks.get_or_init(|| self.history.marks(presented));
            delivered = marks.first().copied();
            if endpoint.is_parsed() {
                let earlier = self.history.earlier(lane.customer, marks, request_id);
                delivery.seen = earlier.await;
            }
        }
        let seal = result.as_ref().ok().map(|found| found.seal.verdict.into());
        let encoded = exchange.encode(result, &details.inferred).await;
        Processed {
            outcome,
            details,
            reply: Reply::Encoded,
            delivered,
            seal,
        }
        .unless_failed(request_id, encoded)
    }

    async fn settle(&self, admission: Admission, processed: Processed) -> SettledRequest {
        let Processed {
            outcome,
            details,
            reply,
            delivered,
            seal,
        } = processed;
        let (key, environment) = (admission.charged.key.id, admission.environment);
        let (counted, admitted_at) = (admission.limit_status, admission.admitted_at_monotonic);
        let settlement = Settlement {
            outcome,
            banks: details.banks,
            bank_time: details.bank_time,
            delivered,
            seal,
        };
        let span = tracing::info_span!(target: "cep::trace", "settlement");
        let settling = self.gatekeeper.settle(admission, settlement);
        match settling.instrument(span).await {
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
            delivered: None,
            seal: None,
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

fn failed(request_id: &RequestId, cause: impl std::fmt::Display) -> Processed {
    tracing::error!(%request_id, %cause, "a proof request failed within");
    Processed {
        outcome: Outcome::InternalError,
        details: LookupDetails::default(),
        reply: Reply::Failed,
        delivered: None,
        seal: None,
    }
}
