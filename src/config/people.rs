//! Options of what people use: sign-in, keys, GraphQL, the dashboard.

use clap::{Args, ValueEnum};
use identity_oidc::{AdminClaim, ClientSecret, Issuer};
use web::Origin;

use super::heading;
use super::listen::Listen;
use super::secret::{Secret, SecretKind};

/// Dashboard and identity provider.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::PEOPLE)]
pub struct PeopleOptions {
    /// Sign-in of people: the dashboard, `/graphql`, `/keys`, `/lookups` and `/admin`.
    #[arg(
        long,
        env = "CEP_DASHBOARD",
        value_name = "SWITCH",
        default_value = "on"
    )]
    pub dashboard: Switch,

    /// Address that people's browsers reach the gateway by, such as `https://cep.example.org`.
    /// Plain http is accepted on loopback alone. The address served on when it is not given.
    #[arg(long, env = "CEP_PUBLIC_URL", value_name = "ORIGIN", value_parser = origin)]
    pub public_url: Option<Origin>,

    /// Other origins whose pages may use `/graphql`, `/keys`, `/lookups` and `/admin` with the session cookie,
    /// separated by commas. None when not given.
    #[arg(long, env = "CEP_DASHBOARD_ORIGINS", value_name = "ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub dashboard_origins: Vec<Origin>,

    /// Name of the session cookie; `__Host-cep_session`, or `cep_session` on plain http, when it is
    /// not given.
    #[arg(long, env = "CEP_SESSION_COOKIE", value_name = "NAME")]
    pub session_cookie: Option<String>,

    /// Introspection of `/graphql`, for whoever has a session. On with the sandbox identity
    /// provider, off with another one, when it is not given.
    #[arg(long, env = "CEP_GRAPHQL_INTROSPECTION", value_name = "SWITCH")]
    pub graphql_introspection: Option<Switch>,

    /// Issuer of the identity provider (OpenID Connect). A sandbox identity provider is started
    /// when it is not given: it signs anybody in, so it refuses to start beside a public address.
    #[arg(long, env = "CEP_OIDC_ISSUER", value_name = "URL", value_parser = Issuer::parse, requires_all = ["oidc_client_id", "oidc_audience"])]
    pub oidc_issuer: Option<Issuer>,

    /// Our client id at the identity provider.
    #[arg(
        long,
        env = "CEP_OIDC_CLIENT_ID",
        value_name = "ID",
        requires = "oidc_issuer"
    )]
    pub oidc_client_id: Option<String>,

    /// Audience that an access token must be meant for (`aud`): the API's name at the provider.
    #[arg(
        long,
        env = "CEP_OIDC_AUDIENCE",
        value_name = "AUDIENCE",
        requires = "oidc_issuer"
    )]
    pub oidc_audience: Option<String>,

    /// Claim of an access token that makes an admin, and the value that it must have or contain.
    #[arg(
        long,
        env = "CEP_OIDC_ADMIN_CLAIM",
        value_name = "CLAIM=VALUE",
        default_value = "roles=cep-admin"
    )]
    pub oidc_admin_claim: AdminClaim,

    /// Scopes that are asked for at sign-in, separated by blanks.
    #[arg(
        long,
        env = "CEP_OIDC_SCOPES",
        value_name = "SCOPES",
        default_value = "openid profile"
    )]
    pub oidc_scopes: String,

    /// Address of the sandbox identity provider. Keys belong to people of one issuer, and its
    /// address is part of that: another port is another issuer.
    #[arg(long, env = "CEP_SANDBOX_IDENTITY_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:8081 or a free port", value_parser = Listen::loopback)]
    pub sandbox_identity_listen: Listen,

    /// Our secret at the identity provider.
    #[command(flatten)]
    pub oidc_client_secret: Secret<OidcClientSecret>,
}

/// The option `--oidc-client-secret`.
#[derive(Debug)]
pub struct OidcClientSecret;

impl SecretKind for OidcClientSecret {
    type Value = ClientSecret;
    const NAME: &'static str = "oidc-client-secret";
    const VALUE_NAME: &'static str = "SECRET";
    const HELP: &'static str = "Our secret at the identity provider; without one we are a public \
        client";
    const HEADING: &'static str = heading::PEOPLE;
    const REQUIRES: Option<&'static str> = Some("oidc_issuer");

    fn parse(text: &str) -> Result<ClientSecret, String> {
        if text.is_empty() {
            return Err("must not be empty; a public client has no secret at all".to_owned());
        }
        Ok(ClientSecret::new(text.to_owned()))
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

fn origin(text: &str) -> Result<Origin, String> {
    Origin::parse(text.trim().trim_end_matches('/')).map_err(|error| error.to_string())
}
