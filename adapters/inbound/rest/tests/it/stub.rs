//! Stub of the use case, for results that the application never gives.

use std::time::Duration;

use domain::inference::InferredBanks;
use domain::key::{Environment, KeyId};
use domain::limits::{LimitStatus, MinuteStatus};
use domain::outcome::Outcome;
use ports::inbound::{
    AdmissionRequest, CheckExchange, Delivery, FetchError, LookupDetails, LookupExchange,
    ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
use uuid::Uuid;

/// Proof requests that are all admitted, and all have one result.
pub(crate) struct StubbedRequests(pub(crate) Result<Delivery, FetchError>);

impl ProofRequests for StubbedRequests {
    fn serve(&self, _: AdmissionRequest, mut exchange: Box<dyn ProofExchange>) {
        let result = self.0.clone();
        tokio::spawn(async move {
            let outcome = match &result {
                Ok(_) => Outcome::Delivered,
                Err(error) => error.outcome(),
            };
            let (outcome, reply) = match exchange.encode(result, &InferredBanks::default()).await {
                Ok(()) => (outcome, Reply::Encoded),
                Err(_) => (Outcome::InternalError, Reply::Failed),
            };
            let settled = SettledRequest {
                key: KeyId(Uuid::nil()),
                environment: Environment::Test,
                limit_status: LimitStatus {
                    minute: MinuteStatus {
                        limit: 60,
                        remaining: 59,
                        reset: Duration::from_mins(1),
                    },
                    month: None,
                },
                outcome,
                details: LookupDetails::default(),
                reply,
            };
            exchange.finish(ServedRequest::Settled(settled)).await;
        });
    }

    fn create(&self, _: AdmissionRequest, _: Box<dyn LookupExchange>) {
        unreachable!("no test creates a lookup here");
    }

    fn check(&self, _: AdmissionRequest, _: Box<dyn CheckExchange>) {
        panic!("the results stand for lookups");
    }
}
