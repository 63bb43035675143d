//! Services of the dashboard, which reads on connections of its own.

use std::sync::Arc;

use anyhow::{Context, Result};
use application::{
    BankBySide, BankMonitor, InsightSources, InsightsService, KeyService, SharedCatalogue,
};
use axum::Router;
use ports::outbound::DenyList as _;
use rest::PeopleBatches;
use store_seaorm::Store;
use tokio_util::sync::CancellationToken;
use web::RequestLayer;

use super::infrastructure::Infrastructure;
use super::lookups::{self, Lookups};
use super::people::{self, DashboardDeps, Identity, SignIn, SignInDeps};
use super::secrets::unusable;
use super::webhooks::StoredWebhooks;
use crate::low_priority::LowPriority;

/// The dashboard, put together.
pub(super) struct Dashboard<'a> {
    identity: &'a Identity,
    sign_in: SignIn,
    dependencies: DashboardDeps,
}

/// Services that a dashboard shares with the API.
pub(super) struct SharedServices<'a> {
    pub(super) base: &'a Infrastructure,
    pub(super) banks: (&'a BankBySide, &'a Arc<BankMonitor>),
    pub(super) keys: &'a Arc<KeyService>,
    pub(super) participants: &'a Arc<SharedCatalogue>,
    pub(super) lookups: &'a Lookups,
    pub(super) webhooks: &'a StoredWebhooks,
    pub(super) low_priority: &'a LowPriority,
    pub(super) request_layer: &'a Arc<RequestLayer>,
    /// The end of the server.
    pub(super) stopping: &'a CancellationToken,
}

impl<'a> Dashboard<'a> {
    /// The dashboard of an identity provider's people, on the connections of `pool`; `None` without them.
    ///
    /// # Errors
    /// The secret, or settings of the identity provider, can't be used; the database fails.
    pub(super) async fn new(
        identity: Option<&'a Identity>,
        pool: Option<&Store>,
        shared: &SharedServices<'_>,
    ) -> Result<Option<Self>> {
        let Some((identity, pool)) = identity.zip(pool) else {
            return Ok(None);
        };
        let base = shared.base;
        let ticket_seal = base.secret.ticket_seal();
        let ended_at = base.store.sessions_ended_at().await;
        let sign_in = SignInDeps {
            denied: Arc::new(base.store.clone()),
            clock: Arc::clone(&base.clock),
            random: Arc::clone(&base.random),
            ticket_seal: ticket_seal.map_err(|problem| unusable(&problem))?,
            sessions_ended_at: ended_at.context("reading the database")?,
        };
        let batches = shared.lookups.batches.of_people.clone();
        let lookups = lookups::of_people(base, pool, &shared.lookups.service);
        Ok(Some(Self {
            identity,
            sign_in: SignIn::new(identity, sign_in)?,
            dependencies: DashboardDeps {
                keys: Arc::clone(shared.keys),
                participants: shared.participants.clone(),
                insights: Arc::new(insights(base, pool, shared.banks)),
                lookups: Arc::new(lookups),
                batches: batches.context("there are no batches for people")?,
                webhooks: Arc::new(shared.webhooks.service(base, pool)),
                clock: Arc::clone(&base.clock),
                request_layer: Arc::clone(shared.request_layer),
                stopping: shared.stopping.clone(),
            },
        }))
    }

    /// Batches of people over REST.
    pub(super) fn batches(&self) -> PeopleBatches {
        PeopleBatches {
            batches: Arc::clone(&self.dependencies.batches),
            guard: Arc::clone(&self.sign_in.guard),
        }
    }

    /// The routes under sessions.
    pub(super) fn router(self) -> Router {
        people::router(self.identity, self.sign_in, self.dependencies)
    }
}

/// The service of the dashboard's queries.
fn insights(
    base: &Infrastructure,
    pool: &Store,
    (banks, monitor): (&BankBySide, &Arc<BankMonitor>),
) -> InsightsService {
    let sources = InsightSources {
        keys: Arc::new(pool.clone()),
        customers: Arc::new(pool.clone()),
        usage: Arc::new(pool.clone()),
        audit: Arc::new(pool.clone()),
        limiter: Arc::clone(&base.limiter),
        banks: banks.clone(),
        monitor: Arc::clone(monitor),
    };
    InsightsService::new(sources, Arc::clone(&base.clock), Arc::clone(&base.random))
}
