//! Settings: the provider, and the gateway's registration there.

use std::fmt;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::address::Issuer;
use crate::admin_claim::AdminClaim;

#[derive(Clone, Debug)]
pub struct OidcConfig {
    pub issuer: Issuer,
    pub client_id: String,
    /// Client secret; `None` for a public client, which PKCE alone protects.
    pub client_secret: Option<ClientSecret>,
    /// Audience of access tokens: the gateway's name as an API (a resource) at the provider.
    pub audience: String,
    /// Claim that makes a person an admin.
    pub admin_claim: AdminClaim,
    /// Scopes to request; without `openid` there is no ID token.
    pub scopes: Vec<String>,
    /// Timeout of one request to the provider.
    pub timeout: Duration,
}

impl OidcConfig {
    /// Returns the settings of a public client that requests `openid` and `profile`, with admins by
    /// the role `cep-admin` and a timeout of 10 s.
    pub fn new(issuer: Issuer, client_id: &str, audience: &str) -> Self {
        Self {
            issuer,
            client_id: client_id.to_owned(),
            client_secret: None,
            audience: audience.to_owned(),
            admin_claim: AdminClaim::default(),
            scopes: ["openid", "profile"].map(ToOwned::to_owned).to_vec(),
            timeout: Duration::from_secs(10),
        }
    }
}

/// Client secret. Wiped from memory when it is dropped.
#[derive(Clone)]
pub struct ClientSecret(Zeroizing<String>);

impl ClientSecret {
    /// Wraps a secret as the provider issued it.
    pub fn new(secret: String) -> Self {
        Self(Zeroizing::new(secret))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret(…)")
    }
}
