//! Repeated requests: the first answer, made again.

use std::pin::Pin;

use domain::idempotency::FirstAnswer;
use domain::outcome::Outcome;
use ports::inbound::{InvalidRequest, ProofExchange, RepeatError, RepeatedRequest, ServedRequest};

use super::entrance::not_repeated;
use super::{Processed, Repeated, RequestSteps, caught, failed};

impl RequestSteps {
    /// Makes the first answer again; `None` if the same request means another one by now.
    ///
    /// A proof comes from memory or from the archive, and from the bank if it is in neither; the record of
    /// a payment without one comes from the bank.
    pub(super) async fn deliver_again(
        &self,
        repeated: &Repeated,
        exchange: &mut dyn ProofExchange,
    ) -> Option<Processed> {
        let Repeated {
            admitted, first, ..
        } = repeated;
        let FirstAnswer::Immediate { outcome, .. } = first else {
            return None;
        };
        let query = match exchange.decode().await {
            Ok(query) => query,
            Err(InvalidRequest) => return Some(Processed::invalid()),
        };
        let report = match outcome {
            // The bank's record of a payment that gets no proof is final, too.
            Outcome::Delivered
            | Outcome::PaymentReturned
            | Outcome::PaymentRejected
            | Outcome::PaymentCanceled => self.proofs.fetch(admitted.lookup(query)).await,
            Outcome::NotFound => self.proofs.not_in_spei(query),
            _ => self.proofs.unresolved(query)?,
        };
        Some(self.encode(admitted, exchange, report, Some(*first)).await)
    }

    /// Ends a repeated request: nothing is charged.
    pub(super) async fn repeat(
        &self,
        repeated: &Repeated,
        repeating: Pin<&mut (dyn Future<Output = Option<Processed>> + Send)>,
    ) -> ServedRequest {
        let by = &repeated.by;
        let processed = caught(repeating, || {
            let request_id = &repeated.admitted.request_id;
            Some(failed(
                request_id,
                "the answer to a repeated request panicked",
            ))
        });
        let Some(processed) = processed.await else {
            return not_repeated(RepeatError::KeyReused, by);
        };
        ServedRequest::Repeated(RepeatedRequest {
            key: by.key.id,
            environment: by.environment,
            limit_status: by.limit_status,
            details: processed.details,
            reply: processed.reply,
        })
    }
}
