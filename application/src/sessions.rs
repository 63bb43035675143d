//! People: signing in, the session, signing out.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::key::Owner;
use domain::sign_in::{
    LIFETIME, PendingSignIn, PendingSignInSeal, ReturnPath, fingerprint, token_fingerprint,
};
use ports::inbound::{Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError};
use ports::outbound::{
    AuthorizationRequest, Clock, CodeGrant, Denial, DenyList, Fingerprint, IdentityError,
    IdentityProvider, Random, TokenError,
};

/// How much longer than it lives a token that was signed out is remembered: nobody may take it
/// after its end because of a clock that is behind.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(5);
/// Longest error code of a provider that is passed on.
const MAX_CODE: usize = 64;

/// Lets people in and out.
pub struct SessionService {
    provider: Arc<dyn IdentityProvider>,
    deny_list: Arc<dyn DenyList>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    seal: PendingSignInSeal,
    addresses: BrowserAddresses,
}

/// Where the provider sends browsers: what has to be registered there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserAddresses {
    /// With the answer to a sign-in.
    pub signed_in: String,
    /// After signing out.
    pub signed_out: String,
}

impl SessionService {
    /// A service for the people of this provider. All processes behind one address need one `seal`
    /// and one `deny_list`.
    pub fn new(
        provider: Arc<dyn IdentityProvider>,
        deny_list: Arc<dyn DenyList>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        seal: PendingSignInSeal,
        addresses: BrowserAddresses,
    ) -> Self {
        Self {
            provider,
            deny_list,
            clock,
            random,
            seal,
            addresses,
        }
    }

    /// The sign-in that an answer belongs to, unless it was answered before.
    async fn under_way(&self, answer: &SignInAnswer<'_>) -> Result<PendingSignIn, SignInError> {
        let ticket = self.seal.open(answer.binding, self.clock.now());
        let ticket = ticket
            .filter(|ticket| ticket.is_answered_by(answer.state))
            .ok_or(SignInError::NotUnderWay)?;
        match self.deny_list.is_denied(&state_of(&ticket)).await {
            Ok(false) => Ok(ticket),
            Ok(true) => Err(SignInError::NotUnderWay),
            Err(error) => Err(SignInError::Unavailable(Arc::new(error))),
        }
    }

    /// Takes a sign-in as answered: it gets no other answer from now on. Of two that are there at
    /// the same moment, one is the first.
    async fn answered(&self, ticket: &PendingSignIn) -> Result<(), SignInError> {
        let until = self.clock.now() + LIFETIME;
        match self.deny_list.deny(&state_of(ticket), until).await {
            Ok(Denial::New) => Ok(()),
            Ok(Denial::Repeated) => Err(SignInError::NotUnderWay),
            Err(error) => Err(SignInError::Unavailable(Arc::new(error))),
        }
    }
}

fn state_of(ticket: &PendingSignIn) -> Fingerprint {
    Fingerprint(fingerprint(ticket.state()))
}

/// The token was signed out.
#[derive(Debug)]
struct SignedOut;

impl fmt::Display for SignedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the token was signed out")
    }
}

impl std::error::Error for SignedOut {}

fn not_signed_in(error: IdentityError) -> SignInError {
    match error {
        IdentityError::Refused(code) => SignInError::Refused(printable(&code)),
        IdentityError::Unusable(why) => SignInError::Unusable(why),
        IdentityError::Unavailable(cause) => SignInError::Unavailable(cause),
    }
}

/// An error's code as RFC 6749 (4.1.2.1) lets it be, and no longer than the known ones: it comes
/// out of an address that anybody can write, and ends in a log and on a page.
fn printable(code: &str) -> String {
    let allowed = |c: &char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
    code.chars().filter(allowed).take(MAX_CODE).collect()
}

fn no_session(error: TokenError) -> SessionError {
    match error {
        TokenError::Invalid(cause) => SessionError::Invalid { cause },
        TokenError::Unavailable(cause) => SessionError::Unavailable(cause),
    }
}

#[async_trait]
impl Sessions for SessionService {
    async fn begin(&self, return_to: &str) -> Result<SignIn, SignInError> {
        let ticket = PendingSignIn::new(
            ReturnPath::parse_or_home(return_to),
            self.clock.now(),
            &mut |buffer| self.random.fill(buffer),
        );
        let wish = AuthorizationRequest {
            state: ticket.state(),
            nonce: ticket.nonce(),
            verifier: ticket.verifier(),
            redirect_uri: &self.addresses.signed_in,
        };
        let redirect = self.provider.authorization_url(&wish).await;
        Ok(SignIn {
            redirect: redirect.map_err(not_signed_in)?,
            binding: self.seal.seal(&ticket),
        })
    }

    async fn finish(&self, answer: SignInAnswer<'_>) -> Result<Session, SignInError> {
        let code = answer
            .outcome
            .map_err(|code| SignInError::Refused(printable(code)));
        let ticket = self.under_way(&answer).await?;
        let code = code?;
        let grant = CodeGrant {
            code,
            nonce: ticket.nonce(),
            verifier: ticket.verifier(),
            redirect_uri: &self.addresses.signed_in,
        };
        let access = self.provider.redeem(&grant).await.map_err(not_signed_in)?;
        // Written once the provider knows the code: strangers can't make the list grow.
        self.answered(&ticket).await?;
        Ok(Session {
            token: access.token,
            expires_at: access.claims.expires_at,
            return_to: ticket.return_to().as_str().to_owned(),
        })
    }

    async fn person(&self, token: &str) -> Result<Person, SessionError> {
        // The signature first, so that made-up tokens cost the store nothing.
        let claims = self.provider.verify(token).await.map_err(no_session)?;
        let token = Fingerprint(token_fingerprint(token));
        match self.deny_list.is_denied(&token).await {
            Ok(false) => Ok(Person {
                owner: Owner {
                    issuer: claims.issuer,
                    subject: claims.subject,
                },
                role: claims.role,
                display_name: claims.display_name,
                expires_at: claims.expires_at,
            }),
            Ok(true) => Err(SessionError::Invalid {
                cause: Arc::new(SignedOut),
            }),
            Err(error) => Err(SessionError::Unavailable(Arc::new(error))),
        }
    }

    async fn end(&self, token: &str) -> Result<Option<String>, SessionError> {
        match self.provider.verify(token).await {
            Ok(claims) => {
                let fingerprint = Fingerprint(token_fingerprint(token));
                let until = claims.expires_at + CLOCKS_DIFFER;
                let denied = self.deny_list.deny(&fingerprint, until).await;
                denied.map_err(|error| SessionError::Unavailable(Arc::new(error)))?;
                if let Err(error) = self.provider.revoke(token).await {
                    tracing::warn!(%error, "a session ended here alone, not at the provider");
                }
            }
            // It is no session, so there is none to end; the provider may still have its own.
            Err(TokenError::Invalid(_)) => {}
            Err(TokenError::Unavailable(cause)) => return Err(SessionError::Unavailable(cause)),
        }
        Ok(self.provider.sign_out_url(&self.addresses.signed_out).await)
    }
}
