//! Beginning of a request: it is admitted, recognised as a repetition, or refused.

use std::sync::Arc;

use domain::idempotency::IdempotencyKey;
use domain::keys::{CountedKey, Environment};
use domain::outcome::Endpoint;
use domain::pacing::{Lane, LookupClass};
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use futures::FutureExt as _;
use ports::outbound::ScopeClaim;
use tracing::Instrument as _;

use super::{
    Admitted, NotRepeated, Processed, ProofRequestService, Question, RepeatError, Repeated, Served,
};
use crate::admission::{Admission, AdmissionError, AdmissionRequest, Identified};
use crate::idempotency::NotBegun;

/// Result of the beginning of a request.
pub(super) enum Entrance<'a, Q, A, E> {
    /// The request is charged and has to be processed.
    Admitted(Entered, Question<'a, Q, E>),
    /// The request repeats an earlier one and gets its answer.
    Repeated(Box<Repeated>, Question<'a, Q, E>),
    /// The request has ended already, with a refusal.
    Closed(Box<Served<A, E>>),
}

/// An admitted request that has to be processed and settled. If it is dropped before its settlement
/// begins, it is settled as an internal error.
pub(super) struct Entered {
    pub(super) admitted: Admitted,
    service: Arc<ProofRequestService>,
    /// `None` after [`Self::close`].
    open: Option<Box<Open>>,
}

/// An admission that isn't settled yet.
pub(super) struct Open {
    pub(super) admission: Admission,
    /// Claim of the idempotency key; `None` if the request has none.
    pub(super) claim: Option<ScopeClaim>,
}

impl Entered {
    /// The admission to settle.
    pub(super) fn open(&self) -> &Open {
        let open = self.open.as_deref();
        open.expect("an admission is closed once, by value")
    }

    /// Returns the admission to the caller, who has to settle it.
    pub(super) fn close(mut self) -> Open {
        let open = self.open.take();
        *open.expect("an admission is closed once, by value")
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let service = Arc::clone(&self.service);
        let dropped = Processed::<(), ()>::failed(&self.admitted.request_id, "it was given up");
        let settling = async move { drop(service.settle(*open, dropped).await) };
        (self.service.spawn)(settling.boxed());
    }
}

impl ProofRequestService {
    /// Admits a request, unless it repeats an earlier one.
    pub(super) async fn enter<'a, Q, A, E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        question: Question<'a, Q, E>,
    ) -> Entrance<'a, Q, A, E> {
        match request.idempotency_key.clone() {
            None => self.admit(request, None, question).await,
            // Boxed because the future is large, and idempotency keys are rare.
            Some(key) => Box::pin(self.enter_named(request, key, question)).await,
        }
    }

    /// Admits a request with an idempotency key, unless it repeats an earlier one.
    async fn enter_named<'a, Q, A, E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        idempotency_key: IdempotencyKey,
        mut question: Question<'a, Q, E>,
    ) -> Entrance<'a, Q, A, E> {
        let gatekeeper = &self.gatekeeper;
        let identified = gatekeeper.identify_charged(&request.key, request.address);
        let by = match identified.await {
            Ok(by) => by,
            Err(error) => return refused(error, &request.request_id),
        };
        let Some(content) = question.content().await else {
            return self.admit(request, None, question).await;
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
            let admitted = admitted(
                request.request_id,
                endpoint,
                (by.customer, by.key, by.environment),
            );
            let repeated = Repeated {
                by,
                admitted,
                first,
            };
            return Entrance::Repeated(Box::new(repeated), question);
        }
        // Checked before the claim, so that callers above their limits cause no writes.
        if let Some(error) = self.gatekeeper.refusal(&by, endpoint) {
            return Entrance::Closed(Box::new(Served::Refused(error)));
        }
        match self.idempotency.claim(&keyed).await {
            Ok(claim) => self.admit(request, Some(claim), question).await,
            Err(error) => not_begun(error, &by, &request.request_id),
        }
    }

    async fn admit<'a, Q, A, E>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        claim: Option<ScopeClaim>,
        question: Question<'a, Q, E>,
    ) -> Entrance<'a, Q, A, E> {
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
        let charged = &admission.charged;
        let of = (charged.customer, charged.key, admission.environment);
        let admitted = admitted(request_id, charged.endpoint, of);
        let entered = Entered {
            admitted,
            service: Arc::clone(self),
            open: Some(Box::new(Open { admission, claim })),
        };
        Entrance::Admitted(entered, question)
    }
}

fn admitted(
    request_id: RequestId,
    endpoint: Endpoint,
    (customer, key, environment): (CustomerId, CountedKey, Environment),
) -> Admitted {
    Admitted {
        request_id,
        endpoint,
        environment,
        lane: Lane {
            customer,
            key: key.counters,
            class: LookupClass::Interactive,
        },
    }
}

fn refused<'a, Q, A, E>(error: AdmissionError, request_id: &RequestId) -> Entrance<'a, Q, A, E> {
    if let AdmissionError::Unavailable { cause, .. } = &error {
        tracing::warn!(%request_id, %cause, "a request could be neither admitted nor refused");
    }
    Entrance::Closed(Box::new(Served::Refused(error)))
}

fn not_begun<'a, Q, A, E>(
    error: NotBegun,
    by: &Identified,
    request_id: &RequestId,
) -> Entrance<'a, Q, A, E> {
    match error {
        NotBegun::Refused(error) => refused(error, request_id),
        NotBegun::NotRepeated(error) => Entrance::Closed(Box::new(not_repeated(error, by))),
    }
}

/// Refusal to repeat the first answer.
pub(super) fn not_repeated<A, E>(error: RepeatError, by: &Identified) -> Served<A, E> {
    Served::NotRepeated(NotRepeated {
        key: by.key.id,
        environment: by.environment,
        limit_status: by.limit_status,
        error,
    })
}
