//! Signing in once, being who one is, and signing out for good.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use application::{BrowserAddresses, SessionService};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::customer::Role;
use domain::key::Owner;
use domain::sign_in::{TicketSeal, fingerprint};
use futures::future::join_all;
use memory::{CountingRandom, ManualClock, MemoryStore, ScriptedIdentity, SignOut};
use ports::inbound::{Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError};
use ports::outbound::{
    AccessToken, Claims, CodeGrant, CodeWish, Denial, DenyList, Fingerprint, IdentityError,
    IdentityProvider, StoreError, TokenError,
};
use support::noon;

const PUBLIC: &str = "https://gateway.example";

fn addresses() -> BrowserAddresses {
    BrowserAddresses {
        signed_in: format!("{PUBLIC}/auth/callback"),
        signed_out: PUBLIC.to_owned(),
    }
}

/// A deny list that counts its readings and can be down.
#[derive(Default)]
struct WatchedDenyList {
    inner: MemoryStore,
    is_down: AtomicBool,
    readings: AtomicUsize,
}

impl WatchedDenyList {
    fn answer(&self) -> Result<(), StoreError> {
        if self.is_down.load(Ordering::SeqCst) {
            return Err(StoreError { cause: down() });
        }
        Ok(())
    }

    fn set_down(&self) {
        self.is_down.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl DenyList for WatchedDenyList {
    async fn deny(
        &self,
        fingerprint: &Fingerprint,
        until: DateTime<Utc>,
    ) -> Result<Denial, StoreError> {
        self.answer()?;
        self.inner.deny(fingerprint, until).await
    }

    async fn is_denied(&self, fingerprint: &Fingerprint) -> Result<bool, StoreError> {
        self.readings.fetch_add(1, Ordering::SeqCst);
        self.answer()?;
        self.inner.is_denied(fingerprint).await
    }
}

fn down() -> ports::Cause {
    Arc::new(std::io::Error::other("it is down"))
}

/// A provider whose tokens have many good signatures, as ECDSA's have: whoever has one can make
/// another of it.
struct Malleable;

#[async_trait]
impl IdentityProvider for Malleable {
    async fn authorization_url(&self, _: &CodeWish<'_>) -> Result<String, IdentityError> {
        Err(IdentityError::Unavailable(down()))
    }

    async fn redeem(&self, _: &CodeGrant<'_>) -> Result<AccessToken, IdentityError> {
        Err(IdentityError::Unavailable(down()))
    }

    async fn verify(&self, _: &str) -> Result<Claims, TokenError> {
        Ok(claims())
    }

    async fn revoke(&self, _: &str) -> Result<(), IdentityError> {
        Ok(())
    }

    async fn sign_out_url(&self, _: &str) -> Option<String> {
        None
    }
}

/// Two processes behind one address, and the provider.
struct House {
    clock: Arc<ManualClock>,
    provider: Arc<ScriptedIdentity>,
    denied: Arc<WatchedDenyList>,
    sessions: SessionService,
    elsewhere: SessionService,
}

fn house() -> House {
    let clock = Arc::new(ManualClock::at(noon()));
    let provider = Arc::new(ScriptedIdentity::new(clock.clone()));
    let denied = Arc::new(WatchedDenyList::default());
    let random = Arc::new(CountingRandom::default());
    let process = |secret: u8| {
        let seal = TicketSeal::new(&[secret; 32]).unwrap();
        let (provider, denied) = (provider.clone(), denied.clone());
        SessionService::new(
            provider,
            denied,
            clock.clone(),
            random.clone(),
            seal,
            addresses(),
        )
    };
    House {
        sessions: process(7),
        elsewhere: process(7),
        clock,
        provider,
        denied,
    }
}

fn claims() -> Claims {
    Claims {
        issuer: "https://identity.example".to_owned(),
        subject: "ana".to_owned(),
        role: Role::Member,
        display_name: Some("Ana".to_owned()),
        expires_at: noon() + TimeDelta::hours(1),
    }
}

/// A sign-in, and what the provider sends the browser back with.
struct Begun {
    sign_in: SignIn,
    state: String,
    code: String,
}

impl Begun {
    fn answer(&self) -> SignInAnswer<'_> {
        SignInAnswer {
            state: &self.state,
            outcome: Ok(&self.code),
            binding: &self.sign_in.binding,
        }
    }
}

/// A parameter of the address that the browser was sent to.
fn parameter<'a>(sign_in: &'a SignIn, name: &str) -> &'a str {
    let (_, query) = sign_in.redirect.split_once('?').unwrap();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).unwrap().1
}

impl House {
    async fn begin(&self, return_to: &str) -> Begun {
        let sign_in = self.sessions.begin(return_to).await.unwrap();
        let state = parameter(&sign_in, "state").to_owned();
        let code = self.provider.sign_in(&state, claims());
        Begun {
            sign_in,
            state,
            code,
        }
    }

    async fn signed_in(&self) -> Session {
        let begun = self.begin("/").await;
        self.sessions.finish(begun.answer()).await.unwrap()
    }
}

fn assert_not_under_way(result: Result<Session, SignInError>, what: &str) {
    let error = result.err();
    assert!(
        matches!(error, Some(SignInError::NotUnderWay)),
        "{what}: {error:?}"
    );
}

fn assert_no_session(result: Result<Person, SessionError>) {
    let error = result.err();
    assert!(
        matches!(error, Some(SessionError::Invalid { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_sign_in_ends_where_it_was_begun_for_with_the_providers_token() {
    let house = house();
    let begun = house.begin("/dashboard?tab=keys").await;
    let redirect_uri = parameter(&begun.sign_in, "redirect_uri");
    assert_eq!(redirect_uri, "https://gateway.example/auth/callback");
    let session = house.elsewhere.finish(begun.answer()).await.unwrap();
    assert_eq!(session.return_to, "/dashboard?tab=keys");
    assert_eq!(session.expires_at, claims().expires_at);
    let person = house.sessions.person(&session.token).await.unwrap();
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
async fn a_sign_in_never_ends_at_another_host() {
    let house = house();
    let begun = house.begin("//evil.example/").await;
    let session = house.sessions.finish(begun.answer()).await.unwrap();
    assert_eq!(session.return_to, "/dashboard");
}

#[tokio::test]
async fn each_sign_in_has_secrets_of_its_own() {
    let house = house();
    let (one, other) = (house.begin("/").await, house.begin("/").await);
    assert_ne!(one.state, other.state);
    let nonce = |begun: &Begun| parameter(&begun.sign_in, "nonce").to_owned();
    assert_ne!(nonce(&one), nonce(&other));
    assert_ne!(nonce(&one), one.state);
    assert!(one.state.len() >= 43);
}

#[tokio::test]
async fn a_sign_in_is_answered_once() {
    let house = house();
    let begun = house.begin("/").await;
    house.sessions.finish(begun.answer()).await.unwrap();
    let again = house.sessions.finish(begun.answer()).await;
    assert_not_under_way(again, "in the same process");
    let again = house.elsewhere.finish(begun.answer()).await;
    assert_not_under_way(again, "in another process");
}

#[tokio::test]
async fn of_many_answers_at_once_one_is_the_first() {
    let house = house();
    let begun = house.begin("/").await;
    let answers = (0..20).map(|number| {
        let process = [&house.sessions, &house.elsewhere][number % 2];
        process.finish(begun.answer())
    });
    let (signed_in, refused): (Vec<_>, Vec<_>) =
        join_all(answers).await.into_iter().partition(Result::is_ok);
    assert_eq!((signed_in.len(), refused.len()), (1, 19));
    // By us, before the provider hears of the code a second time.
    for result in refused {
        assert_not_under_way(result, "at the same time");
    }
}

/// Whoever has no account at the provider can answer as often as it likes: nothing is written down.
#[tokio::test]
async fn answers_that_the_provider_knows_nothing_of_leave_nothing_behind() {
    let house = house();
    let begun = house.begin("/").await;
    for outcome in [Err("access_denied"), Ok("no-code-of-the-provider")] {
        let answer = SignInAnswer {
            outcome,
            ..begun.answer()
        };
        let refused = house.sessions.finish(answer).await;
        assert!(
            matches!(refused, Err(SignInError::Refused(_))),
            "{refused:?}"
        );
        let state = Fingerprint(fingerprint(begun.answer().state));
        assert!(!house.denied.is_denied(&state).await.unwrap());
    }
    house.sessions.finish(begun.answer()).await.unwrap();
}

#[tokio::test]
async fn a_made_up_error_code_is_passed_on_short_and_printable() {
    let house = house();
    let begun = house.begin("/").await;
    let hostile = format!("\u{202e}a\r\nb\"{}", "x".repeat(10_000));
    let answer = SignInAnswer {
        outcome: Err(&hostile),
        ..begun.answer()
    };
    let Err(SignInError::Refused(code)) = house.sessions.finish(answer).await else {
        panic!("an error's code was no refusal");
    };
    assert_eq!(code, format!("ab{}", "x".repeat(62)));
}

#[tokio::test]
async fn an_answer_needs_the_browser_that_began_and_uses_nothing_up_without_it() {
    let house = house();
    let begun = house.begin("/").await;
    let attackers = house.begin("/").await;
    let forged = begun.sign_in.binding.replace('.', "0.");
    let bindings = ["", "a.b.c.d.e.f", &forged, &attackers.sign_in.binding];
    for binding in bindings {
        let answer = SignInAnswer {
            binding,
            ..begun.answer()
        };
        let refused = house.sessions.finish(answer).await;
        assert_not_under_way(refused, binding);
    }
    for state in ["", "x", &attackers.state] {
        let answer = SignInAnswer {
            state,
            ..begun.answer()
        };
        assert_not_under_way(house.sessions.finish(answer).await, state);
    }
    house.sessions.finish(begun.answer()).await.unwrap();
}

#[tokio::test]
async fn a_binding_of_another_installation_is_none() {
    let house = house();
    let stranger = SessionService::new(
        house.provider.clone(),
        house.denied.clone(),
        house.clock.clone(),
        Arc::new(CountingRandom::default()),
        TicketSeal::new(&[8; 32]).unwrap(),
        addresses(),
    );
    let begun = house.begin("/").await;
    let refused = stranger.finish(begun.answer()).await;
    assert_not_under_way(refused, "under another secret");
}

#[tokio::test]
async fn a_sign_in_has_ten_minutes() {
    let house = house();
    let (one, other) = (house.begin("/").await, house.begin("/").await);
    house.clock.advance(Duration::from_millis(599_999));
    house.sessions.finish(one.answer()).await.unwrap();
    house.clock.advance(Duration::from_millis(1));
    let late = house.sessions.finish(other.answer()).await;
    assert_not_under_way(late, "after ten minutes");
}

#[tokio::test]
async fn another_sign_ins_code_is_refused_by_the_provider() {
    let house = house();
    let (one, other) = (house.begin("/").await, house.begin("/").await);
    let injected = SignInAnswer {
        outcome: Ok(&other.code),
        ..one.answer()
    };
    let refused = house.sessions.finish(injected).await;
    assert!(
        matches!(refused, Err(SignInError::Refused(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn what_the_provider_says_is_told_apart() {
    let house = house();
    let begun = house.begin("/").await;
    let failures = |failure| house.provider.fail_with(Some(failure));
    failures(IdentityError::Unavailable(down()));
    let refused = house.sessions.begin("/").await;
    assert!(matches!(refused, Err(SignInError::Unavailable(_))));
    let finished = house.sessions.finish(begun.answer()).await;
    assert!(matches!(finished, Err(SignInError::Unavailable(_))));
    house.provider.fail_with(None);
    let begun = house.begin("/").await;
    failures(IdentityError::Unusable("set CEP_OIDC_AUDIENCE".to_owned()));
    let finished = house.sessions.finish(begun.answer()).await;
    assert!(
        matches!(&finished, Err(SignInError::Unusable(why)) if why.contains("AUDIENCE")),
        "{finished:?}"
    );
}

#[tokio::test]
async fn a_sign_in_that_cannot_be_marked_as_answered_is_not_finished() {
    let house = house();
    let begun = house.begin("/").await;
    house.denied.set_down();
    let finished = house.sessions.finish(begun.answer()).await;
    assert!(matches!(finished, Err(SignInError::Unavailable(_))));
}

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
        TicketSeal::new(&[7; 32]).unwrap(),
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
