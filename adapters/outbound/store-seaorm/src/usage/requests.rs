//! Reads single requests, page by page.

use std::time::Duration;

use domain::keys::KeyId;
use domain::outcome::{Endpoint, Outcome};
use domain::page::CursorError;
use domain::participants::ParticipantCode;
use domain::request::{RequestId, RequestQuery, RequestRecord};
use domain::seals::SealVerdict;
use domain::transfer::Banks;
use ports::outbound::{Scope, StoreError};
use sea_orm::sea_query::{BinOper, Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::entity::requests;
use crate::list::{limit_with_lookahead, older_than_cursor};
use crate::row::Row;

/// One page of requests, and one more.
pub(super) fn select(
    scope: Scope,
    query: &RequestQuery,
) -> Result<Select<requests::Entity>, CursorError> {
    let mut found = requests::Entity::find();
    // One condition, the most selective one, chooses the index. The others must not: a planner
    // without statistics takes a customer with a million requests for a selective condition.
    let id = query.request_id.as_ref();
    if let Some(id) = id {
        found = found.filter(requests::Column::RequestId.eq(id.as_str()));
    }
    if let Some(key) = query.key {
        let column = if id.is_some() {
            aside(requests::Column::KeyId)
        } else {
            Expr::col(requests::Column::KeyId)
        };
        found = found.filter(column.eq(key.to_string()));
    }
    if let Scope::Of(customer) = scope {
        let column = if id.is_some() || query.key.is_some() {
            aside(requests::Column::CustomerId)
        } else {
            Expr::col(requests::Column::CustomerId)
        };
        found = found.filter(column.eq(customer.to_string()));
    }
    if let Some(endpoint) = query.criteria.endpoint {
        found = found.filter(requests::Column::Endpoint.eq(endpoint.name()));
    }
    if let Some(outcome) = query.criteria.outcome {
        found = found.filter(requests::Column::Outcome.eq(outcome.name()));
    }
    if let Some(from) = query.from {
        found = found.filter(requests::Column::At.gte(from.timestamp_millis()));
    }
    if let Some(to) = query.to {
        found = found.filter(requests::Column::At.lt(to.timestamp_millis()));
    }
    let place = (requests::Column::At, requests::Column::Id);
    if let Some(older) = older_than_cursor(place, &query.page)? {
        found = found.filter(older);
    }
    Ok(found
        .order_by_desc(requests::Column::At)
        .order_by_desc(requests::Column::Id)
        .limit(limit_with_lookahead(&query.page)))
}

/// A text column, wrapped so that no index on it is used.
fn aside(column: requests::Column) -> Expr {
    Expr::col(column).binary(BinOper::Custom("||"), "")
}

pub(super) fn read(request: &requests::Model) -> Result<RequestRecord, StoreError> {
    let row = Row {
        table: "requests",
        id: &request.id,
    };
    let span = |millis: i64, column| row.count(millis, column).map(Duration::from_millis);
    let bank = |code: Option<i64>, column| {
        let read = |code: i64| {
            ParticipantCode::parse(&code.to_string()).ok_or_else(|| row.unreadable(column))
        };
        code.map(read).transpose()
    };
    let issuer = bank(request.issuer, "issuer")?;
    let receiver = bank(request.receiver, "receiver")?;
    let verdict =
        |name: &String| SealVerdict::from_name(name).ok_or_else(|| row.unreadable("seal"));
    let bank_time = request.bank_ms.map(|millis| span(millis, "bank_ms"));
    Ok(RequestRecord {
        id: row.uuid(&request.id, "id")?,
        request_id: RequestId::parse(&request.request_id)
            .ok_or_else(|| row.unreadable("request_id"))?,
        key: KeyId(row.uuid(&request.key_id, "key_id")?),
        endpoint: Endpoint::from_name(&request.endpoint)
            .ok_or_else(|| row.unreadable("endpoint"))?,
        outcome: Outcome::from_name(&request.outcome).ok_or_else(|| row.unreadable("outcome"))?,
        banks: issuer
            .zip(receiver)
            .map(|(issuer, receiver)| Banks { issuer, receiver }),
        at: row.instant(request.at, "at")?,
        duration: span(request.duration_ms, "duration_ms")?,
        bank_time: bank_time.transpose()?,
        seal: request.seal.as_ref().map(verdict).transpose()?,
    })
}
