//! Which provider is asked, and as whom.

use std::fmt;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::address::Issuer;
use crate::admin_claim::AdminClaim;

/// Which provider is asked, and as whom.
#[derive(Clone, Debug)]
pub struct OidcConfig {
    /// The provider.
    pub issuer: Issuer,
    /// Our name at the provider.
    pub client_id: String,
    /// Our secret there; `None` for a public client, which PKCE alone protects.
    pub client_secret: Option<ClientSecret>,
    /// Whom access tokens must be for: the gateway, as the provider knows it as an API.
    pub audience: String,
    /// Who is an admin.
    pub admin_claim: AdminClaim,
    /// What is asked for; `openid` must be among it, or there is no ID token.
    pub scopes: Vec<String>,
    /// How long one exchange with the provider may take: somebody waits for it.
    pub timeout: Duration,
}

impl OidcConfig {
    /// A public client that asks for `openid` and `profile`, and whose admins have the role
    /// `cep-admin`.
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

/// A client's secret. Wiped from memory when it is dropped.
#[derive(Clone)]
pub struct ClientSecret(Zeroizing<String>);

impl ClientSecret {
    /// Takes a secret as the provider gave it.
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
