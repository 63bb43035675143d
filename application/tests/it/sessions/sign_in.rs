//! Sign-in: once, and in the browser where it was begun.

use super::*;

#[tokio::test]
async fn a_sign_in_ends_where_it_was_begun_for_and_never_at_another_host() {
    let fixture = fixture();
    let begun = fixture.begin("//evil.example/").await;
    let session = fixture.sessions.finish(begun.answer()).await.unwrap();
    assert_eq!(session.return_to, "/dashboard");
    let begun = fixture.begin("/dashboard?tab=keys").await;
    let redirect_uri = parameter(&begun.sign_in, "redirect_uri");
    assert_eq!(redirect_uri, "https://gateway.example/auth/callback");
    let session = fixture.elsewhere.finish(begun.answer()).await.unwrap();
    assert_eq!(session.return_to, "/dashboard?tab=keys");
    assert_eq!(session.expires_at, claims().expires_at);
    let person = fixture.sessions.person(&session.token).await.unwrap();
    let expected = Person {
        owner: Owner {
            issuer: claims().issuer,
            subject: claims().subject,
        },
        role: Role::Member,
        display_name: claims().display_name,
        expires_at: claims().expires_at,
    };
    assert_eq!(person, expected);
}

#[tokio::test]
async fn each_sign_in_has_secrets_of_its_own() {
    let fixture = fixture();
    let (one, other) = (fixture.begin("/").await, fixture.begin("/").await);
    assert_ne!(one.state, other.state);
    let nonce = |begun: &Begun| parameter(&begun.sign_in, "nonce").to_owned();
    assert_ne!(nonce(&one), nonce(&other));
    assert_ne!(nonce(&one), one.state);
    assert!(one.state.len() >= 43);
}

#[tokio::test]
async fn a_sign_in_is_answered_once() {
    let (fixture, begun) = start_begun().await;
    fixture.sessions.finish(begun.answer()).await.unwrap();
    let again = fixture.sessions.finish(begun.answer()).await;
    assert_not_under_way(again, "in the same process");
    let again = fixture.elsewhere.finish(begun.answer()).await;
    assert_not_under_way(again, "in another process");
}

#[tokio::test]
async fn of_many_answers_at_once_one_is_the_first() {
    let (fixture, begun) = start_begun().await;
    let answers = (0..20).map(|number| {
        let process = [&fixture.sessions, &fixture.elsewhere][number % 2];
        process.finish(begun.answer())
    });
    let (signed_in, refused): (Vec<_>, Vec<_>) =
        join_all(answers).await.into_iter().partition(Result::is_ok);
    assert_eq!((signed_in.len(), refused.len()), (1, 19));
    // By us, before the provider gets the code a second time.
    for result in refused {
        assert_not_under_way(result, "at the same time");
    }
}

#[tokio::test]
async fn a_refusal_is_passed_on_short_and_printable_and_leaves_nothing_behind() {
    let (fixture, begun) = start_begun().await;
    let hostile = format!("\u{202e}a\r\nb\"{}", "x".repeat(10_000));
    let shortened = format!("ab{}", "x".repeat(62));
    for (code, shown) in [("access_denied", "access_denied"), (&hostile, &shortened)] {
        let answer = SignInAnswer {
            outcome: Err(code),
            ..begun.answer()
        };
        let refused = fixture.sessions.finish(answer).await;
        assert!(matches!(refused, Err(SignInError::Refused(code)) if code == shown));
    }
    let state = Fingerprint(fingerprint(begun.answer().state));
    assert!(!fixture.denied.is_denied(&state).await.unwrap());
    fixture.sessions.finish(begun.answer()).await.unwrap();
}

/// A code that the provider doesn't know, or that it can't be asked about, is a code all the same.
#[tokio::test]
async fn the_provider_is_asked_about_a_sign_in_once() {
    let fixture = fixture();
    for failure in [None, Some(down())] {
        let begun = fixture.begin("/").await;
        let asked = fixture.provider.redemptions();
        fixture.provider.fail_with(failure);
        let unknown = SignInAnswer {
            outcome: Ok("no-code-of-the-provider"),
            ..begun.answer()
        };
        fixture.sessions.finish(unknown).await.unwrap_err();
        fixture.provider.fail_with(None);
        for process in [&fixture.sessions, &fixture.elsewhere] {
            for answer in [unknown, begun.answer()] {
                assert_not_under_way(process.finish(answer).await, "after a code");
            }
        }
        assert_eq!(fixture.provider.redemptions(), asked + 1);
    }
}

#[tokio::test]
async fn the_provider_is_asked_about_so_many_sign_ins_and_no_more() {
    let fixture = fixture();
    let mut begun = Vec::new();
    for _ in 0..102 {
        begun.push(fixture.begin("/").await);
    }
    let finish = async |number: usize, subscriber: u8| {
        let address = Ipv4Addr::new(198, 51, 100, subscriber).into();
        let answer = begun[number].answer();
        fixture
            .sessions
            .finish(SignInAnswer { address, ..answer })
            .await
    };
    for number in 0..100 {
        finish(number, u8::try_from(number).unwrap()).await.unwrap();
    }
    for number in 100..102 {
        let Err(SignInError::Busy { retry_after }) = finish(number, 200).await else {
            panic!("{number} was let through");
        };
        fixture.clock.advance(retry_after);
        // A sign-in that had to wait isn't used up.
        finish(number, 200).await.unwrap();
    }
    assert_eq!(fixture.provider.redemptions(), 102);
}

/// Codes that somebody makes up mustn't keep others out.
#[tokio::test]
async fn one_address_uses_up_its_own_share_of_redemptions_alone() {
    let fixture = fixture();
    let made_up = "no-code-of-the-provider";
    for number in 0..200 {
        let begun = fixture.begin("/").await;
        let answer = SignInAnswer {
            outcome: Ok(made_up),
            ..begun.answer()
        };
        let refused = fixture.sessions.finish(answer).await.unwrap_err();
        assert_eq!(
            matches!(refused, SignInError::Busy { .. }),
            number >= 30,
            "{number}"
        );
    }
    for subscriber in 1..=25 {
        let begun = fixture.begin("/").await;
        let address = Ipv4Addr::new(198, 51, 100, subscriber).into();
        let answer = SignInAnswer {
            address,
            ..begun.answer()
        };
        fixture.sessions.finish(answer).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_needs_the_browser_and_the_installation_that_began() {
    let (fixture, begun) = start_begun().await;
    let attackers = fixture.begin("/").await;
    let forged = begun.sign_in.binding.replace('.', "0.");
    let bindings = ["", "a.b.c.d.e.f", &forged, &attackers.sign_in.binding];
    for binding in bindings {
        let answer = SignInAnswer {
            binding,
            ..begun.answer()
        };
        let refused = fixture.sessions.finish(answer).await;
        assert_not_under_way(refused, binding);
    }
    for state in ["", "x", &attackers.state] {
        let answer = SignInAnswer {
            state,
            ..begun.answer()
        };
        assert_not_under_way(fixture.sessions.finish(answer).await, state);
    }
    let (provider, denied, random) = (&fixture.provider, &fixture.denied, Arc::default());
    let stranger = process(provider, denied, &fixture.clock, &random, 8);
    let refused = stranger.finish(begun.answer()).await;
    assert_not_under_way(refused, "at another installation");
    fixture.sessions.finish(begun.answer()).await.unwrap();
}

#[tokio::test]
async fn a_sign_in_has_ten_minutes() {
    let fixture = fixture();
    let (one, other) = (fixture.begin("/").await, fixture.begin("/").await);
    fixture.clock.advance(Duration::from_millis(599_999));
    fixture.sessions.finish(one.answer()).await.unwrap();
    fixture.clock.advance(Duration::from_millis(1));
    let late = fixture.sessions.finish(other.answer()).await;
    assert_not_under_way(late, "after ten minutes");
}

#[tokio::test]
async fn another_sign_ins_code_is_refused_by_the_provider() {
    let fixture = fixture();
    let (one, other) = (fixture.begin("/").await, fixture.begin("/").await);
    let injected = SignInAnswer {
        outcome: Ok(&other.code),
        ..one.answer()
    };
    let refused = fixture.sessions.finish(injected).await;
    assert!(matches!(refused, Err(SignInError::Refused(_))));
}

#[tokio::test]
async fn the_providers_errors_are_distinguished() {
    let (fixture, begun) = start_begun().await;
    let failures = |failure| fixture.provider.fail_with(Some(failure));
    failures(down());
    let refused = fixture.sessions.begin("/").await;
    assert!(matches!(refused, Err(SignInError::Unavailable(_))));
    let finished = fixture.sessions.finish(begun.answer()).await;
    assert!(matches!(finished, Err(SignInError::Unavailable(_))));
    fixture.provider.fail_with(None);
    let begun = fixture.begin("/").await;
    failures(IdentityError::Unusable("set CEP_OIDC_AUDIENCE".to_owned()));
    let finished = fixture.sessions.finish(begun.answer()).await;
    let Err(SignInError::Unusable(why)) = finished else {
        panic!("{finished:?}");
    };
    assert!(why.contains("AUDIENCE"), "{why}");
}

#[tokio::test]
async fn a_sign_in_that_cannot_be_marked_as_answered_is_not_finished() {
    let (fixture, begun) = start_begun().await;
    fixture.denied.faults().inject(Fault::Fails);
    let finished = fixture.sessions.finish(begun.answer()).await;
    assert!(matches!(finished, Err(SignInError::Unavailable(_))));
}
