//! Entrance of a request: it is admitted, recognised as a repeated one, or refused.

use domain::idempotency::IdempotencyKey;
use domain::outcome::Endpoint;
use domain::pacing::{Lane, LookupClass};
use domain::request::RequestId;
use ports::inbound::{
    AdmissionError, AdmissionRequest, NotRepeated, RepeatError, RepeatableExchange, ServedRequest,
};
use ports::outbound::ScopeClaim;
use tracing::Instrument as _;

use super::{Admitted, Entered, Repeated, RequestSteps};
use crate::admission::Identified;
use crate::idempotency::NotBegun;

/// Result of a request's entrance.
pub(super) enum Entrance {
    /// It is charged, and to be processed.
    Admitted(Box<Entered>),
    /// Its first answer is to be made again.
    Repeated(Box<Repeated>),
    /// There is nothing to process.
    Closed(Box<ServedRequest>),
}

impl RequestSteps {
    /// Admits a request, unless it is a repeated one.
    pub(super) async fn enter(
        &self,
        request: AdmissionRequest,
        exchange: &mut (impl RepeatableExchange + ?Sized),
    ) -> Entrance {
        match request.idempotency_key.clone() {
            None => self.admit(request, None).await,
            // Boxed: it is rare, and its future long.
            Some(key) => Box::pin(self.enter_named(request, key, exchange)).await,
        }
    }

    /// Admits a request with an idempotency key, unless it is a repeated one.
    async fn enter_named(
        &self,
        request: AdmissionRequest,
        idempotency_key: IdempotencyKey,
        exchange: &mut (impl RepeatableExchange + ?Sized),
    ) -> Entrance {
        let key = request.presented_key.as_deref();
        let identified = self.gatekeeper.identify(key, request.address).await;
        let by = match identified {
            Ok(by) => by,
            Err(error) => return refused(error, &request.request_id),
        };
        let Some(content) = exchange.content().await else {
            return self.admit(request, None).await;
        };
        let endpoint = request.endpoint;
        let keyed = self
            .idempotency
            .request(by.key, endpoint, &idempotency_key, &content);
        drop(content);
        let first = match self.idempotency.first_answer(by.key, &keyed).await {
            Ok(first) => first,
            Err(error) => return not_begun(error, &by, &request.request_id),
        };
        if let Some(first) = first {
            let admitted = admitted(request.request_id, endpoint, &by);
            return Entrance::Repeated(Box::new(Repeated {
                by,
                admitted,
                first,
            }));
        }
        // A caller whose limit is used up writes nothing to the database.
        if let Some(error) = self.gatekeeper.refusal(&by, endpoint) {
            return Entrance::Closed(Box::new(ServedRequest::Refused(error)));
        }
        match self.idempotency.claim(&keyed).await {
            Ok(claim) => self.admit(request, Some(claim)).await,
            Err(error) => not_begun(error, &by, &request.request_id),
        }
    }

    async fn admit(&self, request: AdmissionRequest, claim: Option<ScopeClaim>) -> Entrance {
        let request_id = request.request_id.clone();
        let span = tracing::info_span!(target: "cep::trace", "admission");
        let admission = self.gatekeeper.admit(request).instrument(span).await;
        let admission = match admission {
            Ok(admission) => admission,
            Err(error) => {
                if let Some(claim) = claim {
                    self.idempotency.end(claim, None).await;
                }
                return refused(error, &request_id);
            }
        };
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
        Entrance::Admitted(Box::new(Entered {
            admission,
            admitted,
            claim,
        }))
    }
}

fn admitted(request_id: RequestId, endpoint: Endpoint, by: &Identified) -> Admitted {
    Admitted {
        request_id,
        endpoint,
        environment: by.environment,
        lane: Lane {
            customer: by.customer,
            key: by.key.counters,
            class: LookupClass::Interactive,
        },
    }
}

fn refused(error: AdmissionError, request_id: &RequestId) -> Entrance {
    if let AdmissionError::Unavailable { cause, .. } = &error {
        tracing::warn!(%request_id, %cause, "a request could be neither admitted nor refused");
    }
    Entrance::Closed(Box::new(ServedRequest::Refused(error)))
}

fn not_begun(error: NotBegun, by: &Identified, request_id: &RequestId) -> Entrance {
    match error {
        NotBegun::Refused(error) => refused(error, request_id),
        NotBegun::NotRepeated(error) => Entrance::Closed(Box::new(not_repeated(error, by))),
    }
}

/// The end of a request that doesn't get the answer to the first one.
pub(super) fn not_repeated(error: RepeatError, by: &Identified) -> ServedRequest {
    ServedRequest::NotRepeated(NotRepeated {
        key: by.key.id,
        environment: by.environment,
        limit_status: by.limit_status,
        error,
    })
}
