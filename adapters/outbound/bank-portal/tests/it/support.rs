//! Test portals.

use std::error::Error as _;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::{Html, IntoResponse, Response};
use bank_portal::{Portal, PortalConfig, PortalUrl};
use domain::pacing::{Pacing, ThrottleReason};
use domain::proofs::file::RequestedFiles;
use futures::future::BoxFuture;
use memory::InProcessPacer;
use ports::contract::bank as suite;
use ports::contract::pacer::LANE;
use ports::outbound::{Bank as _, BankAnswer, BankError, Lookup};
use tokio::net::TcpListener;

pub(crate) const READY: &str = r#"<div id="dSeleccionaFormato">
    <a href="descarga.do?formato=PDF">PDF</a><a href="descarga.do?formato=XML">XML</a></div>"#;
pub(crate) const TOO_MANY: &str = "<h1>Lo sentimos, pero ha excedido el n&uacute;mero m&aacute;ximo \
    de consultas en este portal. Favor de intentar nuevamente m&aacute;s tarde.</h1>";
pub(crate) const CAPTCHA: &str =
    "<p>La imagen de seguridad no fue ingresada correctamente. Favor de validar.</p>";
pub(crate) const NOT_FOUND: &str = "<p>[BE] No se encontró ningún pago con la información \
    proporcionada. Verifique e intente nuevamente.</p>";
pub(crate) const XML: &[u8] = b"<?xml version=\"1.0\"?>\r\n<SPEI_Tercero a='\xC3\xA1'/>\r\n";
pub(crate) const PDF: &[u8] = b"%PDF-1.4\n\x00\xFF\r\n%%EOF";

/// A request as the portal received it.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl RecordedRequest {
    pub(crate) fn is_validation(&self) -> bool {
        self.target.ends_with("/valida.do")
    }

    pub(crate) fn cookies(&self) -> Option<&str> {
        let cookies = self.headers.get(header::COOKIE);
        cookies.map(|value| value.to_str().unwrap())
    }
}

type Responder = Arc<dyn Fn(RecordedRequest) -> BoxFuture<'static, Response> + Send + Sync>;

/// A portal whose responses a test defines; it records requests.
#[derive(Clone)]
pub(crate) struct TestPortal {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl TestPortal {
    pub(crate) async fn start<F, R>(
        answer: impl Fn(RecordedRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let portal = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
        };
        let responder: Responder = Arc::new(move |request| {
            let answer = answer(request);
            Box::pin(async move { answer.await.into_response() })
        });
        let router = Router::new()
            .fallback(handle)
            .with_state((portal.clone(), responder));
        tokio::spawn(async move { axum::serve(listener, router).await });
        portal
    }

    /// A portal with the "ready" page, and this response to requests of one page.
    pub(crate) async fn ready_but<R: IntoResponse>(
        page: &'static str,
        answer: impl Fn() -> R + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |request| {
            let answer = if request.target.ends_with(page) {
                answer().into_response()
            } else {
                READY.into_response()
            };
            async { answer }
        })
        .await
    }

    /// A portal with the "ready" page, and this response to each download.
    pub(crate) async fn ready<R: IntoResponse>(
        download: impl Fn(RecordedRequest) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |request| {
            let answer = if request.is_validation() {
                Html(READY).into_response()
            } else {
                download(request).into_response()
            };
            async { answer }
        })
        .await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/cep", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn adapter(&self) -> Portal {
        adapter(config(&self.url()))
    }

    /// The answer to a lookup of an XML by an adapter of its own.
    pub(crate) async fn fetch_xml(&self) -> Result<BankAnswer, BankError> {
        fetch_xml(&self.url()).await
    }

    /// An adapter with a budget of 15 queries a minute.
    pub(crate) fn paced_adapter(&self) -> Portal {
        let pacing = Pacing::new(NonZeroU32::new(15).unwrap());
        self.adapter()
            .paced_by(Arc::new(InProcessPacer::new(pacing)))
    }
}

async fn handle(
    State((portal, responder)): State<(TestPortal, Responder)>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let request = RecordedRequest {
        method: parts.method,
        target: parts.uri.to_string(),
        headers: parts.headers,
        body: axum::body::to_bytes(body, 64 * 1024).await.unwrap(),
    };
    portal.requests.lock().unwrap().push(request.clone());
    responder(request).await
}

pub(crate) fn config(url: &str) -> PortalConfig {
    PortalConfig::new(PortalUrl::parse(url).unwrap())
}

pub(crate) fn adapter(config: PortalConfig) -> Portal {
    // Another test of this process may have installed it already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Portal::new(config).unwrap()
}

/// A lookup of a transfer with this tracking key.
pub(crate) fn lookup(tracking_key: &str, wanted: RequestedFiles) -> Lookup {
    Lookup {
        transfer: suite::transfer(suite::scene::ISSUED, tracking_key),
        wanted,
        lane: LANE,
        patience: Duration::from_secs(20),
    }
}

pub(crate) fn impatient(lookup: Lookup) -> Lookup {
    Lookup {
        patience: Duration::from_millis(400),
        ..lookup
    }
}

/// The answer to a lookup of an XML at this portal.
pub(crate) async fn fetch_xml(url: &str) -> Result<BankAnswer, BankError> {
    let lookup = lookup("KEY01", RequestedFiles::Xml);
    adapter(config(url)).fetch(&lookup).await
}

#[track_caller]
pub(crate) fn assert_protocol_error(answer: &Result<BankAnswer, BankError>) {
    let is_protocol_error = matches!(answer, Err(BankError::Protocol { .. }));
    assert!(is_protocol_error, "{answer:?}");
}

/// The time and the reason of a throttled answer.
#[track_caller]
pub(crate) fn throttled<T: Debug>(answer: Result<T, BankError>) -> (Duration, ThrottleReason) {
    match answer {
        Err(BankError::Throttled {
            retry_after,
            reason,
        }) => (retry_after, reason),
        other => panic!("throttling was expected, not {other:?}"),
    }
}

#[track_caller]
pub(crate) fn assert_unavailable(answer: &Result<BankAnswer, BankError>) {
    let is_unavailable = matches!(answer, Err(BankError::Unavailable { .. }));
    assert!(is_unavailable, "{answer:?}");
}

/// An error with all its sources, as a log shows them.
pub(crate) fn error_chain(error: &BankError) -> String {
    let cause = match error {
        BankError::Protocol { cause } | BankError::Unavailable { cause, .. } => cause,
        BankError::Throttled { .. } | BankError::Timeout => return format!("{error} {error:?}"),
    };
    let mut text = format!("{error} {error:?} {cause}");
    let mut source = cause.source();
    while let Some(next) = source {
        text.extend([" ".to_owned(), next.to_string()]);
        source = next.source();
    }
    text
}
