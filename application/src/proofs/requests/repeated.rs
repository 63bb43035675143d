//! Answers to repeated requests.

use std::pin::Pin;

use domain::idempotency::FirstAnswer;
use domain::outcome::Outcome;
use domain::query::ProofQuery;

use super::entrance::not_repeated;
use super::{
    Answered, Charge, Found, Processed, ProofRequestService, Question, RepeatError, Repeated,
    Served, caught,
};

impl ProofRequestService {
    /// Computes the first answer again; `None` if the query is now resolved to other participants.
    ///
    /// A proof is read from memory or archive, or fetched from the bank if it is in neither. The record of a
    /// payment without a proof is fetched from the bank.
    pub(super) async fn deliver_again<E: Send + 'static>(
        &self,
        repeated: &Repeated,
        question: Question<'_, ProofQuery, E>,
    ) -> Option<Processed<Found, E>> {
        let Repeated {
            admitted, first, ..
        } = repeated;
        let FirstAnswer::Immediate { outcome, .. } = first else {
            return None;
        };
        let query = match question.read().await {
            Ok(query) => query,
            Err(fault) => return Some(Processed::faulty(fault)),
        };
        let report = match outcome {
            // The bank's record of a payment in these states is final, too.
            Outcome::Delivered
            | Outcome::PaymentReturned
            | Outcome::PaymentRejected
            | Outcome::PaymentCanceled => self.proofs.fetch(admitted.lookup(query)).await,
            Outcome::NotFound => self.proofs.not_in_spei(query),
            _ => self.proofs.unresolved(query)?,
        };
        Some(self.found(admitted, report, Some(*first)).await)
    }

    /// Ends a repeated request, which isn't charged.
    pub(super) async fn repeat<A, E>(
        &self,
        repeated: &Repeated,
        repeating: Pin<&mut (dyn Future<Output = Option<Processed<A, E>>> + Send)>,
    ) -> Served<A, E> {
        let by = &repeated.by;
        let processed = caught(repeating, || {
            let request_id = &repeated.admitted.request_id;
            let cause = "the answer to a repeated request panicked";
            Some(Processed::failed(request_id, cause))
        });
        let Some(processed) = processed.await else {
            return not_repeated(RepeatError::KeyReused, by);
        };
        Served::Answered(Box::new(Answered {
            key: by.key.id,
            environment: by.environment,
            limit_status: by.limit_status,
            charge: Charge::Repeated,
            details: processed.details,
            reply: processed.reply,
        }))
    }
}
