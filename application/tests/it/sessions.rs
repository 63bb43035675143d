//! Sessions: sign-in, verification, sign-out.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use crate::support::noon;
use application::{
    BrowserAddresses, Person, Session, SessionError, SessionService, SignIn, SignInAnswer,
    SignInError,
};
use chrono::TimeDelta;
use domain::people::customer::{Owner, Role};
use domain::people::sign_in::{PendingSignInSeal, fingerprint};
use futures::future::join_all;
use ports::outbound::{Claims, DenyList, Fingerprint, IdentityError, TokenError};
use testkit::fakes::{CountingRandom, Fault, ManualClock, MemoryStore, ScriptedIdentity, SignOut};

mod rate;
mod sign_in;
mod sign_out;

const PUBLIC: &str = "https://gateway.example";

fn down() -> IdentityError {
    IdentityError::Unavailable(Arc::new(std::io::Error::other("it is down")))
}

/// Two processes behind one address, and the provider.
struct Fixture {
    clock: Arc<ManualClock>,
    provider: Arc<ScriptedIdentity>,
    denied: Arc<MemoryStore>,
    sessions: SessionService,
    elsewhere: SessionService,
}

fn fixture() -> Fixture {
    let clock = Arc::new(ManualClock::at(noon()));
    let provider = Arc::new(ScriptedIdentity::new(clock.clone()));
    let denied = Arc::new(MemoryStore::default());
    let random = Arc::new(CountingRandom::default());
    let process = || process(&provider, &denied, &clock, &random, 7);
    Fixture {
        sessions: process(),
        elsewhere: process(),
        clock,
        provider,
        denied,
    }
}

/// The same, and a sign-in that was begun for the first page.
async fn start_begun() -> (Fixture, Begun) {
    let fixture = fixture();
    let begun = fixture.begin("/").await;
    (fixture, begun)
}

async fn start_signed_in() -> (Fixture, Session) {
    let fixture = fixture();
    let session = fixture.signed_in().await;
    (fixture, session)
}

/// A process whose secret has these bytes.
fn process(
    provider: &Arc<ScriptedIdentity>,
    denied: &Arc<MemoryStore>,
    clock: &Arc<ManualClock>,
    random: &Arc<CountingRandom>,
    secret: u8,
) -> SessionService {
    let addresses = BrowserAddresses {
        signed_in: format!("{PUBLIC}/auth/callback"),
        signed_out: PUBLIC.to_owned(),
    };
    let seal = PendingSignInSeal::new(&[secret; 32]).unwrap();
    let (denied, clock, random) = (denied.clone(), clock.clone(), random.clone());
    SessionService::new(provider.clone(), denied, clock, random, seal, addresses)
}

fn claims() -> Claims {
    Claims {
        issuer: "https://identity.example".to_owned(),
        subject: "ana".to_owned(),
        role: Role::Member,
        display_name: Some("Ana".to_owned()),
        issued_at: Some(noon()),
        expires_at: noon() + TimeDelta::hours(1),
    }
}

/// A sign-in, and what the provider sends the browser back with.
struct Begun {
    sign_in: SignIn,
    state: String,
    code: String,
}

/// The address of a browser.
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

impl Begun {
    fn answer(&self) -> SignInAnswer<'_> {
        SignInAnswer {
            state: &self.state,
            outcome: Ok(&self.code),
            issuer: None,
            binding: &self.sign_in.binding,
            address: ADDRESS,
        }
    }
}

/// A parameter of the address that the browser was sent to.
fn parameter<'a>(sign_in: &'a SignIn, name: &str) -> &'a str {
    let (_, query) = sign_in.redirect.split_once('?').unwrap();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).unwrap().1
}

impl Fixture {
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

/// Lets the provider vouch for tokens of one person, or of one each.
fn accept(fixture: &Fixture, tokens: &[&str], subject: impl Fn(&str) -> String) {
    for token in tokens {
        let claims = Claims {
            subject: subject(token),
            ..claims()
        };
        fixture.provider.accept(token, claims);
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
