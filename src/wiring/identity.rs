//! The identity provider, and the address of the gateway for browsers.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use graphql::Introspection;
use identity_oidc::{Issuer, OidcConfig};
use ports::outbound::Clock as _;
use sandbox::identity::IdentityConfig;
use tokio_util::sync::CancellationToken;
use web::{Origin, Site};

use crate::config::{Listen, PeopleOptions, Switch};
use crate::server::{self, reachable};
use crate::system::SystemClock;

/// Our client id at the sandbox identity provider.
const SANDBOX_CLIENT: &str = "cep-gateway";
/// Audience of the API's tokens at the sandbox identity provider.
const SANDBOX_AUDIENCE: &str = "cep-gateway-dashboard";

/// The identity provider, and the gateway's public address for browsers.
pub(crate) struct Identity {
    pub(super) provider: OidcConfig,
    pub(super) site: Arc<Site>,
    pub(super) introspection: Introspection,
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
pub(super) fn callback(public: &Origin) -> String {
    format!("{public}{}", dashboard::CALLBACK_PATH)
}
