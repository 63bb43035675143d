//! People with sessions, their keys and their use.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditContext;
use domain::keys::{ApiKey, KeyId};
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::{CustomerId, Role};
use domain::request::RequestId;
use ports::outbound::{
    AdmissionEntry, CustomerStore as _, KeyChange, KeyStore as _, RefusalEntry, RequestEntry,
    Scope, UsageJournal as _, new_id,
};
use testkit::people::{PeopleServices, owner};
use uuid::Uuid;

use crate::data::{add_key, id, new_key, now};
use crate::harness::Harness;

pub(crate) const MEMBER: &str = "the-members-token";
pub(crate) const OTHER_MEMBER: &str = "the-other-members-token";
pub(crate) const ADMIN: &str = "the-admins-token";

pub(crate) const ACTIVE_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000001";
pub(crate) const REVOKED_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000002";
pub(crate) const OTHERS_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000003";
pub(crate) const ACCOUNT: &str = "0198f3c2-7d3e-7000-8000-0000000000a1";
pub(crate) const OTHER_ACCOUNT: &str = "0198f3c2-7d3e-7000-8000-0000000000a2";
/// An id that nothing has.
pub(crate) const UNKNOWN: &str = "0198f3c2-7d3e-7000-8000-00000000dead";

/// Requests with a session to which no key can be charged: the session, the query and the code of the fault of `key_id`.
pub(crate) fn unusable_keys() -> [(&'static str, String, &'static str); 6] {
    let of_key = |id: &str| format!("?key_id={id}");
    [
        (MEMBER, String::new(), "missing"),
        (MEMBER, of_key("x"), "malformed_id"),
        (MEMBER, of_key(UNKNOWN), "no_such_key"),
        (MEMBER, of_key(OTHERS_KEY), "no_such_key"),
        (ADMIN, of_key(ACTIVE_KEY), "no_such_key"),
        (MEMBER, of_key(REVOKED_KEY), "no_such_key"),
    ]
}

/// The services, with a member who has an active and a revoked key, another member who has one that
/// retires, and an admin. The active key made 12 requests in the last hours; two were refunded.
pub(crate) async fn people() -> PeopleServices {
    let services = PeopleServices::at(now());
    services.sign_in(MEMBER, "member", Role::Member);
    services.sign_in(OTHER_MEMBER, "other", Role::Member);
    services.sign_in(ADMIN, "admin", Role::Admin);

    let add_customer = async |account, subject, plan| {
        let account = CustomerId(id(account));
        let since = now() - TimeDelta::days(30);
        services.add_customer(account, subject, plan, since).await
    };
    let member = add_customer(ACCOUNT, "member", Plan::Startup).await;
    let other = add_customer(OTHER_ACCOUNT, "other", Plan::Enterprise).await;

    let active = new_key(ACTIVE_KEY, &member, "till 4 \"ñ\"", "cep_live_AbCd1234");
    let old = ApiKey {
        created_at: now() - TimeDelta::days(9),
        ..new_key(REVOKED_KEY, &member, "old", "cep_test_AbCd1234")
    };
    let retiring = ApiKey {
        retires_at: Some(now() + TimeDelta::hours(4)),
        ..new_key(OTHERS_KEY, &other, "till 5", "cep_live_EfGh5678")
    };
    for key in [active.clone(), old, retiring] {
        add_key(&services, key).await;
    }
    let yesterday = now() - TimeDelta::days(1);
    change(&services, REVOKED_KEY, KeyChange::Revoke, yesterday).await;

    let recently = now() - TimeDelta::minutes(2);
    for number in 0..12 {
        let outcome = match number {
            0 | 1 => Outcome::BankTimeout,
            _ => Outcome::Delivered,
        };
        let at = recently - TimeDelta::hours(number % 3);
        write_down(&services, &active, Endpoint::XmlAuto, outcome, at).await;
    }
    for _ in 0..2 {
        services.journal.refuse(RefusalEntry {
            key: active.id,
            customer: active.customer,
            endpoint: Endpoint::Xml,
            outcome: Outcome::RateLimited,
            at: recently,
        });
    }
    services
}

/// A gateway in which somebody has so many keys besides, each edited with its number.
pub(super) async fn with_keys(
    subject: &str,
    count: i64,
    edit: impl Fn(i64, ApiKey) -> ApiKey,
) -> Harness {
    let services = people().await;
    let holder = services.store.customer(&owner(subject)).await.unwrap();
    let holder = holder.unwrap();
    for number in 1..=count {
        let id = format!("0198f3c2-7d3e-7000-8000-00000001{number:04}");
        let key = new_key(&id, &holder, "till", &format!("cep_live_Many{number:04}"));
        add_key(&services, edit(number, key)).await;
    }
    Harness::over(services).await
}

/// Changes a key, as the admin would have at that time.
pub(crate) async fn change(
    services: &PeopleServices,
    key: &str,
    change: KeyChange,
    at: DateTime<Utc>,
) {
    let act = AuditContext {
        id: Uuid::from_u128(at.timestamp_millis().unsigned_abs().into()),
        at,
        actor: owner("admin"),
        request_id: RequestId::parse("earlier-2").unwrap(),
    };
    let store = services.store.elsewhere();
    let changed = store.change(Scope::Everybody, KeyId(id(key)), &change, &act);
    changed.await.unwrap();
}

/// Journals a request with a key, which took 300 ms.
pub(crate) async fn write_down(
    services: &PeopleServices,
    key: &ApiKey,
    endpoint: Endpoint,
    outcome: Outcome,
    at: DateTime<Utc>,
) {
    let month = Month::of(at);
    let entry = AdmissionEntry {
        key: key.id,
        month,
        at,
    };
    services.journal.admit(entry).await.unwrap();
    services.journal.conclude(RequestEntry {
        id: new_id(services.clock.as_ref(), services.random.as_ref()),
        request_id: RequestId::parse("earlier-3").unwrap(),
        key: key.id,
        customer: key.customer,
        endpoint,
        outcome,
        banks: None,
        at,
        duration: Duration::from_millis(300),
        bank_time: None,
        refund: outcome.is_refunded().then_some(month),
        delivered: Vec::new(),
        seal: None,
    });
}
