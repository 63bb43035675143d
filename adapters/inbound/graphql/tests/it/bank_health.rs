//! Health of the banks, as an hour of lookups leaves it.

use std::sync::Arc;
use std::time::Duration;

use application::{ProofRequest, ProofSource};
use domain::keys::Environment;
use domain::pacing::{BankBudget, QueueLength};
use domain::proofs::file::RequestedFiles;
use domain::request::RequestId;
use insta::assert_json_snapshot;
use ports::contract::pacer::LANE;
use testkit::fakes::NoSealKeys;
use testkit::lookups::proofs;
use testkit::people::PeopleServices;

use crate::harness::Harness;
use crate::lookups::query;

/// A lookup in the live bank, whose answer depends on the amount.
fn request(amount: &'static str) -> ProofRequest {
    ProofRequest {
        query: query(amount),
        source: ProofSource::Any,
        wanted: RequestedFiles::Xml,
        environment: Environment::Live,
        lane: LANE,
        request_id: RequestId::parse("request-1").unwrap(),
    }
}

/// Makes a lookup that takes the live bank so long.
async fn look_up(services: &PeopleServices, amount: &'static str, duration: Duration) {
    let bank = &services.live_bank;
    let (clock, monitor) = (services.clock.clone(), services.monitor.clone());
    let banks = (bank, &services.test_bank);
    let proofs = proofs(banks, clock, monitor, Arc::new(NoSealKeys));
    let asked = bank.times_asked();
    bank.hold();
    let answered = async {
        while bank.times_asked() == asked {
            tokio::task::yield_now().await;
        }
        services.clock.advance(duration);
        bank.release();
    };
    tokio::join!(proofs.fetch(request(amount)), answered);
}

#[tokio::test]
async fn the_health_of_both_banks() {
    let harness = Harness::new().await;
    let services = &harness.services;
    // Never three failures in a row: the next lookup would not be sent.
    for (amount, millis, times) in [
        ("1.00", 200, 6),
        ("500.00", 900, 2),
        ("1.00", 200, 1),
        ("500.00", 900, 1),
        ("404.00", 1_600, 2),
    ] {
        for _ in 0..times {
            look_up(services, amount, Duration::from_millis(millis)).await;
        }
    }
    services.live_bank.set_budget(Some(BankBudget {
        per_minute: 30,
        remaining: 4,
        waiting: QueueLength {
            interactive: 4,
            background: 2,
        },
        paused_for: None,
    }));
    let query = "{ live: bank { ...H } test: bank(env: TEST) { ...H } } \
                 fragment H on BankHealth { env state lookups successRate \
                 latency { p50Ms p95Ms p99Ms } budget { perMinute remaining pausedForSeconds waiting { interactive background } } }";
    assert_json_snapshot!(harness.member(query).await.data());
}

#[tokio::test]
async fn a_bank_in_a_back_off_is_paused_for_whole_seconds_rounded_up() {
    let harness = Harness::new().await;
    harness.services.live_bank.set_budget(Some(BankBudget {
        per_minute: 30,
        remaining: 0,
        waiting: QueueLength::default(),
        paused_for: Some(Duration::from_millis(1_001)),
    }));
    let query = "{ bank { state budget { remaining pausedForSeconds } } }";
    let expected = serde_json::json!({ "bank": {
        "state": "PAUSED", "budget": { "remaining": 0, "pausedForSeconds": 2 } } });
    assert_eq!(harness.member(query).await.data(), expected);
}
