//! Several gateways that share one PostgreSQL and one Redis, as replicas do.

use std::time::Duration;

use futures::future::join_all;
use reqwest::Method;
use testkit::postgres::Database;
use testkit::redis::Redis;

use crate::gateway::{CountingBank, Gateway, Key, Plan, json_of};
use crate::load::{Answer, Asker, question};
use crate::person::{Demo, Person};
use crate::servers::database;

/// Timeout of Redis for tests in which it doesn't fail: a machine that runs all tests at once may
/// be slow.
pub(crate) const PATIENT: &str = "20000";

/// The longest that replicas may need to go back to Redis once it answers: the breaker's longest
/// rest and a connection, with room for a busy machine.
pub(crate) const RECOVERY: Duration = Duration::from_secs(40);

/// Replicas, and the database that they share.
pub(crate) struct Fleet {
    pub(crate) replicas: Vec<Gateway>,
    pub(crate) database: Database,
}

/// Variables of replicas on this Redis whose `live` keys query this bank, without a budget that matters.
pub(crate) fn on(redis: &Redis, bank: &CountingBank) -> [(&'static str, String); 4] {
    [
        ("CEP_REDIS_URL", redis.url()),
        ("CEP_REDIS_TIMEOUT", PATIENT.to_owned()),
        ("CEP_BANK_URL", bank.url.clone()),
        ("CEP_BANK_BUDGET", "1000000".to_owned()),
    ]
}

/// Variables of all replicas, wherever their Redis is.
fn shared(database: &Database) -> Vec<(String, String)> {
    [
        ("CEP_DATABASE_URL", &*database.url()),
        ("CEP_HMAC_SECRET", "the same long secret on every replica"),
        ("CEP_STORE_SECRET", "another long secret on every replica"),
        ("CEP_DASHBOARD", "off"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

impl Fleet {
    /// Starts so many replicas with these variables too; `None`, after printing it, where
    /// PostgreSQL isn't installed.
    pub(crate) fn start(replicas: usize, variables: &[(&str, impl AsRef<str>)]) -> Option<Self> {
        Self::start_each(&vec![Vec::new(); replicas], variables)
    }

    /// Starts three replicas on this Redis, where people can sign in.
    pub(crate) fn of_three(redis: &Redis) -> Option<Self> {
        let variables = [
            ("CEP_REDIS_URL", &*redis.url()),
            ("CEP_REDIS_TIMEOUT", PATIENT),
            ("CEP_DASHBOARD", "on"),
        ];
        Self::start(3, &variables)
    }

    /// Starts a replica for each of these sets of variables, in addition to the shared ones.
    pub(crate) fn start_each(
        apart: &[Vec<(String, String)>],
        variables: &[(&str, impl AsRef<str>)],
    ) -> Option<Self> {
        let database = database()?;
        let mut told: Vec<(String, String)> = shared(&database);
        told.push(("CEP_REPLICAS".to_owned(), apart.len().to_string()));
        for (name, value) in variables {
            told.push(((*name).to_owned(), value.as_ref().to_owned()));
        }
        let plans = apart.iter().map(|own| {
            let variables = told.iter().chain(own).map(|(name, value)| (name, value));
            Plan::new().with_all(variables)
        });
        Some(Self {
            replicas: started(plans.collect()),
            database,
        })
    }

    /// Sends so many requests to the replicas in turn, and returns the answers.
    pub(crate) async fn ask(&self, key: &Key, requests: usize) -> Vec<Answer> {
        let question = question(key);
        let mut askers: Vec<_> = self.replicas.iter().map(Asker::new).collect();
        let mut answers = Vec::with_capacity(requests);
        for number in 0..requests {
            let place = number % askers.len();
            answers.push(askers[place].ask(&question).await.unwrap());
        }
        answers
    }

    /// Creates a `test` key with these limits, as an operator does, who has no bound on keys;
    /// without a quota if it is `None`.
    pub(crate) fn key(&self, per_minute: usize, monthly_quota: Option<usize>) -> Key {
        let (per_minute, quota) = (
            per_minute.to_string(),
            monthly_quota.unwrap_or(1).to_string(),
        );
        let month: &[&str] = match monthly_quota {
            Some(_) => &["--monthly-quota", &quota],
            None => &["--no-cap"],
        };
        let arguments = [&["--per-minute", &per_minute], month].concat();
        self.replicas[0].key(&arguments)
    }

    /// Returns whether `/readyz` of all replicas reports this state of their limiter.
    pub(crate) async fn all_are(&self, state: &str) -> bool {
        let replicas = self.replicas.iter();
        let states = join_all(replicas.map(|gateway| gateway.state_of("limiter"))).await;
        states.iter().all(|found| found == state)
    }

    /// A key's charged requests in the database, over all months.
    pub(crate) fn charged(&self, key: &Key) -> u64 {
        self.charged_where(key, "true")
    }

    /// A key's charged requests of one month (`YYYYMM`) in the database.
    pub(crate) fn charged_in(&self, key: &Key, month: u32) -> u64 {
        self.charged_where(key, &format!("month = {month}"))
    }

    fn charged_where(&self, key: &Key, condition: &str) -> u64 {
        let id = &key.id;
        self.database.number(&format!(
            "select sum(charged) from monthly_use where key_id = '{id}' and {condition}"
        ))
    }
}

/// Starts all of them at the same time.
pub(crate) fn started(plans: Vec<Plan>) -> Vec<Gateway> {
    std::thread::scope(|scope| {
        let starting: Vec<_> = plans
            .into_iter()
            .map(|plan| scope.spawn(|| plan.start()))
            .collect();
        starting
            .into_iter()
            .map(|gateway| gateway.join().unwrap())
            .collect()
    })
}

/// An administrator who creates keys over HTTP, which is faster than a process for each.
pub(crate) struct KeyAdmin(Person);

impl KeyAdmin {
    pub(crate) async fn of(gateway: &Gateway) -> Self {
        Self(Person::signed_in(gateway, Demo::Admin).await)
    }

    /// Revokes any person's key; it is revoked when this returns.
    pub(crate) async fn revoke(&self, key: &Key) {
        let path = format!("/admin/keys/{}", key.id);
        let revoked = self.0.request(Method::DELETE, &path).send().await;
        json_of(revoked.unwrap(), 200).await;
    }
}
