//! The audit log: written in the transaction of the mutation it records, read newest first.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, AuditEntry, AuditFilter, AuditPage, FieldChange};
use domain::keys::{ApiKey, KeyId};
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::{CustomerId, Owner};
use domain::request::RequestId;
use ports::outbound::{AuditLog, ListError, StoreError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::entity::audit_log;
use crate::list::{limit_with_lookahead, older_than_cursor};
use crate::row::Row;
use crate::store::{Store, failed};

/// Entries per insert statement: 9 values each.
const ENTRIES_PER_STATEMENT: usize = 500;

/// Effect of a mutation on one key or customer.
pub(crate) struct Entry {
    action: Action,
    customer: CustomerId,
    key: Option<KeyId>,
    changes: Vec<FieldChange>,
}

impl Entry {
    pub(crate) fn of_key(action: Action, key: &ApiKey, changes: Vec<FieldChange>) -> Self {
        Self {
            action,
            customer: key.customer,
            key: Some(key.id),
            changes,
        }
    }

    pub(crate) fn of_webhook(
        action: Action,
        customer: CustomerId,
        changes: Vec<FieldChange>,
    ) -> Self {
        Self {
            action,
            customer,
            key: None,
            changes,
        }
    }

    pub(crate) fn of_plan(customer: CustomerId, changes: Vec<FieldChange>) -> Self {
        Self {
            action: Action::PlanSet,
            customer,
            key: None,
            changes,
        }
    }
}

/// Records the effects of a mutation. The first entry has the mutation's id; another one has an id
/// derived from the mutation's and its own key's (see [`further_id`]), so that a mutation that is
/// repeated with the same ids is logged once.
pub(crate) async fn record(
    transaction: &impl ConnectionTrait,
    act: &AuditContext,
    entries: &[Entry],
) -> Result<(), StoreError> {
    let mut rows = Vec::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        let id = match entry.key {
            Some(key) if place > 0 => further_id(act.id, key),
            Some(_) | None => act.id,
        };
        rows.push(written(id, act, entry)?);
    }
    for some in rows.chunks(ENTRIES_PER_STATEMENT) {
        audit_log::Entity::insert_many(some.iter().cloned())
            .exec_without_returning(transaction)
            .await
            .map_err(failed)?;
    }
    Ok(())
}

/// The id of an entry that isn't the first of its mutation: the mutation's time (a version 7 UUID
/// begins with it, RFC 9562), and a digest of the mutation's id and the key's in place of the
/// random bits.
fn further_id(act: Uuid, key: KeyId) -> Uuid {
    let digest = Sha256::new()
        .chain_update(act.as_bytes())
        .chain_update(key.0.as_bytes())
        .finalize();
    let mut random = [0; 10];
    random.copy_from_slice(&digest[..10]);
    let millis = u64::try_from(act.as_u128() >> 80).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

fn written(
    id: Uuid,
    act: &AuditContext,
    entry: &Entry,
) -> Result<audit_log::ActiveModel, StoreError> {
    let changes: Vec<_> = entry.changes.iter().map(StoredChange::of).collect();
    Ok(audit_log::ActiveModel {
        id: Set(id.to_string()),
        at: Set(act.at.timestamp_millis()),
        actor_issuer: Set(act.actor.issuer.clone()),
        actor_subject: Set(act.actor.subject.clone()),
        action: Set(entry.action.name().to_owned()),
        customer_id: Set(entry.customer.to_string()),
        key_id: Set(entry.key.map(|key| key.to_string())),
        changes: Set(serde_json::to_string(&changes).map_err(failed)?),
        request_id: Set(act.request_id.as_str().to_owned()),
    })
}

/// A field's change in its stored form.
#[derive(Serialize, Deserialize)]
struct StoredChange {
    field: String,
    before: Option<String>,
    after: Option<String>,
}

impl StoredChange {
    fn of(change: &FieldChange) -> Self {
        let FieldChange {
            field,
            before,
            after,
        } = change.clone();
        Self {
            field,
            before,
            after,
        }
    }

    fn read(self) -> FieldChange {
        FieldChange {
            field: self.field,
            before: self.before,
            after: self.after,
        }
    }
}

#[async_trait]
impl AuditLog for Store {
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<AuditPage, ListError> {
        self.in_time(async {
            let mut entries = matching(filter);
            let place = (audit_log::Column::At, audit_log::Column::Id);
            if let Some(older) = older_than_cursor(place, page)? {
                entries = entries.filter(older);
            }
            let rows = entries
                .order_by_desc(audit_log::Column::At)
                .order_by_desc(audit_log::Column::Id)
                .limit(limit_with_lookahead(page))
                .all(&self.connection)
                .await
                .map_err(failed)?;
            let mut items = Vec::with_capacity(rows.len());
            for row in rows {
                let entry = read(&row)?;
                items.push((Cursor::at(entry.act.at, entry.act.id), entry));
            }
            Ok(Page::of(items, page.first, None))
        })
        .await
    }
}

fn matching(filter: &AuditFilter) -> Select<audit_log::Entity> {
    let mut entries = audit_log::Entity::find();
    if let Some(customer) = filter.customer {
        entries = entries.filter(audit_log::Column::CustomerId.eq(customer.to_string()));
    }
    if let Some(key) = filter.key {
        entries = entries.filter(audit_log::Column::KeyId.eq(key.to_string()));
    }
    if let Some(from) = filter.from {
        entries = entries.filter(audit_log::Column::At.gte(from.timestamp_millis()));
    }
    if let Some(to) = filter.to {
        entries = entries.filter(audit_log::Column::At.lt(to.timestamp_millis()));
    }
    entries
}

fn read(entry: &audit_log::Model) -> Result<AuditEntry, StoreError> {
    let row = Row {
        table: "audit_log",
        id: &entry.id,
    };
    let key = |id: &String| row.uuid(id, "key_id").map(KeyId);
    let changes: Vec<StoredChange> =
        serde_json::from_str(&entry.changes).map_err(|_| row.unreadable("changes"))?;
    Ok(AuditEntry {
        act: AuditContext {
            id: row.uuid(&entry.id, "id")?,
            at: row.instant(entry.at, "at")?,
            request_id: RequestId::parse(&entry.request_id)
                .ok_or_else(|| row.unreadable("request_id"))?,
            actor: Owner {
                issuer: entry.actor_issuer.clone(),
                subject: entry.actor_subject.clone(),
            },
        },
        action: Action::from_name(&entry.action).ok_or_else(|| row.unreadable("action"))?,
        customer: CustomerId(row.uuid(&entry.customer_id, "customer_id")?),
        key: entry.key_id.as_ref().map(key).transpose()?,
        changes: changes.into_iter().map(StoredChange::read).collect(),
    })
}
