//! Changes of keys in the log. The audit log has them too, but in the database: changes after a backup
//! are gone with its restore, and the log names those to repeat.

use crate::people::Caller;
use chrono::{DateTime, SecondsFormat, Utc};
use domain::audit::Action;
use domain::customer::{Customer, CustomerId, Owner, Role};
use domain::key::ApiKey;

/// The actor as a log may name it: by account. A provider's subject may be an e-mail address.
#[derive(Clone, Copy)]
pub(super) struct Actor<'a> {
    caller: &'a Caller,
    account: Option<CustomerId>,
}

impl<'a> Actor<'a> {
    /// A caller, and its account if it has one.
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

/// Logs a key as a change left it.
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

/// Logs a customer's plan, and the number of keys that it was applied to.
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
