//! Health of the connection to a bank.

use async_graphql::{Context, Enum, Object, SimpleObject};
use web::views::keys::Environment;
use web::views::scalars::{Count, int};
use web::views::usage::Latency;

use super::context::{ports, readings};

/// State of a bank.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "application::BankState")]
pub(crate) enum BankState {
    /// Nobody asked it in the last hour.
    Unknown,
    /// It answers.
    Operational,
    /// Some of the last lookups failed.
    Degraded,
    /// All of the last lookups failed.
    Down,
    /// It wants to be left alone for a while.
    Paused,
}

/// Health of a bank, as this gateway saw it in the last hour.
#[derive(SimpleObject)]
pub(crate) struct BankHealth {
    /// The bank.
    env: Environment,
    /// Overall health.
    state: BankState,
    /// Lookups of the last hour.
    lookups: Count,
    /// The share of them that the bank answered, 0 to 1; null when there were none.
    success_rate: Option<f64>,
    /// Latency of those; null when there were none.
    latency: Option<Latency>,
    /// Rest of the gateway's budget of queries; null for a bank without one.
    budget: Option<BankBudget>,
}

impl BankHealth {
    fn new(env: Environment, health: &application::BankHealth) -> Self {
        Self {
            env,
            state: health.state.into(),
            lookups: Count(health.lookups),
            success_rate: health.success_rate,
            latency: health.latency.map(Latency::from),
            budget: health.budget.map(BankBudget::from),
        }
    }
}

/// Questions that the gateway allows itself.
#[derive(SimpleObject)]
pub(crate) struct BankBudget {
    /// Within any 60 seconds.
    per_minute: u32,
    /// Queries that could be sent now.
    remaining: u32,
    /// For how many seconds, rounded up, the bank is left alone; null when it isn't.
    paused_for_seconds: Option<u32>,
    /// Lookups that wait for their turns, of all customers and replicas.
    waiting: BankQueue,
}

/// Lookups that wait for their turns at the bank.
#[derive(SimpleObject)]
pub(crate) struct BankQueue {
    /// Those whose callers wait for the answer.
    interactive: u32,
    /// Those of the background: they get every fifth turn while others wait.
    background: u32,
}

impl From<domain::pacing::BankBudget> for BankBudget {
    fn from(budget: domain::pacing::BankBudget) -> Self {
        Self {
            per_minute: budget.per_minute,
            remaining: budget.remaining,
            paused_for_seconds: budget
                .paused_for
                .map(|span| int(span.as_millis().div_ceil(1_000))),
            waiting: BankQueue {
                interactive: budget.waiting.interactive,
                background: budget.waiting.background,
            },
        }
    }
}

#[derive(Default)]
pub(crate) struct BankQuery;

#[Object]
impl BankQuery {
    /// Health of a bank, as the gateway sees it.
    async fn bank(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Which bank.", default_with = "Environment::Live")] env: Environment,
    ) -> BankHealth {
        let insights = ports(context).insights.as_ref();
        let health = readings(context).bank(insights, env.into());
        BankHealth::new(env, health.await)
    }
}
