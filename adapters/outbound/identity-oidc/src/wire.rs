//! Requests to the provider: bounded in time and in what is read, never redirected.

use std::time::Duration;

use oauth2::{HttpRequest, HttpResponse};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Request, RequestBuilder, Response, StatusCode};
use url::Url;

use crate::config::OidcConfig;
use crate::fault::Fault;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Most that is read of an answer. Discovery documents and key sets of large providers, with their
/// certificate chains, stay below 32 KiB.
pub(crate) const LARGEST_ANSWER: usize = 256 * 1024;

/// A connection to the provider.
#[derive(Clone)]
pub(crate) struct Wire(Client);

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    content_type: Option<HeaderValue>,
    pub(crate) body: Vec<u8>,
}

impl Wire {
    /// No redirects (an answer from elsewhere is nobody's we trust), no proxy from the environment,
    /// no cookies. No connection is kept: sign-ins and key fetches are minutes apart, and a kept
    /// one that the provider has closed would fail a sign-in.
    pub(crate) fn new(config: &OidcConfig) -> Result<Self, reqwest::Error> {
        let builder = if config.issuer.is_https() {
            Client::builder().https_only(true)
        } else {
            // The system's certificates aren't needed, nor looked for where there may be none.
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

    /// Gets a JSON document.
    pub(crate) async fn document(&self, what: &'static str, url: &Url) -> Result<Vec<u8>, Fault> {
        let request = self.0.get(url.clone());
        let request = request.header(ACCEPT, "application/json");
        let answer = self.send(what, request).await?;
        if answer.status == StatusCode::OK {
            return Ok(answer.body);
        }
        let status = answer.status.as_u16();
        let hint = if answer.status.is_redirection() {
            "redirects are not followed; configure the issuer as the provider itself writes it"
        } else {
            "check the issuer's address"
        };
        let problem = format!("HTTP {status} at {url}: {hint}");
        Err(Fault::unusable(what, problem))
    }

    /// A form to post.
    pub(crate) fn post(&self, url: &Url, form: &[(&str, &str)]) -> RequestBuilder {
        self.0.post(url.clone()).form(form)
    }

    /// Carries a request that somebody else has built.
    pub(crate) async fn carry(
        &self,
        what: &'static str,
        request: HttpRequest,
    ) -> Result<HttpResponse, Fault> {
        let request = Request::try_from(request).map_err(Fault::Unanswered)?;
        let request = RequestBuilder::from_parts(self.0.clone(), request);
        let answer = self.send(what, request).await?;
        let mut response = HttpResponse::new(answer.body);
        *response.status_mut() = answer.status;
        if let Some(content_type) = answer.content_type {
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        Ok(response)
    }

    /// Sends a request and reads the answer to its end, unless the provider says that it fails.
    pub(crate) async fn send(
        &self,
        what: &'static str,
        request: RequestBuilder,
    ) -> Result<Answer, Fault> {
        let response = request.send().await;
        let response = response.map_err(|error| Fault::Unanswered(error.without_url()))?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(Fault::Failed(status.as_u16()));
        }
        let content_type = response.headers().get(CONTENT_TYPE).cloned();
        Ok(Answer {
            status,
            content_type,
            body: read(what, response).await?,
        })
    }
}

/// Reads a body chunk by chunk. `Content-Length` is not asked: it may lie.
async fn read(what: &'static str, mut response: Response) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| Fault::BrokenOff(error.without_url()))?;
        let Some(chunk) = chunk else {
            return Ok(body);
        };
        if body.len() + chunk.len() > LARGEST_ANSWER {
            let problem = format!("more than {LARGEST_ANSWER} bytes");
            return Err(Fault::unusable(what, problem));
        }
        body.extend_from_slice(&chunk);
    }
}
