//! Creation of a stored lookup.

use std::pin::pin;
use std::time::Duration;

use domain::idempotency::FirstAnswer;
use domain::key::Environment;
use domain::lookup::LookupId;
use domain::outcome::Outcome;
use ports::inbound::{
    AcceptedRequest, AdmissionRequest, InvalidRequest, LookupDetails, LookupExchange,
    LookupRequest, LookupView, Reply, ServedRequest, SettledRequest,
};

use ports::outbound::ScopeClaim;

use super::entrance::Entrance;
use super::{Entered, Processed, Repeated, RequestSteps, caught, failed};
use crate::admission::{Admission, ChargedRequest};
use crate::proofs::lookup::without_transfer;

/// A lookup that was stored.
struct Stored {
    details: LookupDetails,
    wait: Duration,
}

impl RequestSteps {
    /// Admits the request, stores its lookup, charges it, and waits for its end if the caller does.
    pub(super) async fn create(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn LookupExchange,
    ) -> (ServedRequest, Option<LookupView>) {
        let entered = match self.enter(request, exchange).await {
            Entrance::Admitted(entered) => entered,
            Entrance::Repeated(repeated) => return self.create_again(&repeated, exchange).await,
            Entrance::Closed(served) => return (*served, None),
        };
        let Admission {
            charged,
            environment,
            ..
        } = &entered.admission;
        let storing = self.store((charged, *environment), entered.claim, exchange);
        let failed = || {
            let request_id = &entered.admitted.request_id;
            Err(Box::new(failed(
                request_id,
                "the creation of a lookup panicked",
            )))
        };
        let stored = caught(pin!(storing), failed).await;
        match stored {
            Ok(stored) => self.accept(entered, stored).await,
            Err(processed) => {
                let settled = self.settle(entered, *processed).await;
                (ServedRequest::Settled(settled), None)
            }
        }
    }

    /// Answers with the lookup that was created before, or with the same fault.
    async fn create_again(
        &self,
        repeated: &Repeated,
        exchange: &mut dyn LookupExchange,
    ) -> (ServedRequest, Option<LookupView>) {
        let mut found = None;
        let repeating = async {
            let question = question(self, exchange).await;
            match (question, repeated.first) {
                (Ok((request, details)), FirstAnswer::Lookup(id)) => {
                    let customer = repeated.by.customer;
                    found = self.lookups.created(customer, id, request.wait).await;
                    Some(Processed {
                        details,
                        ..Processed::invalid()
                    })
                }
                (Err(faulty), _) => Some(*faulty),
                // The same question means another one by now.
                (Ok(_), FirstAnswer::Immediate { .. } | FirstAnswer::Batch(_)) => None,
            }
        };
        let served = self.repeat(repeated, pin!(repeating)).await;
        (served, found)
    }

    /// Stores the lookup that the exchange decodes.
    async fn store(
        &self,
        (charged, environment): (&ChargedRequest, Environment),
        claim: Option<ScopeClaim>,
        exchange: &mut dyn LookupExchange,
    ) -> Result<Stored, Box<Processed>> {
        let (request, details) = question(self, exchange).await?;
        let wait = request.wait;
        let added = self.lookups.add(charged, environment, request, claim);
        if let Err(error) = added.await {
            // It may be stored all the same, and nobody pays for it.
            let id = LookupId(charged.id);
            self.lookups.withdraw(charged.customer, id).await;
            return Err(Box::new(Processed {
                reply: Reply::NotDurable(error),
                ..failed(&charged.request_id, "a lookup could not be stored")
            }));
        }
        Ok(Stored { details, wait })
    }

    /// Charges the request of a stored lookup. One that can't be charged is removed.
    async fn accept(
        &self,
        entered: Box<Entered>,
        Stored { details, wait }: Stored,
    ) -> (ServedRequest, Option<LookupView>) {
        let Entered {
            admission, claim, ..
        } = *entered;
        let (id, customer) = (LookupId(admission.charged.id), admission.charged.customer);
        let (key, environment) = (admission.charged.key.id, admission.environment);
        let (counted, admitted_at) = (admission.limit_status, admission.admitted_at_monotonic);
        match self.gatekeeper.accept(admission).await {
            Ok(limit_status) => {
                let created = self.lookups.created(customer, id, wait).await;
                let accepted = AcceptedRequest {
                    key,
                    environment,
                    limit_status,
                    details,
                };
                (ServedRequest::Accepted(accepted), created)
            }
            Err(error) => {
                self.lookups.withdraw(customer, id).await;
                if let Some(claim) = claim {
                    self.idempotency.end(claim, None).await;
                }
                let elapsed = self.clock.monotonic().saturating_sub(admitted_at);
                let settled = SettledRequest {
                    key,
                    environment,
                    limit_status: counted.after(elapsed).after_refund(),
                    outcome: Outcome::InternalError,
                    details,
                    reply: Reply::NotDurable(error),
                };
                (ServedRequest::Settled(settled), None)
            }
        }
    }
}

/// Decodes a question, and resolves its banks; or encodes what is wrong with it.
async fn question(
    steps: &RequestSteps,
    exchange: &mut dyn LookupExchange,
) -> Result<(LookupRequest, LookupDetails), Box<Processed>> {
    let request = exchange.decode().await;
    let request = request.map_err(|InvalidRequest| Box::new(Processed::invalid()))?;
    let (inferred, banks) = steps.lookups.resolve(&request.query);
    let mut details = LookupDetails {
        inferred,
        ..LookupDetails::default()
    };
    match banks {
        Ok(banks) => {
            details.banks = Some(banks);
            Ok((request, details))
        }
        Err(unresolved) => {
            let error = without_transfer(unresolved);
            exchange.refuse(&error, &details.inferred);
            let outcome = error.outcome();
            Err(Box::new(Processed {
                outcome,
                details,
                repeatable: Some(FirstAnswer::Immediate {
                    outcome,
                    seen: None,
                }),
                ..Processed::invalid()
            }))
        }
    }
}
