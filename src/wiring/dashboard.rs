//! The routes that need a session. Their services read on connections of their own.

use std::sync::Arc;

use anyhow::{Context, Result};
use application::{
    BankBySide, BankMonitor, BrowserAddresses, InsightSources, InsightsService, KeyService,
    SessionService, SharedCatalogue,
};
use axum::Router;
use dashboard::DashboardState;
use graphql::GraphqlState;
use identity_oidc::Oidc;
use ports::outbound::{DenyList as _, IdentityProvider};
use rest::{PeopleState, SessionAccess};
use store_seaorm::Store;
use tokio_util::sync::CancellationToken;
use web::{RequestLayer, SessionGuard};

use super::identity::{Identity, callback};
use super::infrastructure::Infrastructure;
use super::lookups::{self, Lookups};
use super::secrets::unusable;
use super::storage;
use super::webhooks::StoredWebhooks;
use crate::low_priority::LowPriority;

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

/// The dashboard, put together.
pub(super) struct Dashboard {
    /// Routes `/login`, `/dashboard`, `/graphql`, `/keys`, `/lookups`, `/webhooks`, `/v1/accounts` and `/admin`.
    pub(super) router: Router,
    /// What people need of the routes that accept keys too.
    pub(super) access: SessionAccess,
}

impl Dashboard {
    /// Creates the dashboard of an identity provider's people, on the connections of `pool`; `None` without them.
    ///
    /// # Errors
    /// The secret, or settings of the identity provider, can't be used; the database fails.
    pub(super) async fn new(
        identity: Option<&Identity>,
        pool: Option<&Store>,
        shared: &SharedServices<'_>,
    ) -> Result<Option<Self>> {
        let Some((identity, pool)) = identity.zip(pool) else {
            return Ok(None);
        };
        let SharedServices { base, .. } = shared;
        let sessions = Arc::new(sessions(identity, base).await?);
        let guard = Arc::new(SessionGuard {
            sessions: Arc::clone(&sessions),
            site: Arc::clone(&identity.site),
        });
        let insights = Arc::new(insights(base, pool, shared.banks));
        let lookups = lookups::of_people(base, pool, &shared.lookups.service);
        let lookups = Arc::new(lookups);
        let batches = shared.lookups.batches.of_people.clone();
        let batches = batches.context("there are no batches for people")?;
        let webhooks = Arc::new(shared.webhooks.service(base, pool));
        let own_accounts = shared
            .lookups
            .own_account_service((base, pool), shared.participants);
        let own_accounts = Arc::new(own_accounts);
        let rest = rest::people_router(PeopleState {
            keys: Arc::clone(shared.keys),
            insights: Arc::clone(&insights),
            lookups: Arc::clone(&lookups),
            own_accounts: Arc::clone(&own_accounts),
            participants: shared.participants.clone(),
            webhooks: Arc::clone(&webhooks),
            request_layer: Arc::clone(shared.request_layer),
            guard: Arc::clone(&guard),
        });
        let graphql = graphql::router(GraphqlState {
            keys: Arc::clone(shared.keys),
            insights,
            lookups,
            batches: Arc::clone(&batches),
            own_accounts,
            webhooks,
            clock: Arc::clone(&base.clock),
            participants: shared.participants.clone(),
            request_layer: Arc::clone(shared.request_layer),
            guard: Arc::clone(&guard),
            introspection: identity.introspection,
            stopping: shared.stopping.clone(),
        });
        let account_keys = base.account_keys(pool, Arc::new(pool.clone()));
        let page = dashboard::router(DashboardState {
            sessions,
            clock: Arc::clone(&base.clock),
            site: Arc::clone(&identity.site),
            request_layer: Arc::clone(shared.request_layer),
        });
        Ok(Some(Self {
            router: rest.merge(graphql).merge(page),
            access: SessionAccess {
                batches,
                keys: Arc::new(account_keys),
                guard,
            },
        }))
    }
}

/// Opens further connections to the database for the dashboard; `None` without one.
///
/// # Errors
/// The database fails.
pub(super) async fn connections(
    store: &Store,
    identity: Option<&Identity>,
) -> Result<Option<Store>> {
    let Some(_) = identity else {
        return Ok(None);
    };
    let opened = store.with_separate_pool(storage::SMALL_POOL).await;
    Ok(Some(opened.context(
        "opening the dashboard's connections to the database",
    )?))
}

/// Creates the service of sessions with an identity provider.
///
/// # Errors
/// The secret, or settings of the identity provider, can't be used; the database fails.
async fn sessions(identity: &Identity, base: &Infrastructure) -> Result<SessionService> {
    let ticket_seal = base.secret.ticket_seal();
    let provider = Oidc::new(identity.provider.clone(), Arc::clone(&base.clock));
    let provider: Arc<dyn IdentityProvider> =
        Arc::new(provider.context("CEP_OIDC_CLIENT_ID, CEP_OIDC_AUDIENCE, CEP_OIDC_SCOPES")?);
    let public = identity.site.public();
    let sessions = SessionService::new(
        provider,
        Arc::new(base.store.clone()),
        Arc::clone(&base.clock),
        Arc::clone(&base.random),
        ticket_seal.map_err(|problem| unusable(&problem))?,
        BrowserAddresses {
            signed_in: callback(public),
            signed_out: public.to_string(),
        },
    );
    // Sessions that began before the database was restored are invalid.
    let ended_at = base.store.sessions_ended_at().await;
    Ok(sessions.with_sessions_ended_at(ended_at.context("reading the database")?))
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
