//! Discovery document of the provider (OpenID Connect Discovery 1.0, section 3).

use std::time::Duration;

use serde::Deserialize;
use url::Url;

use crate::address::Issuer;
use crate::cache::Source;
use crate::error::ProviderError;
use crate::http::HttpClient;

/// Addresses of the provider's endpoints, and how the client authenticates there.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(crate) authorization: Url,
    pub(crate) token: Url,
    pub(crate) jwks: Url,
    pub(crate) revocation: Option<Url>,
    pub(crate) end_session: Option<Url>,
    pub(crate) token_authentication: ClientAuthentication,
    pub(crate) revocation_authentication: ClientAuthentication,
    /// The provider sends its issuer in each authorization response (RFC 9207).
    pub(crate) names_itself: bool,
}

/// Method by which a client with a secret authenticates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientAuthentication {
    /// `client_secret_basic`, the default of a provider that lists no methods.
    Basic,
    /// `client_secret_post`.
    Post,
    /// Only methods that aren't supported here.
    Unsupported,
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
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

pub(crate) struct Discovery {
    pub(crate) http: HttpClient,
    pub(crate) issuer: Issuer,
}

impl Source for Discovery {
    type Document = Endpoints;

    const NAME: &'static str = "the discovery document";

    /// Addresses of endpoints rarely change.
    const MAX_AGE: Duration = Duration::from_hours(1);

    async fn fetch(&self) -> Result<Endpoints, ProviderError> {
        let address = self.issuer.discovery_url();
        let document = self.http.get_json(Self::NAME, &address).await?;
        parse(&self.issuer, &document)
    }
}

fn unusable(problem: impl Into<String>) -> ProviderError {
    ProviderError::unusable(Discovery::NAME, problem)
}

fn parse(issuer: &Issuer, document: &[u8]) -> Result<Endpoints, ProviderError> {
    let document: Document = serde_json::from_slice(document)
        .map_err(|error| unusable(format!("not such a document: {error}")))?;
    if document.issuer != issuer.as_str() {
        let problem = format!(
            "it names the issuer {:?}, but {:?} is configured; they must be equal to the letter",
            document.issuer,
            issuer.as_str()
        );
        return Err(unusable(problem));
    }
    let methods = document.code_challenge_methods_supported;
    if methods.is_some_and(|methods| !methods.iter().any(|method| method == "S256")) {
        return Err(unusable("the provider doesn't offer PKCE with S256"));
    }
    let endpoint = |name: &str, text: &str| {
        let endpoint = issuer.endpoint(text);
        endpoint.map_err(|reason| unusable(format!("{name}: {reason}")))
    };
    let optional = |name, text: Option<String>| text.map(|text| endpoint(name, &text)).transpose();
    let token_methods = document.token_endpoint_auth_methods_supported;
    let token_authentication = ClientAuthentication::choose(token_methods.as_deref());
    let revocation_methods = document.revocation_endpoint_auth_methods_supported;
    Ok(Endpoints {
        authorization: endpoint("authorization_endpoint", &document.authorization_endpoint)?,
        token: endpoint("token_endpoint", &document.token_endpoint)?,
        jwks: endpoint("jwks_uri", &document.jwks_uri)?,
        revocation: optional("revocation_endpoint", document.revocation_endpoint)?,
        end_session: optional("end_session_endpoint", document.end_session_endpoint)?,
        token_authentication,
        revocation_authentication: revocation_methods.map_or(token_authentication, |methods| {
            ClientAuthentication::choose(Some(&methods))
        }),
        names_itself: document.authorization_response_iss_parameter_supported,
    })
}

impl ClientAuthentication {
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
            Self::Unsupported
        }
    }
}
