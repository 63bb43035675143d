//! The change feed of keys.

use domain::keys::KeyId;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Set};

use crate::entity::{key_changes, newest_key_change};

/// Changes per insert statement.
const CHANGES_PER_STATEMENT: usize = 500;

/// Assigns the next numbers to changes of keys. Locks out other writers of changes until the
/// commit.
pub(crate) async fn number(
    transaction: &impl ConnectionTrait,
    keys: &[KeyId],
) -> Result<(), DbErr> {
    if keys.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(keys.len()).unwrap_or(i64::MAX);
    let last = Expr::col(newest_key_change::Column::Number).add(count);
    newest_key_change::Entity::update_many()
        .col_expr(newest_key_change::Column::Number, last)
        .exec(transaction)
        .await?;
    let before = newest(transaction).await? - count;
    let numbered: Vec<_> = (before + 1..).zip(keys).collect();
    for some in numbered.chunks(CHANGES_PER_STATEMENT) {
        let changes = some.iter().map(|(number, key)| key_changes::ActiveModel {
            number: Set(*number),
            key_id: Set(key.to_string()),
        });
        key_changes::Entity::insert_many(changes)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}

/// The number of the newest change.
pub(super) async fn newest(connection: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let row = newest_key_change::Entity::find_by_id(newest_key_change::ONLY)
        .one(connection)
        .await?;
    row.map(|row| row.number)
        .ok_or_else(|| DbErr::RecordNotFound("newest_key_change has lost its row".to_owned()))
}
