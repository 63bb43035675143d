//! Checks of uploaded files: concurrency limits and threads.

use std::sync::Arc;

use crate::participants::SharedCatalogue;
use bytes::Bytes;
use domain::calendar;
use domain::keys::{CounterId, Environment};
use domain::participants::Catalogue;
use domain::proofs::check::CheckReport;
use domain::query::ProofQuery;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use ports::outbound::{Clock, ZipFiles};

use crate::checks::{ProofCheckService, ZippedReport};
use crate::sync::places::{Place, Places};

/// Maximum number of files of one key that are checked at the same time. A file has up to 1 MiB, and a
/// hostile one takes 100 ms of processor time.
const PLACES_OF_KEY: usize = 8;

/// Runs a computation of up to 100 ms in a thread for such work. A limited number run at a time, in the order
/// of the calls. Dropping the future doesn't stop the computation.
pub type Compute = Box<dyn Fn(Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> + Send + Sync>;

/// Checks of files that callers upload.
pub struct FileChecks {
    checks: ProofCheckService,
    participants: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    compute: Compute,
    places: Places,
}

/// Reports of an upload.
pub(super) enum Reports {
    /// Report of a single file.
    File(Box<CheckReport>),
    /// Reports of the files in a ZIP.
    Zip(Vec<ZippedReport>),
}

/// The checks of an upload.
pub(super) struct Checked {
    pub(super) reports: Reports,
    /// The first XML on whose seal there may be a second opinion.
    pub(super) disputable: Option<Bytes>,
}

impl Reports {
    /// The reports of files that are proofs.
    pub(super) fn of_proofs(&mut self) -> Vec<&mut CheckReport> {
        let reports: Vec<_> = match self {
            Self::File(report) => vec![&mut **report],
            Self::Zip(reports) => reports.iter_mut().map(|it| &mut it.report).collect(),
        };
        let reports = reports.into_iter();
        reports.filter(|report| report.proof.is_some()).collect()
    }
}

/// An upload after the first computation: a checked file, or an opened ZIP.
enum Opened {
    File(Box<CheckReport>),
    Zip(Box<dyn ZipFiles>),
}

/// The computation panicked or was dropped.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the check of a file did not end")]
pub(super) struct CheckNotEnded;

/// Runs a computation in a thread for such work, and returns its result.
pub(super) async fn computed<T: Send + 'static>(
    compute: &Compute,
    computation: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CheckNotEnded> {
    let (sender, receiver) = oneshot::channel();
    let work = move || {
        // The receiver may be dropped.
        let _ = sender.send(computation());
    };
    compute(Box::new(work)).await;
    receiver.await.map_err(|_| CheckNotEnded)
}

impl FileChecks {
    /// Creates a service that checks with `checks` in threads of `compute`. `participants` maps names of
    /// issuers to codes.
    pub fn new(
        checks: ProofCheckService,
        participants: Arc<SharedCatalogue>,
        clock: Arc<dyn Clock>,
        compute: Compute,
    ) -> Self {
        Self {
            checks,
            participants,
            clock,
            compute,
            places: Places::new(PLACES_OF_KEY),
        }
    }

    /// Waits until fewer than [`PLACES_OF_KEY`] files of the key are checked, and occupies a place until it
    /// is dropped.
    pub(super) async fn place(&self, key: CounterId) -> Place {
        self.places.take(key).await
    }

    /// Checks a file, or each file of a ZIP, with the seal keys of an environment. Each file of a ZIP is a
    /// separate computation, so that those of other callers can run in between.
    pub(super) async fn check(
        &self,
        environment: Environment,
        file: Bytes,
    ) -> Result<Checked, CheckNotEnded> {
        let whole = file.clone();
        let opened = self.computed(move |checks| match checks.open(&file) {
            None => Opened::File(Box::new(checks.verify(environment, &file))),
            Some(Ok(files)) => Opened::Zip(files),
            Some(Err(reason)) => Opened::File(Box::new(CheckReport::of_other(reason))),
        });
        let mut files = match opened.await? {
            Opened::File(report) => {
                let disputable = report.is_disputable_xml().then_some(whole);
                let reports = Reports::File(report);
                return Ok(Checked {
                    reports,
                    disputable,
                });
            }
            Opened::Zip(files) => files,
        };
        let (mut reports, mut disputable) = (Vec::new(), None);
        loop {
            let next = self.computed(move |checks| {
                let next = checks.verify_next(environment, &mut *files);
                next.map(|report| (report, files))
            });
            let Some((mut report, rest)) = next.await? else {
                let reports = Reports::Zip(reports);
                return Ok(Checked {
                    reports,
                    disputable,
                });
            };
            disputable = disputable.or(report.disputable.take());
            reports.push(report);
            files = rest;
        }
    }

    /// Runs a computation, and returns its result.
    async fn computed<T: Send + 'static>(
        &self,
        computation: impl FnOnce(&ProofCheckService) -> T + Send + 'static,
    ) -> Result<T, CheckNotEnded> {
        let checks = self.checks.clone();
        computed(&self.compute, move || computation(&checks)).await
    }

    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        self.participants.catalogue()
    }

    /// The query for the payment of a file; `None` if the file doesn't contain enough data.
    pub(super) fn query(&self, report: &CheckReport) -> Option<ProofQuery> {
        let today = calendar::today(self.clock.now());
        report.query(&self.catalogue(), today)
    }
}
