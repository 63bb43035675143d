//! Checks of files in a server: how many at a time, and in which threads.

use std::sync::Arc;

use crate::participants::SharedCatalogue;
use bytes::Bytes;
use domain::calendar;
use domain::check::CheckReport;
use domain::key::{CounterId, Environment};
use domain::participant::Catalogue;
use domain::query::ProofQuery;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use ports::outbound::{Clock, ZipFiles};

use crate::checks::{ProofCheckService, ZippedReport};
use crate::sync::places::{Place, Places};

/// Files of one key that are decoded and checked at the same time, at most: each is 1 MiB, and a hostile
/// one takes 100 ms of a processor.
const PLACES_OF_KEY: usize = 8;

/// Runs a computation in a thread where it may take a tenth of a second, a bounded number at a time and
/// in the order of the calls. Dropping the future doesn't stop it.
pub type Compute = Box<dyn Fn(Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> + Send + Sync>;

/// Checks of files that callers send.
pub struct FileChecks {
    checks: ProofCheckService,
    participants: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    compute: Compute,
    places: Places,
}

/// The checks of what was sent.
pub(super) enum Reports {
    /// A file.
    File(Box<CheckReport>),
    /// The files of a ZIP.
    Zip(Vec<ZippedReport>),
}

impl Reports {
    /// The reports of the files that are proofs.
    pub(super) fn of_proofs(&mut self) -> Vec<&mut CheckReport> {
        let reports: Vec<_> = match self {
            Self::File(report) => vec![&mut **report],
            Self::Zip(reports) => reports.iter_mut().map(|it| &mut it.report).collect(),
        };
        let reports = reports.into_iter();
        reports.filter(|report| report.proof.is_some()).collect()
    }
}

/// Upload after the first computation: a checked file, or an opened ZIP.
enum Opened {
    File(Box<CheckReport>),
    Zip(Box<dyn ZipFiles>),
}

/// The computation of a check panicked, or was given up.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the check of a file did not end")]
pub(super) struct CheckNotEnded;

impl FileChecks {
    /// Checks by `checks` in threads of `compute`. `participants` tell issuers by their names.
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

    /// Waits until fewer than [`PLACES_OF_KEY`] files of the key are in work. This one is, for as long as
    /// the place is held.
    pub(super) async fn place(&self, key: CounterId) -> Place {
        self.places.take(key).await
    }

    /// Checks a file, or each file of a ZIP, with the keys of an environment. The files of a ZIP are as many
    /// computations, between which those of others have their turns.
    pub(super) async fn check(
        &self,
        environment: Environment,
        file: Bytes,
    ) -> Result<Reports, CheckNotEnded> {
        let opened = self.computed(move |checks| match checks.open(&file) {
            None => Opened::File(Box::new(checks.verify(environment, &file))),
            Some(Ok(files)) => Opened::Zip(files),
            Some(Err(reason)) => Opened::File(Box::new(CheckReport::of_other(reason))),
        });
        let mut files = match opened.await? {
            Opened::File(report) => return Ok(Reports::File(report)),
            Opened::Zip(files) => files,
        };
        let mut reports = Vec::new();
        loop {
            let next = self.computed(move |checks| {
                let next = checks.verify_next(environment, &mut *files);
                next.map(|report| (report, files))
            });
            let Some((report, rest)) = next.await? else {
                return Ok(Reports::Zip(reports));
            };
            reports.push(report);
            files = rest;
        }
    }

    /// The result of a computation.
    async fn computed<T: Send + 'static>(
        &self,
        computation: impl FnOnce(&ProofCheckService) -> T + Send + 'static,
    ) -> Result<T, CheckNotEnded> {
        let checks = self.checks.clone();
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            // The caller may be gone.
            let _ = sender.send(computation(&checks));
        };
        (self.compute)(Box::new(work)).await;
        receiver.await.map_err(|_| CheckNotEnded)
    }

    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        self.participants.catalogue()
    }

    /// The query that looks the payment of a file up, if the file says enough.
    pub(super) fn query(&self, report: &CheckReport) -> Option<ProofQuery> {
        let today = calendar::today(self.clock.now());
        report.query(&self.catalogue(), today)
    }
}
