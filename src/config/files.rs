//! Values that stand in files, as Docker and Kubernetes hand secrets over: each variable that holds
//! one has a sister whose name ends in `_FILE`.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use identity_oidc::ClientSecret;
use zeroize::Zeroizing;

use super::{CollectorHeaders, HmacSecret, Options, ServerUrl, people, servers};

/// Largest file that is read: no secret is nearly so long.
const LARGEST: u64 = 64 * 1024;
/// The same, of certificates: the bundles of whole systems are four times smaller.
const LARGEST_CERTIFICATES: u64 = 1024 * 1024;

/// Secrets that are read from files. One line break at the end isn't part of them.
#[derive(Debug, Args)]
pub struct FileOptions {
    /// File that holds what `CEP_DATABASE_URL` would.
    #[arg(
        long,
        env = "CEP_DATABASE_URL_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, servers::database),
        conflicts_with = "database_url"
    )]
    pub database_url_file: Option<ServerUrl>,

    /// File that holds what `CEP_REDIS_URL` would.
    #[arg(
        long,
        env = "CEP_REDIS_URL_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, servers::redis),
        conflicts_with_all = ["redis_url", "redis_cluster", "redis_cluster_file"]
    )]
    pub redis_url_file: Option<ServerUrl>,

    /// File that holds what `CEP_REDIS_CLUSTER` would.
    #[arg(
        long,
        env = "CEP_REDIS_CLUSTER_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, Nodes::parse),
        conflicts_with_all = ["redis_url", "redis_cluster"]
    )]
    pub redis_cluster_file: Option<Nodes>,

    /// File (PEM) with the certificate of the authority that signed those of Redis, for `rediss://`.
    /// The authorities that the system trusts, when it is not given.
    #[arg(
        long,
        env = "CEP_REDIS_CA",
        global = true,
        value_name = "FILE",
        value_parser = Certificates::read
    )]
    pub redis_ca: Option<Certificates>,

    /// File that holds what `CEP_HMAC_SECRET` would.
    #[arg(
        long,
        env = "CEP_HMAC_SECRET_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, str::parse::<HmacSecret>),
        conflicts_with = "hmac_secret"
    )]
    pub hmac_secret_file: Option<HmacSecret>,

    /// File that holds what `CEP_OIDC_CLIENT_SECRET` would.
    #[arg(
        long,
        env = "CEP_OIDC_CLIENT_SECRET_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, people::client_secret),
        conflicts_with = "oidc_client_secret",
        requires = "oidc_issuer"
    )]
    pub oidc_client_secret_file: Option<ClientSecret>,

    /// File that holds what `CEP_OTLP_HEADERS` would.
    #[arg(
        long,
        env = "CEP_OTLP_HEADERS_FILE",
        global = true,
        value_name = "FILE",
        value_parser = |path: &str| in_file(path, str::parse::<CollectorHeaders>),
        conflicts_with = "otlp_headers",
        requires = "otlp_endpoint"
    )]
    pub otlp_headers_file: Option<CollectorHeaders>,
}

impl Options {
    /// Puts what stood in files where the rest of the program looks for it. Only one of both was
    /// given.
    pub(crate) fn take_from_files(&mut self) {
        let files = &mut self.files;
        fill(&mut self.database_url, &mut files.database_url_file);
        fill(&mut self.redis_url, &mut files.redis_url_file);
        fill(&mut self.hmac_secret, &mut files.hmac_secret_file);
        let client_secret = &mut self.people.oidc_client_secret;
        fill(client_secret, &mut files.oidc_client_secret_file);
        let headers = &mut self.traces.otlp_headers;
        fill(headers, &mut files.otlp_headers_file);
        if let Some(Nodes(nodes)) = files.redis_cluster_file.take() {
            self.redis_cluster = nodes;
        }
    }
}

fn fill<T>(place: &mut Option<T>, of_file: &mut Option<T>) {
    if let Some(value) = of_file.take() {
        *place = Some(value);
    }
}

/// The nodes of a Redis Cluster.
#[derive(Clone, Debug)]
pub struct Nodes(Vec<ServerUrl>);

impl Nodes {
    fn parse(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(servers::redis)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Certificates, PEM.
#[derive(Clone, Debug)]
pub struct Certificates(Vec<u8>);

impl Certificates {
    /// The whole file.
    pub fn pem(&self) -> &[u8] {
        &self.0
    }

    fn read(path: &str) -> Result<Self, String> {
        let bytes = bytes(path, LARGEST_CERTIFICATES)?;
        Ok(Self(bytes.to_vec()))
    }
}

/// Reads a file, and what is in it. Errors say what is wrong with it, and never what it holds: clap
/// puts its path before them.
fn in_file<T>(path: &str, parse: fn(&str) -> Result<T, String>) -> Result<T, String> {
    let bytes = bytes(path, LARGEST)?;
    let text = str::from_utf8(&bytes).map_err(|_| "the file is no text (UTF-8)".to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err("the file is empty".to_owned());
    }
    parse(text).map_err(|problem| format!("in the file: {problem}"))
}

fn bytes(path: &str, most: u64) -> Result<Zeroizing<Vec<u8>>, String> {
    let unreadable = |error| format!("the file can't be read: {error}");
    let file = File::open(PathBuf::from(path)).map_err(unreadable)?;
    let size = usize::try_from(most).unwrap_or(usize::MAX);
    // At once: what grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > size {
        return Err(format!("the file has more than {most} bytes"));
    }
    Ok(bytes)
}
