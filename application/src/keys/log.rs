//! Log lines of changes of keys. The audit log is in the database, so a restore of a backup loses later
//! entries; the log shows which changes to repeat.

use crate::people::Caller;
use chrono::{DateTime, SecondsFormat, Utc};
use domain::audit::Action;
use domain::keys::ApiKey;
use domain::people::customer::{Customer, CustomerId, Owner, Role};

/// The actor of a change, logged by account, because a provider's subject may be an e-mail address.
#[derive(Clone, Copy)]
pub(super) struct Actor<'a> {
    caller: &'a Caller,
    account: Option<CustomerId>,
}

impl<'a> Actor<'a> {
    /// Creates the actor from a caller and its account; `None` if it has none.
    pub(super) fn new(caller: &'a Caller, account: Option<CustomerId>) -> Self {
        Self { caller, account }
    }

    fn role(self) -> &'static str {
        if self.caller.owner == Owner::operator() {
            return "operator";
        }
        match self.caller.role {
            Role::Admin => "admin",
            Role::Member => "member",
        }
    }
}

/// Logs a key with its attributes after a change.
pub(super) fn key(action: Action, key: &ApiKey, actor: Actor<'_>) {
    tracing::info!(
        target: "cep::keys",
        action = action.name(),
        key = %key.id,
        customer = %key.customer,
        per_minute = key.limits.per_minute(),
        monthly_quota = key.limits.monthly_quota(),
        retires_at = key.retires_at.map(iso),
        revoked_at = key.revoked_at.map(iso),
        by = actor.role(),
        actor = actor.account.map(tracing::field::display),
        request_id = actor.caller.request_id.as_str(),
        "a key was changed"
    );
}

/// Logs a customer's new plan, and the number of keys whose limits changed.
pub(super) fn plan(customer: &Customer, keys: usize, actor: Actor<'_>) {
    tracing::info!(
        target: "cep::keys",
        action = Action::PlanSet.name(),
        customer = %customer.id,
        plan = customer.plan.name(),
        keys,
        by = actor.role(),
        actor = actor.account.map(tracing::field::display),
        request_id = actor.caller.request_id.as_str(),
        "a plan was set"
    );
}

fn iso(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
