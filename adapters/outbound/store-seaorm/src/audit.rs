//! The audit log: written in the transaction of the mutation it records, read newest first.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, AuditEntry, AuditFilter, AuditPage, FieldChange};
use domain::keys::{ApiKey, KeyId};
use domain::page::{Cursor, PageRequest};
use domain::people::customer::{CustomerId, Owner};
use ports::outbound::{AuditLog, ListError, StoreError};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Select, Set};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::entity::audit_log;
use crate::error::failed;
use crate::read::{self, newest_first};
use crate::store::Store;
use crate::stored::{Storable, Stored};

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

    /// An entry about a customer's webhook or own account.
    pub(crate) fn of_account(
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
        rows.push(written(id, act, entry));
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

fn written(id: Uuid, act: &AuditContext, entry: &Entry) -> audit_log::ActiveModel {
    audit_log::ActiveModel {
        id: Set(Stored(id)),
        at: Set(Stored(act.at)),
        actor_issuer: Set(act.actor.issuer.clone()),
        actor_subject: Set(act.actor.subject.clone()),
        action: Set(Stored(entry.action)),
        customer_id: Set(Stored(entry.customer)),
        key_id: Set(entry.key.map(Stored)),
        changes: Set(Stored(entry.changes.clone())),
        request_id: Set(Stored(act.request_id.clone())),
    }
}

/// A field's change in its stored form.
#[derive(Serialize, Deserialize)]
struct StoredChange {
    field: String,
    before: Option<String>,
    after: Option<String>,
}

/// Changes are stored as a JSON array.
impl Storable for Vec<FieldChange> {
    type Form = String;

    fn to_form(&self) -> String {
        let stored = |change: &FieldChange| StoredChange {
            field: change.field.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        };
        let changes: Vec<_> = self.iter().map(stored).collect();
        serde_json::to_string(&changes).expect("texts have a form in JSON")
    }

    fn from_form(form: String) -> Option<Self> {
        let changes: Vec<StoredChange> = serde_json::from_str(&form).ok()?;
        let read = |change: StoredChange| FieldChange {
            field: change.field,
            before: change.before,
            after: change.after,
        };
        Some(changes.into_iter().map(read).collect())
    }
}

#[async_trait]
impl AuditLog for Store {
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<AuditPage, ListError> {
        let place = (audit_log::Column::At, audit_log::Column::Id);
        let list = newest_first(matching(filter), place, page)?;
        let read = |row| {
            let entry = read(row);
            Ok((Cursor::at(entry.act.at, entry.act.id), entry))
        };
        // An entry that can't be read is never passed over in silence: it could hide who did it.
        let found = read::whole_page(&self.connection, list, page, read);
        Ok(self.in_time(found).await?)
    }
}

fn matching(filter: &AuditFilter) -> Select<audit_log::Entity> {
    let mut entries = audit_log::Entity::find();
    if let Some(customer) = filter.customer {
        entries = entries.filter(audit_log::Column::CustomerId.eq(Stored(customer)));
    }
    if let Some(key) = filter.key {
        entries = entries.filter(audit_log::Column::KeyId.eq(Stored(key)));
    }
    if let Some(from) = filter.from {
        entries = entries.filter(audit_log::Column::At.gte(Stored(from)));
    }
    if let Some(to) = filter.to {
        entries = entries.filter(audit_log::Column::At.lt(Stored(to)));
    }
    entries
}

fn read(entry: audit_log::Model) -> AuditEntry {
    AuditEntry {
        act: AuditContext {
            id: entry.id.0,
            at: entry.at.0,
            request_id: entry.request_id.0,
            actor: Owner {
                issuer: entry.actor_issuer,
                subject: entry.actor_subject,
            },
        },
        action: entry.action.0,
        customer: entry.customer_id.0,
        key: entry.key_id.map(Stored::value),
        changes: entry.changes.0,
    }
}
