//! What the commands work on. Each closes the database, even if its work fails.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use application::{
    Caller, CatalogueRenewal, KeyService, ProofCheckService, ReplicaCount, SealAdministration,
    SharedCatalogue,
};
use chrono::{DateTime, Utc};
use ports::outbound::{Clock, new_id};
use store_seaorm::{ServingLock, Store};

use super::infrastructure::Infrastructure;
use super::{banks, seals, storage};
use crate::config::{BankOptions, DatabaseOptions, Deployment, KeyOptions, RoleOptions};
use crate::system::SystemClock;
use crate::traces::Traces;

/// Runs `work` with the key service and the operator as its caller, without a server. A running
/// server sees the changes. The database is closed even if `work` fails.
///
/// # Errors
/// The database can't be opened, or `work` fails.
pub(crate) async fn with_keys<W: AsyncFnOnce(KeyService, Caller) -> Result<()>>(
    options: &KeyOptions,
    work: W,
) -> Result<()> {
    let base = Infrastructure::open(options, storage::SMALL_POOL).await?;
    let operator = base.operator();
    let worked = match base.key_service() {
        Ok(keys) => work(keys, operator).await,
        Err(error) => Err(error),
    };
    storage::closed_after(base.store, worked).await
}

/// Process that may query the central bank within the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BudgetHolder {
    /// This command: no server runs, or the budget is in Redis.
    Command,
    /// The running server on the embedded database, which has the budget in its memory.
    Server,
}

/// Runs `work` with the catalogue and its renewal. The database is closed even if `work` fails.
///
/// # Errors
/// The database can't be opened, or `work` fails.
pub(crate) async fn with_participants<W>(
    options: &KeyOptions,
    bank: &BankOptions,
    work: W,
) -> Result<()>
where
    W: AsyncFnOnce(&SharedCatalogue, &CatalogueRenewal, BudgetHolder) -> Result<()>,
{
    // Locked before the database is opened, and until it is closed.
    let (_alone, holder) = budget_holder(options)?;
    let base = Infrastructure::open(options, storage::SMALL_POOL).await?;
    let worked = async {
        // A command doesn't count as a replica: while Redis fails it uses the smallest share, a
        // turn a minute.
        let sharing = Arc::new(ReplicaCount::new(NonZeroU32::MAX));
        let process = new_id(base.clock.as_ref(), base.random.as_ref());
        let pacing = base
            .limits
            .pacing(bank.bank_budget, &sharing, process, &base.clock);
        let portal = banks::portal(bank, pacing.pacer, &Traces::off())?;
        let (catalogue, renewal) = base.participants(bank, Arc::new(portal)).await?;
        work(&catalogue, &renewal, holder).await
    };
    let worked = worked.await;
    storage::closed_after(base.store, worked).await
}

/// Takes the lock of the serving process, so that no server starts meanwhile.
fn budget_holder(options: &KeyOptions) -> Result<(Option<ServingLock>, BudgetHolder)> {
    let deployment = Deployment::of(&options.database, &options.replicas)?;
    match storage::lock(&options.database, deployment) {
        Ok(alone) => Ok((alone, BudgetHolder::Command)),
        Err(error) if storage::is_taken(&error) => Ok((None, BudgetHolder::Server)),
        Err(error) => Err(error),
    }
}

/// Runs `work` with the administration of seal keys. The database is closed even if `work` fails.
///
/// # Errors
/// The database can't be opened, or `work` fails.
pub(crate) async fn with_seals<W>(options: &DatabaseOptions, work: W) -> Result<()>
where
    W: AsyncFnOnce(&SealAdministration) -> Result<()>,
{
    let store = storage::open(
        options,
        Deployment::of_database(options),
        storage::SMALL_POOL,
    )
    .await?;
    let worked = async {
        let seals = seals::administration(&store)?;
        work(&seals).await
    };
    let worked = worked.await;
    storage::closed_after(store, worked).await
}

/// Runs `work` with the service that checks proof files. The database is closed even if `work`
/// fails.
///
/// # Errors
/// The database can't be opened, or `work` fails.
pub(crate) async fn with_proof_checks<T, W>(options: &DatabaseOptions, work: W) -> Result<T>
where
    W: AsyncFnOnce(&ProofCheckService) -> Result<T>,
{
    let store = storage::open(
        options,
        Deployment::of_database(options),
        storage::SMALL_POOL,
    )
    .await?;
    let worked = async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let seals = seals::service(&store, &clock).await?;
        work(&seals::proof_checks(Arc::new(seals), clock)).await
    };
    let worked = worked.await;
    storage::closed_after(store, worked).await
}

/// Brings the database to its newest schema, and gives the role that serves its rights. Two at once are
/// safe: one works, the other waits.
///
/// # Errors
/// It can't be opened or changed.
pub(crate) async fn bring_up_to_date(options: &DatabaseOptions, roles: &RoleOptions) -> Result<()> {
    let store = storage::open_with(options, storage::SMALL_POOL).await?;
    let ready = async {
        storage::migrate(&store).await?;
        let Some(role) = &roles.serving_role else {
            return Ok(());
        };
        let granted = store.grant_serving(role).await;
        granted.context("giving the role that serves its rights (CEP_SERVING_ROLE)")
    };
    let ready = ready.await;
    storage::closed_after(store, ready).await
}

/// Webhooks of a database that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndedByRestore {
    /// Those that are disabled until their owners enable them.
    pub(crate) disabled: u64,
    /// Those that were disabled already.
    pub(crate) disabled_before: u64,
}

/// Ends what a database that was restored from a copy may have revived: every session of before, and webhooks until
/// their owners enable them again.
///
/// # Errors
/// There is no database, or it has no tables; a gateway serves on it; it can't be opened or changed.
pub(crate) async fn end_revived(
    options: &DatabaseOptions,
    at: DateTime<Utc>,
) -> Result<EndedByRestore> {
    let deployment = Deployment::of_database(options);
    if let Some(missing) = Store::missing_file(&storage::url(options)?)? {
        bail!(
            "there is no database {} ({}): restore a copy there first",
            missing.display(),
            storage::variable(options)
        );
    }
    let _lock = storage::lock(options, deployment)?;
    let store = storage::open_with(options, storage::SMALL_POOL).await?;
    let ended = end_revived_on(&store, deployment, at).await;
    let ended =
        ended.with_context(|| format!("the restored database ({})", storage::variable(options)));
    storage::closed_after(store, ended).await
}

async fn end_revived_on(
    store: &Store,
    deployment: Deployment,
    at: DateTime<Utc>,
) -> Result<EndedByRestore> {
    if !store.has_tables().await? {
        bail!(
            "it has no tables, so what was restored is no copy of a gateway's database: restore one first"
        );
    }
    storage::at_newest_schema(deployment, store).await?;
    Ok(EndedByRestore {
        disabled_before: store.disabled_endpoints().await?,
        disabled: application::end_revived(store, store, at).await?,
    })
}
