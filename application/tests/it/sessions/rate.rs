//! Bounds on the requests of sessions and customers.

use super::*;

/// Sends requests until one is refused; returns how many were served, and the refusal.
async fn served(sessions: &SessionService, token: &str) -> (usize, SessionError) {
    for served in 0..1_000 {
        if let Err(error) = sessions.person(token).await {
            return (served, error);
        }
    }
    panic!("a thousand requests at once were served");
}

#[tokio::test]
async fn a_session_has_thirty_requests_a_second() {
    let fixture = fixture();
    accept(&fixture, &["ana", "beto"], str::to_owned);
    let (count, refusal) = served(&fixture.sessions, "ana").await;
    let SessionError::TooManyRequests { limit, retry_after } = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!((count, limit), (30, 30));
    fixture.sessions.person("beto").await.unwrap();

    fixture.clock.advance(retry_after);
    fixture.sessions.person("ana").await.unwrap();
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(served(&fixture.sessions, "ana").await.0, 30);
}

#[tokio::test]
async fn a_customer_has_sixty_requests_a_second_with_all_its_sessions() {
    let fixture = fixture();
    let tokens = ["one", "two", "three", "four"];
    accept(&fixture, &tokens, |_| "ana".to_owned());
    let mut counts = Vec::new();
    for token in tokens {
        counts.push(served(&fixture.sessions, token).await.0);
    }
    assert_eq!(counts, [30, 30, 0, 0]);
}

#[tokio::test]
async fn a_refused_request_costs_neither_the_store_nor_the_provider() {
    let fixture = fixture();
    accept(&fixture, &["ana"], str::to_owned);
    served(&fixture.sessions, "ana").await;
    let asked = fixture.denied.faults().calls();
    for _ in 0..100 {
        let refused = fixture.sessions.end("ana").await;
        assert!(matches!(refused, Err(SessionError::TooManyRequests { .. })));
        fixture.sessions.person("ana").await.unwrap_err();
    }
    assert_eq!(fixture.denied.faults().calls(), asked);
    assert_eq!(fixture.provider.revoked(), [""; 0]);
}

/// Whoever has heard of a token's claims has no token.
#[tokio::test]
async fn a_token_that_is_not_good_asks_no_store_and_uses_up_nobodys_rate() {
    let fixture = fixture();
    for token in ["", "a.b.c", "token-99", "head.body.forged"].repeat(50) {
        assert_no_session(fixture.sessions.person(token).await);
    }
    assert_eq!(fixture.denied.faults().all_calls(), 0);
    accept(&fixture, &["head.body.good"], str::to_owned);
    fixture.sessions.person("head.body.good").await.unwrap();
}

#[tokio::test]
async fn the_provider_hears_of_a_sign_out_once() {
    let (fixture, session) = start_signed_in().await;
    for _ in 0..10 {
        fixture.sessions.end(&session.token).await.unwrap();
        fixture.elsewhere.end(&session.token).await.unwrap();
    }
    assert_eq!(fixture.provider.revoked(), [&*session.token]);
}
