//! Metrics of requests and answers.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::http::StatusCode;
use domain::outcome::{Endpoint, Outcome};
use metrics::{Counter, Key, Label};
use rest::{Ending, ProofMetricsSink};
use web::MetricsSink;

use super::{LazyHistogram, METADATA, Metrics, names};

/// Number of endings: all outcomes, and eight others.
const ENDINGS: usize = Outcome::ALL.len() + 8;

/// Sink that measures proof requests and counts answers.
pub(crate) struct MeteredRequests {
    metrics: Arc<Metrics>,
    durations: [[LazyHistogram; ENDINGS]; Endpoint::ALL.len()],
    /// By route, then by status. Only the routers' own routes occur, so the map stays small.
    answers: RwLock<HashMap<Box<str>, HashMap<StatusCode, Counter>>>,
}

impl MeteredRequests {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        let duration = |endpoint: Endpoint, ending: Ending| {
            let labels = [("endpoint", endpoint.name()), ("outcome", ending.name())];
            metrics.histogram(&names::REQUEST_DURATION, &labels)
        };
        let durations = Endpoint::ALL.map(|endpoint| {
            let mut all = Ending::all();
            std::array::from_fn(|_| {
                let ending = all.next().expect("there are as many endings as places");
                duration(endpoint, ending)
            })
        });
        Self {
            metrics,
            durations,
            answers: RwLock::default(),
        }
    }

    fn first_answer(&self, route: &str, status: StatusCode) -> Counter {
        let labels = vec![
            Label::new("route", route.to_owned()),
            Label::new("status", status.as_str().to_owned()),
        ];
        let key = Key::from_parts(names::HTTP_RESPONSES.name, labels);
        let counter = self.metrics.recorder.register_counter(&key, &METADATA);
        let mut answers = self.answers.write().unwrap_or_else(PoisonError::into_inner);
        let of_route = answers.entry(route.into()).or_default();
        of_route.insert(status, counter.clone());
        counter
    }
}

impl MetricsSink for MeteredRequests {
    fn answered(&self, route: &str, status: StatusCode) {
        let answers = self.answers.read().unwrap_or_else(PoisonError::into_inner);
        let known = answers.get(route).and_then(|route| route.get(&status));
        if let Some(counter) = known {
            counter.increment(1);
            return;
        }
        drop(answers);
        self.first_answer(route, status).increment(1);
    }
}

impl ProofMetricsSink for MeteredRequests {
    fn ended(&self, endpoint: Endpoint, ending: Ending, duration: Duration) {
        let place = match ending {
            Ending::Settled(outcome) => outcome as usize,
            Ending::Accepted => ENDINGS - 8,
            Ending::InvalidApiKey => ENDINGS - 7,
            Ending::KeyUnchecked => ENDINGS - 6,
            Ending::Unavailable => ENDINGS - 5,
            Ending::Repeated => ENDINGS - 4,
            Ending::IdempotencyKeyReused => ENDINGS - 3,
            Ending::IdempotencyKeyInProgress => ENDINGS - 2,
            Ending::TooManyRepeats => ENDINGS - 1,
        };
        self.durations[endpoint as usize][place].record(duration);
    }
}
