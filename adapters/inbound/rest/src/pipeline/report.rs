//! Log, metrics and trace of requests.

use axum::http::StatusCode;
use domain::inference::Inferred;
use domain::key::{Environment, KeyId};
use ports::inbound::{
    AcceptedRequest, LookupDetails, NotRepeated, RepeatedRequest, ServedRequest, SettledRequest,
};
use tracing::field::display;
use web::{method_name, milliseconds, trace};

use super::Head;
use crate::RestState;
use crate::ending::Ending;

impl Head {
    /// Records the metrics, and writes one line, without personal data.
    pub(super) fn report(&self, status: StatusCode, is_client_gone: bool, served: &ServedRequest) {
        let RestState {
            request_layer,
            metrics_sink,
            ..
        } = &*self.state;
        let now = request_layer.clock.monotonic();
        let duration = now.saturating_sub(self.context.started);
        let route = web::route(self.path.as_ref());
        let ending = Ending::of(served);
        request_layer.metrics_sink.answered(route, status);
        metrics_sink.ended(self.endpoint, ending, duration);
        let identified = Identified::of(served);
        self.trace(status, ending, identified);
        if !tracing::enabled!(target: "cep::request", tracing::Level::INFO) {
            return;
        }
        let details = identified.and_then(|identified| identified.details);
        let banks = details.and_then(|details| details.banks);
        let inferred = details.map(|details| &details.inferred);
        let issuer = inferred.and_then(|inferred| inferred.issuer.as_ref());
        let receiver = inferred.and_then(|inferred| inferred.receiver.as_ref());
        let kind = |side: &Inferred| side.evidence.kind();
        let bank_time = details.and_then(|details| details.bank_time);
        tracing::info!(
            target: "cep::request",
            method = method_name(&self.method),
            route,
            status = status.as_u16(),
            outcome = ending.name(),
            endpoint = self.endpoint.name(),
            key = identified.map(|identified| display(identified.key)),
            environment = identified.map(|identified| identified.environment.name()),
            issuer = banks.map(|banks| banks.issuer.number()),
            receiver = banks.map(|banks| banks.receiver.number()),
            issuer_evidence = issuer.map(kind),
            receiver_evidence = receiver.map(kind),
            bank_ms = bank_time.map(milliseconds),
            duration_ms = milliseconds(duration),
            client_gone = is_client_gone,
            request_id = self.context.request_id.as_str(),
        );
    }

    /// Records on the request's span what the log line says, without the banks.
    fn trace(&self, status: StatusCode, ending: Ending, identified: Option<Identified<'_>>) {
        let span = &self.span;
        if span.is_disabled() {
            return;
        }
        trace::answered(span, status);
        span.record("cep.endpoint", self.endpoint.name());
        span.record("cep.outcome", ending.name());
        if let Some(identified) = identified {
            span.record("cep.key_id", display(identified.key));
            span.record("cep.environment", identified.environment.name());
        }
    }
}

/// Facts of a request whose key is good, for the log.
#[derive(Clone, Copy)]
struct Identified<'a> {
    key: KeyId,
    environment: Environment,
    details: Option<&'a LookupDetails>,
}

impl<'a> Identified<'a> {
    fn of(served: &'a ServedRequest) -> Option<Self> {
        match served {
            ServedRequest::Refused(_) => None,
            ServedRequest::Settled(SettledRequest {
                key,
                environment,
                details,
                ..
            })
            | ServedRequest::Accepted(AcceptedRequest {
                key,
                environment,
                details,
                ..
            })
            | ServedRequest::Repeated(RepeatedRequest {
                key,
                environment,
                details,
                ..
            }) => Some(Self {
                key: *key,
                environment: *environment,
                details: Some(details),
            }),
            ServedRequest::NotRepeated(NotRepeated {
                key, environment, ..
            }) => Some(Self {
                key: *key,
                environment: *environment,
                details: None,
            }),
        }
    }
}
