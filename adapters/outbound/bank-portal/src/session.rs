//! A session with the portal for one payment: form, cookies, downloads.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use domain::criterion::Criterion;
use domain::proofs::file::Format;
use domain::transfer::Transfer;
use reqwest::{Client, RequestBuilder};
use url::Url;

use crate::address::PortalUrl;
use crate::cookies::CookieJar;
use crate::error::LookupError;
use crate::http::{self, PortalResponse};
use crate::trace::TraceParent;

/// Maximum size of a page; the known ones have up to 19 kB.
const MAX_PAGE_BYTES: usize = 512 * 1024;
/// Maximum size of a file, that of `domain::proofs`. Observed PDFs have 29 kB.
const MAX_FILE_BYTES: usize = domain::proofs::MAX_BYTES;

/// URLs of the portal's pages, and the client for them.
pub(crate) struct Endpoints {
    pub(crate) client: Client,
    pub(crate) base: Url,
    validation: Url,
    download: Url,
    pub(crate) participants: Url,
    /// Trace propagation to the portal, if enabled.
    pub(crate) trace_parent: Option<TraceParent>,
}

impl Endpoints {
    pub(crate) fn new(client: Client, base: &PortalUrl) -> Self {
        Self {
            client,
            base: base.url(),
            validation: base.page("valida.do"),
            download: base.page("descarga.do"),
            participants: base.page("instituciones.do"),
            trace_parent: None,
        }
    }
}

/// One session. Its cookies are never shared, though connections are.
pub(crate) struct Session<'a> {
    endpoints: &'a Endpoints,
    transfer: &'a Transfer,
    jar: CookieJar,
    retry_left: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(endpoints: &'a Endpoints, transfer: &'a Transfer) -> Self {
        Self {
            endpoints,
            transfer,
            jar: CookieJar::default(),
            retry_left: true,
        }
    }

    /// Requests `valida.do`, which prepares the downloads if there is a proof.
    pub(crate) async fn validate(&mut self) -> Result<PortalResponse, LookupError> {
        let request = self
            .endpoints
            .client
            .post(self.endpoints.validation.clone())
            .form(&form(self.transfer));
        self.exchange(request, MAX_PAGE_BYTES).await
    }

    /// Downloads one file of a prepared session. A request without a response is sent once more:
    /// the session stays prepared.
    pub(crate) async fn download(&mut self, format: Format) -> Result<PortalResponse, LookupError> {
        let first = self.exchange(self.file(format), MAX_FILE_BYTES).await;
        match first {
            Err(error) if self.take_retry(&error) => {
                tokio::time::sleep(jitter()).await;
                self.exchange(self.file(format), MAX_FILE_BYTES).await
            }
            result => result,
        }
    }

    async fn exchange(
        &mut self,
        request: RequestBuilder,
        limit: usize,
    ) -> Result<PortalResponse, LookupError> {
        let trace_parent = self.endpoints.trace_parent.as_ref();
        http::exchange(request, &mut self.jar, limit, trace_parent).await
    }

    fn file(&self, format: Format) -> RequestBuilder {
        let format = match format {
            Format::Xml => "XML",
            Format::Pdf => "PDF",
        };
        self.endpoints
            .client
            .get(self.endpoints.download.clone())
            .query(&[("formato", format)])
    }

    /// Takes the session's only retry, if this failure may be retried: there was no response at
    /// all.
    pub(crate) fn take_retry(&mut self, error: &LookupError) -> bool {
        let is_retryable = matches!(
            error,
            LookupError::NoResponse(cause) if cause.is_retryable()
        );
        is_retryable && std::mem::take(&mut self.retry_left)
    }
}

/// The ten fields of `valida.do`.
fn form(transfer: &Transfer) -> [(&'static str, String); 10] {
    let kind = match transfer.criterion() {
        Criterion::TrackingKey(_) => "T",
        Criterion::Reference(_) => "R",
    };
    [
        ("tipoCriterio", kind.to_owned()),
        ("criterio", transfer.criterion().to_string()),
        ("fecha", transfer.date().format("%d-%m-%Y").to_string()),
        ("emisor", transfer.issuer().to_string()),
        ("receptor", transfer.receiver().to_string()),
        ("cuenta", transfer.account().as_str().to_owned()),
        ("monto", transfer.amount().to_string()),
        // `1` would mean a payment to the receiving bank itself and the payer's account.
        ("receptorParticipante", "0".to_owned()),
        // The portal's own page sends this while its captcha is hidden.
        ("captcha", "c".to_owned()),
        // `1` prepares the download; `0` would query the state alone.
        ("tipoConsulta", "1".to_owned()),
    ]
}

/// Returns a random delay of 50 to 250 ms, so that queries that failed together aren't retried
/// together.
pub(crate) fn jitter() -> Duration {
    let random = RandomState::new().hash_one(());
    Duration::from_millis(50 + random % 201)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_spread_over_a_fifth_of_a_second() {
        let delays: Vec<_> = (0..2000).map(|_| jitter().as_millis()).collect();
        assert!(delays.iter().all(|delay| (50..=250).contains(delay)));
        assert!(delays.iter().any(|delay| *delay < 80));
        assert!(delays.iter().any(|delay| *delay > 220));
    }
}
