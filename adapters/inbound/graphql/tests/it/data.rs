//! Data behind the API: two customers, 121 keys, and what they used.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::{
    ApiKey, CountedKey, Credential, HashGeneration, KeyBounds, KeyHash, KeyId, KeyName, KeyPrefix,
};
use domain::limits::{LimitsChange, Plan};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::participants::ParticipantCode;
use domain::people::customer::{CustomerId, Role};
use domain::request::RequestId;
use domain::seals::SealVerdict;
use domain::transfer::Banks;
use ports::outbound::{
    AdmissionEntry, KeyChange, KeyStore as _, Limiter as _, RefusalEntry, RequestEntry, Scope,
    Successor, UsageJournal as _,
};
use testkit::people::{PeopleServices, owner};
use uuid::Uuid;

const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T06:23:27Z".parse().unwrap()
}

pub(crate) fn key_id(number: u128) -> KeyId {
    let base = 0x0198_0000_0000_7000_8000_0000_0000_0000;
    KeyId(Uuid::from_u128(base + number))
}

pub(crate) fn customer_id(subject: &str) -> CustomerId {
    let number = match subject {
        "member" => 1,
        "other" => 2,
        _ => panic!("{subject} is no customer"),
    };
    let base = 0x0197_0000_0000_7000_8000_0000_0000_0000;
    CustomerId(Uuid::from_u128(base + number))
}

/// The services with this data, and the sessions `member` and `admin` of persons with these names.
/// Keys 1 to 120 are the member's and key 121 is another's, later ones newer. Key 1 was used a second
/// ago. Key 2 is revoked. Keys 3 and 4 retire; their successors are keys 119 and 120. Key 5 has no
/// cap.
pub(crate) async fn services() -> PeopleServices {
    let services = PeopleServices::at(now() - SECOND);
    for (subject, days) in [("member", 31), ("other", 30)] {
        let (id, created_at) = (customer_id(subject), now() - TimeDelta::days(days));
        let added = services.add_customer(id, subject, Plan::Startup, created_at);
        added.await;
    }
    for number in 1..=118 {
        services.add_key(key(number, "member")).await;
    }
    let newest = ApiKey {
        created_at: now() - TimeDelta::minutes(10),
        ..key(121, "other")
    };
    services.add_key(newest).await;
    change_keys(&services).await;
    use_keys(&services);
    admit(&services).await;
    services.clock.advance(SECOND);
    services.sign_in("member", "member", Role::Member);
    services.sign_in("admin", "admin", Role::Admin);
    services
}

/// A new key of a customer.
pub(crate) fn key(number: u128, subject: &str) -> ApiKey {
    ApiKey {
        id: key_id(number),
        counters: key_id(number).into(),
        customer: customer_id(subject),
        owner: owner(subject),
        name: KeyName::parse(&format!("till {number:03}")).unwrap(),
        prefix: prefix(number),
        limits: Plan::Startup.limits(),
        created_at: now() - TimeDelta::days(20)
            + TimeDelta::seconds(i64::try_from(number).unwrap()),
        retires_at: None,
        revoked_at: None,
        last_used_at: None,
    }
}

/// A live key's prefix for an odd number, a test key's for an even one.
fn prefix(number: u128) -> KeyPrefix {
    let even = number.is_multiple_of(2);
    let environment = if even { "test" } else { "live" };
    KeyPrefix::parse(&format!("cep_{environment}_Key{number:05}")).unwrap()
}

async fn change_keys(services: &PeopleServices) {
    let store = services.store.elsewhere();
    let no_cap = LimitsChange::new(Some(600), Some(None)).unwrap();
    for (number, actor, minutes, change) in [
        (5, "admin", 30, KeyChange::SetLimits(no_cap)),
        (2, "member", 120, KeyChange::Revoke),
    ] {
        let context = services.mutation(now() - TimeDelta::minutes(minutes), &owner(actor));
        let changed = store.change(Scope::Everybody, key_id(number), &change, &context);
        changed.await.unwrap();
    }
    for (number, successor, ago, grace) in [(3, 119, 2, 24), (4, 120, 1, 2)] {
        let rotated_at = now() - TimeDelta::hours(ago);
        let retires_at = rotated_at + TimeDelta::hours(grace);
        let context = services.mutation(rotated_at, &owner("member"));
        let new = Successor {
            prefix: prefix(successor),
            credential: Credential {
                id: key_id(successor),
                counters: key_id(successor).into(),
                customer: customer_id("member"),
                hash: KeyHash([0; 32]),
                generation: HashGeneration(1),
            },
        };
        let (id, scope, bounds) = (key_id(number), Scope::Everybody, KeyBounds::Unbounded);
        let rotated = store.rotate(scope, id, &new, retires_at, bounds, &context);
        rotated.await.unwrap();
    }
}

/// Three requests of key 1 that were admitted, the oldest of them given back, and two that a limit
/// refused.
fn use_keys(services: &PeopleServices) {
    let bank = |code| ParticipantCode::parse(code).unwrap();
    let banks = Banks {
        issuer: bank("40012"),
        receiver: bank("90638"),
    };
    let delivered = RequestEntry {
        id: key_id(903).0,
        request_id: RequestId::parse("req-3").unwrap(),
        key: key_id(1),
        customer: customer_id("member"),
        endpoint: Endpoint::XmlAuto,
        outcome: Outcome::Delivered,
        banks: Some(banks),
        at: now() - SECOND,
        duration: Duration::from_micros(812_900),
        bank_time: Some(Duration::from_millis(700)),
        refund: None,
        delivered: Vec::new(),
        seal: Some(SealVerdict::Valid),
    };
    let invalid = RequestEntry {
        id: key_id(902).0,
        request_id: RequestId::parse("req-2").unwrap(),
        outcome: Outcome::InvalidRequest,
        banks: None,
        at: now() - TimeDelta::minutes(2),
        duration: Duration::from_micros(900),
        bank_time: None,
        seal: None,
        ..delivered.clone()
    };
    let timed_out = RequestEntry {
        id: key_id(901).0,
        request_id: RequestId::parse("req-1").unwrap(),
        endpoint: Endpoint::ZipAuto,
        outcome: Outcome::BankTimeout,
        at: now() - TimeDelta::hours(2),
        duration: Duration::from_secs(25),
        bank_time: Some(Duration::from_secs(25)),
        refund: Some(Month::of(now())),
        seal: None,
        ..delivered.clone()
    };
    for entry in [timed_out, invalid, delivered] {
        drop(services.journal.admit(AdmissionEntry {
            key: entry.key,
            month: Month::of(now()),
            at: entry.at,
        }));
        services.journal.conclude(entry);
    }
    for _ in 0..2 {
        refuse(services, 1);
    }
}

/// Admits the newest request of key 1.
async fn admit(services: &PeopleServices) {
    let (key, limiter) = (CountedKey::first(key_id(1)), &services.limiter);
    let store = services.store.elsewhere();
    let snapshot = store.snapshot(key_id(1), Month::of(now())).await.unwrap();
    limiter.hydrate(key, snapshot.unwrap()).await.unwrap();
    limiter.admit(key).await.unwrap();
    limiter.faults().forget_calls();
}

/// Counts a request of a member's key that the minute's limit refused an hour ago.
pub(crate) fn refuse(services: &PeopleServices, key: u128) {
    services.journal.refuse(RefusalEntry {
        key: key_id(key),
        customer: customer_id("member"),
        endpoint: Endpoint::Xml,
        outcome: Outcome::RateLimited,
        at: now() - TimeDelta::hours(1),
    });
}
