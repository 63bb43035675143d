//! Several gateways that share one PostgreSQL and one Redis, as replicas do.

use std::fmt::Display;
use std::time::Duration;

use futures::future::join_all;
use reqwest::Method;
use testkit::postgres::Database;
use testkit::redis::Redis;

use crate::gateway::{Gateway, Key, Plan, json_of};
use crate::load::{Answer, Asker, question};
use crate::person::{Demo, Person};
use crate::servers::{database, shared};

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

/// The plan of a replica on this Redis, which doesn't fail.
pub(crate) fn on(plan: Plan, redis: impl Display) -> Plan {
    plan.with("CEP_REDIS_URL", redis)
        .with("CEP_REDIS_TIMEOUT", PATIENT)
}

impl Fleet {
    /// Starts so many replicas at the same time, each by its number and what all have in common;
    /// `None`, after printing it, where PostgreSQL isn't installed.
    pub(crate) fn start(replicas: usize, planned: impl Fn(usize, Plan) -> Plan) -> Option<Self> {
        let database = database()?;
        let common = || {
            let plan = Plan::new().with_all(shared(&database));
            plan.with("CEP_REPLICAS", replicas)
        };
        let plans: Vec<_> = (0..replicas).map(|n| planned(n, common())).collect();
        Some(Self {
            replicas: std::thread::scope(|scope| {
                let plans = plans.into_iter();
                let starting: Vec<_> = plans.map(|plan| scope.spawn(|| plan.start())).collect();
                let started = starting.into_iter().map(|gateway| gateway.join().unwrap());
                started.collect()
            }),
            database,
        })
    }

    /// The same on a new Redis; `None`, after printing it, where a server isn't installed.
    pub(crate) fn on_redis(
        replicas: usize,
        planned: impl Fn(usize, Plan) -> Plan,
    ) -> Option<(Redis, Self)> {
        let redis = Redis::start(&[])?;
        let planned = |number, plan| planned(number, on(plan, redis.url()));
        let fleet = Self::start(replicas, planned)?;
        Some((redis, fleet))
    }

    /// Starts three replicas on a new Redis, where people can sign in.
    pub(crate) fn of_three() -> Option<(Redis, Self)> {
        Self::on_redis(3, |_, plan| plan.with("CEP_DASHBOARD", "on"))
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

    /// Returns whether `/readyz` of all replicas reports this state of their limiter.
    pub(crate) async fn all_are(&self, state: &str) -> bool {
        all_are(&self.replicas, state).await
    }

    /// A key's charged requests in the database, over all months.
    pub(crate) fn charged(&self, key: &Key) -> u64 {
        self.charged_where(key, "true")
    }

    /// A key's charged requests of the months in the database that satisfy a condition.
    pub(crate) fn charged_where(&self, key: &Key, condition: &str) -> u64 {
        let id = &key.id;
        self.database.number(&format!(
            "select sum(charged) from monthly_use where key_id = '{id}' and {condition}"
        ))
    }
}

/// Returns whether `/readyz` of all these replicas reports this state of their limiter.
pub(crate) async fn all_are(replicas: &[Gateway], state: &str) -> bool {
    let states = join_all(replicas.iter().map(|gateway| gateway.state_of("limiter"))).await;
    states.iter().all(|found| found == state)
}

/// An administrator who revokes keys over HTTP, which is faster than a process for each.
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
