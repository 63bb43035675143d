//! Restricted users, and TLS.

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use limiter_redis::{ACL_RULES, CLUSTER_ACL_RULES, RedisLimiter, RedisOptions, RedisPacer};
use ports::contract::limiter::LimiterUnderTest;
use ports::contract::pacer::{LANE, MakePacer};
use ports::outbound::{AcquireError, Limiter, LimiterError, Pacer, PacerState, Snapshot, Verdict};
use testkit::redis::Redis;
use testkit::tls::Certificates;
use uuid::Uuid;

use crate::contract::empty;
use crate::pacing::{fresh, pacing};
use crate::replicas::replica_of;
use crate::support::{
    KEY, MID_MONTH, OffsetClock, cluster, counters_of, options, redis, revoked, state, state_of,
    used,
};

const USER: &str = "gateway";
const PASSWORD: &str = "hunter2/hunter2";
/// The password, percent-encoded.
const ENCODED: &str = "hunter2%2Fhunter2";

/// Grants the user the given rights, for the keys of test clocks too.
fn add_user(server: &Redis, rules: &str) {
    let password = format!(">{PASSWORD}");
    let mut words = vec!["ACL", "SETUSER", USER, "reset", "on", &password];
    words.extend(rules.split_whitespace());
    words.extend([
        "~cep-shifted:{*}:s",
        "~cep-shifted:{*}:w",
        "~cep-shifted:{*}:r",
        "~cep-standing:{bank}:s",
        "~cep-standing:{bank}:w",
        "~cep-standing:{bank}:q",
    ]);
    server.tell(&words);
}

fn as_user(server: &Redis) -> String {
    format!("redis://{USER}:{ENCODED}@127.0.0.1:{}", server.port())
}

ports::limiter!(kept: limiter_with_the_documented_rights_alone());
ports::pacer!(kept: pacers_with_the_documented_rights_alone());

/// A server that has refused nothing by the end of a case.
struct Obeyed([Redis; 1]);

impl Obeyed {
    fn start() -> Option<Self> {
        let server = redis()?;
        add_user(&server, ACL_RULES);
        Some(Self([server]))
    }

    fn limiter(&self) -> RedisLimiter {
        RedisLimiter::single(&as_user(&self.0[0]), &options()).unwrap()
    }
}

impl Drop for Obeyed {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert_eq!(self.0[0].ask(&["ACL", "LOG"]), "");
        }
    }
}

fn limiter_with_the_documented_rights_alone() -> Option<(LimiterUnderTest, Obeyed)> {
    let server = Obeyed::start()?;
    Some((empty(&server.0, server.limiter()), server))
}

fn pacers_with_the_documented_rights_alone() -> Option<(impl MakePacer, Arc<Obeyed>)> {
    let server = Arc::new(Obeyed::start()?);
    let limiter = server.limiter();
    let kept = Arc::clone(&server);
    let make = async move |pacing| fresh(&server.0, &limiter, pacing).await;
    Some((make, kept))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_is_kept_on_a_cluster_with_the_documented_rights_alone() {
    let Some(cluster) = cluster() else { return };
    for node in &cluster.nodes {
        add_user(node, &format!("{ACL_RULES} {CLUSTER_ACL_RULES}"));
    }
    let urls: Vec<_> = cluster.nodes.iter().map(as_user).collect();
    ports::limiter!(in turn: {
        let limiter = RedisLimiter::cluster(&urls, &options()).unwrap();
        empty(&cluster.nodes, limiter)
    });
    let bank = RedisLimiter::cluster(&urls, &options()).unwrap();
    ports::pacer!(in turn: async |pacing| fresh(&cluster.nodes, &bank, pacing).await);
    for node in &cluster.nodes {
        assert_eq!(node.ask(&["ACL", "LOG"]), "");
    }
}

#[test]
fn the_documented_rights_reach_nothing_else() {
    let Some(server) = redis() else { return };
    add_user(&server, ACL_RULES);
    let may = |words: &[&str]| server.ask(&[&["ACL", "DRYRUN", USER], words].concat()) == "OK";
    let key = &counters_of(KEY);
    for key in [&state_of(KEY), key] {
        assert!(may(&["EVALSHA", "0", "1", key]));
        assert!(may(&["HSET", key, "a", "b"]));
    }
    for bank in ["cep:{bank}:s", "cep:{bank}:w", "cep:{bank}:q"] {
        assert!(may(&["EVALSHA", "0", "1", bank]), "{bank}");
        assert!(may(&["ZADD", bank, "1", "a"]), "{bank}");
    }
    for foreign in ["cep:{a}:x", "cep:{a}:q", "cep:a:s", "session:{a}:s", "s"] {
        assert!(!may(&["EVALSHA", "0", "1", foreign]), "{foreign}");
        assert!(!may(&["HGET", foreign, "a"]), "{foreign}");
    }
    let refused: [&[&str]; 12] = [
        &["GET", key],
        &["SET", key, "a"],
        &["HGETALL", key],
        &["KEYS", "*"],
        &["SCAN", "0"],
        &["FLUSHALL"],
        &["CONFIG", "GET", "*"],
        &["SCRIPT", "FLUSH"],
        &["ACL", "LIST"],
        &["PUBLISH", "a", "b"],
        &["MONITOR"],
        &["SHUTDOWN"],
    ];
    for words in refused {
        assert!(!may(words), "{words:?}");
    }
}

/// Does all that a limiter does, so that every command of every script runs.
async fn use_limiter(
    server: &Redis,
    limiter: &RedisLimiter,
    time: &OffsetClock,
) -> Result<(), LimiterError> {
    server.tell(&["FLUSHALL"]);
    server.tell(&["SCRIPT", "FLUSH"]);
    let Verdict::Unknown { month } = limiter.admit(KEY).await? else {
        panic!("nothing is known yet");
    };
    let snapshot = Snapshot {
        state: state(7_000, Some(100), 1),
        month,
        used: used(0),
    };
    limiter.hydrate(KEY, snapshot).await?;
    // By the second: the later of two admissions is written into the earlier one's entry.
    for _ in 0..4 {
        limiter.admit(KEY).await?;
    }
    limiter.refund(KEY, month, Uuid::from_u128(1)).await?;
    limiter.apply(KEY, state(1, Some(100), 2)).await?;
    limiter.admit(KEY).await?;
    time.move_by(70_000);
    limiter.peek(KEY).await?;
    limiter.apply(KEY, revoked(3)).await?;
    limiter.forget(KEY).await
}

/// Does all that a pacer does: three turns at once, a wait for the fourth, and a back-off.
async fn use_pacer(pacer: &RedisPacer) -> Result<(), AcquireError> {
    for _ in 0..4 {
        pacer.acquire(LANE, Duration::from_secs(1)).await?;
    }
    pacer.budget().await?;
    pacer.record_throttled(Duration::ZERO).await?;
    pacer.record_success(Duration::ZERO).await?;
    Ok(pacer.merge(&PacerState::acquired_now()).await?)
}

#[tokio::test]
async fn each_documented_right_is_needed() {
    let Some(server) = Redis::start(&["--repl-diskless-sync-delay", "0"]) else {
        return;
    };
    let _replica = replica_of(&server).unwrap();
    let rules = ACL_RULES.split_whitespace();
    let rights = rules.clone().filter(|rule| rule.starts_with('+'));
    for right in std::iter::once("").chain(rights) {
        let others: Vec<_> = rules.clone().filter(|rule| *rule != right).collect();
        add_user(&server, &others.join(" "));
        let time = OffsetClock::at(server.url(), MID_MONTH);
        let limiter = RedisLimiter::single(&as_user(&server), &options()).unwrap();
        // A turn each 100 ms.
        let turns = limiter.pacer(Uuid::from_u128(1), pacing(600));
        let limiter = limiter.with_clock_offset(Arc::clone(&time.shift));
        let done = use_limiter(&server, &limiter, &time).await;
        let taken = use_pacer(&turns).await;
        assert_eq!(
            done.is_ok() && taken.is_ok(),
            right.is_empty(),
            "without {right}: {done:?}, {taken:?}"
        );
    }
}

#[tokio::test]
async fn a_wrong_password_is_an_error_that_doesnt_tell_it() {
    let Some(server) = redis() else { return };
    add_user(&server, ACL_RULES);
    let url = format!("redis://{USER}:swordfish@127.0.0.1:{}", server.port());
    for limiter in [
        RedisLimiter::single(&url, &options()).unwrap(),
        RedisLimiter::cluster(&[url], &options()).unwrap(),
    ] {
        let error = limiter.admit(KEY).await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains("swordfish"), "{told}");
    }
}

#[tokio::test]
async fn tls_is_spoken_with_a_server_whose_authority_is_known_and_with_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = Certificates::new(folder.path(), "IP:127.0.0.1") else {
        return;
    };
    let Some((server, port)) = Redis::start_secure(&files) else {
        return;
    };
    add_user(&server, ACL_RULES);
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .unwrap();

    let url = format!("rediss://{USER}:{ENCODED}@127.0.0.1:{port}");
    let trusting = RedisOptions {
        root_certificate: Some(fs::read(&files.authority).unwrap()),
        ..options()
    };
    let limiter = RedisLimiter::single(&url, &trusting).unwrap();
    let unknown = limiter.admit(KEY).await.unwrap();
    assert!(matches!(unknown, Verdict::Unknown { .. }), "{unknown:?}");
    let wary = RedisLimiter::single(&url, &options()).unwrap();
    assert!(wary.admit(KEY).await.is_err());
    // The certificate is another name's.
    let url = url.replace("127.0.0.1", "localhost");
    let elsewhere = RedisLimiter::single(&url, &trusting).unwrap();
    assert!(elsewhere.admit(KEY).await.is_err());
}
