//! The adapter against the certified `oidc-provider`, a program of somebody else that knows the
//! standards well. It needs Node.js, and a package registry once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use domain::customer::Role;
use identity_oidc::{ClientSecret, Issuer, Oidc, OidcConfig};
use ports::outbound::{AccessToken, IdentityProvider as _};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::browser::Browser;
use crate::clock::TestClock;
use crate::provider::{CLIENT, adapter};
use crate::sandboxed::{REDIRECT, SECRET, SIGNED_OUT, STATE, grant, wish};

const AUDIENCE: &str = "https://gateway.example/api";
const PATIENCE: Duration = Duration::from_mins(2);

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
    assert_ne!(key_of(&again.token), key_of(&member.token));
    for session in [&member, &admin, &again] {
        let claims = oidc.verify(&session.token).await.unwrap();
        assert_eq!(claims, session.claims);
    }

    assert_eq!(browser.logins, 1, "the provider keeps its session");
    oidc.revoke(&member.token).await.unwrap();
    let way_out = oidc.sign_out_url(SIGNED_OUT).await.unwrap();
    let back = browser.follow(&way_out, SIGNED_OUT, "member").await;
    assert_eq!(back.as_str(), SIGNED_OUT);
    sign_in(&oidc, &mut browser, "member").await;
    assert_eq!(browser.logins, 2, "the provider's session has ended");
}

/// Signs in, filling in what the provider's pages ask.
async fn sign_in(oidc: &Oidc, browser: &mut Browser, login: &str) -> AccessToken {
    let address = oidc.authorization_url(&wish()).await.unwrap();
    let back = browser.follow(&address, REDIRECT, login).await;
    let said = |name: &str| {
        let mut pairs = back.query_pairs();
        pairs.find_map(|(said, value)| (said == name).then(|| value.into_owned()))
    };
    assert_eq!(said("state").as_deref(), Some(STATE));
    let code = said("code").unwrap_or_else(|| panic!("no code in {back}"));
    oidc.redeem(&grant(&code)).await.unwrap()
}

/// The header of a token, which names its key.
fn key_of(token: &str) -> &str {
    token.split('.').next().unwrap()
}

/// The provider in a process of its own; it ends with its standard input.
struct CertifiedProvider {
    issuer: String,
    commands: ChildStdin,
    says: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl CertifiedProvider {
    /// `None`, and a word about it, where it can't be had; on the build server that is an error.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests should know")]
    async fn start() -> Option<Self> {
        match installed().await {
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
            commands: process.stdin.take().unwrap(),
            says: BufReader::new(process.stdout.take().unwrap()).lines(),
            _process: process,
        };
        let ready = provider.hears("ready ").await;
        provider.issuer = ready;
        provider
    }

    /// Waits for a line that begins so, and returns its rest.
    async fn hears(&mut self, beginning: &str) -> String {
        let listening = async {
            while let Some(line) = self.says.next_line().await.unwrap() {
                if let Some(rest) = line.strip_prefix(beginning) {
                    return rest.to_owned();
                }
            }
            panic!("the provider ended before it said {beginning:?}");
        };
        tokio::time::timeout(PATIENCE, listening).await.unwrap()
    }

    async fn rotate(&mut self) {
        self.commands.write_all(b"rotate\n").await.unwrap();
        self.hears("rotated").await;
    }

    fn adapter(&self, clock: &TestClock) -> Arc<Oidc> {
        let config = OidcConfig {
            client_secret: Some(ClientSecret::new(SECRET.to_owned())),
            ..OidcConfig::new(Issuer::parse(&self.issuer).unwrap(), CLIENT, AUDIENCE)
        };
        adapter(config, clock)
    }
}

/// A directory with the provider and its dependencies, made once for each state of the lock file.
async fn installed() -> Result<PathBuf, String> {
    const FILES: [&str; 3] = ["package.json", "package-lock.json", "server.mjs"];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oidc-provider");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let fingerprint = FILES
        .map(|file| fs::read(source.join(file)).unwrap())
        .concat();
    let fingerprint = digest(&SHA256, &fingerprint);
    let fingerprint = u64::from_be_bytes(fingerprint.as_ref()[..8].try_into().unwrap());
    let directory = place.join(format!("oidc-provider-{fingerprint:016x}"));
    if directory.exists() {
        return Ok(directory);
    }
    let making = tempfile::tempdir_in(place).map_err(|error| error.to_string())?;
    for file in FILES {
        fs::copy(source.join(file), making.path().join(file)).map_err(|error| error.to_string())?;
    }
    let install = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(making.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let install = tokio::time::timeout(PATIENCE, install).await;
    let install = install.map_err(|_| "npm ci takes too long".to_owned())?;
    let install = install.map_err(|error| format!("npm: {error}"))?;
    if !install.status.success() {
        return Err(String::from_utf8_lossy(&install.stderr).into_owned());
    }
    // Somebody else may have been faster; then theirs is as good.
    if fs::rename(making.path(), &directory).is_err() && !directory.exists() {
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
