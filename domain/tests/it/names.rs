//! Names that are stored, logged or part of the API: they never change.

use domain::audit::Action;
use domain::keys::{Environment, KeyStatus};
use domain::limits::Plan;
use domain::lookups::LookupState;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::ThrottleReason;
use domain::payment::PaymentState;
use domain::people::customer::{ExistingKeys, Role};
use domain::usage::{Breakdown, Granularity};

/// Asserts the names of an enum's variants, their order, and that each is parsed; names in one text.
macro_rules! assert_names {
    ($enum:ty, $names:expr) => {
        let names: Vec<&str> = $names.split(' ').collect();
        assert_eq!(<$enum>::ALL.map(<$enum>::name), *names);
        assert_eq!(<$enum as strum::VariantNames>::VARIANTS, names);
        let parsed = names.into_iter().map(<$enum>::from_name);
        assert!(parsed.eq(<$enum>::ALL.map(Some)));
    };
}

#[test]
fn endpoints_keep_their_names_and_order() {
    let names = "xml_auto xml pdf pdf_auto zip_auto base64 xml_base64 json_auto json verify lookups \
        batches receipts";
    assert_names!(Endpoint, names);
}

#[test]
fn outcomes_keep_their_names_and_order() {
    let names = "delivered receipt_read invalid_request inference_failed ambiguous not_found not_issued \
        payment_in_process payment_returned payment_rejected payment_canceled rate_limited quota_exceeded \
        bank_protocol_error bank_unavailable bank_throttled bank_timeout reader_unavailable \
        internal_error canceled";
    assert_names!(Outcome, names);
}

#[test]
fn audited_actions_keep_their_names_and_order() {
    let names = "key_created key_renamed key_revoked key_rotated limits_set plan_set webhook_added \
        webhook_changed webhook_secret_rotated webhook_removed own_account_added own_account_removed";
    assert_names!(Action, names);
}

#[test]
fn words_of_plans_keys_customers_and_charts_keep_their_names() {
    assert_names!(Plan, "startup enterprise");
    assert_names!(Environment, "live test");
    assert_names!(KeyStatus, "active retiring revoked");
    assert_names!(Granularity, "hour day month");
    assert_names!(Breakdown, "total key endpoint outcome");
    assert_names!(ExistingKeys, "keep follow");
    let states = "queued running waiting delivered ambiguous not_found failed expired canceled";
    assert_names!(LookupState, states);
    assert_eq!(Role::Member.name(), "member");
    assert_eq!(Role::Admin.name(), "admin");
}

#[test]
fn reasons_for_throttling_keep_their_names() {
    for (reason, name) in [
        (ThrottleReason::CaptchaPage, "captcha_page"),
        (ThrottleReason::TooManyQueriesPage, "too_many_queries_page"),
        (ThrottleReason::TooManyRequests, "http_429"),
        (ThrottleReason::BackingOff, "backing_off"),
        (ThrottleReason::BudgetUsedUp, "budget_used_up"),
        (ThrottleReason::TooManyLookups, "too_many_lookups"),
    ] {
        assert_eq!(reason.name(), name);
    }
}

#[test]
fn payment_states_keep_the_portals_order() {
    let labels = "En proceso|Liquidado|Cancelado|Rechazado|En proceso de devolución|Devuelto|\
        No liquidado|No encontrado|Retornado";
    assert_eq!(PaymentState::ALL.map(PaymentState::label).join("|"), labels);
    let codes = "in_process settled canceled rejected return_in_process returned not_settled \
        not_found sent_back";
    assert_names!(PaymentState, codes);
}

#[test]
fn another_name_or_one_in_another_case_or_with_blanks_is_refused() {
    for name in ["", "XML", "Xml", " xml", "xml "] {
        assert_eq!(Endpoint::from_name(name), None, "{name:?}");
    }
    assert_eq!(Environment::from_name("Live"), None);
    assert_eq!(Plan::from_name("STARTUP"), None);
    assert_eq!(Action::from_name("key_deleted"), None);
}
