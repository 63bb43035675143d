//! `cep-gateway keys …`: works on the store directly, also while a server runs on it.

use anyhow::{Result, bail};
use application::{Caller, KeyError, KeyService, NewKey, RequestedScope};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::keys::{KeyFilter, KeyId, KeyName, KeyOverview, KeyQuery, KeySort};
use domain::limits::{LimitsChange, LimitsError, Plan};
use domain::page::{Direction, PageRequest, PageSize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::data_dir;
use crate::cli::KeysCommand;
use crate::config::KeyOptions;
use crate::console::say;
use crate::wiring;

pub(super) async fn run(options: KeyOptions, command: KeysCommand) -> Result<()> {
    data_dir::prepare(&options.database)?;
    let work = async |keys, operator| execute(command, keys, operator).await;
    wiring::with_keys(&options, work).await
}

async fn execute(command: KeysCommand, keys: KeyService, operator: Caller) -> Result<()> {
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
            let order = NewKey {
                name,
                environment: env,
                limits: Some(limits),
            };
            let created = keys.create(&operator, order).await?;
            let key = created.key.key;
            let answer = json!({
                "id": key.id.to_string(),
                "prefix": key.prefix.as_str(),
                "api_key": created.secret.reveal(),
            });
            say(&answer.to_string());
        }
        KeysCommand::List { json: true } => {
            let all = all(&keys, &operator).await?;
            let all: Vec<Value> = all.iter().map(described).collect();
            say(&Value::from(all).to_string());
        }
        KeysCommand::List { json: false } => {
            // In one piece: whoever closes a pipe early is told once.
            let all = all(&keys, &operator).await?;
            let lines: Vec<_> = all.iter().map(line).collect();
            if !lines.is_empty() {
                say(&lines.join("\n"));
            }
        }
        KeysCommand::Revoke { id } => {
            let revoked = keys.revoke(&operator, RequestedScope::All, KeyId(id)).await;
            say(&described(&known(id, revoked)?).to_string());
        }
        KeysCommand::SetLimits {
            id,
            per_minute,
            monthly_quota,
            no_cap,
        } => {
            let change = change(per_minute, monthly_quota, no_cap)?;
            let changed = keys.set_limits(&operator, KeyId(id), change).await;
            say(&described(&known(id, changed)?).to_string());
        }
    }
    Ok(())
}

/// Names the key that doesn't exist.
fn known<T>(id: Uuid, result: Result<T, KeyError>) -> Result<T> {
    match result {
        Err(KeyError::NotFound) => bail!(
            "no key has the id {id} in the database that CEP_DATABASE_URL or CEP_DATA_DIR names"
        ),
        other => Ok(other?),
    }
}

/// All keys, newest first.
async fn all(keys: &KeyService, operator: &Caller) -> Result<Vec<KeyOverview>> {
    let mut listing = KeyQuery {
        filter: KeyFilter::default(),
        order: KeySort::Created,
        direction: Direction::Descending,
        page: PageRequest::first(PageSize::MAX),
    };
    let mut all = Vec::new();
    loop {
        let page = keys.list(operator, RequestedScope::All, &listing).await?;
        listing.page.after = page.items.last().map(|(cursor, _)| cursor.clone());
        all.extend(page.items.into_iter().map(|(_, overview)| overview));
        if !page.has_next {
            return Ok(all);
        }
    }
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

/// A key in the contract's words (`ApiKey`), and what it used of this month.
fn described(overview: &KeyOverview) -> Value {
    let key = &overview.key;
    json!({
        "id": key.id.to_string(),
        "owner": { "issuer": key.owner.issuer, "subject": key.owner.subject },
        "name": key.name.as_str(),
        "prefix": key.prefix.as_str(),
        "env": key.prefix.environment().name(),
        "per_minute": key.limits.per_minute(),
        "monthly_quota": key.limits.monthly_quota(),
        "created_at": iso(key.created_at),
        "retires_at": key.retires_at.map(iso),
        "revoked_at": key.revoked_at.map(iso),
        "last_used_at": key.last_used_at.map(iso),
        "month": { "used": overview.used.net(), "remaining": overview.remaining() },
    })
}

fn line(overview: &KeyOverview) -> String {
    let key = &overview.key;
    let quota = key
        .limits
        .monthly_quota()
        .map_or("no cap".to_owned(), |quota| format!("{quota}/month"));
    let state = key
        .revoked_at
        .map(|at| format!("revoked {}", iso(at)))
        .or(key.retires_at.map(|at| format!("retires {}", iso(at))))
        .unwrap_or("active".to_owned());
    let used = overview.used.net();
    let left = overview
        .remaining()
        .map_or_else(String::new, |left| format!(", {left} left"));
    format!(
        "{}  {}  {}/min  {quota}  {used} used{left} this month  {state}  {}",
        key.id,
        key.prefix.as_str(),
        key.limits.per_minute(),
        key.name.as_str(),
    )
}

fn iso(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
