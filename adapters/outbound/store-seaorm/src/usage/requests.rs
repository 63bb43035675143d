//! Reads single requests, page by page.

use domain::page::CursorError;
use domain::request::{RequestQuery, RequestRecord};
use domain::transfer::Banks;
use ports::outbound::Scope;
use sea_orm::sea_query::{BinOper, Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};

use crate::entity::requests;
use crate::read::newest_first;
use crate::stored::Stored;

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
        found = found.filter(requests::Column::RequestId.eq(Stored(id.clone())));
    }
    if let Some(key) = query.key {
        let column = if id.is_some() {
            aside(requests::Column::KeyId)
        } else {
            Expr::col(requests::Column::KeyId)
        };
        found = found.filter(column.eq(Stored(key)));
    }
    if let Scope::Of(customer) = scope {
        let column = if id.is_some() || query.key.is_some() {
            aside(requests::Column::CustomerId)
        } else {
            Expr::col(requests::Column::CustomerId)
        };
        found = found.filter(column.eq(Stored(customer)));
    }
    if let Some(endpoint) = query.criteria.endpoint {
        found = found.filter(requests::Column::Endpoint.eq(Stored(endpoint)));
    }
    if let Some(outcome) = query.criteria.outcome {
        found = found.filter(requests::Column::Outcome.eq(Stored(outcome)));
    }
    if let Some(from) = query.from {
        found = found.filter(requests::Column::At.gte(Stored(from)));
    }
    if let Some(to) = query.to {
        found = found.filter(requests::Column::At.lt(Stored(to)));
    }
    let place = (requests::Column::At, requests::Column::Id);
    newest_first(found, place, &query.page)
}

/// A text column, wrapped so that no index on it is used.
fn aside(column: requests::Column) -> Expr {
    Expr::col(column).binary(BinOper::Custom("||"), "")
}

pub(super) fn read(request: requests::Model) -> RequestRecord {
    let banks = request.issuer.zip(request.receiver);
    RequestRecord {
        id: request.id.0,
        request_id: request.request_id.0,
        key: request.key_id.0,
        endpoint: request.endpoint.0,
        outcome: request.outcome.0,
        banks: banks.map(|(Stored(issuer), Stored(receiver))| Banks { issuer, receiver }),
        at: request.at.0,
        duration: request.duration_ms.0,
        bank_time: request.bank_ms.map(Stored::value),
        seal: request.seal.map(Stored::value),
    }
}
