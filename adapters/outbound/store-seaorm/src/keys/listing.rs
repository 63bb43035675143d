//! Lists of keys: filter, order and pages.

use domain::keys::{KeyFilter, KeyOverview, KeyQuery, KeySort, KeyStatus, RevokedKeys};
use domain::page::{Cursor, CursorError, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::Scope;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    RelationTrait, Select,
};

use super::row::in_scope;
use crate::entity::{api_keys, customers};
use crate::read::{after_cursor, contains, limit_with_lookahead, newest_first, order, starts_with};
use crate::stored::Stored;

/// Condition for the keys of a list, all pages together.
pub(super) fn matching(scope: Scope, filter: &KeyFilter) -> Condition {
    let mut matching = Condition::all().add(in_scope(scope));
    if !filter.statuses.is_empty() {
        let statuses = filter.statuses.iter().map(|status| has_status(*status));
        matching = matching.add(statuses.fold(Condition::any(), Condition::add));
    }
    if let Some(environment) = filter.environment {
        matching = matching.add(api_keys::Column::Environment.eq(Stored(environment)));
    }
    if let Some(text) = &filter.text {
        let mut found = Condition::any()
            .add(contains((api_keys::Entity, api_keys::Column::Name), text))
            .add(starts_with(
                (api_keys::Entity, api_keys::Column::Prefix),
                text,
            ));
        if scope == Scope::Everybody {
            found = found.add(contains(
                (customers::Entity, customers::Column::Subject),
                text,
            ));
        }
        matching = matching.add(found);
    }
    matching
}

/// Condition for a status, as `ApiKey::status` defines it.
fn has_status(status: KeyStatus) -> Condition {
    let revoked = api_keys::Column::RevokedAt;
    let retires = api_keys::Column::RetiresAt;
    match status {
        KeyStatus::Revoked => Condition::all().add(revoked.is_not_null()),
        KeyStatus::Retiring => Condition::all()
            .add(revoked.is_null())
            .add(retires.is_not_null()),
        KeyStatus::Active => Condition::all()
            .add(revoked.is_null())
            .add(retires.is_null()),
    }
}

/// Query for the number of matching keys.
pub(super) fn count(matching: Condition) -> Select<api_keys::Entity> {
    api_keys::Entity::find()
        .select_only()
        .expr_as(
            Expr::col((api_keys::Entity, api_keys::Column::Id)).count(),
            "keys",
        )
        .join(JoinType::InnerJoin, api_keys::Relation::Customer.def())
        .filter(matching)
}

/// One page of `keys`, and one key more.
pub(super) fn page(
    keys: Select<api_keys::Entity>,
    query: &KeyQuery,
) -> Result<Select<api_keys::Entity>, CursorError> {
    let by = match query.order {
        KeySort::Created => api_keys::Column::CreatedAt,
        KeySort::Name => api_keys::Column::Name,
    };
    let place = |column| (api_keys::Entity, column);
    let direction = query.direction;
    let mut keys = keys
        .order_by(by, order(direction))
        .order_by(api_keys::Column::Id, order(direction))
        .limit(limit_with_lookahead(&query.page));
    if let Some(cursor) = &query.page.after {
        let value = match query.order {
            KeySort::Created => cursor.millis()?.into(),
            // No name has a control character, and PostgreSQL takes no NUL.
            KeySort::Name if cursor.value.contains('\0') => return Err(CursorError),
            KeySort::Name => cursor.value.as_str().into(),
        };
        let columns = (place(by), place(api_keys::Column::Id));
        keys = keys.filter(after_cursor(
            columns,
            (value, cursor.id.to_string()),
            direction,
        ));
    }
    Ok(keys)
}

/// One page of a customer's `keys`, newest first, and one key more.
pub(super) fn of_customer(
    keys: Select<api_keys::Entity>,
    customer: CustomerId,
    revoked: RevokedKeys,
    page: &PageRequest,
) -> Result<Select<api_keys::Entity>, CursorError> {
    let mut keys = keys.filter(in_scope(Scope::Of(customer)));
    if revoked == RevokedKeys::Hidden {
        keys = keys.filter(api_keys::Column::RevokedAt.is_null());
    }
    let columns = (api_keys::Column::CreatedAt, api_keys::Column::Id);
    newest_first(keys, columns, page)
}

/// Cursor of a key in the list.
pub(super) fn cursor(order: KeySort, overview: &KeyOverview) -> Cursor {
    let key = &overview.key;
    match order {
        KeySort::Created => Cursor::at(key.created_at, key.id.0),
        KeySort::Name => Cursor {
            value: key.name.as_str().to_owned(),
            id: key.id.0,
        },
    }
}
