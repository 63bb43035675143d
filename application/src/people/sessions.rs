//! Sessions of people: sign-in, verification and sign-out.

use std::sync::Arc;

use super::types::{Person, Session, SessionError, SignIn, SignInAnswer, SignInError};
use chrono::{DateTime, TimeDelta, Utc};
use domain::limits::rate::RateExceeded;
use domain::people::customer::Owner;
use domain::people::sign_in::{
    LIFETIME, PendingSignIn, PendingSignInSeal, ReturnPath, fingerprint, token_fingerprint,
};
use ports::outbound::{
    AuthorizationRequest, Claims, Clock, CodeGrant, Denial, DenyList, Fingerprint, IdentityError,
    IdentityProvider, Random, TokenError,
};

use super::throttle::{SessionThrottle, redemptions};
use crate::sync::buckets::AddressBuckets;

/// Extra time for which a signed-out token stays on the deny list after its expiry, so that processes with a
/// slow clock don't accept it.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);
/// Time after the end of all sessions during which a token without an issue time counts as issued before.
const UNDATED_ENDED: TimeDelta = TimeDelta::hours(24);
/// Maximum length of a provider's error code that is passed on.
const MAX_CODE: usize = 64;

/// Signs people in and out, and verifies their sessions.
pub struct SessionService {
    provider: Arc<dyn IdentityProvider>,
    deny_list: Arc<dyn DenyList>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    seal: PendingSignInSeal,
    addresses: BrowserAddresses,
    requests: SessionThrottle,
    redemptions: AddressBuckets,
    ended_at: Option<DateTime<Utc>>,
}

/// URLs to which the provider redirects browsers. They have to be registered at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserAddresses {
    /// URL after a sign-in, which gets the provider's answer.
    pub signed_in: String,
    /// URL after a sign-out.
    pub signed_out: String,
}

impl SessionService {
    /// Creates a service for the people of this provider. All processes with the same public address need the
    /// same `seal` and `deny_list`.
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
            requests: SessionThrottle::new(),
            redemptions: redemptions(),
            ended_at: None,
        }
    }

    /// The same service, for which every token that was issued until this time is signed out. A time that is yet to
    /// come is taken for the present one: with it nobody could sign in until then.
    #[must_use]
    pub fn with_sessions_ended_at(mut self, ended_at: Option<DateTime<Utc>>) -> Self {
        let now = self.clock.now();
        if let Some(ended_at) = ended_at
            && ended_at > now
        {
            tracing::warn!(
                clock = %now,
                %ended_at,
                "sessions were ended after a restore by a clock that was ahead of this one: those of until now are \
                 ended, with each start before that time"
            );
        }
        self.ended_at = ended_at.map(|ended_at| ended_at.min(now));
        self
    }

    /// Returns `true` for a token that was issued before all sessions were ended.
    fn is_ended(&self, claims: &Claims) -> bool {
        let Some(ended_at) = self.ended_at else {
            return false;
        };
        match claims.issued_at {
            Some(issued_at) => issued_at <= ended_at,
            None => self.clock.now() < ended_at + UNDATED_ENDED,
        }
    }

    /// The pending sign-in that an answer belongs to; an error if it was answered before.
    async fn pending(&self, answer: &SignInAnswer<'_>) -> Result<PendingSignIn, SignInError> {
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

    /// Verifies a token's signature, and counts the request. Doesn't use the store, so forged tokens and
    /// excessive requests put no load on it.
    async fn verified(&self, token: &str) -> Result<(Claims, Fingerprint), SessionError> {
        let fingerprint = Fingerprint(token_fingerprint(token));
        let now = self.clock.monotonic();
        self.requests.check(&fingerprint, now)?;
        let claims = self.provider.verify(token).await.map_err(session_error)?;
        self.requests.take(&fingerprint, &owner_of(&claims), now)?;
        Ok((claims, fingerprint))
    }

    /// Marks a sign-in as answered, so that no further answer is accepted. Of concurrent answers, only the
    /// first succeeds.
    async fn consume(&self, ticket: &PendingSignIn) -> Result<(), SignInError> {
        let until = self.clock.now() + LIFETIME;
        match self.deny_list.deny(&state_of(ticket), until).await {
            Ok(Denial::New) => Ok(()),
            Ok(Denial::Repeated) => Err(SignInError::NotUnderWay),
            Err(error) => Err(SignInError::Unavailable(Arc::new(error))),
        }
    }
}

fn owner_of(claims: &Claims) -> Owner {
    Owner {
        issuer: claims.issuer.clone(),
        subject: claims.subject.clone(),
    }
}

fn state_of(ticket: &PendingSignIn) -> Fingerprint {
    Fingerprint(fingerprint(ticket.state()))
}

/// The token was signed out.
#[derive(Debug, thiserror::Error)]
#[error("the token was signed out")]
struct SignedOut;

fn signed_out() -> SessionError {
    SessionError::Invalid {
        cause: Arc::new(SignedOut),
    }
}

fn sign_in_error(error: IdentityError) -> SignInError {
    match error {
        IdentityError::Refused(code) => SignInError::Refused(printable(&code)),
        IdentityError::Unusable(why) => SignInError::Unusable(why),
        IdentityError::Unavailable(cause) => SignInError::Unavailable(cause),
    }
}

/// An error code, reduced to the characters that RFC 6749 (section 4.1.2.1) permits, and truncated. It comes
/// from a URL that anybody can write, and is shown in the log and on a page.
fn printable(code: &str) -> String {
    let allowed = |c: &char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
    code.chars().filter(allowed).take(MAX_CODE).collect()
}

fn session_error(error: TokenError) -> SessionError {
    match error {
        TokenError::Invalid(cause) => SessionError::Invalid { cause },
        TokenError::Unavailable(cause) => SessionError::Unavailable(cause),
    }
}

impl SessionService {
    /// Begins a sign-in, after which the browser is redirected to `return_to`, a local path.
    ///
    /// # Errors
    /// See [`SignInError`].
    pub async fn begin(&self, return_to: &str) -> Result<SignIn, SignInError> {
        let ticket = PendingSignIn::new(
            ReturnPath::parse_or_home(return_to),
            self.clock.now(),
            &mut |buffer| self.random.fill(buffer),
        );
        let request = AuthorizationRequest {
            state: ticket.state(),
            nonce: ticket.nonce(),
            verifier: ticket.verifier(),
            redirect_uri: &self.addresses.signed_in,
        };
        let redirect = self.provider.authorization_url(&request).await;
        Ok(SignIn {
            redirect: redirect.map_err(sign_in_error)?,
            binding: self.seal.seal(&ticket),
        })
    }

    /// Completes a sign-in with the provider's answer. Each [`SignIn`] is valid for one code and ten minutes;
    /// the code is redeemed at most once.
    ///
    /// # Errors
    /// See [`SignInError`].
    pub async fn finish(&self, answer: SignInAnswer<'_>) -> Result<Session, SignInError> {
        let code = answer
            .outcome
            .map_err(|code| SignInError::Refused(printable(code)));
        let ticket = self.pending(&answer).await?;
        let code = code?;
        let grant = CodeGrant {
            code,
            nonce: ticket.nonce(),
            verifier: ticket.verifier(),
            redirect_uri: &self.addresses.signed_in,
            issuer: answer.issuer,
        };
        let now = self.clock.monotonic();
        let allowed = self.redemptions.take(answer.address, now);
        allowed.map_err(|RateExceeded { retry_after }| SignInError::Busy { retry_after })?;
        // Before the redemption, so that one sign-in can't cause two of them. Anybody can add entries to the
        // list by this, but only at the permitted rate of redemptions, and they expire after ten minutes.
        self.consume(&ticket).await?;
        let access = self.provider.redeem(&grant).await.map_err(sign_in_error)?;
        Ok(Session {
            token: access.token,
            expires_at: access.claims.expires_at,
            return_to: ticket.return_to().as_str().to_owned(),
        })
    }

    /// Verifies a session's token for one request, and counts the request. MUST refuse a signed-out token.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub async fn person(&self, token: &str) -> Result<Person, SessionError> {
        let (claims, token) = self.verified(token).await?;
        if self.is_ended(&claims) {
            return Err(signed_out());
        }
        match self.deny_list.is_denied(&token).await {
            Ok(false) => Ok(Person {
                owner: owner_of(&claims),
                role: claims.role,
                display_name: claims.display_name,
                expires_at: claims.expires_at,
            }),
            Ok(true) => Err(signed_out()),
            Err(error) => Err(SessionError::Unavailable(Arc::new(error))),
        }
    }

    /// Ends a session in this gateway, and at the provider if supported. Returns the URL at which the browser
    /// can end the provider's own session.
    ///
    /// # Errors
    /// [`SessionError::Unavailable`] and [`SessionError::TooManyRequests`] if the session couldn't be ended.
    /// An invalid token isn't an error, since there is no session to end.
    pub async fn end(&self, token: &str) -> Result<Option<String>, SessionError> {
        match self.verified(token).await {
            Ok((claims, fingerprint)) => {
                let until = claims.expires_at + CLOCK_SKEW;
                let denied = self.deny_list.deny(&fingerprint, until).await;
                let denied = denied.map_err(|error| SessionError::Unavailable(Arc::new(error)))?;
                // Revoked at the provider only once, for any number of sign-outs.
                if denied == Denial::New
                    && let Err(error) = self.provider.revoke(token).await
                {
                    tracing::warn!(%error, "a session was ended here, but could not be revoked at the provider");
                }
            }
            // There is no session here; the provider may still have one.
            Err(SessionError::Invalid { .. }) => {}
            Err(error @ (SessionError::TooManyRequests { .. } | SessionError::Unavailable(_))) => {
                return Err(error);
            }
        }
        Ok(self.provider.sign_out_url(&self.addresses.signed_out).await)
    }
}
