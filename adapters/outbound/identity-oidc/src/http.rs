//! HTTP client for the provider: bounded in time and in size, without redirects.

use std::time::Duration;

use oauth2::{HttpRequest, HttpResponse};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Request, RequestBuilder, Response, StatusCode};
use url::Url;

use crate::config::OidcConfig;
use crate::error::ProviderError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest response body, in bytes. Discovery documents and key sets of large providers, with their
/// certificate chains, stay below 32 KiB.
const MAX_BODY: usize = 256 * 1024;

/// Client for the provider's endpoints.
#[derive(Clone)]
pub(crate) struct HttpClient(Client);

/// Response whose body was read to its end.
pub(crate) struct BufferedResponse {
    pub(crate) status: StatusCode,
    content_type: Option<HeaderValue>,
    pub(crate) body: Vec<u8>,
}

impl HttpClient {
    /// Builds a client without redirects (a response from elsewhere isn't the provider's), without a
    /// proxy from the environment, without cookies. It keeps no connection: sign-ins and key fetches
    /// are minutes apart, and a kept one that the provider has closed would fail a sign-in.
    pub(crate) fn new(config: &OidcConfig) -> Result<Self, reqwest::Error> {
        let builder = if config.issuer.is_https() {
            Client::builder().https_only(true)
        } else {
            // The system's certificates aren't needed, and may be missing.
            Client::builder().tls_certs_only([])
        };
        let client = builder
            .user_agent(concat!("cep-gateway/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(config.timeout)
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self(client))
    }

    /// Gets a JSON document; errors call it `name`.
    pub(crate) async fn get_json(
        &self,
        name: &'static str,
        url: &Url,
    ) -> Result<Vec<u8>, ProviderError> {
        let request = self.0.get(url.clone());
        let request = request.header(ACCEPT, "application/json");
        let response = self.send(name, request).await?;
        if response.status == StatusCode::OK {
            return Ok(response.body);
        }
        let status = response.status.as_u16();
        let hint = if response.status.is_redirection() {
            "redirects are not followed; configure the issuer as the provider itself writes it"
        } else {
            "check the issuer's address"
        };
        let problem = format!("HTTP {status} at {url}: {hint}");
        Err(ProviderError::unusable(name, problem))
    }

    pub(crate) fn post_form(&self, url: &Url, form: &[(&str, &str)]) -> RequestBuilder {
        self.0.post(url.clone()).form(form)
    }

    /// Sends a request that `oauth2` has built.
    pub(crate) async fn execute(
        &self,
        name: &'static str,
        request: HttpRequest,
    ) -> Result<HttpResponse, ProviderError> {
        let request = Request::try_from(request).map_err(ProviderError::NoResponse)?;
        let request = RequestBuilder::from_parts(self.0.clone(), request);
        let buffered = self.send(name, request).await?;
        let mut response = HttpResponse::new(buffered.body);
        *response.status_mut() = buffered.status;
        if let Some(content_type) = buffered.content_type {
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        Ok(response)
    }

    /// Sends a request and reads the response to its end.
    ///
    /// # Errors
    /// [`ProviderError::Status`] when the provider reports a failure or an overload.
    pub(crate) async fn send(
        &self,
        name: &'static str,
        request: RequestBuilder,
    ) -> Result<BufferedResponse, ProviderError> {
        let response = request.send().await;
        let response = response.map_err(|error| ProviderError::NoResponse(error.without_url()))?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(ProviderError::Status(status.as_u16()));
        }
        let content_type = response.headers().get(CONTENT_TYPE).cloned();
        Ok(BufferedResponse {
            status,
            content_type,
            body: read_body(name, response).await?,
        })
    }
}

/// Reads a body chunk by chunk. `Content-Length` is not trusted.
async fn read_body(name: &'static str, mut response: Response) -> Result<Vec<u8>, ProviderError> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| ProviderError::Truncated(error.without_url()))?;
        let Some(chunk) = chunk else {
            return Ok(body);
        };
        if body.len() + chunk.len() > MAX_BODY {
            let problem = format!("more than {MAX_BODY} bytes");
            return Err(ProviderError::unusable(name, problem));
        }
        body.extend_from_slice(&chunk);
    }
}
