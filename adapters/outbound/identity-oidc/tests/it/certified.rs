//! The adapter against `oidc-provider`, a certified provider. It needs Node.js, and a package registry
//! once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use domain::people::customer::Role;
use identity_oidc::{ClientSecret, Issuer, Oidc, OidcConfig};
use ports::outbound::{AccessToken, CodeGrant, IdentityProvider as _};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::browser::Browser;
use crate::clock::TestClock;
use crate::sandbox_provider::{REDIRECT, SECRET, SIGNED_OUT, STATE, authorization_request, grant};
use crate::test_provider::{CLIENT, adapter};

const AUDIENCE: &str = "https://gateway.example/api";
const TIMEOUT: Duration = Duration::from_mins(2);

#[tokio::test]
async fn the_certified_provider_signs_in_rotates_its_keys_and_signs_out() {
    let Some(mut provider) = CertifiedProvider::start().await else {
        return;
    };
    let clock = TestClock::at_the_machines_time();
    let oidc = provider.adapter(&clock);
    let mut browser = Browser::new();

    let member = sign_in(&oidc, &mut browser, "member").await;
    assert_eq!(member.claims.issuer, provider.issuer);
    assert_eq!(member.claims.subject, "member");
    assert_eq!(member.claims.role, Role::Member);
    assert_eq!(member.claims.display_name.as_deref(), Some("The member"));
    let admin = sign_in(&oidc, &mut Browser::new(), "admin").await;
    assert_eq!(admin.claims.role, Role::Admin);

    provider.rotate().await;
    let again = sign_in(&oidc, &mut browser, "member").await;
    assert_ne!(header_of(&again.token), header_of(&member.token));
    for session in [&member, &admin, &again] {
        let claims = oidc.verify(&session.token).await.unwrap();
        assert_eq!(claims, session.claims);
    }

    assert_eq!(browser.logins, 1, "the provider keeps its session");
    oidc.revoke(&member.token).await.unwrap();
    let sign_out = oidc.sign_out_url(SIGNED_OUT).await.unwrap();
    let back = browser.follow(&sign_out, SIGNED_OUT, "member").await;
    assert_eq!(back.as_str(), SIGNED_OUT);
    sign_in(&oidc, &mut browser, "member").await;
    assert_eq!(browser.logins, 2, "the provider's session has ended");
}

/// Signs in through the provider's pages.
async fn sign_in(oidc: &Oidc, browser: &mut Browser, login: &str) -> AccessToken {
    let address = oidc
        .authorization_url(&authorization_request())
        .await
        .unwrap();
    let back = browser.follow(&address, REDIRECT, login).await;
    let parameter = |name: &str| {
        let mut pairs = back.query_pairs();
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    };
    assert_eq!(parameter("state").as_deref(), Some(STATE));
    let code = parameter("code").unwrap_or_else(|| panic!("no code in {back}"));
    let issuer = parameter("iss");
    let grant = CodeGrant {
        issuer: issuer.as_deref(),
        ..grant(&code)
    };
    oidc.redeem(&grant).await.unwrap()
}

/// Returns the header of a token, which names its key.
fn header_of(token: &str) -> &str {
    token.split('.').next().unwrap()
}

/// Provider process; it ends with its standard input.
struct CertifiedProvider {
    issuer: String,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl CertifiedProvider {
    /// Starts the provider; without it prints the reason and returns `None`, on a build server panics.
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
    async fn start() -> Option<Self> {
        match install().await {
            Ok(directory) => Some(Self::run(&directory).await),
            Err(reason) if is_build_server() => panic!("oidc-provider can't be had: {reason}"),
            Err(reason) => {
                eprintln!("SKIPPED: oidc-provider can't be had: {reason}");
                None
            }
        }
    }

    async fn run(directory: &Path) -> Self {
        let settings = json!({
            "clientId": CLIENT,
            "clientSecret": SECRET,
            "redirectUri": REDIRECT,
            "postLogoutRedirectUri": SIGNED_OUT,
            "audience": AUDIENCE,
        });
        let mut process = Command::new("node")
            .arg("server.mjs")
            .arg(settings.to_string())
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut provider = Self {
            issuer: String::new(),
            stdin: process.stdin.take().unwrap(),
            stdout: BufReader::new(process.stdout.take().unwrap()).lines(),
            _process: process,
        };
        let ready = provider.wait_for_line("ready ").await;
        provider.issuer = ready;
        provider
    }

    /// Waits for a line with this prefix and returns the rest of it.
    async fn wait_for_line(&mut self, prefix: &str) -> String {
        let reading = async {
            while let Some(line) = self.stdout.next_line().await.unwrap() {
                if let Some(rest) = line.strip_prefix(prefix) {
                    return rest.to_owned();
                }
            }
            panic!("the provider ended before it printed {prefix:?}");
        };
        tokio::time::timeout(TIMEOUT, reading).await.unwrap()
    }

    async fn rotate(&mut self) {
        self.stdin.write_all(b"rotate\n").await.unwrap();
        self.wait_for_line("rotated").await;
    }

    fn adapter(&self, clock: &TestClock) -> Arc<Oidc> {
        let config = OidcConfig {
            client_secret: Some(ClientSecret::new(SECRET.to_owned())),
            ..OidcConfig::new(Issuer::parse(&self.issuer).unwrap(), CLIENT, AUDIENCE)
        };
        adapter(config, clock)
    }
}

/// Installs the provider with its dependencies, once for each state of its files; returns its
/// directory.
async fn install() -> Result<PathBuf, String> {
    const FILES: [&str; 3] = ["package.json", "package-lock.json", "server.mjs"];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oidc-provider");
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let fingerprint = FILES
        .map(|file| fs::read(source.join(file)).unwrap())
        .concat();
    let fingerprint = digest(&SHA256, &fingerprint);
    let fingerprint = u64::from_be_bytes(fingerprint.as_ref()[..8].try_into().unwrap());
    let directory = parent.join(format!("oidc-provider-{fingerprint:016x}"));
    if directory.exists() {
        return Ok(directory);
    }
    let staging = tempfile::tempdir_in(parent).map_err(|error| error.to_string())?;
    for file in FILES {
        fs::copy(source.join(file), staging.path().join(file))
            .map_err(|error| error.to_string())?;
    }
    let install = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(staging.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let install = tokio::time::timeout(TIMEOUT, install).await;
    let install = install.map_err(|_| "npm ci takes too long".to_owned())?;
    let install = install.map_err(|error| format!("npm: {error}"))?;
    if !install.status.success() {
        return Err(String::from_utf8_lossy(&install.stderr).into_owned());
    }
    // A concurrent run of the tests may have installed it first.
    if fs::rename(staging.path(), &directory).is_err() && !directory.exists() {
        return Err(format!("{} can't be made", directory.display()));
    }
    Ok(directory)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build server says so in its environment"
)]
fn is_build_server() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}
