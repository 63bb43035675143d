//! The banks, and the service that fetches proofs from them.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context, Result};
use application::{
    ArchiveService, BankBySide, BankMonitor, ProofCache, ProofMemory, ProofParts, ProofService,
    ReplicaCount, SealService, SharedCatalogue, ValidatorBySide,
};
use bank_portal::{Portal, PortalConfig, PortalUrl, Validator};
use domain::pacing::Pacing;
use memory::InProcessPacer;
use ports::outbound::{Clock, Pacer, SealValidator};

use super::seals::FileThreads;
use crate::config::BankOptions;
use crate::private_files;
use crate::traces::Traces;

/// Files a minute that the central bank's validator is sent by all replicas, but one by each at least. Nothing is
/// known of its limits; this is less than half of what the portal next to it takes.
const VALIDATIONS_A_MINUTE: NonZeroU32 = NonZeroU32::new(6).expect("six is not zero");

/// Creates the client of the central bank's portal, whose queries `pacer` admits.
pub(super) fn portal(
    options: &BankOptions,
    pacer: Arc<dyn Pacer>,
    traces: &Traces,
) -> Result<Portal> {
    let live = PortalConfig {
        connect_timeout: options.bank_connect_timeout,
        diagnostics_dir: options.bank_diagnostics_dir.clone(),
        ..PortalConfig::new(options.bank_url.clone())
    };
    let live = Portal::new(live)
        .context("preparing the portal's client (CEP_BANK_URL, CEP_BANK_DIAGNOSTICS_DIR)")?;
    if let Some(folder) = &options.bank_diagnostics_dir {
        let checked = private_files::check_folder(folder);
        checked.with_context(|| {
            format!("the folder {} (CEP_BANK_DIAGNOSTICS_DIR)", folder.display())
        })?;
    }
    Ok(traced(live.paced_by(pacer), traces))
}

/// Creates the banks of both environments.
pub(super) fn banks(
    live: Arc<Portal>,
    sandbox_url: &PortalUrl,
    traces: &Traces,
) -> Result<BankBySide> {
    let test = Portal::new(PortalConfig::new(sandbox_url.clone()));
    let test = test.context("preparing the sandbox's client")?;
    Ok(BankBySide {
        live,
        test: Arc::new(traced(test, traces)),
    })
}

/// Creates the clients of the validators of seals: the sandbox's, and the central bank's if it has an address.
pub(super) fn validators(
    options: &BankOptions,
    sandbox_url: &PortalUrl,
    replicas: &Arc<ReplicaCount>,
    traces: &Traces,
) -> Result<ValidatorBySide> {
    let test = Portal::new(PortalConfig::new(sandbox_url.clone()));
    let test = test.context("preparing the client of the sandbox's validator")?;
    let client =
        |portal| -> Arc<dyn SealValidator> { Arc::new(Validator::new(traced(portal, traces))) };
    let mut validators = ValidatorBySide {
        live: None,
        test: Some(client(test)),
    };
    if let Some(url) = &options.validator_url {
        let config = PortalConfig {
            connect_timeout: options.bank_connect_timeout,
            diagnostics_dir: options.bank_diagnostics_dir.clone(),
            ..PortalConfig::new(url.clone())
        };
        let live = Portal::new(config).context("preparing the client of CEP_VALIDATOR_URL")?;
        let replicas = Arc::clone(replicas);
        let share = move || Pacing::new(VALIDATIONS_A_MINUTE).share_of(replicas.get());
        let pacer = Arc::new(InProcessPacer::following(share));
        validators.live = Some(client(live.paced_by(pacer)));
    }
    Ok(validators)
}

fn traced(portal: Portal, traces: &Traces) -> Portal {
    match traces.parent() {
        Some(parent) => portal.in_traces(parent),
        None => portal,
    }
}

/// Creates the service that fetches proofs.
pub(super) fn proofs(
    (options, archive): (&BankOptions, Option<Arc<ArchiveService>>),
    banks: &BankBySide,
    (clock, monitor): (&Arc<dyn Clock>, &Arc<BankMonitor>),
    (participants, seals): (Arc<SharedCatalogue>, Arc<SealService>),
    threads: &FileThreads,
) -> ProofService {
    let memory = ProofMemory::new(
        u64::from(options.proof_memory) << 20,
        options.proof_memory_age,
    );
    ProofService::new(ProofParts {
        banks: banks.clone(),
        clock: Arc::clone(clock),
        participants,
        patience: options.bank_timeout,
        cache: ProofCache { memory, archive },
        monitor: Arc::clone(monitor),
        printed: threads.printed(&seals, clock),
        seals,
    })
}
