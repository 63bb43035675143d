//! An identity provider whose people a test signs in. It keeps the rules of the code flow, and
//! fails when it is told to.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{
    AccessToken, AuthorizationRequest, Claims, Clock, CodeGrant, IdentityError, IdentityProvider,
    TokenError,
};

/// A provider that makes codes and tokens as a test says, and holds whoever redeems a code to what
/// it was wanted for. As with a real one, a token that was revoked still verifies: it is signed,
/// and nobody asks the provider.
pub struct ScriptedIdentity {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    wishes: HashMap<String, Wish>,
    codes: HashMap<String, (Wish, AccessToken)>,
    tokens: HashMap<String, Claims>,
    issued: usize,
    verified: usize,
    revoked: Vec<String>,
    sign_out: SignOut,
    failure: Option<IdentityError>,
    keys_failure: Option<TokenError>,
}

/// What a code was wanted for.
#[derive(Clone)]
struct Wish {
    nonce: String,
    verifier: String,
    redirect_uri: String,
}

/// Whether a provider has a place where its own session ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignOut {
    /// It has.
    #[default]
    Offered,
    /// It hasn't.
    NotOffered,
}

impl ScriptedIdentity {
    /// A provider that knows nobody yet, and judges by `clock` whether a token has expired.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            state: Mutex::default(),
        }
    }

    /// Signs a person in at the provider, for the sign-in that was begun with `state`. Returns the
    /// code that the browser would bring back; it is good for one use.
    ///
    /// # Panics
    /// When no sign-in was begun so.
    pub fn sign_in(&self, state: &str, claims: Claims) -> String {
        let token = self.issue(claims.clone());
        let code = format!("code-of-{token}");
        let mut books = self.state();
        let wish = books.wishes.get(state);
        let wish = wish.expect("a sign-in was begun with this state").clone();
        let token = AccessToken { token, claims };
        books.codes.insert(code.clone(), (wish, token));
        code
    }

    /// Makes an access token that says this.
    pub fn issue(&self, claims: Claims) -> String {
        let mut state = self.state();
        state.issued += 1;
        let token = format!("token-{}", state.issued);
        state.tokens.insert(token.clone(), claims);
        token
    }

    /// Everything but verifying fails like this from now on; `None`: nothing does.
    pub fn fail_with(&self, failure: Option<IdentityError>) {
        self.state().failure = failure;
    }

    /// Verifying any token fails like this from now on; `None`: it doesn't.
    pub fn fail_verifying_with(&self, failure: Option<TokenError>) {
        self.state().keys_failure = failure;
    }

    /// Has, or hasn't, a place where its own session ends, from now on.
    pub fn set_sign_out(&self, sign_out: SignOut) {
        self.state().sign_out = sign_out;
    }

    /// The tokens that were revoked, in order.
    pub fn revoked(&self) -> Vec<String> {
        self.state().revoked.clone()
    }

    /// How many tokens it was asked to verify.
    pub fn times_verified(&self) -> usize {
        self.state().verified
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the state")
    }
}

impl State {
    fn works(&self) -> Result<(), IdentityError> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

fn invalid(why: &'static str) -> TokenError {
    let cause: Cause = Arc::from(Box::<dyn Error + Send + Sync>::from(why));
    TokenError::Invalid(cause)
}

#[async_trait]
impl IdentityProvider for ScriptedIdentity {
    async fn authorization_url(
        &self,
        wish: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError> {
        let mut state = self.state();
        state.works()?;
        let kept = Wish {
            nonce: wish.nonce.to_owned(),
            verifier: wish.verifier.to_owned(),
            redirect_uri: wish.redirect_uri.to_owned(),
        };
        state.wishes.insert(wish.state.to_owned(), kept);
        Ok(format!(
            "https://identity.example/authorize?state={}&nonce={}&redirect_uri={}",
            wish.state, wish.nonce, wish.redirect_uri
        ))
    }

    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError> {
        let mut state = self.state();
        state.works()?;
        // A code is gone once somebody has tried it (RFC 6749, 10.5).
        let (wish, token) = state
            .codes
            .remove(grant.code)
            .ok_or_else(|| IdentityError::Refused("invalid_grant".to_owned()))?;
        if (wish.verifier.as_str(), wish.redirect_uri.as_str())
            != (grant.verifier, grant.redirect_uri)
        {
            return Err(IdentityError::Refused("invalid_grant".to_owned()));
        }
        if wish.nonce != grant.nonce {
            let why = "the ID token's nonce is another sign-in's".to_owned();
            return Err(IdentityError::Unusable(why));
        }
        Ok(token)
    }

    async fn verify(&self, token: &str) -> Result<Claims, TokenError> {
        let mut state = self.state();
        state.verified += 1;
        if let Some(failure) = &state.keys_failure {
            return Err(failure.clone());
        }
        let claims = state.tokens.get(token);
        let claims = claims.ok_or_else(|| invalid("no token of this provider"))?;
        if claims.expires_at <= self.clock.now() {
            return Err(invalid("the token has expired"));
        }
        Ok(claims.clone())
    }

    async fn revoke(&self, token: &str) -> Result<(), IdentityError> {
        let mut state = self.state();
        state.works()?;
        state.revoked.push(token.to_owned());
        Ok(())
    }

    async fn sign_out_url(&self, return_to: &str) -> Option<String> {
        (self.state().sign_out == SignOut::Offered)
            .then(|| format!("https://identity.example/sign-out?return_to={return_to}"))
    }
}
