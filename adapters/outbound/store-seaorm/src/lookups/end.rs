//! Ends of claims on lookups.

use domain::batches::BatchId;
use domain::keys::{Environment, KeyId};
use domain::lookups::LookupState;
use domain::month::Month;
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::webhooks::{LookupEnd, WebhookEvent};
use ports::outbound::{ClaimEnd, LookupChange, StoreError};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, UpdateStatement};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryTrait as _,
};

use super::attempts;
use crate::entity::lookup_attempts;
use crate::entity::lookups::{Column, Entity};
use crate::error::failed;
use crate::queue;
use crate::read::query;
use crate::stored::Stored;
use crate::usage::monthly::{self, Use};
use crate::webhooks::outbox;

/// A lookup whose claim has ended.
#[derive(FromQueryResult)]
struct Changed {
    attempts: Stored<u32>,
    key_id: Stored<KeyId>,
    month: Stored<Month>,
    customer_id: Stored<CustomerId>,
    environment: Stored<Environment>,
    last_outcome: Option<Stored<Outcome>>,
    batch_id: Option<Stored<BatchId>>,
}

/// Ends a claim. Returns `false` if the lease isn't held any more.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    end: &ClaimEnd,
) -> Result<bool, StoreError> {
    let update = transaction.get_database_backend().build(&update(end));
    let changed = query::<Changed>(transaction, "lookups", update)
        .await?
        .pop();
    let Some(changed) = changed else {
        return Ok(false);
    };
    if let Some(attempt) = end.attempt {
        let row = attempts::written(end.id, changed.attempts.0, attempt);
        let insert = lookup_attempts::Entity::insert(row);
        let inserted = insert.exec_without_returning(transaction).await;
        inserted.map_err(failed)?;
    }
    if let LookupChange::End { refund: true, .. } = end.change {
        let one = Use::refund(changed.key_id.0, changed.month.0, 1);
        monthly::add(transaction, vec![one]).await?;
    }
    if let Some(event) = event(end, &changed) {
        outbox::enqueue(transaction, &event).await?;
    }
    Ok(true)
}

/// Webhook event for the end of a lookup; `None` if it waits for another attempt.
fn event(end: &ClaimEnd, changed: &Changed) -> Option<WebhookEvent> {
    let ended = match end.change {
        LookupChange::Wait { .. } => return None,
        LookupChange::Deliver { seal, .. } => LookupEnd::Delivered {
            seal,
            origin: ProofOrigin::Fetched,
        },
        LookupChange::End { state, .. } => LookupEnd::Without {
            state,
            last: changed.last_outcome.map(Stored::value),
        },
    };
    let owner = (changed.customer_id.0, changed.environment.0);
    let subject = (end.id.0, changed.batch_id.map(|batch| batch.0.0));
    WebhookEvent::of_lookup(owner, subject, ended, end.now)
}

/// Statement that changes the lookup, if the lease is held. Only a running lookup has a lease.
fn update(end: &ClaimEnd) -> UpdateStatement {
    let mut update =
        Entity::update_many().col_expr(Column::UpdatedAt, Expr::value(Stored(end.now)));
    if let Some(attempt) = end.attempt {
        let attempts = Expr::col(Column::Attempts).add(1_i64);
        let background = Stored(LookupClass::Background);
        update = update
            .col_expr(Column::Attempts, attempts)
            .col_expr(Column::LastAt, Expr::value(Stored(attempt.at)))
            .col_expr(Column::LastOutcome, Expr::value(Stored(attempt.outcome)))
            .col_expr(Column::NextClass, Expr::value(background));
    }
    if let Some(question) = &end.question {
        update = update.col_expr(Column::Question, Expr::value(question.clone()));
    }
    let finding = |finding: Option<&Vec<u8>>| Expr::value(finding.cloned());
    let update = match &end.change {
        LookupChange::Wait { due_at } => queue::released(update, Some(*due_at))
            .col_expr(Column::State, waiting(end))
            .col_expr(Column::Finding, finding(end.finding.as_ref())),
        LookupChange::Deliver { proof, seal } => {
            queue::ended(update, LookupState::Delivered, end.now)
                .col_expr(Column::Proof, Expr::value(proof.clone()))
                .col_expr(Column::Seal, Expr::value(Stored(*seal)))
                .col_expr(Column::Finding, finding(None))
        }
        LookupChange::End { state, .. } => queue::ended(update, *state, end.now)
            .col_expr(Column::Finding, finding(end.finding.as_ref())),
    };
    let mut update = queue::if_held(update, end.id, end.token).into_query();
    update
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
    let waiting = Stored(LookupState::Waiting);
    if end.attempt.is_some() {
        return Expr::value(waiting);
    }
    let untried = Expr::col(Column::Attempts).eq(0_i64);
    CaseStatement::new()
        .case(untried, Stored(LookupState::Queued))
        .finally(waiting)
        .into()
}
