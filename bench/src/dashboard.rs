//! Latency of people's queries: `GET /keys` and the dashboard's start query, with many keys and a
//! long history on SQLite.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditContext;
use domain::keys::{
    ApiKey, Credential, Environment, FullKey, HashGeneration, KeyBounds, KeyHasher, KeyId, KeyName,
};
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::{Customer, CustomerId, Owner};
use domain::request::RequestId;
use ports::outbound::{
    AdmissionEntry, CustomerStore, KeyRecord, KeyStore, RequestEntry, UsageJournal,
};
use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response};
use serde_json::json;
use store_seaorm::{Store, sqlite_url};

use crate::load::percentile;
use crate::process::{Program, gateway_command};
use crate::seeded_rng::SeededRng;
use crate::{Row, millis, row};

/// Keys of the only person.
const KEYS: u32 = 1_000;
/// Requests in the database.
const REQUESTS: u32 = 1_000_000;
/// Days that they are spread over.
const DAYS: u32 = 90;
/// Requests that are handed to the journal before it is awaited.
const CHUNK: u32 = 10_000;
/// Times that each query is sent, one after another.
const TIMES: usize = 1_000;
/// Requests sent without a pause, and the time from one such burst to the next: a session may send 30 a
/// second.
const BURST: usize = 25;
const INTERVAL: Duration = Duration::from_secs(1);
/// Secret that the keys are hashed with.
const SECRET: &str = "a benchmark keeps no secrets at all";
/// The dashboard's first query.
const START: &str = include_str!("../../docs/graphql/start.graphql");

/// Latencies of the two queries.
pub(crate) async fn first_look() -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let identity = free_address()?;
    let filled = Instant::now();
    fill(folder.path(), &format!("http://{identity}")).await?;
    let filled = filled.elapsed();
    let mut command = gateway_command(folder.path())?;
    command
        .env("CEP_SANDBOX_IDENTITY_LISTEN", &identity)
        .env("CEP_HMAC_SECRET", SECRET);
    let gateway = Program::start(command)?;
    let origin = format!("http://{}", gateway.address);
    let client = client_builder().build()?;
    let cookie = sign_in(&client, &origin, "demo-member").await?;

    let keys = || client.get(format!("{origin}/keys")).header(COOKIE, &cookie);
    let start = || {
        client
            .post(format!("{origin}/graphql"))
            .header(COOKIE, &cookie)
            .header(CONTENT_TYPE, "application/json")
            .body(json!({ "query": START }).to_string())
    };
    let answer = keys().send().await?.text().await?;
    let keys_listed = answer.matches("\"prefix\"").count();
    ensure!(keys_listed == KEYS as usize, "{keys_listed} keys");
    let answer = start().send().await?.text().await?;
    ensure!(!answer.contains("\"errors\""), "{answer}");

    let goal = "p99 ≤ 50 ms";
    let listing = format!("(f) `GET /keys`, {KEYS} keys, {REQUESTS} kept requests");
    let (keys, start) = (measure(keys).await?, measure(start).await?);
    let filled = format!("{:.1} s", filled.as_secs_f64());
    Ok(vec![
        row(&listing, keys, goal),
        row(
            "(f) the dashboard's start query, the same data",
            start,
            goal,
        ),
        row("(f) making that data, through the journal", filled, "–"),
    ])
}

async fn measure(request: impl Fn() -> RequestBuilder) -> Result<String> {
    let mut latencies = Vec::with_capacity(TIMES);
    // The burst before has left the session's rate by then.
    let first = tokio::time::Instant::now() + INTERVAL;
    let mut bursts = tokio::time::interval_at(first, INTERVAL);
    for number in 0..TIMES {
        if number % BURST == 0 {
            bursts.tick().await;
        }
        let started = Instant::now();
        let answer = request().send().await?.error_for_status()?;
        answer.bytes().await?;
        latencies.push(started.elapsed());
    }
    let mut at = |percent| millis(percentile(&mut latencies, percent));
    Ok(format!("p50 {}, p99 {}", at(50), at(99)))
}

/// An address that was free a moment ago: the person's issuer has to be known before its keys.
fn free_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}

/// Settings of a client that follows no redirects.
pub(crate) fn client_builder() -> ClientBuilder {
    // Another part of this process may have installed it; there is only one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Client::builder().redirect(reqwest::redirect::Policy::none())
}

/// Signs a person of the sandbox in, and returns the session's cookie.
pub(crate) async fn sign_in(client: &Client, origin: &str, person: &str) -> Result<String> {
    let begun = client.get(format!("{origin}/login")).send().await?;
    let (ticket, authorize) = (cookie(&begun, "")?, location(&begun)?);
    let (provider, query) = authorize.split_once("/authorize?").context("no query")?;
    let chosen = client
        .post(format!("{provider}/sign-in?{query}"))
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(format!("person={person}"))
        .send()
        .await?;
    let landed = client.get(location(&chosen)?).header(COOKIE, ticket);
    cookie(&landed.send().await?, "cep_session=")
}

fn location(answer: &Response) -> Result<String> {
    let location = answer.headers().get(LOCATION).context("no redirect")?;
    Ok(location.to_str()?.to_owned())
}

/// The first cookie that begins so, as it is sent back.
fn cookie(answer: &Response, begin: &str) -> Result<String> {
    let cookies = answer.headers().get_all(SET_COOKIE).iter();
    let mut cookies = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    let cookie = cookies.find(|cookie| cookie.starts_with(begin));
    Ok(cookie.context("no cookie")?.to_owned())
}

/// Inserts one person's keys, and requests with them, spread at random.
async fn fill(folder: &Path, issuer: &str) -> Result<()> {
    let store = Store::open(&sqlite_url(&folder.join("cep.db"))?).await?;
    store.migrate().await?;
    let mut rng = SeededRng(1);
    let now = crate::now()?;
    let customer = Customer {
        id: CustomerId(rng.id(now)),
        owner: Owner {
            issuer: issuer.to_owned(),
            subject: "demo-member".to_owned(),
        },
        plan: Plan::Startup,
        created_at: now,
    };
    store.find_or_insert(&customer).await?;
    let mut keys = Vec::new();
    for number in 0..KEYS {
        keys.push(add_key(&store, &customer, number, &mut rng, now).await?);
    }
    let journal = store.journal(rng.id(now));
    for number in 0..REQUESTS {
        let back = TimeDelta::milliseconds(i64::from(rng.below(DAYS * 86_400)) * 1_000);
        let at = now - back;
        let key = keys[rng.below(KEYS) as usize];
        let _unwaited = journal.admit(AdmissionEntry {
            key,
            month: Month::of(at),
            at,
        });
        journal.conclude(request(&mut rng, key, customer.id, at));
        if number % CHUNK == CHUNK - 1 {
            journal.flush().await?;
        }
    }
    journal.close().await?;
    Ok(store.close().await?)
}

async fn add_key(
    store: &Store,
    customer: &Customer,
    number: u32,
    rng: &mut SeededRng,
    now: DateTime<Utc>,
) -> Result<KeyId> {
    let secret = FullKey::generate(Environment::Test, &mut |bytes| rng.fill(bytes));
    let hasher = KeyHasher::new(vec![(HashGeneration(1), SECRET.into())])?;
    let (hash, generation) = hasher.hash(&secret);
    let id = KeyId(rng.id(now));
    let created_at = now - TimeDelta::minutes(i64::from(KEYS - number));
    let key = ApiKey {
        id,
        counters: id.into(),
        customer: customer.id,
        owner: customer.owner.clone(),
        name: KeyName::parse(&format!("caja {number}"))?,
        prefix: secret.prefix().clone(),
        limits: Plan::Startup.limits(),
        created_at,
        retires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    let record = KeyRecord {
        key,
        credential: Credential {
            id,
            counters: id.into(),
            customer: customer.id,
            hash,
            generation,
        },
    };
    let act = AuditContext {
        id: rng.id(created_at),
        at: created_at,
        actor: customer.owner.clone(),
        request_id: RequestId::from_uuid(id.0),
    };
    store.insert(record, KeyBounds::Unbounded, &act).await?;
    Ok(id)
}

fn request(
    rng: &mut SeededRng,
    key: KeyId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> RequestEntry {
    let outcome = match rng.below(6) {
        0..3 => Outcome::Delivered,
        3 => Outcome::NotFound,
        4 => Outcome::InvalidRequest,
        _ => Outcome::BankTimeout,
    };
    let id = rng.id(at);
    RequestEntry {
        id,
        request_id: RequestId::from_uuid(id),
        key,
        customer,
        endpoint: Endpoint::ALL[rng.below(7) as usize],
        outcome,
        banks: None,
        at,
        duration: Duration::from_millis(u64::from(rng.below(3_000))),
        bank_time: None,
        refund: None,
        delivered: Vec::new(),
        seal: None,
    }
}
