//! Names of enums: JSON has those of the domain, GraphQL the same in upper case.

use async_graphql::resolver_utils::EnumType;
use serde::Serialize;
use serde_json::{Value, to_value};

/// Asserts that an enum has a name for each variant of its original, and no other.
fn assert_named<T: EnumType + Serialize>(names: &[&str]) {
    let items: Vec<_> = T::items().iter().map(|item| to_value(item.value)).collect();
    let items: Vec<_> = items.into_iter().map(Result::unwrap).collect();
    let names: Vec<_> = names.iter().map(|name| Value::from(*name)).collect();
    assert_eq!(items, names);
    for (item, name) in T::items().iter().zip(names) {
        let upper = name.as_str().unwrap().to_uppercase().replace('.', "_");
        assert_eq!(item.name, upper);
    }
}

/// Asserts that views of enums have the domain's names.
macro_rules! named_as {
    ($($view:path => $domain:path,)+) => {
        $(assert_named::<$view>(&<$domain>::ALL.map(<$domain>::name));)+
    };
}

#[test]
fn both_apis_name_a_value_as_the_domain_does() {
    named_as! {
        super::audit::AuditAction => domain::audit::Action,
        super::batches::BatchRowState => domain::batches::RowState,
        super::batches::BatchState => domain::batches::BatchState,
        super::batches::PassedOverReason => domain::batches::sheet::PassedOver,
        super::keys::Environment => domain::keys::Environment,
        super::keys::KeyState => domain::keys::KeyStatus,
        super::limits::Plan => domain::limits::Plan,
        super::lookups::LookupState => domain::lookups::LookupState,
        super::requests::Endpoint => domain::outcome::Endpoint,
        super::seals::SealVerdict => domain::seals::SealVerdict,
        super::usage::Granularity => domain::usage::Granularity,
        super::webhooks::WebhookDeliveryState => domain::webhooks::DeliveryState,
        super::webhooks::WebhookDisabledReason => domain::webhooks::DisabledReason,
        super::webhooks::WebhookEvent => domain::webhooks::EventType,
        super::webhooks::WebhookFailure => domain::webhooks::SendFailure,
    }
    assert_named::<super::requests::Outcome>(
        &domain::outcome::Outcome::ALL.map(domain::outcome::Outcome::reason_name),
    );
}
