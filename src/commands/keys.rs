//! `cep-gateway keys …`: works on the store directly, also while a server runs on it.

use anyhow::Result;
use chrono::{DateTime, SecondsFormat, Utc};
use domain::key::{ApiKey, KeyId, KeyName, Owner};
use domain::limits::{LimitsChange, LimitsError, Plan};
use ports::inbound::{KeyAdministration, KeyOrder};
use serde_json::{Value, json};

use crate::cli::KeysCommand;
use crate::config::Options;
use crate::{say, wiring};

pub(super) async fn run(options: Options, command: KeysCommand) -> Result<()> {
    super::prepare_data_dir(&options)?;
    let keys = wiring::key_administration(&options).await?;
    match command {
        KeysCommand::Create {
            name,
            env,
            per_minute,
            monthly_quota,
            no_cap,
        } => {
            let name = KeyName::parse(&name).map_err(|error| anyhow::anyhow!("--name: {error}"))?;
            let change = change(per_minute, monthly_quota, no_cap)?;
            let limits = change.apply(Plan::default().limits());
            let order = KeyOrder {
                owner: Owner::operator(),
                name,
                environment: env,
                limits,
            };
            let created = keys.create(order).await?;
            let answer = json!({
                "id": created.key.id.to_string(),
                "prefix": created.key.prefix.as_str(),
                "api_key": created.secret.reveal(),
            });
            say(&answer.to_string());
        }
        KeysCommand::List { json: true } => {
            let all: Vec<Value> = keys.list().await?.iter().map(described).collect();
            say(&Value::from(all).to_string());
        }
        KeysCommand::List { json: false } => {
            for key in keys.list().await? {
                say(&line(&key));
            }
        }
        KeysCommand::Revoke { id } => say(&described(&keys.revoke(KeyId(id)).await?).to_string()),
        KeysCommand::SetLimits {
            id,
            per_minute,
            monthly_quota,
            no_cap,
        } => {
            let change = change(per_minute, monthly_quota, no_cap)?;
            say(&described(&keys.set_limits(KeyId(id), change).await?).to_string());
        }
    }
    Ok(())
}

fn change(
    per_minute: Option<u32>,
    monthly_quota: Option<u64>,
    no_cap: bool,
) -> Result<LimitsChange, LimitsError> {
    let monthly_quota = if no_cap {
        Some(None)
    } else {
        monthly_quota.map(Some)
    };
    LimitsChange::new(per_minute, monthly_quota)
}

/// A key in the contract's words (`ApiKey`).
fn described(key: &ApiKey) -> Value {
    json!({
        "id": key.id.to_string(),
        "name": key.name.as_str(),
        "prefix": key.prefix.as_str(),
        "env": key.prefix.environment().name(),
        "per_minute": key.limits.per_minute(),
        "monthly_quota": key.limits.monthly_quota(),
        "created_at": iso(key.created_at),
        "revoked_at": key.revoked_at.map(iso),
        "last_used_at": key.last_used_at.map(iso),
    })
}

fn line(key: &ApiKey) -> String {
    let quota = key
        .limits
        .monthly_quota()
        .map_or("no cap".to_owned(), |quota| format!("{quota}/month"));
    let state = key
        .revoked_at
        .map_or("active".to_owned(), |at| format!("revoked {}", iso(at)));
    format!(
        "{}  {}  {}/min  {quota}  {state}  {}",
        key.id,
        key.prefix.as_str(),
        key.limits.per_minute(),
        key.name.as_str(),
    )
}

fn iso(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
