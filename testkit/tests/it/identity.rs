//! The scripted provider enforces the rules of the code flow.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::people::customer::Role;
use ports::Cause;
use ports::outbound::{
    AuthorizationRequest, Claims, CodeGrant, IdentityError, IdentityProvider, TokenError,
};
use testkit::fakes::{ManualClock, ScriptedIdentity, SignOut};

const WISH: AuthorizationRequest<'_> = AuthorizationRequest {
    state: "state-1",
    nonce: "nonce-1",
    verifier: "verifier-1",
    redirect_uri: "https://gateway.example/auth/callback",
};

fn start() -> DateTime<Utc> {
    "2026-11-20T16:00:00Z".parse().unwrap()
}

fn claims() -> Claims {
    Claims {
        issuer: "https://identity.example".to_owned(),
        subject: "subject-1".to_owned(),
        role: Role::Member,
        display_name: Some("Demo".to_owned()),
        issued_at: Some(start()),
        expires_at: start() + Duration::from_mins(10),
    }
}

fn grant(code: &str) -> CodeGrant<'_> {
    CodeGrant {
        code,
        nonce: WISH.nonce,
        verifier: WISH.verifier,
        redirect_uri: WISH.redirect_uri,
        issuer: None,
    }
}

/// A provider whose clock the test moves.
fn provider() -> (ScriptedIdentity, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(start()));
    (ScriptedIdentity::new(clock.clone()), clock)
}

/// A provider, and the code of a person who signed in there.
async fn signed_in() -> (ScriptedIdentity, String) {
    let (provider, _) = provider();
    let url = provider.authorization_url(&WISH).await.unwrap();
    assert!(url.contains("state=state-1") && url.contains("nonce=nonce-1"));
    assert!(!url.contains(WISH.verifier), "the verifier stays with us");
    let code = provider.sign_in(WISH.state, claims());
    (provider, code)
}

fn cause() -> Cause {
    Arc::new(io::Error::other("the provider is down"))
}

#[tokio::test]
async fn a_code_is_redeemed_once_for_a_token_that_verifies() {
    let (provider, code) = signed_in().await;
    let token = provider.redeem(&grant(&code)).await.ok().unwrap();
    assert!(token.claims == claims());
    assert_eq!(provider.verify(&token.token).await.unwrap(), claims());
    let again = provider.redeem(&grant(&code)).await;
    assert!(matches!(again, Err(IdentityError::Refused(_))));
}

#[tokio::test]
async fn a_code_is_refused_to_whoever_did_not_want_it() {
    for (verifier, redirect_uri) in [
        ("verifier-2", WISH.redirect_uri),
        (WISH.verifier, "https://elsewhere.example/"),
    ] {
        let (provider, code) = signed_in().await;
        let stolen = CodeGrant {
            verifier,
            redirect_uri,
            ..grant(&code)
        };
        let stolen = provider.redeem(&stolen).await;
        assert!(matches!(stolen, Err(IdentityError::Refused(_))));
    }
    let (provider, code) = signed_in().await;
    let mixed_up = CodeGrant {
        nonce: "nonce-2",
        ..grant(&code)
    };
    let mixed_up = provider.redeem(&mixed_up).await;
    assert!(matches!(mixed_up, Err(IdentityError::Unusable(_))));
    let unknown = provider.redeem(&grant("code-of-nobody")).await;
    assert!(matches!(unknown, Err(IdentityError::Refused(_))));
}

#[tokio::test]
async fn a_token_is_good_until_it_expires_even_when_it_was_revoked() {
    let (provider, clock) = provider();
    let token = provider.issue(claims());
    provider.revoke(&token).await.unwrap();
    assert_eq!(provider.revoked(), std::slice::from_ref(&token));
    clock.advance(Duration::from_millis(599_999));
    assert_eq!(provider.verify(&token).await.unwrap(), claims());
    clock.advance(Duration::from_millis(1));
    for bad in [token.as_str(), "token-of-nobody", ""] {
        let refused = provider.verify(bad).await;
        assert!(matches!(refused, Err(TokenError::Invalid(_))), "{bad}");
    }
    assert_eq!(provider.times_verified(), 4);
}

#[tokio::test]
async fn a_failing_provider_fails_as_it_was_told() {
    let (provider, code) = signed_in().await;
    let token = provider.issue(claims());
    provider.fail_with(Some(IdentityError::Unavailable(cause())));
    for failure in [
        provider.authorization_url(&WISH).await.err(),
        provider.redeem(&grant(&code)).await.err(),
        provider.revoke(&token).await.err(),
    ] {
        assert!(matches!(failure, Some(IdentityError::Unavailable(_))));
    }
    assert!(provider.verify(&token).await.is_ok(), "its keys are known");
    provider.fail_verifying_with(Some(TokenError::Unavailable(cause())));
    let unverified = provider.verify(&token).await;
    assert!(matches!(unverified, Err(TokenError::Unavailable(_))));

    provider.fail_with(None);
    provider.fail_verifying_with(None);
    assert!(provider.redeem(&grant(&code)).await.is_ok());
    assert!(provider.verify(&token).await.is_ok());
}

#[tokio::test]
async fn a_provider_may_have_no_place_to_sign_out() {
    let (provider, _) = provider();
    let url = provider.sign_out_url("https://gateway.example/").await;
    assert!(url.unwrap().contains("https://gateway.example/"));
    provider.set_sign_out(SignOut::NotOffered);
    let url = provider.sign_out_url("https://gateway.example/").await;
    assert_eq!(url, None);
}
