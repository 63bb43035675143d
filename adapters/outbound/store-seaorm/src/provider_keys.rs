//! The identity provider's keys, as all processes share them.
//!
//! One row per issuer, and every step is one statement. The clock is the database's: replicas with
//! clocks of their own would hold each other up, or not at all.

use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::{KeyDocument, Known, Progress, ProviderKeyCache, StoreError, Turn, Want};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect,
};

use crate::entity::provider_keys::{Column, Entity};
use crate::row::stored;
use crate::store::{Store, failed};

/// What is known, as of the database's `now`.
#[derive(FromQueryResult)]
struct KnownRow {
    now: i64,
    turn: i64,
    ended: i64,
    begun_at: i64,
    missed_at: Option<i64>,
    document_turn: i64,
    asked_at: Option<i64>,
    newer: Option<String>,
}

impl KnownRow {
    /// How long ago something was; `None` when it wasn't, or the clock was set back since.
    fn ago(&self, at: Option<i64>) -> Option<Duration> {
        u64::try_from(self.now.checked_sub(at?)?)
            .ok()
            .map(Duration::from_millis)
    }

    fn progress(&self) -> Progress {
        if self.ended < self.turn {
            Progress::UnderWay
        } else if self.document_turn == self.turn {
            Progress::Published
        } else {
            Progress::Failed
        }
    }
}

impl From<KnownRow> for Known {
    fn from(row: KnownRow) -> Self {
        Self {
            turn: turn(row.turn),
            progress: row.progress(),
            begun: row.ago(Some(row.begun_at)),
            missed: row.ago(row.missed_at),
            document: row.newer.as_ref().map(|text| KeyDocument {
                turn: turn(row.document_turn),
                age: row.ago(row.asked_at),
                text: text.clone(),
            }),
        }
    }
}

fn turn(number: i64) -> Turn {
    Turn(u64::try_from(number).unwrap_or_default())
}

#[async_trait]
impl ProviderKeyCache for Store {
    async fn look(&self, issuer: &str, known: Turn) -> Result<Known, StoreError> {
        let newer = CaseStatement::new().case(
            Column::DocumentTurn.ne(stored(known.0)),
            Expr::col(Column::Document),
        );
        let question = Entity::find_by_id(issuer)
            .select_only()
            .expr_as(self.now(), "now")
            .columns([
                Column::Turn,
                Column::Ended,
                Column::BegunAt,
                Column::MissedAt,
                Column::DocumentTurn,
                Column::AskedAt,
            ])
            .expr_as(newer, "newer")
            .into_model::<KnownRow>();
        self.in_time(async {
            let row = question.one(&self.connection).await.map_err(failed)?;
            Ok(row.map(Known::from).unwrap_or_default())
        })
        .await
    }

    async fn take_turn(
        &self,
        issuer: &str,
        seen: Turn,
        want: Want,
    ) -> Result<Option<Turn>, StoreError> {
        self.in_time(async {
            let taken = match seen {
                Turn(0) => self.take_first_turn(issuer, want).await,
                seen => self.take_next_turn(issuer, seen, want).await,
            };
            Ok((taken.map_err(failed)? > 0).then_some(Turn(seen.0 + 1)))
        })
        .await
    }

    async fn publish(
        &self,
        issuer: &str,
        turn: Turn,
        age: Duration,
        document: &str,
    ) -> Result<(), StoreError> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let publishing = Entity::update_many()
            .col_expr(Column::Document, Expr::val(document))
            .col_expr(Column::DocumentTurn, Expr::val(stored(turn.0)))
            .col_expr(Column::AskedAt, self.now().sub(age))
            .col_expr(Column::Ended, ended(turn))
            .filter(Column::Issuer.eq(issuer))
            .filter(Column::DocumentTurn.lt(stored(turn.0)));
        self.in_time(async {
            let published = publishing.exec(&self.connection).await;
            published.map(drop).map_err(failed)
        })
        .await
    }

    async fn give_up(&self, issuer: &str, turn: Turn) -> Result<(), StoreError> {
        let giving_up = Entity::update_many()
            .col_expr(Column::Ended, ended(turn))
            .filter(Column::Issuer.eq(issuer));
        self.in_time(async {
            let given_up = giving_up.exec(&self.connection).await;
            given_up.map(drop).map_err(failed)
        })
        .await
    }
}

/// The newest turn that has ended, this one included.
fn ended(turn: Turn) -> Expr {
    let turn = stored(turn.0);
    CaseStatement::new()
        .case(Column::Ended.lt(turn), turn)
        .finally(Expr::col(Column::Ended))
        .into()
}

impl Store {
    /// The database's clock, in unix milliseconds. On PostgreSQL that of the statement: the
    /// transaction's stands still.
    fn now(&self) -> Expr {
        Expr::cust(match self.connection.get_database_backend() {
            DbBackend::Postgres => "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
            }
        })
    }

    /// Adds the issuer's row, unless somebody else has; tells how many were added.
    async fn take_first_turn(&self, issuer: &str, want: Want) -> Result<u64, DbErr> {
        let missed_at = match want {
            Want::Missing => self.now(),
            Want::Newer => Expr::val(None::<i64>),
        };
        let columns = [
            Column::Issuer,
            Column::Turn,
            Column::Ended,
            Column::BegunAt,
            Column::MissedAt,
            Column::DocumentTurn,
        ];
        let values = [
            Expr::val(issuer),
            Expr::val(1_i64),
            Expr::val(0_i64),
            self.now(),
            missed_at,
            Expr::val(0_i64),
        ];
        let first = Query::insert()
            .into_table(Entity)
            .columns(columns)
            .values_panic(values)
            .on_conflict(OnConflict::column(Column::Issuer).do_nothing().to_owned())
            .take();
        Ok(self.connection.execute(&first).await?.rows_affected())
    }

    /// Counts one on, unless somebody else has; tells in how many rows.
    async fn take_next_turn(&self, issuer: &str, seen: Turn, want: Want) -> Result<u64, DbErr> {
        let seen = stored(seen.0);
        let mut taking = Entity::update_many()
            .col_expr(Column::Turn, Expr::val(seen + 1))
            .col_expr(Column::BegunAt, self.now())
            .filter(Column::Issuer.eq(issuer))
            .filter(Column::Turn.eq(seen));
        if want == Want::Missing {
            taking = taking.col_expr(Column::MissedAt, self.now());
        }
        Ok(taking.exec(&self.connection).await?.rows_affected)
    }
}
