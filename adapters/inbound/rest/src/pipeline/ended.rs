//! Data about a finished request.

use application::{LookupDetails, NotRepeated, Served};
use axum::http::HeaderMap;
use domain::keys::{Environment, KeyId};
use domain::limits::LimitStatus;

use crate::ending::Ending;
use crate::headers;

/// Data about a finished request, for response headers, log and metrics.
pub(super) struct Ended {
    pub(super) ending: Ending,
    /// Key and environment; `None` if the key was invalid or not checked.
    pub(super) key: Option<(KeyId, Environment)>,
    pub(super) limit_status: Option<LimitStatus>,
    /// Details of the lookup; `None` if the request was neither admitted nor repeated.
    pub(super) details: Option<LookupDetails>,
}

impl Ended {
    /// The end of a request whose session wasn't accepted.
    pub(super) fn without_session() -> Self {
        Self {
            ending: Ending::SessionRefused,
            key: None,
            limit_status: None,
            details: None,
        }
    }

    pub(super) fn of<A, E>(served: &mut Served<A, E>) -> Self {
        let ending = Ending::of(served);
        match served {
            Served::Refused(error) => {
                let (key, limit_status) = error.of_limit().unzip();
                Self {
                    ending,
                    key,
                    limit_status: limit_status.copied(),
                    details: None,
                }
            }
            Served::NotRepeated(NotRepeated {
                key,
                environment,
                limit_status,
                ..
            }) => Self {
                ending,
                key: Some((*key, *environment)),
                limit_status: Some(*limit_status),
                details: None,
            },
            Served::Answered(answered) => Self {
                ending,
                key: Some((answered.key, answered.environment)),
                limit_status: Some(answered.limit_status),
                details: Some(std::mem::take(&mut answered.details)),
            },
        }
    }

    /// Adds the headers for the key's limits, the inferred banks and a repeated response.
    pub(super) fn put(&self, headers: &mut HeaderMap) {
        if let Some(limit_status) = &self.limit_status {
            headers::put_standing(headers, limit_status);
        }
        if let Some(details) = &self.details {
            headers::put_inferred(headers, &details.inferred);
        }
        if self.ending == Ending::Repeated {
            headers::put_replayed(headers);
        }
    }
}
