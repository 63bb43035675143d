//! Construction of services and adapters: `serve` for the gateway, `commands` for the commands that
//! end by themselves, each from top to bottom.

mod archive;
mod banks;
mod batches;
mod commands;
mod dashboard;
mod identity;
mod infrastructure;
mod limits;
mod lookups;
mod participants;
mod proof_requests;
mod sandbox;
mod seals;
mod secrets;
mod serve;
mod storage;
mod tasks;
mod webhooks;

pub(crate) use commands::{
    BudgetHolder, EndedByRestore, bring_up_to_date, end_revived, with_keys, with_participants,
    with_proof_checks, with_seals,
};
pub(crate) use identity::{Identity, identity};
pub(crate) use sandbox::{sandbox_config, start_sandbox};
pub(crate) use serve::{Gateway, ServeContext, gateway};
pub(crate) use storage::lock as lock_database;
