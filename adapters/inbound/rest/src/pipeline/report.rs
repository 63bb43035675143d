//! Log, metrics and traces of requests.

use axum::http::StatusCode;
use domain::participants::inference::Inferred;
use tracing::field::display;
use web::problem::LoggedProblem;
use web::{method_name, milliseconds, trace};

use super::Head;
use super::ended::Ended;
use crate::RestState;

impl Head {
    /// Records the metrics, and writes one log line without personal data.
    pub(super) fn report(
        &self,
        (status, problem): (StatusCode, Option<LoggedProblem>),
        is_client_gone: bool,
        ended: &Ended,
    ) {
        let RestState {
            request_layer,
            metrics_sink,
            ..
        } = &*self.state;
        let now = request_layer.clock.monotonic();
        let duration = now.saturating_sub(self.context.started);
        let route = web::route(self.path.as_ref());
        let ending = ended.ending;
        request_layer.metrics_sink.answered(route, status);
        metrics_sink.ended(self.endpoint, ending, duration);
        self.trace(status, ended);
        if !tracing::enabled!(target: "cep::request", tracing::Level::INFO) {
            return;
        }
        let details = ended.details.as_ref();
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
            problem = problem.as_ref().map(|LoggedProblem(problem)| problem.as_str()),
            endpoint = self.endpoint.name(),
            key = ended.key.map(|(key, _)| display(key)),
            environment = ended.key.map(|(_, environment)| environment.name()),
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

    /// Records endpoint, outcome, key and environment on the request's span.
    fn trace(&self, status: StatusCode, ended: &Ended) {
        let span = &self.span;
        if span.is_disabled() {
            return;
        }
        trace::answered(span, status);
        span.record("cep.endpoint", self.endpoint.name());
        span.record("cep.outcome", ended.ending.name());
        if let Some((key, environment)) = ended.key {
            span.record("cep.key_id", display(key));
            span.record("cep.environment", environment.name());
        }
    }
}
