//! Conversion of application errors to problems, with an exhaustive match for each error type.

use std::time::Duration;

use application::{
    AdmissionError, FetchError, KeyError, NotDurable, OwnAccountFailure, PersonLookupError,
    RepeatError, WebhookError,
};
use domain::keys::MOST_NEW_KEYS;
use domain::outcome::Endpoint;
use domain::participants::inference::InferredBanks;
use domain::query::Field;
use domain::request::RequestId;
use domain::webhooks::{EventTypesError, MAX_ENDPOINTS};
use ports::outbound::BankError;
use web::problem::{FieldFault, FieldProblem, MissingProof};
use web::{Chain, Problem};

use crate::charged_key::no_such_key;

pub(crate) fn of_refusal(refusal: &AdmissionError) -> Problem {
    match refusal {
        AdmissionError::InvalidKey => Problem::InvalidApiKey,
        AdmissionError::NoSuchKey => no_such_key(),
        AdmissionError::RateLimited {
            limit_status,
            retry_after,
            ..
        } => Problem::RateLimited {
            limit: limit_status.minute.limit,
            retry_after: *retry_after,
        },
        AdmissionError::QuotaExceeded { month, .. } => Problem::QuotaExceeded {
            limit: month.limit,
            used: month.used,
            reset_at: month.reset_at,
        },
        AdmissionError::KeyUnchecked { retry_after }
        | AdmissionError::Unavailable { retry_after, .. } => Problem::Unavailable {
            retry_after: *retry_after,
        },
    }
}

/// The problem of a request whose idempotency key can't return the first response.
pub(crate) fn of_repeat(error: RepeatError) -> Problem {
    match error {
        RepeatError::KeyReused => Problem::IdempotencyKeyReused,
        RepeatError::InProgress { retry_after } => {
            Problem::IdempotencyKeyInProgress { retry_after }
        }
        RepeatError::TooManyRepeats { limit, retry_after } => {
            Problem::TooManyRepeats { limit, retry_after }
        }
    }
}

/// Logs the cause of a refusal, if it is a failure of the gateway.
pub(crate) fn log_refusal(refusal: &AdmissionError, request_id: &RequestId) {
    if let AdmissionError::Unavailable { cause, .. } = refusal {
        tracing::warn!(%request_id, cause = %Chain(&**cause), "a key could not be checked, or a lookup read");
    }
}

/// `Retry-After` when the store fails: a restarting database is usually back by then.
const STORE_RETRY: Duration = Duration::from_secs(5);

/// The problem of a failed operation on keys, plans, usage or the audit log.
pub(crate) fn of_key(error: &KeyError, id: &RequestId) -> Problem {
    match error {
        KeyError::NotFound => Problem::NoSuchResource,
        KeyError::Forbidden => Problem::AdminsOnly,
        KeyError::Revoked => Problem::KeyRevoked,
        KeyError::AlreadyRotated => Problem::KeyRotated,
        KeyError::TooManyKeys { most } => Problem::TooManyKeys { most: *most },
        KeyError::TooManyNewKeys { retry_after } => Problem::TooManyNewKeys {
            most: MOST_NEW_KEYS,
            retry_after: *retry_after,
        },
        KeyError::Cursor => Problem::invalid_field("after", FieldProblem::WrongCursor),
        KeyError::Store(cause) => {
            tracing::error!(request_id = %id, cause = %Chain(&**cause), "key store unavailable");
            Problem::Unavailable {
                retry_after: STORE_RETRY,
            }
        }
    }
}

/// The problem of a failed read of a lookup with a session.
pub(crate) fn of_person_lookup(error: &PersonLookupError, id: &RequestId) -> Problem {
    match error {
        PersonLookupError::NotFound => Problem::NoSuchResource,
        PersonLookupError::Store(cause) => {
            tracing::error!(request_id = %id, cause = %Chain(&**cause), "store of lookups unavailable");
            Problem::Unavailable {
                retry_after: STORE_RETRY,
            }
        }
        PersonLookupError::Unreadable(cause) => {
            tracing::error!(request_id = %id, cause = %Chain(&**cause), "a lookup can't be read");
            Problem::internal(id)
        }
        // Reads of a single lookup don't return these errors.
        PersonLookupError::Final | PersonLookupError::NotFinal | PersonLookupError::Cursor => {
            tracing::error!(request_id = %id, %error, "a lookup can't be read");
            Problem::internal(id)
        }
    }
}

/// The problem of a failed operation on a webhook.
pub(crate) fn of_webhook(error: &WebhookError, id: &RequestId) -> Problem {
    match error {
        WebhookError::NotFound => Problem::NoSuchResource,
        WebhookError::Url(error) => Problem::invalid_field("url", *error),
        WebhookError::Events(EventTypesError::None | EventTypesError::Test) => {
            Problem::invalid_field("events", FieldProblem::Empty)
        }
        WebhookError::TooMany => Problem::TooManyWebhooks {
            most: MAX_ENDPOINTS as u64,
        },
        WebhookError::Disabled => Problem::WebhookDisabled,
        WebhookError::Pending => Problem::DeliveryPending,
        WebhookError::Cursor => Problem::invalid_field("after", FieldProblem::WrongCursor),
        WebhookError::Store(cause) => {
            tracing::error!(request_id = %id, cause = %Chain(&**cause), "store of webhooks unavailable");
            Problem::Unavailable {
                retry_after: STORE_RETRY,
            }
        }
    }
}

pub(crate) fn of_own_account(error: OwnAccountFailure, id: &RequestId) -> Problem {
    match FieldProblem::of_own_account(error) {
        Ok((field, problem)) => Problem::invalid_field(field, problem),
        Err(OwnAccountFailure::Store(cause)) => {
            tracing::error!(request_id = %id, cause = %Chain(&*cause), "store of own accounts unavailable");
            Problem::Unavailable {
                retry_after: STORE_RETRY,
            }
        }
        Err(_) => Problem::NoSuchResource,
    }
}

fn path(endpoint: Endpoint) -> String {
    format!("/v1/cep/{}", endpoint.name())
}

/// The problem of a lookup without a proof; `inferred` goes into its details.
pub(crate) fn of_fetch(
    error: &FetchError,
    inferred: &InferredBanks,
    endpoint: Endpoint,
) -> Problem {
    match error {
        FetchError::InferenceFailed { issuer, receiver } => Problem::InferenceFailed {
            issuer: issuer.clone().map(Into::into),
            receiver: receiver.clone().map(Into::into),
            explicit_endpoints: endpoint.explicit().iter().copied().map(path).collect(),
        },
        FetchError::SameInstitution(same) => Problem::SameInstitution {
            code: same.code,
            inferred: Box::new(inferred.clone()),
        },
        FetchError::NoOwnAccount(error) => Problem::invalid_fields([FieldFault::from(error)]),
        // Endpoints that answer at once take no reference number.
        FetchError::Ambiguous { .. } => {
            Problem::invalid_field(Field::Reference.name(), FieldProblem::StoredOnly)
        }
        FetchError::NotFound { payment, hints } => Problem::no_proof(MissingProof {
            payment: *payment,
            inferred: inferred.clone(),
            hints: hints.iter().cloned().map(Into::into).collect(),
        }),
        FetchError::Bank(error) => match error {
            BankError::Protocol { .. } => Problem::BankProtocol,
            BankError::Unavailable { retry_after, .. } => Problem::BankUnavailable {
                retry_after: *retry_after,
            },
            BankError::Throttled { retry_after, .. } => Problem::BankThrottled {
                retry_after: *retry_after,
            },
            BankError::Timeout => Problem::BankTimeout,
        },
    }
}

/// The problem of a request whose admission couldn't be written to the journal, so that its response must
/// not be sent.
pub(crate) fn of_not_durable(error: &NotDurable, id: &RequestId) -> Problem {
    tracing::error!(request_id = %id, cause = %error.cause, "{error}");
    Problem::Unavailable {
        retry_after: error.retry_after,
    }
}

/// Logs the cause of a failed lookup. Errors caused by the request aren't logged.
pub(crate) fn log_cause(error: &FetchError, request_id: &RequestId) {
    let FetchError::Bank(error) = error else {
        return;
    };
    match error {
        BankError::Protocol { cause } => {
            tracing::error!(%request_id, cause = %Chain(&**cause), "{error}");
        }
        BankError::Unavailable { cause, .. } => {
            tracing::warn!(%request_id, cause = %Chain(&**cause), "{error}");
        }
        BankError::Throttled { reason, .. } => {
            tracing::warn!(%request_id, reason = reason.name(), "{error}");
        }
        BankError::Timeout => tracing::warn!(%request_id, "{error}"),
    }
}

#[cfg(test)]
mod tests;
