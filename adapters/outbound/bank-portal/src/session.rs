//! One payment's session with the portal: its form, its cookies, its downloads.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use domain::file::Format;
use domain::transfer::Transfer;
use reqwest::{Client, RequestBuilder};
use url::Url;

use crate::address::PortalUrl;
use crate::cookies::CookieJar;
use crate::fault::Fault;
use crate::trace::TraceHeaders;
use crate::wire::{self, Answer};

/// Most bytes of a page; the known ones have up to 19 kB.
const LARGEST_PAGE: usize = 512 * 1024;
/// Most bytes of a file: what `domain::proof` reads. PDFs seen have 29 kB.
const LARGEST_FILE: usize = domain::proof::MAX_BYTES;

/// The portal's two pages, and how they are reached.
pub(crate) struct Counter {
    pub(crate) client: Client,
    validation: Url,
    download: Url,
    /// How the portal is told of traces, when it is.
    pub(crate) trace_headers: Option<TraceHeaders>,
}

impl Counter {
    pub(crate) fn new(client: Client, base: &PortalUrl) -> Self {
        Self {
            client,
            validation: base.page("valida.do"),
            download: base.page("descarga.do"),
            trace_headers: None,
        }
    }
}

/// One session. Its cookies are never another's, though connections are shared.
pub(crate) struct Session<'a> {
    counter: &'a Counter,
    transfer: &'a Transfer,
    jar: CookieJar,
    second_attempt_left: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(counter: &'a Counter, transfer: &'a Transfer) -> Self {
        Self {
            counter,
            transfer,
            jar: CookieJar::default(),
            second_attempt_left: true,
        }
    }

    /// Asks whether there is a proof, and arms the downloads if there is.
    pub(crate) async fn validate(&mut self) -> Result<Answer, Fault> {
        let request = self
            .counter
            .client
            .post(self.counter.validation.clone())
            .form(&form(self.transfer));
        self.exchange(request, LARGEST_PAGE).await
    }

    /// Downloads one file of an armed session. A request that got no answer is sent once more: the
    /// session stays armed.
    pub(crate) async fn download(&mut self, format: Format) -> Result<Answer, Fault> {
        let first = self.exchange(self.file(format), LARGEST_FILE).await;
        match first {
            Err(fault) if self.may_try_again(&fault) => {
                tokio::time::sleep(jitter()).await;
                self.exchange(self.file(format), LARGEST_FILE).await
            }
            answered => answered,
        }
    }

    async fn exchange(&mut self, request: RequestBuilder, limit: usize) -> Result<Answer, Fault> {
        let tell = self.counter.trace_headers.as_ref();
        wire::exchange(request, &mut self.jar, limit, tell).await
    }

    fn file(&self, format: Format) -> RequestBuilder {
        let format = match format {
            Format::Xml => "XML",
            Format::Pdf => "PDF",
        };
        self.counter
            .client
            .get(self.counter.download.clone())
            .query(&[("formato", format)])
    }

    /// Whether the session's one second attempt may be used after this failure: only when nothing
    /// at all was answered. Uses it up.
    pub(crate) fn may_try_again(&mut self, fault: &Fault) -> bool {
        let worthwhile = matches!(
            fault,
            Fault::Unanswered(unanswered) if unanswered.is_worth_another_attempt()
        );
        worthwhile && std::mem::take(&mut self.second_attempt_left)
    }
}

/// The ten fields of `valida.do`.
fn form(transfer: &Transfer) -> [(&'static str, String); 10] {
    [
        ("tipoCriterio", "T".to_owned()),
        ("criterio", transfer.tracking_key().as_str().to_owned()),
        ("fecha", transfer.date().format("%d-%m-%Y").to_string()),
        ("emisor", transfer.issuer().to_string()),
        ("receptor", transfer.receiver().to_string()),
        ("cuenta", transfer.account().as_str().to_owned()),
        ("monto", transfer.amount().to_string()),
        // `1` would mean a payment to the receiving bank itself and the payer's account.
        ("receptorParticipante", "0".to_owned()),
        // What the portal's own page sends while its captcha is hidden.
        ("captcha", "c".to_owned()),
        // `1` arms the download; `0` would ask for the state alone.
        ("tipoConsulta", "1".to_owned()),
    ]
}

/// 50 to 250 ms, so that lookups which failed together don't come back together.
pub(crate) fn jitter() -> Duration {
    let random = RandomState::new().hash_one(());
    Duration::from_millis(50 + random % 201)
}
