//! Implementation of the [`Bank`] port: one query, from the pacer's slot to the files.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use domain::criterion::Criterion;
use domain::pacing::{BackOff, BankBudget, FIRST_BACK_OFF, Lane, ThrottleReason, Throttled};
use domain::proofs::check::is_zip;
use domain::proofs::file::{Format, RequestedFiles};
use domain::tracking_key::TrackingKey;
use ports::outbound::{AcquireError, Bank, BankAnswer, BankError, BankFiles, Lookup, Pacer};
use reqwest::StatusCode;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

use crate::config::PortalConfig;
use crate::diagnostics::Diagnostics;
use crate::error::LookupError;
use crate::file::{self, Download};
use crate::http::{self, PortalResponse};
use crate::metrics;
use crate::page::{Page, classify};
use crate::session::{Endpoints, Session, jitter};
use crate::trace::{self, TraceParent};

mod participants;
mod validator;

pub use validator::Validator;

/// `retry_after` when the bulkhead is full: queries take seconds.
const BULKHEAD_RETRY_AFTER: Duration = Duration::from_secs(1);

/// `retry_after` when the pacer failed.
const PACER_RETRY_AFTER: Duration = Duration::from_secs(5);

/// Client of the central bank's portal, or of another server with its protocol.
pub struct Portal {
    endpoints: Endpoints,
    pacer: Option<Arc<dyn Pacer>>,
    bulkhead: Semaphore,
    diagnostics: Diagnostics,
}

/// Reasons why a portal can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum PortalError {
    /// The HTTP client can't be built: an invalid version, no TLS provider or no trusted roots.
    #[error("the HTTP client can't be built: {0}")]
    Client(#[source] reqwest::Error),
    #[error("the diagnostics directory can't be created: {0}")]
    Diagnostics(#[source] io::Error),
}

impl Portal {
    /// Creates a portal with its own connection pool and without a query budget, as the sandbox has
    /// none: see [`Self::paced_by`]. The process's TLS provider must be installed.
    ///
    /// # Errors
    /// See [`PortalError`].
    pub fn new(config: PortalConfig) -> Result<Self, PortalError> {
        let user_agent = format!("cep-gateway/{}", config.version);
        let client = http::client(&config.base_url, &user_agent, config.connect_timeout)
            .map_err(PortalError::Client)?;
        Ok(Self {
            endpoints: Endpoints::new(client, &config.base_url),
            pacer: None,
            bulkhead: Semaphore::new(config.max_lookups.min(Semaphore::MAX_PERMITS)),
            diagnostics: Diagnostics::new(config.diagnostics_dir)
                .map_err(PortalError::Diagnostics)?,
        })
    }

    /// Returns the portal with a pacer: each query waits for its turn.
    #[must_use]
    pub fn paced_by(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = Some(pacer);
        self
    }

    /// Returns the portal with trace propagation in its requests.
    #[must_use]
    pub fn in_traces(mut self, parent: TraceParent) -> Self {
        self.endpoints.trace_parent = Some(parent);
        self
    }

    async fn look_up(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        let mut session = Session::new(&self.endpoints, &lookup.transfer);
        let (response, slot) = self.validate(&mut session, lookup).await?;
        let answer = match classify(response.status, &response.body) {
            Page::Ready => {
                drop(response);
                self.download(&mut session, lookup, slot).await?
            }
            Page::Known(payment) => BankAnswer::NotIssued(payment),
            Page::NotFound => BankAnswer::NotFound,
            page => return Err(self.failure(page, &response, slot).await),
        };
        // Recorded after the download, which could also have been throttled.
        self.record_success(slot).await;
        Ok(answer)
    }

    /// Requests `valida.do`. A request without a response is sent once more; the portal may have
    /// counted the first, so the second waits for a slot of its own.
    async fn validate(
        &self,
        session: &mut Session<'_>,
        lookup: &Lookup,
    ) -> Result<(PortalResponse, Option<Slot>), BankError> {
        let started = Instant::now();
        let slot = self.acquire_slot(lookup.lane, lookup.patience).await?;
        let error = match session.validate().await {
            Ok(response) => return Ok((response, slot)),
            Err(error) => error,
        };
        if !session.take_retry(&error) {
            return Err(error.into());
        }
        tokio::time::sleep(jitter()).await;
        let left = lookup.patience.saturating_sub(started.elapsed());
        let Ok(slot) = self.acquire_slot(lookup.lane, left).await else {
            return Err(error.into());
        };
        Ok((session.validate().await?, slot))
    }

    /// Waits for a slot in the query budget; `None` without a pacer.
    async fn acquire_slot(
        &self,
        lane: Lane,
        patience: Duration,
    ) -> Result<Option<Slot>, BankError> {
        let Some(pacer) = &self.pacer else {
            return Ok(None);
        };
        let span = trace::turn();
        let started = Instant::now();
        let turn = pacer.acquire(lane, patience).instrument(span.clone()).await;
        trace::record_turn(&span, turn.as_ref().copied());
        metrics::turn_ended(lane.class, turn.as_ref().copied(), started.elapsed());
        turn.map_err(acquire_error)?;
        Ok(Some(Slot(Instant::now())))
    }

    async fn record_success(&self, slot: Option<Slot>) {
        if let (Some(pacer), Some(slot)) = (&self.pacer, slot)
            && let Err(error) = pacer.record_success(slot.age()).await
        {
            // The only consequence: the next back-off may be longer than necessary.
            tracing::debug!(%error, "success not recorded by the pacer");
        }
    }

    /// Downloads the files that the session is prepared for.
    async fn download(
        &self,
        session: &mut Session<'_>,
        lookup: &Lookup,
        slot: Option<Slot>,
    ) -> Result<BankAnswer, BankError> {
        match lookup.transfer.criterion() {
            Criterion::TrackingKey(key) => {
                let files = self.of_key(session, (lookup.wanted, key), slot).await;
                files.map(BankAnswer::Issued)
            }
            Criterion::Reference(_) => self.of_reference(session, slot).await,
        }
    }

    /// Downloads the wanted files, the XML first: it alone can be checked against the transfer.
    async fn of_key(
        &self,
        session: &mut Session<'_>,
        (wanted, key): (RequestedFiles, &TrackingKey),
        slot: Option<Slot>,
    ) -> Result<BankFiles, BankError> {
        let mut files = BankFiles::default();
        if matches!(wanted, RequestedFiles::Xml | RequestedFiles::Both) {
            let xml = session.download(Format::Xml).await?;
            files.xml = Some(self.accept(Format::Xml, xml, slot).await?);
        }
        if wanted.includes_pdf() {
            let pdf = session.download(Format::Pdf).await?;
            let name = pdf.disposition.as_deref();
            let is_wrong = name.is_some_and(|name| file::names_another_transfer(name, key));
            let bytes = self.accept(Format::Pdf, pdf, slot).await?;
            if is_wrong {
                return Err(LookupError::WrongFile.into());
            }
            files.pdf = Some(bytes);
        }
        Ok(files)
    }

    /// Downloads both files of the one transfer with the reference number, or the ZIP of the PDFs of several. The PDF
    /// comes first: what it begins with tells whether there is one, and of several there is no XML.
    async fn of_reference(
        &self,
        session: &mut Session<'_>,
        slot: Option<Slot>,
    ) -> Result<BankAnswer, BankError> {
        let first = session.download(Format::Pdf).await?;
        if first.status.is_success() && is_zip(&first.body) {
            return Ok(BankAnswer::Several(first.body));
        }
        let pdf = self.accept(Format::Pdf, first, slot).await?;
        let xml = session.download(Format::Xml).await?;
        Ok(BankAnswer::Issued(BankFiles {
            xml: Some(self.accept(Format::Xml, xml, slot).await?),
            pdf: Some(pdf),
        }))
    }

    /// Returns the bytes of a download after validation.
    async fn accept(
        &self,
        format: Format,
        response: PortalResponse,
        slot: Option<Slot>,
    ) -> Result<Bytes, BankError> {
        let download = if response.status.is_success() {
            file::inspect(format, &response.body)
        } else {
            Download::NotAFile
        };
        match download {
            Download::File => Ok(response.body),
            Download::DocumentType => {
                let summary = self
                    .diagnostics
                    .record(response.status, &response.body)
                    .await;
                Err(LookupError::DocumentType(summary).into())
            }
            Download::NotAFile => {
                let page = classify(response.status, &response.body);
                Err(self.failure(page, &response, slot).await)
            }
        }
    }

    /// Maps a page without a result to an error. On the download a page such as "not found" makes no
    /// sense, so it counts as unknown.
    async fn failure(
        &self,
        page: Page,
        response: &PortalResponse,
        slot: Option<Slot>,
    ) -> BankError {
        let record = || self.diagnostics.record(response.status, &response.body);
        match page {
            Page::TooManyQueries if response.status == StatusCode::TOO_MANY_REQUESTS => {
                self.back_off(slot, ThrottleReason::TooManyRequests).await
            }
            Page::TooManyQueries => {
                self.back_off(slot, ThrottleReason::TooManyQueriesPage)
                    .await
            }
            Page::CaptchaWanted => self.back_off(slot, ThrottleReason::CaptchaPage).await,
            Page::ServerError => LookupError::ServerError(response.status).into(),
            Page::Temporary => LookupError::Temporary.into(),
            Page::BadInput => LookupError::FormRejected(record().await).into(),
            Page::Ready | Page::Known(_) | Page::NotFound | Page::Unknown => {
                LookupError::UnknownPage(record().await).into()
            }
        }
    }

    /// Starts a back-off because the portal throttles us; the error holds its length.
    async fn back_off(&self, slot: Option<Slot>, reason: ThrottleReason) -> BankError {
        let throttled = |retry_after| BankError::Throttled {
            retry_after,
            reason,
        };
        let (Some(pacer), Some(slot)) = (&self.pacer, slot) else {
            return throttled(FIRST_BACK_OFF);
        };
        // In a separate task: the pacer learns of it even if the query times out meanwhile.
        let recorded = tokio::spawn({
            let pacer = Arc::clone(pacer);
            async move { pacer.record_throttled(slot.age()).await }
        });
        match recorded.await {
            Ok(Ok(back_off)) => {
                if let BackOff::Began(length) = back_off {
                    tracing::warn!(
                        reason = reason.name(),
                        seconds = length.as_secs(),
                        "the portal throttles us: back-off started"
                    );
                }
                throttled(back_off.left())
            }
            failed => {
                tracing::error!(
                    reason = reason.name(),
                    ?failed,
                    "the portal throttles us: back-off not recorded by the pacer"
                );
                throttled(FIRST_BACK_OFF)
            }
        }
    }
}

/// A slot in the query budget, with the time at which it was acquired.
#[derive(Clone, Copy, Debug)]
struct Slot(Instant);

impl Slot {
    fn age(self) -> Duration {
        self.0.elapsed()
    }
}

fn acquire_error(error: AcquireError) -> BankError {
    let (retry_after, reason) = match error {
        AcquireError::Refused(Throttled::BudgetUsedUp { retry_after }) => {
            (retry_after, ThrottleReason::BudgetUsedUp)
        }
        AcquireError::Refused(Throttled::BackingOff { retry_after }) => {
            (retry_after, ThrottleReason::BackingOff)
        }
        AcquireError::Refused(Throttled::QueueFull { retry_after }) => {
            (retry_after, ThrottleReason::TooManyWaitingOfKey)
        }
        AcquireError::Failed(error) => {
            return BankError::Unavailable {
                retry_after: PACER_RETRY_AFTER,
                cause: Arc::new(error),
            };
        }
    };
    BankError::Throttled {
        retry_after,
        reason,
    }
}

#[async_trait]
impl Bank for Portal {
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        let Ok(_permit) = self.bulkhead.try_acquire() else {
            return Err(BankError::Throttled {
                retry_after: BULKHEAD_RETRY_AFTER,
                reason: ThrottleReason::TooManyLookups,
            });
        };
        let started = Instant::now();
        let span = trace::lookup();
        let answer = tokio::time::timeout(lookup.patience, self.look_up(lookup))
            .instrument(span.clone())
            .await
            .unwrap_or(Err(BankError::Timeout));
        trace::record_lookup(&span, &answer);
        tracing::debug!(
            outcome = trace::outcome(&answer),
            wanted = ?lookup.wanted,
            elapsed_ms = started.elapsed().as_millis(),
            "portal lookup finished"
        );
        answer
    }

    async fn budget(&self) -> Option<BankBudget> {
        match self.pacer.as_ref()?.budget().await {
            Ok(budget) => Some(budget),
            Err(error) => {
                tracing::debug!(%error, "query budget unavailable");
                None
            }
        }
    }
}
