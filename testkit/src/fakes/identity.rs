//! Scripted identity provider: tests sign people in. It enforces the rules of the code flow, and
//! fails on demand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use ports::outbound::{
    AccessToken, AuthorizationRequest, Claims, Clock, CodeGrant, IdentityError, IdentityProvider,
    TokenError,
};

use super::{cause, lock};

/// Identity provider that issues codes and tokens on demand, and binds each code to the
/// authorization request it was issued for. As with a real one, a token that was revoked still
/// verifies: it is checked by its signature, without a query to the provider.
pub struct ScriptedIdentity {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bindings: HashMap<String, Binding>,
    codes: HashMap<String, (Binding, AccessToken)>,
    tokens: HashMap<String, Claims>,
    issued: usize,
    verified: usize,
    redemptions: usize,
    revoked: Vec<String>,
    sign_out: SignOut,
    failure: Option<IdentityError>,
    keys_failure: Option<TokenError>,
}

/// Authorization request that a code is bound to.
#[derive(Clone)]
struct Binding {
    nonce: String,
    verifier: String,
    redirect_uri: String,
}

/// Support for ending the provider's own session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignOut {
    /// It has an end-session endpoint.
    #[default]
    Offered,
    /// It has none.
    NotOffered,
}

impl ScriptedIdentity {
    /// A provider without users; `clock` decides whether a token has expired.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            state: Mutex::default(),
        }
    }

    /// Signs a person in at the provider, for the authorization request with `state`. Returns the
    /// code that the browser would bring back; it is good for one use.
    ///
    /// # Panics
    /// Panics when there is no authorization request with this state.
    pub fn sign_in(&self, state: &str, claims: Claims) -> String {
        let token = self.issue(claims.clone());
        self.sign_in_with(state, token, claims)
    }

    /// The same, with this access token.
    ///
    /// # Panics
    /// As [`Self::sign_in`].
    pub fn sign_in_with(&self, state: &str, token: String, claims: Claims) -> String {
        let mut provider = self.state();
        provider.issued += 1;
        let code = format!("code-{}", provider.issued);
        let binding = provider.bindings.get(state).cloned();
        let binding = binding.expect("a sign-in was begun with this state");
        let token = AccessToken { token, claims };
        provider.codes.insert(code.clone(), (binding, token));
        code
    }

    /// Issues an access token with these claims.
    pub fn issue(&self, claims: Claims) -> String {
        let mut state = self.state();
        state.issued += 1;
        let token = format!("token-{}", state.issued);
        state.tokens.insert(token.clone(), claims);
        token
    }

    /// Accepts a text as an access token with these claims.
    pub fn accept(&self, token: &str, claims: Claims) {
        self.state().tokens.insert(token.to_owned(), claims);
    }

    /// Makes everything but verifying fail like this from now on; `None`: nothing fails.
    pub fn fail_with(&self, failure: Option<IdentityError>) {
        self.state().failure = failure;
    }

    /// Makes verifying any token fail like this from now on; `None`: it doesn't fail.
    pub fn fail_verifying_with(&self, failure: Option<TokenError>) {
        self.state().keys_failure = failure;
    }

    /// Sets whether it has an end-session endpoint.
    pub fn set_sign_out(&self, sign_out: SignOut) {
        self.state().sign_out = sign_out;
    }

    /// The tokens that were revoked, in order.
    pub fn revoked(&self) -> Vec<String> {
        self.state().revoked.clone()
    }

    /// Number of verifications.
    pub fn times_verified(&self) -> usize {
        self.state().verified
    }

    /// Number of codes that it was asked to redeem.
    pub fn redemptions(&self) -> usize {
        self.state().redemptions
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn check_available(&self) -> Result<(), IdentityError> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

fn invalid(why: &'static str) -> TokenError {
    TokenError::Invalid(cause(why))
}

#[async_trait]
impl IdentityProvider for ScriptedIdentity {
    async fn authorization_url(
        &self,
        request: &AuthorizationRequest<'_>,
    ) -> Result<String, IdentityError> {
        let mut state = self.state();
        state.check_available()?;
        let binding = Binding {
            nonce: request.nonce.to_owned(),
            verifier: request.verifier.to_owned(),
            redirect_uri: request.redirect_uri.to_owned(),
        };
        state.bindings.insert(request.state.to_owned(), binding);
        Ok(format!(
            "https://identity.example/authorize?state={}&nonce={}&redirect_uri={}",
            request.state, request.nonce, request.redirect_uri
        ))
    }

    async fn redeem(&self, grant: &CodeGrant<'_>) -> Result<AccessToken, IdentityError> {
        let mut state = self.state();
        state.redemptions += 1;
        state.check_available()?;
        // A code is gone after its first use, even a failed one (RFC 6749, 10.5).
        let redeemed = state.codes.remove(grant.code).filter(|(binding, _)| {
            binding.verifier == grant.verifier && binding.redirect_uri == grant.redirect_uri
        });
        let refused = || IdentityError::Refused("invalid_grant".to_owned());
        let (binding, token) = redeemed.ok_or_else(refused)?;
        if binding.nonce != grant.nonce {
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
        state.check_available()?;
        state.revoked.push(token.to_owned());
        Ok(())
    }

    async fn sign_out_url(&self, return_to: &str) -> Option<String> {
        (self.state().sign_out == SignOut::Offered)
            .then(|| format!("https://identity.example/sign-out?return_to={return_to}"))
    }
}
