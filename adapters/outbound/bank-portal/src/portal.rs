//! The portal as a [`Bank`]: one lookup, from its turn to its files.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use domain::file::{Format, RequestedFiles};
use domain::pacing::{BackOff, BankBudget, FIRST_BACK_OFF, ThrottleReason, Throttled};
use ports::outbound::{AcquireError, Bank, BankAnswer, BankError, BankFiles, Lookup, Pacer};
use reqwest::StatusCode;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

use crate::config::PortalConfig;
use crate::diagnosis::Diagnosis;
use crate::fault::Fault;
use crate::file::{self, Download};
use crate::page::{Page, classify};
use crate::session::{Counter, Session, jitter};
use crate::trace::{self, TraceHeaders};
use crate::wire::{self, Answer};

/// When to come back after the bulkhead refused: lookups take seconds.
const BULKHEAD_RETRY_AFTER: Duration = Duration::from_secs(1);

/// When to come back after nobody could say whether the portal may be asked.
const PACER_RETRY_AFTER: Duration = Duration::from_secs(5);

/// The central bank's portal, or a server that speaks its protocol.
pub struct Portal {
    counter: Counter,
    pacer: Option<Arc<dyn Pacer>>,
    bulkhead: Semaphore,
    diagnosis: Diagnosis,
}

/// Why a portal can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum PortalError {
    /// No HTTP client can be made: a bad version, or no TLS provider or trusted roots.
    #[error("the HTTP client can't be made: {0}")]
    Client(#[source] reqwest::Error),
    /// The folder for unknown pages can't be made.
    #[error("the diagnostics folder can't be made: {0}")]
    Diagnostics(#[source] io::Error),
}

impl Portal {
    /// A portal with its own pool of connections, which counts nobody's questions, as the sandbox
    /// does: see [`Self::paced_by`]. The process's TLS provider must be installed.
    ///
    /// # Errors
    /// See [`PortalError`].
    pub fn new(config: PortalConfig) -> Result<Self, PortalError> {
        let user_agent = format!("cep-gateway/{}", config.version);
        let client = wire::client(&config.base_url, &user_agent, config.connect_timeout)
            .map_err(PortalError::Client)?;
        Ok(Self {
            counter: Counter::new(client, &config.base_url),
            pacer: None,
            bulkhead: Semaphore::new(config.most_lookups.min(Semaphore::MAX_PERMITS)),
            diagnosis: Diagnosis::new(config.diagnostics_dir).map_err(PortalError::Diagnostics)?,
        })
    }

    /// The same portal, of which only so much is asked as this pacer gives turns for.
    #[must_use]
    pub fn paced_by(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = Some(pacer);
        self
    }

    /// The same portal, which is told of the traces that our requests belong to.
    #[must_use]
    pub fn in_traces(mut self, headers: TraceHeaders) -> Self {
        self.counter.trace_headers = Some(headers);
        self
    }

    async fn look_up(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        let mut session = Session::new(&self.counter, &lookup.transfer);
        let (answer, turn) = self.validate(&mut session, lookup.patience).await?;
        let known = match classify(answer.status, &answer.body) {
            Page::Ready => {
                drop(answer);
                BankAnswer::Issued(self.download(&mut session, lookup, turn).await?)
            }
            Page::Known(payment) => BankAnswer::NotIssued(payment),
            Page::NotFound => BankAnswer::NotFound,
            page => return Err(self.failure(page, &answer, turn).await),
        };
        // Only now: the download, too, could have met the limit.
        self.served(turn).await;
        Ok(known)
    }

    /// Asks `valida.do`. A question that got no answer is asked once more; the portal may have
    /// counted the first, so the second waits for a turn of its own.
    async fn validate(
        &self,
        session: &mut Session<'_>,
        patience: Duration,
    ) -> Result<(Answer, Option<Turn>), BankError> {
        let started = Instant::now();
        let turn = self.turn(patience).await?;
        let fault = match session.validate().await {
            Ok(answer) => return Ok((answer, turn)),
            Err(fault) => fault,
        };
        if !session.may_try_again(&fault) {
            return Err(fault.into());
        }
        tokio::time::sleep(jitter()).await;
        let left = patience.saturating_sub(started.elapsed());
        let Ok(turn) = self.turn(left).await else {
            return Err(fault.into());
        };
        Ok((session.validate().await?, turn))
    }

    async fn turn(&self, patience: Duration) -> Result<Option<Turn>, BankError> {
        let Some(pacer) = &self.pacer else {
            return Ok(None);
        };
        let span = trace::turn();
        let turn = pacer.acquire(patience).instrument(span.clone()).await;
        trace::turned(&span, turn.as_ref().copied());
        turn.map_err(unasked)?;
        Ok(Some(Turn(Instant::now())))
    }

    async fn served(&self, turn: Option<Turn>) {
        if let (Some(pacer), Some(turn)) = (&self.pacer, turn)
            && let Err(error) = pacer.record_success(turn.age()).await
        {
            // The next back-off may be longer than it had to be.
            tracing::debug!(%error, "a success was not told to the pacer");
        }
    }

    /// Downloads what is wanted, the XML first: it alone can be checked against the question.
    async fn download(
        &self,
        session: &mut Session<'_>,
        lookup: &Lookup,
        turn: Option<Turn>,
    ) -> Result<BankFiles, BankError> {
        let mut files = BankFiles::default();
        if matches!(lookup.wanted, RequestedFiles::Xml | RequestedFiles::Both) {
            let xml = session.download(Format::Xml).await?;
            files.xml = Some(self.accept(Format::Xml, xml, turn).await?);
        }
        if lookup.wanted.includes_pdf() {
            let pdf = session.download(Format::Pdf).await?;
            let key = lookup.transfer.tracking_key();
            let name = pdf.disposition.as_deref();
            let is_anothers = name.is_some_and(|name| file::names_another(name, key));
            let bytes = self.accept(Format::Pdf, pdf, turn).await?;
            if is_anothers {
                return Err(Fault::AnotherFile.into());
            }
            files.pdf = Some(bytes);
        }
        Ok(files)
    }

    /// The bytes of a download, once they are a file.
    async fn accept(
        &self,
        format: Format,
        answer: Answer,
        turn: Option<Turn>,
    ) -> Result<Bytes, BankError> {
        let download = if answer.status.is_success() {
            file::inspect(format, &answer.body)
        } else {
            Download::NotAFile
        };
        match download {
            Download::File => Ok(answer.body),
            Download::DocumentType => {
                let description = self.diagnosis.record(answer.status, &answer.body).await;
                Err(Fault::DocumentType(description).into())
            }
            Download::NotAFile => {
                let page = classify(answer.status, &answer.body);
                Err(self.failure(page, &answer, turn).await)
            }
        }
    }

    /// What a page that brings nothing means. On the download a page such as "not found" makes no
    /// sense, and so is an unknown one.
    async fn failure(&self, page: Page, answer: &Answer, turn: Option<Turn>) -> BankError {
        let describe = || self.diagnosis.record(answer.status, &answer.body);
        match page {
            Page::TooManyQueries if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                self.limited(turn, ThrottleReason::TooManyRequests).await
            }
            Page::TooManyQueries => self.limited(turn, ThrottleReason::TooManyQueriesPage).await,
            Page::CaptchaWanted => self.limited(turn, ThrottleReason::CaptchaPage).await,
            Page::ServerError => Fault::Failed(answer.status).into(),
            Page::Temporary => Fault::Temporary.into(),
            Page::BadInput => Fault::FormRefused(describe().await).into(),
            Page::Ready | Page::Known(_) | Page::NotFound | Page::Unknown => {
                Fault::UnknownPage(describe().await).into()
            }
        }
    }

    /// The portal wants fewer questions: it is left alone from now on, for as long as the answer
    /// says.
    async fn limited(&self, turn: Option<Turn>, reason: ThrottleReason) -> BankError {
        let throttled = |retry_after| BankError::Throttled {
            retry_after,
            reason,
        };
        let (Some(pacer), Some(turn)) = (&self.pacer, turn) else {
            return throttled(FIRST_BACK_OFF);
        };
        // In a task of its own: it is told though the lookup's patience end meanwhile.
        let told = tokio::spawn({
            let pacer = Arc::clone(pacer);
            async move { pacer.record_throttled(turn.age()).await }
        });
        match told.await {
            Ok(Ok(back_off)) => {
                if let BackOff::Began(length) = back_off {
                    tracing::warn!(
                        reason = reason.name(),
                        seconds = length.as_secs(),
                        "the portal wants fewer questions and is left alone"
                    );
                }
                throttled(back_off.left())
            }
            failed => {
                tracing::error!(
                    reason = reason.name(),
                    ?failed,
                    "the portal wants fewer questions, and the pacer could not be told"
                );
                throttled(FIRST_BACK_OFF)
            }
        }
    }
}

/// A turn that was taken.
#[derive(Clone, Copy, Debug)]
struct Turn(Instant);

impl Turn {
    fn age(self) -> Duration {
        self.0.elapsed()
    }
}

fn unasked(why: AcquireError) -> BankError {
    let (retry_after, reason) = match why {
        AcquireError::Refused(Throttled::BudgetUsedUp { retry_after }) => {
            (retry_after, ThrottleReason::BudgetUsedUp)
        }
        AcquireError::Refused(Throttled::BackingOff { retry_after }) => {
            (retry_after, ThrottleReason::BackingOff)
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
        let Ok(_place) = self.bulkhead.try_acquire() else {
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
        trace::looked_up(&span, &answer);
        tracing::debug!(
            outcome = trace::outcome(&answer),
            wanted = ?lookup.wanted,
            elapsed_ms = started.elapsed().as_millis(),
            "asked the bank"
        );
        answer
    }

    async fn budget(&self) -> Option<BankBudget> {
        match self.pacer.as_ref()?.budget().await {
            Ok(budget) => Some(budget),
            Err(error) => {
                tracing::debug!(%error, "the budget can't be told");
                None
            }
        }
    }
}
