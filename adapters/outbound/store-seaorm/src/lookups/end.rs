//! Ends of claims on lookups.

use domain::batches::BatchId;
use domain::keys::Environment;
use domain::lookups::{LookupId, LookupState};
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::webhooks::{LookupEnd, WebhookEvent};
use ports::outbound::{ClaimEnd, LookupChange};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Query, UpdateStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryResult, Set,
};

use super::attempts;
use crate::entity::lookups::{Column, Entity};
use crate::entity::{lookup_attempts, monthly_use};
use crate::webhooks::outbox;

/// Ends a claim. Returns `false` if the lease isn't held any more.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    end: &ClaimEnd,
) -> Result<bool, DbErr> {
    let Some(changed) = transaction.query_one(&update(end)).await? else {
        return Ok(false);
    };
    if let Some(attempt) = end.attempt {
        let number = changed.try_get("", "attempts")?;
        let row = attempts::written(end.id, number, attempt);
        let insert = lookup_attempts::Entity::insert(row);
        insert.exec_without_returning(transaction).await?;
    }
    if let LookupChange::End { refund: true, .. } = end.change {
        refund(transaction, &changed).await?;
    }
    if let Some(event) = event(end, &changed)? {
        outbox::enqueue(transaction, &event).await?;
    }
    Ok(true)
}

/// Webhook event for the end of a lookup; `None` if it waits for another attempt.
fn event(end: &ClaimEnd, changed: &QueryResult) -> Result<Option<WebhookEvent>, DbErr> {
    let text = |column| changed.try_get::<String>("", column);
    let last = changed.try_get::<Option<String>>("", "last_outcome")?;
    let ended = match end.change {
        LookupChange::Wait { .. } => return Ok(None),
        LookupChange::Deliver { seal, .. } => LookupEnd::Delivered {
            seal,
            origin: ProofOrigin::Fetched,
        },
        LookupChange::End { state, .. } => LookupEnd::Without {
            state,
            last: last.and_then(|name| Outcome::from_name(&name)),
        },
    };
    let (customer, environment) = (text("customer_id")?, text("environment")?);
    let owner = customer.parse().ok().map(CustomerId);
    let owner = owner.zip(Environment::from_name(&environment));
    let owner = owner.ok_or_else(|| DbErr::Type(format!("the owner of lookup {}", end.id)))?;
    let LookupId(id) = end.id;
    let batch = changed.try_get::<Option<String>>("", "batch_id")?;
    let batch = batch.and_then(|id| BatchId::parse(&id));
    let subject = (id, batch.map(|BatchId(id)| id));
    Ok(WebhookEvent::of_lookup(owner, subject, ended, end.now))
}

/// The finding to store; none for a delivered lookup.
fn kept_finding(end: &ClaimEnd) -> Option<Vec<u8>> {
    match end.change {
        LookupChange::Deliver { .. } => None,
        LookupChange::Wait { .. } | LookupChange::End { .. } => end.finding.clone(),
    }
}

/// Statement that changes the lookup, if the lease is held; it returns the number of attempts, the
/// charge and the owner. Only a running lookup has a lease.
fn update(end: &ClaimEnd) -> UpdateStatement {
    let mut update = Query::update();
    update
        .table(Entity)
        .value(Column::UpdatedAt, end.now.timestamp_millis())
        .value(Column::LeaseToken, None::<String>)
        .value(Column::Finding, kept_finding(end));
    if let Some(attempt) = end.attempt {
        update
            .value(Column::Attempts, Expr::col(Column::Attempts).add(1_i64))
            .value(Column::LastAt, attempt.at.timestamp_millis())
            .value(Column::LastOutcome, attempt.outcome.name())
            .value(Column::NextClass, LookupClass::Background.name());
    }
    match &end.change {
        LookupChange::Wait { due_at } => {
            update
                .value(Column::DueAt, due_at.timestamp_millis())
                .value(Column::State, waiting(end));
        }
        LookupChange::Deliver { proof, seal } => {
            set_final(&mut update, LookupState::Delivered, end);
            update
                .value(Column::Proof, proof.clone())
                .value(Column::Seal, seal.name());
        }
        LookupChange::End { state, .. } => set_final(&mut update, *state, end),
    }
    update
        .and_where(Column::Id.eq(end.id.to_string()))
        .and_where(Column::LeaseToken.eq(end.token.to_string()))
        .returning(Query::returning().columns([
            Column::Attempts,
            Column::KeyId,
            Column::Month,
            Column::CustomerId,
            Column::Environment,
            Column::LastOutcome,
            Column::BatchId,
        ]))
        .take()
}

/// The state of a lookup that waits again.
fn waiting(end: &ClaimEnd) -> Expr {
    let waiting = LookupState::Waiting.name();
    if end.attempt.is_some() {
        return waiting.into();
    }
    let untried = Expr::col(Column::Attempts).eq(0_i64);
    CaseStatement::new()
        .case(untried, LookupState::Queued.name())
        .finally(waiting)
        .into()
}

fn set_final(update: &mut UpdateStatement, state: LookupState, end: &ClaimEnd) {
    update
        .value(Column::State, state.name())
        .value(Column::DueAt, None::<i64>)
        .value(Column::EndedAt, end.now.timestamp_millis());
}

/// Refunds the charge to its key and month, as the journal does.
async fn refund(transaction: &DatabaseTransaction, charged: &QueryResult) -> Result<(), DbErr> {
    use monthly_use::{ActiveModel, Column, Entity};
    let one = ActiveModel {
        key_id: Set(charged.try_get("", "key_id")?),
        month: Set(charged.try_get("", "month")?),
        charged: Set(0),
        refunded: Set(1),
        last_used_at: Set(0),
    };
    let refunded = Expr::col((Entity, Column::Refunded)).add(1_i64);
    let more = OnConflict::columns([Column::KeyId, Column::Month])
        .value(Column::Refunded, refunded)
        .to_owned();
    let refund = Entity::insert(one).on_conflict(more);
    refund.exec_without_returning(transaction).await.map(drop)
}
