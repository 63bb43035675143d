//! Creation of stored lookups.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::account::Account;
use domain::idempotency::FirstAnswer;
use domain::keys::Environment;
use domain::lookups::LookupId;
use domain::outcome::Outcome;
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use ports::outbound::ScopeClaim;

use super::entrance::{Entered, Entrance, Open};
use super::{
    AdmissionRequest, Answered, Charge, FetchError, LookupDetails, Processed, ProofRequestService,
    Question, Repeated, Reply, Served, caught,
};
use crate::admission::ChargedRequest;
use crate::lookups::{Incomplete, LookupRequest, LookupView};
use crate::proofs::lookup::without_transfer;

/// Data of a lookup that was stored.
pub(super) struct Stored {
    details: LookupDetails,
    wait: Duration,
}

/// A request whose account is whole.
pub(super) type CompletedRequest = (LookupRequest<Account>, LookupDetails);

/// The created lookup, `None` if it was erased in the meantime; or the reason why no lookup was created.
type Created = Result<Option<LookupView>, FetchError>;

impl ProofRequestService {
    /// Creates a stored lookup, and waits for its end if the caller asks for that. The request is charged
    /// once the lookup is stored, and settled when the lookup ends; if it can't be stored, the request is
    /// settled at once.
    pub async fn create<E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        question: Question<'_, LookupRequest, E>,
    ) -> Served<Created, E> {
        let (entered, question) = match self.enter(request, question).await {
            Entrance::Admitted(entered, question) => (entered, question),
            Entrance::Repeated(repeated, question) => {
                let repeating = pin!(self.created_before(&repeated, question));
                return self.repeat(&repeated, repeating).await;
            }
            Entrance::Closed(served) => return *served,
        };
        let failed = || {
            let request_id = &entered.admitted.request_id;
            let cause = "the creation of a lookup panicked";
            Err(Box::new(Processed::failed(request_id, cause)))
        };
        let Open { admission, claim } = entered.open();
        let charged = (&admission.charged, admission.environment);
        let stored = caught(pin!(self.store(charged, *claim, question)), failed).await;
        match stored {
            Ok(stored) => self.accept(entered, stored, Ok).await,
            Err(processed) => self.settle(entered.close(), *processed).await,
        }
    }

    /// The lookup of the first request, or the same error; `None` if the query is now resolved to other
    /// participants.
    async fn created_before<E: Send + 'static>(
        &self,
        repeated: &Repeated,
        question: Question<'_, LookupRequest, E>,
    ) -> Option<Processed<Created, E>> {
        let request = match question.read().await {
            Ok(request) => request,
            Err(fault) => return Some(Processed::faulty(fault)),
        };
        let (wait, customer) = (request.wait, repeated.by.customer);
        let completed = self
            .completed(&repeated.admitted.request_id, customer, request)
            .await;
        let FirstAnswer::Lookup(id) = repeated.first else {
            return completed.err().map(|refused| *refused);
        };
        // The own accounts may have changed since.
        let details = completed.map(|(_, details)| details).unwrap_or_default();
        let created = self.lookups.created(customer, id, wait).await;
        let answer = Reply::Answer(Ok(created));
        Some(Processed {
            details,
            ..Processed::of(Outcome::Delivered, answer)
        })
    }

    /// Reads the question, and stores its lookup.
    async fn store<E: Send + 'static>(
        &self,
        (charged, environment): (&ChargedRequest, Environment),
        claim: Option<ScopeClaim>,
        question: Question<'_, LookupRequest, E>,
    ) -> Result<Stored, Box<Processed<Created, E>>> {
        let request = question.read().await;
        let request = request.map_err(|fault| Box::new(Processed::faulty(fault)))?;
        let (request_id, customer) = (&charged.request_id, charged.customer);
        let completed = self.completed(request_id, customer, request).await?;
        self.add((charged, environment), claim, completed).await
    }

    /// Stores a lookup.
    pub(super) async fn add<A, E>(
        &self,
        (charged, environment): (&ChargedRequest, Environment),
        claim: Option<ScopeClaim>,
        (request, details): CompletedRequest,
    ) -> Result<Stored, Box<Processed<A, E>>> {
        let wait = request.wait;
        let added = self.lookups.add(charged, environment, request, claim);
        if let Err(error) = added.await {
            // The lookup may have been stored despite the error, and isn't charged.
            let id = LookupId(charged.id);
            self.lookups.withdraw(charged.customer, id).await;
            return Err(Box::new(Processed {
                reply: Reply::NotDurable(error),
                ..Processed::failed(&charged.request_id, "a lookup could not be stored")
            }));
        }
        Ok(Stored { details, wait })
    }

    /// Completes the charge for a stored lookup, which `answer` makes an answer; removes the lookup if that fails.
    pub(super) async fn accept<A, E>(
        &self,
        entered: Entered,
        Stored { details, wait }: Stored,
        answer: impl FnOnce(Option<LookupView>) -> A,
    ) -> Served<A, E> {
        let Open { admission, claim } = entered.close();
        let (id, customer) = (LookupId(admission.charged.id), admission.charged.customer);
        let (key, environment) = (admission.charged.key.id, admission.environment);
        let (counted, admitted_at) = (admission.limit_status, admission.admitted_at_monotonic);
        let (limit_status, charge, reply) = match self.gatekeeper.accept(admission).await {
            Ok(limit_status) => {
                let created = self.lookups.created(customer, id, wait).await;
                (limit_status, Charge::Open, Reply::Answer(answer(created)))
            }
            Err(error) => {
                self.lookups.withdraw(customer, id).await;
                if let Some(claim) = claim {
                    self.idempotency.end(claim, None).await;
                }
                let elapsed = self.clock.monotonic().saturating_sub(admitted_at);
                let limit_status = counted.after(elapsed).after_refund();
                let charge = Charge::Settled(Outcome::InternalError);
                (limit_status, charge, Reply::NotDurable(error))
            }
        };
        Served::Answered(Box::new(Answered {
            key,
            environment,
            limit_status,
            charge,
            details,
            reply,
        }))
    }

    /// Completes the account of a request, and resolves its participants.
    pub(super) async fn completed<T, E>(
        &self,
        request_id: &RequestId,
        customer: CustomerId,
        request: LookupRequest,
    ) -> Result<CompletedRequest, Box<Processed<Result<T, FetchError>, E>>> {
        let refused = |error: FetchError, details| {
            let outcome = error.outcome();
            Box::new(Processed {
                details,
                ..Processed::of(outcome, Reply::Answer(Err(error)))
            })
        };
        let query = match self.lookups.complete(customer, request.query.clone()).await {
            Ok(query) => query,
            Err(Incomplete::NoneFits(error)) => {
                let error = FetchError::NoOwnAccount(error);
                return Err(refused(error, LookupDetails::default()));
            }
            Err(Incomplete::Unreadable(cause)) => {
                return Err(Box::new(Processed::failed(request_id, cause)));
            }
        };
        let (inferred, banks) = self.lookups.resolve(&query);
        let mut details = LookupDetails {
            inferred,
            ..LookupDetails::default()
        };
        match banks {
            Ok(banks) => {
                details.banks = Some(banks);
                Ok((request.of(query), details))
            }
            Err(unresolved) => Err(refused(without_transfer(unresolved), details)),
        }
    }
}
