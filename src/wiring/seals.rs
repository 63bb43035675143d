//! Seals of proofs, and checks of files.

use std::num::NonZero;
use std::sync::Arc;

use anyhow::{Context, Result};
use application::{
    BuiltinSealKey, Compute, FileChecks, ImportedFiles, PrintedParts, PrintedProofs,
    ProofCheckService, ReceiptReading, SealAdministration, SealService, SharedCatalogue,
};
use domain::seals::CertificateNumber;
use pdf_text::PortalPdf;
use ports::outbound::{Clock, SealChecks};
use receipt_files::ReceiptFiles;
use sandbox::seal::SealCertificate;
use seal_rsa::{PublicKeyFile, RsaSealVerifier};
use store_seaorm::Store;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use zip_files::DeflatedZip;

use crate::system::SystemClock;

/// Creates the service that checks proof files with these keys.
pub(super) fn proof_checks(seals: Arc<SealService>, clock: Arc<dyn Clock>) -> ProofCheckService {
    ProofCheckService::new(seals, Arc::new(PortalPdf), Arc::new(DeflatedZip), clock)
}

/// Threads that read uploaded files, at most as many at a time as there are processors.
pub(super) struct FileThreads {
    places: Arc<Semaphore>,
    runtime: Handle,
}

impl FileThreads {
    /// Creates them on the blocking threads of this runtime.
    pub(super) fn of(runtime: Handle) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            places: Arc::new(Semaphore::new(processors)),
            runtime,
        }
    }

    fn compute(&self) -> Compute {
        let (places, runtime) = (Arc::clone(&self.places), self.runtime.clone());
        Box::new(move |work| {
            let (places, runtime) = (Arc::clone(&places), runtime.clone());
            let computing = async move {
                let _place = places.acquire().await;
                // After a panic the work leaves no result, which its caller notices.
                let _ = runtime.spawn_blocking(work).await;
            };
            Box::pin(computing)
        })
    }

    /// Creates the server's checks of files.
    pub(super) fn checks(
        &self,
        seals: &Arc<SealService>,
        participants: &Arc<SharedCatalogue>,
        clock: &Arc<dyn Clock>,
    ) -> FileChecks {
        FileChecks::new(
            proof_checks(Arc::clone(seals), Arc::clone(clock)),
            participants.clone(),
            Arc::clone(clock),
            self.compute(),
        )
    }

    /// Creates the server's reader of receipts.
    pub(super) fn receipts(
        &self,
        participants: &Arc<SharedCatalogue>,
        clock: &Arc<dyn Clock>,
    ) -> ReceiptReading {
        ReceiptReading::new(
            Arc::new(ReceiptFiles::default()),
            participants.clone(),
            Arc::clone(clock),
            self.compute(),
        )
    }

    /// Creates the server's reader of the bank's answers to queries for reference numbers.
    pub(super) fn printed(
        &self,
        seals: &Arc<SealService>,
        clock: &Arc<dyn Clock>,
    ) -> PrintedProofs {
        PrintedProofs::new(PrintedParts {
            pdfs: Arc::new(PortalPdf),
            zips: Arc::new(DeflatedZip),
            seals: Arc::clone(seals) as Arc<dyn SealChecks>,
            clock: Arc::clone(clock),
            compute: self.compute(),
        })
    }

    /// Creates the server's reader of imported files.
    pub(super) fn imports(&self, clock: &Arc<dyn Clock>) -> ImportedFiles {
        ImportedFiles::new(Arc::new(PortalPdf), Arc::clone(clock), self.compute())
    }
}

/// Creates the service that checks seals with the keys in this store.
///
/// # Errors
/// The database fails.
pub(super) async fn service(store: &Store, clock: &Arc<dyn Clock>) -> Result<SealService> {
    let seals = SealService::new(
        Arc::new(store.clone()),
        Arc::new(RsaSealVerifier),
        Arc::clone(clock),
        builtin_keys()?,
    );
    let read = seals.refresh().await;
    read.context("reading the keys of seals")?;
    Ok(seals)
}

/// Creates the administration of the keys in this store.
///
/// # Errors
/// A key of the sandbox can't be read.
pub(super) fn administration(store: &Store) -> Result<SealAdministration> {
    Ok(SealAdministration::new(
        Arc::new(store.clone()),
        Arc::new(RsaSealVerifier),
        Arc::new(SystemClock::new()),
        builtin_keys()?,
    ))
}

/// The sandbox's keys; one of them verifies the proofs of `test` keys. The private part of both is
/// published.
fn builtin_keys() -> Result<Vec<BuiltinSealKey>> {
    let known = CertificateNumber::parse(SealCertificate::Known.number());
    let known = known.context("the sandbox's certificate number")?;
    let builtin = |certificate: SealCertificate, verifies| -> Result<_> {
        let public = PublicKeyFile::parse(certificate.public_key_der());
        let key = public.context("a key of the sandbox")?.key;
        Ok(BuiltinSealKey {
            certificate: verifies,
            key,
        })
    };
    Ok(vec![
        builtin(SealCertificate::Known, Some(known))?,
        builtin(SealCertificate::Unknown, None)?,
    ])
}
