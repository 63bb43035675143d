//! Limit status of a key, and the budget of the bank.

use super::*;

#[tokio::test]
async fn a_limit_status_is_the_one_of_the_next_answer() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    for _ in 0..3 {
        dashboard.request(&key, Outcome::Delivered).await;
    }
    let overview = dashboard.overview(&ANA, &key).await;
    let snapshots = dashboard.fixture.store.snapshots();
    dashboard.fixture.store.go_down();
    let limit_status = dashboard.insights.limit_status(&overview).await.unwrap();
    assert_eq!(
        (limit_status.minute.limit, limit_status.minute.remaining),
        (60, 57)
    );
    assert_eq!(limit_status.month.unwrap().used, 3);
    assert_eq!(dashboard.fixture.store.snapshots(), snapshots);
}

#[tokio::test]
async fn an_idle_key_has_its_whole_minute_and_the_rest_of_its_month() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    dashboard.request(&key, Outcome::Delivered).await;
    dashboard.fixture.clock.advance(Duration::from_mins(1));
    assert_eq!(dashboard.fixture.in_process.forget_idle(), 1);
    let overview = dashboard.overview(&ANA, &key).await;
    let limit_status = dashboard.insights.limit_status(&overview).await.unwrap();
    let expected = MinuteStatus {
        limit: 60,
        remaining: 60,
        reset: Duration::from_mins(1),
    };
    assert_eq!(limit_status.minute, expected);
    let month = limit_status.month.unwrap();
    assert_eq!((month.used, month.limit), (1, 1_000));
    assert_eq!(month.reset_at, instant("2026-12-01T00:00:00Z"));

    dashboard
        .fixture
        .clock
        .advance(Duration::from_hours(15 * 24));
    let limit_status = dashboard.insights.limit_status(&overview).await.unwrap();
    let month = limit_status.month.unwrap();
    assert_eq!(month.used, 0, "it was read last month");
    assert_eq!(month.reset_at, instant("2027-01-01T00:00:00Z"));
}

#[tokio::test]
async fn a_limiter_that_fails_tells_no_standing() {
    let dashboard = dashboard();
    let key = dashboard.key_of(&ANA).await;
    let overview = dashboard.overview(&ANA, &key).await;
    dashboard.fixture.limiter.fail_once_after(0);
    let limit_status = dashboard.insights.limit_status(&overview).await;
    assert!(matches!(limit_status, Err(KeyError::Store(_))));
}

#[tokio::test]
async fn a_bank_tells_its_budget_and_its_pause() {
    let dashboard = dashboard();
    let budget = BankBudget {
        per_minute: 30,
        remaining: 0,
        paused_for: Some(Duration::from_mins(2)),
    };
    dashboard.test_bank.set_budget(Some(budget));
    let health = dashboard.insights.bank(Environment::Test).await;
    assert_eq!(
        (health.state, health.budget),
        (BankState::Paused, Some(budget))
    );
    let health = dashboard.insights.bank(Environment::Live).await;
    assert_eq!((health.state, health.budget), (BankState::Unknown, None));
}
