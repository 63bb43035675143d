//! The provider's discovery document (OpenID Connect Discovery 1.0, section 3).

use serde::Deserialize;
use url::Url;

use crate::address::Issuer;
use crate::errand::{Brought, Errand, Source};
use crate::fault::Fault;
use crate::wire::Wire;

/// What errors call it.
const WHAT: &str = "the discovery document";

/// Where the provider's endpoints are.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(crate) authorization: Url,
    pub(crate) token: Url,
    pub(crate) jwks: Url,
    pub(crate) revocation: Option<Url>,
    pub(crate) end_session: Option<Url>,
    pub(crate) token_authentication: Authentication,
    pub(crate) revocation_authentication: Authentication,
}

/// How a client with a secret presents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authentication {
    /// `client_secret_basic`, what a provider must offer unless it says otherwise.
    Basic,
    /// `client_secret_post`.
    Post,
    /// Only in ways that we don't have.
    Foreign,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    revocation_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    revocation_endpoint_auth_methods_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
}

/// Fetches the document.
pub(crate) struct Discovery {
    pub(crate) wire: Wire,
    pub(crate) issuer: Issuer,
}

impl Source for Discovery {
    type Item = Endpoints;

    const WHAT: &'static str = WHAT;

    async fn fetch(&self, _errand: Errand) -> Brought<Endpoints> {
        let address = self.issuer.configuration();
        let document = self.wire.document(WHAT, &address).await;
        document
            .and_then(|document| read(&self.issuer, &document))
            .into()
    }
}

fn read(issuer: &Issuer, document: &[u8]) -> Result<Endpoints, Fault> {
    let document: Document = serde_json::from_slice(document)
        .map_err(|error| Fault::unusable(WHAT, format!("not such a document: {error}")))?;
    if document.issuer != issuer.as_str() {
        let problem = format!(
            "it names the issuer {:?}, but {:?} is configured; they must be equal to the letter",
            document.issuer,
            issuer.as_str()
        );
        return Err(Fault::unusable(WHAT, problem));
    }
    let methods = document.code_challenge_methods_supported;
    if methods.is_some_and(|methods| !methods.iter().any(|method| method == "S256")) {
        return Err(Fault::unusable(
            WHAT,
            "the provider doesn't offer PKCE with S256",
        ));
    }
    let endpoint = |name: &str, text: &str| {
        let problem = |reason| Fault::unusable(WHAT, format!("{name}: {reason}"));
        issuer.endpoint(text).map_err(problem)
    };
    let optional = |name, text: Option<String>| text.map(|text| endpoint(name, &text)).transpose();
    let token_methods = document.token_endpoint_auth_methods_supported;
    let token_authentication = Authentication::choose(token_methods.as_deref());
    let revocation_methods = document.revocation_endpoint_auth_methods_supported;
    Ok(Endpoints {
        authorization: endpoint("authorization_endpoint", &document.authorization_endpoint)?,
        token: endpoint("token_endpoint", &document.token_endpoint)?,
        jwks: endpoint("jwks_uri", &document.jwks_uri)?,
        revocation: optional("revocation_endpoint", document.revocation_endpoint)?,
        end_session: optional("end_session_endpoint", document.end_session_endpoint)?,
        token_authentication,
        revocation_authentication: revocation_methods.map_or(token_authentication, |methods| {
            Authentication::choose(Some(&methods))
        }),
    })
}

impl Authentication {
    fn choose(offered: Option<&[String]>) -> Self {
        let Some(offered) = offered else {
            return Self::Basic;
        };
        let offers = |method: &str| offered.iter().any(|offered| offered == method);
        if offers("client_secret_basic") {
            Self::Basic
        } else if offers("client_secret_post") {
            Self::Post
        } else {
            Self::Foreign
        }
    }
}
