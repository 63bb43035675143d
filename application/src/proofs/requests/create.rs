//! Creation of a stored lookup.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use domain::key::Environment;
use domain::lookup::LookupId;
use domain::outcome::Outcome;
use futures::FutureExt as _;
use ports::inbound::{
    AcceptedRequest, AdmissionRequest, InvalidRequest, LookupDetails, LookupExchange, LookupView,
    Reply, ServedRequest, SettledRequest,
};

use super::{Processed, Steps, failed};
use crate::admission::{Admission, ChargedRequest};
use crate::proofs::lookup::without_transfer;

/// A lookup that was stored.
struct Stored {
    details: LookupDetails,
    wait: Duration,
}

impl Steps {
    /// Admits the request, stores its lookup, charges it, and waits for its end if the caller does.
    pub(super) async fn create(
        &self,
        request: AdmissionRequest,
        exchange: &mut dyn LookupExchange,
    ) -> (ServedRequest, Option<LookupView>) {
        let (admission, admitted) = match self.admit(request).await {
            Ok(admitted) => admitted,
            Err(error) => return (ServedRequest::Refused(error), None),
        };
        let (charged, environment) = (&admission.charged, admission.environment);
        let storing = AssertUnwindSafe(self.store(charged, environment, exchange));
        let stored = storing.catch_unwind().await.unwrap_or_else(|_| {
            Err(Box::new(failed(
                &admitted.request_id,
                "the creation of a lookup panicked",
            )))
        });
        match stored {
            Ok(stored) => self.accept(admission, stored).await,
            Err(processed) => {
                let settled = self.settle(admission, *processed).await;
                (ServedRequest::Settled(settled), None)
            }
        }
    }

    /// Stores the lookup that the exchange decodes.
    async fn store(
        &self,
        charged: &ChargedRequest,
        environment: Environment,
        exchange: &mut dyn LookupExchange,
    ) -> Result<Stored, Box<Processed>> {
        let request = exchange.decode().await;
        let request = request.map_err(|InvalidRequest| Box::new(Processed::invalid()))?;
        let (inferred, banks) = self.lookups.resolve(&request.query);
        let mut details = LookupDetails {
            inferred,
            ..LookupDetails::default()
        };
        match banks {
            Ok(banks) => details.banks = Some(banks),
            Err(unresolved) => {
                let error = without_transfer(&unresolved);
                exchange.refuse(&error, &details.inferred);
                return Err(Box::new(Processed {
                    outcome: error.outcome(),
                    details,
                    ..Processed::invalid()
                }));
            }
        }
        let wait = request.wait;
        if let Err(error) = self.lookups.add(charged, environment, request).await {
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
        admission: Admission,
        Stored { details, wait }: Stored,
    ) -> (ServedRequest, Option<LookupView>) {
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
