//! Dashboard and sign-in: the identity provider, and the routes that need a session.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use application::{
    BatchService, BrowserAddresses, InsightsService, KeyService, PersonLookupService,
    SessionService, SharedCatalogue, WebhookService,
};
use axum::Router;
use chrono::{DateTime, Utc};
use dashboard::DashboardState;
use domain::people::sign_in::PendingSignInSeal;
use graphql::{GraphqlState, Introspection};
use identity_oidc::{Issuer, Oidc, OidcConfig};
use ports::outbound::{Clock, DenyList, IdentityProvider, Random};
use rest::PeopleState;
use sandbox::identity::IdentityConfig;
use tokio_util::sync::CancellationToken;
use web::{Origin, RequestLayer, SessionGuard, Site};

use crate::config::{Listen, PeopleOptions, Switch};
use crate::first_start::reachable;
use crate::server;
use crate::system::SystemClock;

/// Our client id at the sandbox identity provider.
const SANDBOX_CLIENT: &str = "cep-gateway";
/// Audience of the API's tokens at the sandbox identity provider.
const SANDBOX_AUDIENCE: &str = "cep-gateway-dashboard";

/// The identity provider, and the gateway's public address for browsers.
pub(crate) struct Identity {
    provider: OidcConfig,
    site: Arc<Site>,
    introspection: Introspection,
    /// Cancelling it ends the sandbox identity provider; `None` with another provider.
    sandbox: Option<CancellationToken>,
}

impl Identity {
    /// URL of the dashboard.
    pub(crate) fn dashboard(&self) -> String {
        format!("{}/dashboard", self.site.public())
    }

    /// URL of the sandbox identity provider; `None` with another provider.
    pub(crate) fn sandbox(&self) -> Option<&str> {
        self.sandbox
            .is_some()
            .then_some(self.provider.issuer.as_str())
    }

    /// Ends the sandbox identity provider, if it runs.
    pub(crate) fn stop(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.cancel();
        }
    }
}

/// Chooses the identity provider of a gateway that listens on `address`, and starts the sandbox
/// provider if it is chosen; `None` without a dashboard.
///
/// # Errors
/// The sandbox provider, which signs anybody in, with a public address; plain http with a public
/// address.
pub(crate) fn identity(people: &PeopleOptions, address: SocketAddr) -> Result<Option<Identity>> {
    if people.dashboard == Switch::Off {
        return Ok(None);
    }
    let public = match &people.public_url {
        Some(origin) => origin.clone(),
        None => Origin::parse(&format!("http://{}", reachable(address)))
            .context("the address as an origin")?,
    };
    let site = Site::new(
        public.clone(),
        people.dashboard_origins.clone(),
        people.session_cookie.clone(),
    )
    .context("CEP_PUBLIC_URL, CEP_DASHBOARD_ORIGINS, CEP_SESSION_COOKIE")?;
    let introspection = |unless_set| match people.graphql_introspection.unwrap_or(unless_set) {
        Switch::On => Introspection::On,
        Switch::Off => Introspection::Off,
    };
    let site = Arc::new(site);
    if let (Some(issuer), Some(client_id), Some(audience)) = (
        &people.oidc_issuer,
        &people.oidc_client_id,
        &people.oidc_audience,
    ) {
        if people.public_url.is_none() && !address.ip().is_loopback() {
            bail!(
                "CEP_LISTEN ({address}) is no loopback address: set CEP_PUBLIC_URL to the https \
                 address that browsers use, on which cookies and sign-in depend"
            );
        }
        let mut provider = provider(people, issuer.clone(), client_id, audience);
        provider.client_secret = people.oidc_client_secret.get().cloned();
        return Ok(Some(Identity {
            provider,
            site,
            introspection: introspection(Switch::Off),
            sandbox: None,
        }));
    }
    refuse_strangers(people, address.ip(), &public)?;
    let (sandbox, issuer) = start_sandbox(people.sandbox_identity_listen, &public)?;
    Ok(Some(Identity {
        provider: provider(people, issuer, SANDBOX_CLIENT, SANDBOX_AUDIENCE),
        site,
        introspection: introspection(Switch::On),
        sandbox: Some(sandbox),
    }))
}

fn provider(people: &PeopleOptions, issuer: Issuer, client_id: &str, audience: &str) -> OidcConfig {
    let scopes = people.oidc_scopes.split_whitespace();
    OidcConfig {
        admin_claim: people.oidc_admin_claim.clone(),
        scopes: scopes.map(str::to_owned).collect(),
        ..OidcConfig::new(issuer, client_id, audience)
    }
}

/// Refuses the sandbox provider unless only this machine reaches it: it signs anybody in as an
/// admin.
fn refuse_strangers(people: &PeopleOptions, listener: IpAddr, public: &Origin) -> Result<()> {
    // Plain http was accepted for loopback addresses only.
    let is_here = |public: &Origin| public.as_str().starts_with("http://");
    if listener.is_loopback() && is_here(public) {
        return Ok(());
    }
    let address = match &people.public_url {
        Some(public) if !is_here(public) => format!("CEP_PUBLIC_URL ({public})"),
        _ => format!("CEP_LISTEN ({listener})"),
    };
    bail!(
        "{address} is no loopback address, and beside it the sandbox identity provider, which signs \
         anybody in, doesn't start: set CEP_OIDC_ISSUER, CEP_OIDC_CLIENT_ID and CEP_OIDC_AUDIENCE to \
         use your own provider, or CEP_DASHBOARD=off to serve proofs alone"
    );
}

fn start_sandbox(listen: Listen, public: &Origin) -> Result<(CancellationToken, Issuer)> {
    let listener = server::listen_at(listen).with_context(|| {
        format!(
            "listening on {listen} for the sandbox identity provider (CEP_SANDBOX_IDENTITY_LISTEN; \
             CEP_DASHBOARD=off serves without it)"
        )
    })?;
    let address = listener
        .local_addr()
        .context("asking for the sandbox identity provider's address")?;
    let issuer = format!("http://{address}");
    let clock = SystemClock::new();
    let config = IdentityConfig {
        issuer: issuer.clone(),
        client_id: SANDBOX_CLIENT.to_owned(),
        client_secret: None,
        redirect_uris: vec![callback(public)],
        post_logout_redirect_uris: vec![public.to_string()],
        audience: SANDBOX_AUDIENCE.to_owned(),
        now: Arc::new(move || clock.now()),
    };
    let stop = CancellationToken::new();
    tokio::spawn(sandbox::serve(
        listener,
        sandbox::identity::router(config),
        stop.clone().cancelled_owned(),
    ));
    let issuer = Issuer::parse(&issuer).context("the sandbox identity provider's address")?;
    Ok((stop, issuer))
}

/// Address to which the provider sends a browser with its code.
fn callback(public: &Origin) -> String {
    format!("{public}{}", dashboard::CALLBACK_PATH)
}

/// Sign-in of people, and the guard of the routes that need it.
pub(crate) struct SignIn {
    sessions: Arc<SessionService>,
    pub(crate) guard: Arc<SessionGuard>,
}

/// Dependencies of [`SignIn`].
pub(crate) struct SignInDeps {
    pub(crate) denied: Arc<dyn DenyList>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) ticket_seal: PendingSignInSeal,
    /// Sessions that began before this are invalid, because the database was restored.
    pub(crate) sessions_ended_at: Option<DateTime<Utc>>,
}

impl SignIn {
    /// Creates the sign-in with an identity provider.
    ///
    /// # Errors
    /// Settings of the identity provider are invalid.
    pub(crate) fn new(identity: &Identity, dependencies: SignInDeps) -> Result<Self> {
        let SignInDeps {
            denied,
            clock,
            random,
            ticket_seal,
            sessions_ended_at,
        } = dependencies;
        let public = identity.site.public();
        let provider = Oidc::new(identity.provider.clone(), Arc::clone(&clock));
        let provider: Arc<dyn IdentityProvider> =
            Arc::new(provider.context("CEP_OIDC_CLIENT_ID, CEP_OIDC_AUDIENCE, CEP_OIDC_SCOPES")?);
        let sessions = SessionService::new(
            provider,
            denied,
            clock,
            random,
            ticket_seal,
            BrowserAddresses {
                signed_in: callback(public),
                signed_out: public.to_string(),
            },
        );
        let sessions = Arc::new(sessions.with_sessions_ended_at(sessions_ended_at));
        let guard = Arc::new(SessionGuard {
            sessions: Arc::clone(&sessions),
            site: Arc::clone(&identity.site),
        });
        Ok(Self { sessions, guard })
    }
}

/// Dependencies of the routes that need a session.
pub(crate) struct DashboardDeps {
    pub(crate) keys: Arc<KeyService>,
    pub(crate) participants: Arc<SharedCatalogue>,
    pub(crate) insights: Arc<InsightsService>,
    pub(crate) lookups: Arc<PersonLookupService>,
    pub(crate) batches: Arc<BatchService>,
    pub(crate) webhooks: Arc<WebhookService>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) request_layer: Arc<RequestLayer>,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
}

/// Routes `/login`, `/dashboard`, `/graphql`, `/keys`, `/lookups`, `/webhooks` and `/admin`.
pub(crate) fn router(identity: &Identity, sign_in: SignIn, dependencies: DashboardDeps) -> Router {
    let SignIn { sessions, guard } = sign_in;
    let DashboardDeps {
        keys,
        participants,
        insights,
        lookups,
        batches,
        webhooks,
        clock,
        request_layer,
        stopping,
    } = dependencies;
    let rest = rest::people_router(PeopleState {
        keys: Arc::clone(&keys),
        insights: Arc::clone(&insights),
        lookups: Arc::clone(&lookups),
        webhooks: Arc::clone(&webhooks),
        request_layer: Arc::clone(&request_layer),
        guard: Arc::clone(&guard),
    });
    let graphql = graphql::router(GraphqlState {
        keys,
        insights,
        lookups,
        batches,
        webhooks,
        clock: Arc::clone(&clock),
        participants,
        request_layer: Arc::clone(&request_layer),
        guard,
        introspection: identity.introspection,
        stopping,
    });
    let page = dashboard::router(DashboardState {
        sessions,
        clock,
        site: Arc::clone(&identity.site),
        request_layer,
    });
    rest.merge(graphql).merge(page)
}
