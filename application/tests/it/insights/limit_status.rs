//! Limit status of a key.

use super::*;

async fn read(fixture: &Fixture, overview: &KeyOverview) -> LimitStatus {
    let overviews = std::slice::from_ref(overview);
    let limit_statuses = fixture.insights.limit_statuses(overviews).await.unwrap();
    let [limit_status] = limit_statuses[..] else {
        panic!("{limit_statuses:?}");
    };
    limit_status
}

#[tokio::test]
async fn a_limit_status_is_the_one_of_the_next_answer_and_a_limiter_that_fails_tells_none() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    for _ in 0..3 {
        fixture.serve(&key, Outcome::Delivered).await;
    }
    let overview = fixture.overview(&ANA, &key).await;
    let snapshots = fixture.store.snapshots_read();
    fixture.store.go_down();
    let limit_status = read(&fixture, &overview).await;
    let minute = limit_status.minute;
    assert_eq!((minute.limit, minute.remaining), (60, 57));
    assert_eq!(limit_status.month.unwrap().used, 3);
    assert_eq!(fixture.store.snapshots_read(), snapshots);
    fixture.limiter.faults().fail_once_after(0);
    let failed = fixture.insights.limit_statuses(&[overview]).await;
    assert!(matches!(failed, Err(KeyError::Store(_))));
}

#[tokio::test]
async fn an_idle_key_has_its_whole_minute_and_the_rest_of_its_month() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    fixture.serve(&key, Outcome::Delivered).await;
    fixture.clock.advance(Duration::from_mins(1));
    assert_eq!(fixture.limiter.in_process().forget_idle(), 1);
    let overview = fixture.overview(&ANA, &key).await;
    let limit_status = read(&fixture, &overview).await;
    let expected = MinuteStatus {
        limit: 60,
        remaining: 60,
        reset: Duration::from_mins(1),
    };
    assert_eq!(limit_status.minute, expected);
    let month = limit_status.month.unwrap();
    assert_eq!((month.used, month.limit), (1, 1_000));
    assert_eq!(month.reset_at, instant("2026-12-01T00:00:00Z"));

    fixture.clock.advance(Duration::from_hours(15 * 24));
    let limit_status = read(&fixture, &overview).await;
    let month = limit_status.month.unwrap();
    assert_eq!(month.used, 0, "it was read last month");
    assert_eq!(month.reset_at, instant("2027-01-01T00:00:00Z"));
}
