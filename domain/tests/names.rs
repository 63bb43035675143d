//! Names that are stored, logged or part of the API: they never change.

use domain::audit::Action;
use domain::customer::Role;
use domain::key::{Environment, KeyStatus};
use domain::limits::Plan;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::ThrottleReason;
use domain::payment::PaymentState;
use domain::usage::Granularity;

#[test]
fn endpoints_keep_their_names_and_order() {
    let names = [
        "xml_auto",
        "xml",
        "pdf",
        "pdf_auto",
        "zip_auto",
        "base64",
        "xml_base64",
    ];
    assert_eq!(Endpoint::ALL.map(Endpoint::name), names);
    let parsed = names.map(Endpoint::from_name);
    assert_eq!(parsed, Endpoint::ALL.map(Some));
}

#[test]
fn outcomes_keep_their_names_and_order() {
    let names = [
        "delivered",
        "invalid_request",
        "inference_failed",
        "not_found",
        "not_issued",
        "rate_limited",
        "quota_exceeded",
        "bank_protocol_error",
        "bank_unavailable",
        "bank_throttled",
        "bank_timeout",
        "internal_error",
    ];
    assert_eq!(Outcome::ALL.map(Outcome::name), names);
    assert_eq!(names.map(Outcome::from_name), Outcome::ALL.map(Some));
}

#[test]
fn audited_actions_keep_their_names_and_order() {
    let names = [
        "key_created",
        "key_renamed",
        "key_revoked",
        "key_rotated",
        "limits_set",
        "plan_set",
    ];
    assert_eq!(Action::ALL.map(Action::name), names);
    assert_eq!(names.map(Action::from_name), Action::ALL.map(Some));
}

#[test]
fn plans_keep_their_names_and_order() {
    let names = ["startup", "enterprise"];
    assert_eq!(Plan::ALL.map(Plan::name), names);
    assert_eq!(names.map(Plan::from_name), Plan::ALL.map(Some));
}

#[test]
fn environments_statuses_granularities_and_roles_keep_their_names() {
    for (environment, name) in [(Environment::Live, "live"), (Environment::Test, "test")] {
        assert_eq!(environment.name(), name);
        assert_eq!(Environment::from_name(name), Some(environment));
    }
    for (status, name) in [
        (KeyStatus::Active, "active"),
        (KeyStatus::Retiring, "retiring"),
        (KeyStatus::Revoked, "revoked"),
    ] {
        assert_eq!(status.name(), name);
        assert_eq!(KeyStatus::from_name(name), Some(status));
    }
    for (granularity, name) in [
        (Granularity::Hour, "hour"),
        (Granularity::Day, "day"),
        (Granularity::Month, "month"),
    ] {
        assert_eq!(granularity.name(), name);
        assert_eq!(Granularity::from_name(name), Some(granularity));
    }
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
    let labels = [
        "En proceso",
        "Liquidado",
        "Cancelado",
        "Rechazado",
        "En proceso de devolución",
        "Devuelto",
        "No liquidado",
        "No encontrado",
        "Retornado",
    ];
    assert_eq!(PaymentState::ALL.map(PaymentState::label), labels);
}

#[test]
fn a_name_in_another_case_or_with_blanks_is_refused() {
    for name in ["", "XML", "Xml", " xml", "xml "] {
        assert_eq!(Endpoint::from_name(name), None, "{name:?}");
    }
    assert_eq!(Environment::from_name("Live"), None);
    assert_eq!(Plan::from_name("STARTUP"), None);
}
