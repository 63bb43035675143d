//! The change feed of keys.

use domain::keys::KeyId;
use ports::outbound::StoreError;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Set};

use crate::entity::{key_changes, newest_key_change};
use crate::error::failed;
use crate::read::Read;
use crate::stored::Stored;

/// Changes per insert statement.
const CHANGES_PER_STATEMENT: usize = 500;

/// Assigns the next numbers to changes of keys. Locks out other writers of changes until the
/// commit.
pub(crate) async fn number(
    transaction: &impl ConnectionTrait,
    keys: &[KeyId],
) -> Result<(), StoreError> {
    if keys.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(keys.len()).unwrap_or(i64::MAX);
    let last = Expr::col(newest_key_change::Column::Number).add(count);
    newest_key_change::Entity::update_many()
        .col_expr(newest_key_change::Column::Number, last)
        .exec(transaction)
        .await
        .map_err(failed)?;
    let before = newest(transaction).await? - count;
    let numbered: Vec<_> = (before + 1..).zip(keys.iter().copied()).collect();
    for some in numbered.chunks(CHANGES_PER_STATEMENT) {
        let changes = some.iter().map(|(number, key)| key_changes::ActiveModel {
            number: Set(*number),
            key_id: Set(Stored(*key)),
        });
        key_changes::Entity::insert_many(changes)
            .exec_without_returning(transaction)
            .await
            .map_err(failed)?;
    }
    Ok(())
}

/// Id of the only row of the newest change.
const ONLY: i64 = 1;

/// The number of the newest change.
pub(super) async fn newest(connection: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let row = newest_key_change::Entity::find_by_id(ONLY);
    let row = row.row(connection).await?;
    let lost = || DbErr::RecordNotFound("newest_key_change has lost its row".to_owned());
    row.map(|row| row.number).ok_or_else(|| failed(lost()))
}
