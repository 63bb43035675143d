//! Keys of machines, and their use until now.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditContext;
use domain::keys::{ApiKey, CountedKey, Credential, FullKey, KeyBounds, KeyId, KeyName, KeyPrefix};
use domain::limits::{Limits, Plan};
use domain::month::Month;
use domain::people::customer::{Customer, CustomerId};
use domain::request::RequestId;
use ports::outbound::{
    AdmissionEntry, Clock as _, KeyRecord, KeyStore as _, Limiter as _, UsageJournal as _,
};
use testkit::people::{PeopleServices, hasher};
use uuid::Uuid;

/// The secret part of all keys.
const SECRET: &str = "000000000000000000000000";

/// A key with its plan's limits, used twice in this minute.
pub(crate) const GOOD_KEY: &str = "cep_test_AbCd1234.000000000000000000000000";
/// A key without a cap by the month.
pub(crate) const UNCAPPED_KEY: &str = "cep_test_Uncapped.000000000000000000000000";
/// A key whose minute is used up.
pub(crate) const FAST_KEY: &str = "cep_test_TooFast0.000000000000000000000000";
/// A key whose month is used up.
pub(crate) const SPENT_KEY: &str = "cep_test_AllSpent.000000000000000000000000";

/// The id of [`GOOD_KEY`].
pub(crate) const GOOD_KEY_ID: &str = "0198f3c2-7d3e-7000-8000-000000000001";

/// Time since the first request of this minute: 16.2 s are left of it.
const INTO_THE_MINUTE: Duration = Duration::from_millis(43_800);

/// 20 November 2026, 12:00 in UTC and 06:00 in Mexico City.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

/// The services, with keys of one machine.
pub(crate) async fn machine() -> PeopleServices {
    let services = PeopleServices::at(now() - INTO_THE_MINUTE - Duration::from_mins(1));
    let id = CustomerId(Uuid::from_u128(1));
    let customer = services.add_customer(id, "machine", Plan::Startup, now());
    let customer = customer.await;
    let capped = Plan::Startup.limits();
    let uncapped = Limits::new(capped.per_minute(), None).unwrap();
    let add = async |id: &str, key: &str, limits| {
        let (prefix, _) = key.split_once('.').unwrap();
        let key = ApiKey {
            limits,
            ..new_key(id, &customer, "till", prefix)
        };
        let id = key.id;
        add_key(&services, key).await;
        id
    };
    let good = add(GOOD_KEY_ID, GOOD_KEY, capped).await;
    add(
        "0198f3c2-7d3e-7000-8000-000000000002",
        UNCAPPED_KEY,
        uncapped,
    )
    .await;
    let fast = add("0198f3c2-7d3e-7000-8000-000000000003", FAST_KEY, capped).await;
    let spent = add("0198f3c2-7d3e-7000-8000-000000000004", SPENT_KEY, capped).await;

    use_key(&services, spent, capped.monthly_quota().unwrap()).await;
    services.clock.advance(Duration::from_mins(1));
    use_key(&services, fast, u64::from(capped.per_minute())).await;
    use_key(&services, good, 2).await;
    services.clock.advance(INTO_THE_MINUTE);
    services
}

/// Counts requests of this moment with a key, in the limiter and in the journal.
async fn use_key(services: &PeopleServices, key: KeyId, times: u64) {
    let month = Month::of(now());
    let store = services.store.elsewhere();
    let hydrate = async || {
        let snapshot = store.snapshot(key, month).await.unwrap();
        let hydrated = services
            .limiter
            .hydrate(CountedKey::first(key), snapshot.unwrap())
            .await;
        hydrated.unwrap();
    };
    hydrate().await;
    let at = services.clock.now();
    for _ in 0..times {
        // More than the minute's limit aren't counted here, but by the second reading.
        services
            .limiter
            .admit(CountedKey::first(key))
            .await
            .unwrap();
        let written = services.journal.admit(AdmissionEntry { key, month, at });
        written.await.unwrap();
    }
    hydrate().await;
}

pub(crate) fn id(text: &str) -> Uuid {
    text.parse().unwrap()
}

/// A key with its plan's limits, three days old.
pub(crate) fn new_key(id_text: &str, customer: &Customer, name: &str, prefix: &str) -> ApiKey {
    ApiKey {
        id: KeyId(id(id_text)),
        counters: KeyId(id(id_text)).into(),
        customer: customer.id,
        owner: customer.owner.clone(),
        name: KeyName::parse(name).unwrap(),
        prefix: KeyPrefix::parse(prefix).unwrap(),
        limits: customer.plan.limits(),
        created_at: now() - TimeDelta::days(3),
        retires_at: None,
        revoked_at: None,
        last_used_at: None,
    }
}

/// Adds a key; the audit log's entry has the same id.
pub(crate) async fn add_key(services: &PeopleServices, key: ApiKey) {
    let full = format!("{}.{SECRET}", key.prefix.as_str());
    let (hash, generation) = hasher().hash(&FullKey::parse(&full).unwrap());
    let act = AuditContext {
        id: key.id.0,
        at: key.created_at,
        actor: key.owner.clone(),
        request_id: RequestId::parse("earlier-1").unwrap(),
    };
    let credential = Credential {
        id: key.id,
        counters: key.id.into(),
        customer: key.customer,
        hash,
        generation,
    };
    let record = KeyRecord { key, credential };
    let store = services.store.elsewhere();
    store
        .insert(record, KeyBounds::Unbounded, &act)
        .await
        .unwrap();
}
