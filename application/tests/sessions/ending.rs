//! Being who one is, until the token ends or its owner signs out.

use super::*;

#[tokio::test]
async fn a_token_that_is_not_good_asks_no_store() {
    let house = house();
    for token in ["", "a.b.c", "token-99"] {
        assert_no_session(house.sessions.person(token).await);
    }
    assert_eq!(house.denied.readings.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_session_ends_with_its_token() {
    let house = house();
    let session = house.signed_in().await;
    house.clock.advance(Duration::from_hours(1));
    assert_no_session(house.sessions.person(&session.token).await);
}

#[tokio::test]
async fn a_session_that_was_ended_is_refused_by_every_process() {
    let house = house();
    let session = house.signed_in().await;
    let another = house.signed_in().await;
    house.elsewhere.person(&session.token).await.unwrap();
    let sign_out = house.sessions.end(&session.token).await.unwrap();
    let expected = "https://identity.example/sign-out?return_to=https://gateway.example";
    assert_eq!(sign_out.as_deref(), Some(expected));
    assert_eq!(house.provider.revoked(), [&*session.token]);
    for process in [&house.sessions, &house.elsewhere] {
        assert_no_session(process.person(&session.token).await);
        process.person(&another.token).await.unwrap();
    }
    house
        .clock
        .advance(Duration::from_millis(60 * 60 * 1_000 - 1));
    assert_no_session(house.sessions.person(&session.token).await);
    house.sessions.person(&another.token).await.unwrap();
}

#[tokio::test]
async fn a_signed_out_token_with_another_signature_is_signed_out() {
    let house = house();
    let sessions = SessionService::new(
        Arc::new(Malleable),
        house.denied.clone(),
        house.clock.clone(),
        Arc::new(CountingRandom::default()),
        PendingSignInSeal::new(&[7; 32]).unwrap(),
        addresses(),
    );
    sessions.person("head.body.other").await.unwrap();
    sessions.end("head.body.one").await.unwrap();
    assert_no_session(sessions.person("head.body.other").await);
    sessions.person("head.another.one").await.unwrap();
}

#[tokio::test]
async fn a_session_ends_here_though_the_provider_fails() {
    let house = house();
    let session = house.signed_in().await;
    house
        .provider
        .fail_with(Some(IdentityError::Unavailable(down())));
    house.provider.set_sign_out(SignOut::NotOffered);
    assert_eq!(house.sessions.end(&session.token).await.unwrap(), None);
    assert_no_session(house.sessions.person(&session.token).await);
}

#[tokio::test]
async fn a_session_that_cannot_be_ended_here_is_told_so() {
    let house = house();
    let session = house.signed_in().await;
    house.denied.set_down();
    let ended = house.sessions.end(&session.token).await;
    assert!(matches!(ended, Err(SessionError::Unavailable(_))));
    assert_eq!(house.provider.revoked(), [""; 0]);
}

#[tokio::test]
async fn ending_what_is_no_session_is_no_error_and_leaves_nothing() {
    let house = house();
    let sign_out = house.sessions.end("garbage").await.unwrap();
    assert!(sign_out.is_some(), "the provider may have its own session");
    assert_eq!(house.provider.revoked(), [""; 0]);
    let session = house.signed_in().await;
    for _ in 0..2 {
        house.sessions.end(&session.token).await.unwrap();
    }
}

#[tokio::test]
async fn while_sessions_cannot_be_checked_nobody_has_one() {
    let house = house();
    let session = house.signed_in().await;
    house
        .provider
        .fail_verifying_with(Some(TokenError::Unavailable(down())));
    let person = house.sessions.person(&session.token).await;
    assert!(matches!(person, Err(SessionError::Unavailable(_))));
    let ended = house.sessions.end(&session.token).await;
    assert!(matches!(ended, Err(SessionError::Unavailable(_))));
    house.provider.fail_verifying_with(None);
    house.denied.set_down();
    let person = house.sessions.person(&session.token).await;
    assert!(matches!(person, Err(SessionError::Unavailable(_))));
}
