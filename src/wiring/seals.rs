//! Seals of proofs: their check by a server, and their keys for a command.

use std::sync::Arc;

use anyhow::{Context, Result};
use application::{BuiltinSealKey, SealAdministration, SealService};
use domain::seal::CertificateNumber;
use sandbox::seal::SealCertificate;
use seal_rsa::{PublicKeyFile, RsaSealVerifier};

use super::infrastructure::Infrastructure;
use super::{Deployment, storage};
use crate::config::DatabaseOptions;
use crate::system::SystemClock;

impl Infrastructure {
    /// The check of seals, with the keys as they are stored.
    ///
    /// # Errors
    /// The database fails.
    pub(super) async fn seals(&self) -> Result<Arc<SealService>> {
        let seals = SealService::new(
            Arc::new(self.store.clone()),
            Arc::new(RsaSealVerifier),
            Arc::clone(&self.clock),
            builtin_keys()?,
        );
        let read = seals.refresh().await;
        read.context("reading the keys of seals")?;
        Ok(Arc::new(seals))
    }
}

/// Runs `work` with the administration of keys. The database is closed whatever comes of it.
///
/// # Errors
/// A database that can't be opened, and the errors of `work`.
pub(crate) async fn with_seals<W>(options: &DatabaseOptions, work: W) -> Result<()>
where
    W: AsyncFnOnce(&SealAdministration) -> Result<()>,
{
    let deployment = if options.is_server() {
        Deployment::Replicated
    } else {
        Deployment::Embedded
    };
    let store = storage::open(options, deployment, storage::FEW).await?;
    let worked = async {
        let seals = SealAdministration::new(
            Arc::new(store.clone()),
            Arc::new(RsaSealVerifier),
            Arc::new(SystemClock::new()),
            builtin_keys()?,
        );
        work(&seals).await
    };
    let worked = worked.await;
    storage::closed_after(store, worked).await
}

/// The sandbox's keys, of which one verifies the proofs of `test` keys. The private part of either is
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
