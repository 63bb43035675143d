//! Verification of sessions, until the token ends or its owner signs out.

use rstest::rstest;

use super::*;

impl Fixture {
    /// Asserts that a session can neither be verified nor ended.
    async fn is_unavailable(&self, session: &Session) {
        let person = self.sessions.person(&session.token).await;
        assert!(matches!(person, Err(SessionError::Unavailable(_))));
        let ended = self.sessions.end(&session.token).await;
        assert!(matches!(ended, Err(SessionError::Unavailable(_))));
    }
}

#[tokio::test]
async fn a_session_that_was_ended_is_refused_by_every_process() {
    let (fixture, session) = start_signed_in().await;
    let another = fixture.signed_in().await;
    fixture.elsewhere.person(&session.token).await.unwrap();
    let sign_out = fixture.sessions.end(&session.token).await.unwrap();
    let expected = "https://identity.example/sign-out?return_to=https://gateway.example";
    assert_eq!(sign_out.as_deref(), Some(expected));
    assert_eq!(fixture.provider.revoked(), [&*session.token]);
    for process in [&fixture.sessions, &fixture.elsewhere] {
        assert_no_session(process.person(&session.token).await);
        process.person(&another.token).await.unwrap();
    }
    fixture.clock.advance(Duration::from_millis(3_599_999));
    assert_no_session(fixture.sessions.person(&session.token).await);
    fixture.sessions.person(&another.token).await.unwrap();
}

#[rstest]
#[case::of_before(Some(0), 0, false)]
#[case::of_the_same_second(Some(10), 0, false)]
#[case::of_afterwards(Some(11), 0, true)]
#[case::undated(None, 86_389_999, false)]
#[case::undated_a_day_later(None, 86_390_000, true)]
#[tokio::test]
async fn sessions_of_before_a_restore_are_over(
    #[case] issued_at: Option<i64>,
    #[case] later: u64,
    #[case] is_good: bool,
) {
    let mut fixture = fixture();
    let at = |seconds| noon() + TimeDelta::seconds(seconds);
    fixture.clock.advance(Duration::from_secs(10));
    fixture.sessions = fixture.sessions.with_sessions_ended_at(Some(at(10)));
    let claims = Claims {
        issued_at: issued_at.map(at),
        expires_at: at(200_000),
        ..claims()
    };
    fixture.provider.accept("a.b.c", claims);
    fixture
        .clock
        .advance(Duration::from_secs(10) + Duration::from_millis(later));
    let person = fixture.sessions.person("a.b.c").await;
    fixture.elsewhere.person("a.b.c").await.unwrap();
    assert_eq!(person.is_ok(), is_good);
}

#[tokio::test]
async fn sessions_that_a_wrong_clock_ended_in_the_future_are_those_of_until_now() {
    let mut fixture = fixture();
    let ended_at = noon() + TimeDelta::days(500);
    fixture.sessions = fixture.sessions.with_sessions_ended_at(Some(ended_at));
    for (token, seconds) in [("a.b.before", 0), ("a.b.after", 1)] {
        let claims = Claims {
            issued_at: Some(noon() + TimeDelta::seconds(seconds)),
            expires_at: noon() + TimeDelta::days(1),
            ..claims()
        };
        fixture.provider.accept(token, claims);
    }
    fixture.clock.advance(Duration::from_secs(2));
    assert_no_session(fixture.sessions.person("a.b.before").await);
    fixture.sessions.person("a.b.after").await.unwrap();
}

/// With ECDSA a token has many valid signatures: another can be made from one.
#[tokio::test]
async fn a_signed_out_token_with_another_signature_is_signed_out() {
    let fixture = fixture();
    let tokens = ["head.body.other", "head.body.one", "head.another.one"];
    accept(&fixture, &tokens, |_| "ana".to_owned());
    let sessions = &fixture.sessions;
    sessions.person("head.body.other").await.unwrap();
    sessions.end("head.body.one").await.unwrap();
    assert_no_session(sessions.person("head.body.other").await);
    sessions.person("head.another.one").await.unwrap();
}

#[tokio::test]
async fn a_session_ends_here_though_the_provider_fails() {
    let (fixture, session) = start_signed_in().await;
    fixture.provider.fail_with(Some(down()));
    fixture.provider.set_sign_out(SignOut::NotOffered);
    assert_eq!(fixture.sessions.end(&session.token).await.unwrap(), None);
    assert_no_session(fixture.sessions.person(&session.token).await);
}

#[tokio::test]
async fn ending_an_invalid_session_is_no_error_and_leaves_nothing() {
    let fixture = fixture();
    let sign_out = fixture.sessions.end("garbage").await.unwrap();
    assert!(sign_out.is_some(), "the provider may have its own session");
    assert_eq!(fixture.provider.revoked(), [""; 0]);
}

#[tokio::test]
async fn while_sessions_cannot_be_checked_nobody_has_or_ends_one() {
    let (fixture, session) = start_signed_in().await;
    let unavailable = TokenError::Unavailable(Arc::new(std::io::Error::other("it is down")));
    fixture.provider.fail_verifying_with(Some(unavailable));
    fixture.is_unavailable(&session).await;
    fixture.provider.fail_verifying_with(None);
    fixture.denied.faults().inject(Fault::Fails);
    fixture.is_unavailable(&session).await;
    assert_eq!(fixture.provider.revoked(), [""; 0]);
}
