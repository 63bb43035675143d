//! Webhook targets, and the deliveries to them.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0015_webhooks"
    }
}

#[derive(Clone, Copy, DeriveIden)]
enum WebhookEndpoints {
    Table,
    Id,
    CustomerId,
    Environment,
    Url,
    Events,
    DisabledReason,
    DisabledAt,
    FailingSince,
    ServedAt,
    CreatedAt,
    UpdatedAt,
    Generation,
    Secret,
    PreviousGeneration,
    PreviousSecret,
    PreviousUntil,
}

#[derive(Clone, Copy, DeriveIden)]
enum WebhookDeliveries {
    Table,
    Id,
    EndpointId,
    CustomerId,
    Event,
    SubjectId,
    Body,
    CreatedAt,
    State,
    DueAt,
    LeaseToken,
    Attempts,
    Step,
    LastAt,
    LastDuration,
    LastStatus,
    LastFailure,
    LastAnswer,
    EndedAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        manager.create_table(endpoints(columns)).await?;
        let of_customer = Index::create()
            .name("webhook_endpoints_of_a_customer")
            .table(WebhookEndpoints::Table)
            .col(WebhookEndpoints::CustomerId)
            .col(WebhookEndpoints::CreatedAt)
            .col(WebhookEndpoints::Id)
            .take();
        manager.create_index(of_customer).await?;
        manager.create_table(deliveries(columns)).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            WebhookDeliveries::Table.into_iden(),
            WebhookEndpoints::Table.into_iden(),
        ] {
            manager
                .drop_table(Table::drop().table(table).take())
                .await?;
        }
        Ok(())
    }
}

/// `secret` and `previous_secret` are encrypted. `events` are names with commas around them. `served_at` is
/// the time of the latest claim of a delivery.
///
/// No foreign key to customers, as in the other tables: each addition would lock their rows.
fn endpoints(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(WebhookEndpoints::Table)
        .col(columns.text(WebhookEndpoints::Id).primary_key())
        .col(columns.text(WebhookEndpoints::CustomerId))
        .col(columns.text(WebhookEndpoints::Environment))
        .col(columns.text(WebhookEndpoints::Url))
        .col(columns.text(WebhookEndpoints::Events))
        .col(columns.optional_text(WebhookEndpoints::DisabledReason))
        .col(optional_number(WebhookEndpoints::DisabledAt))
        .col(optional_number(WebhookEndpoints::FailingSince))
        .col(number(WebhookEndpoints::ServedAt))
        .col(number(WebhookEndpoints::CreatedAt))
        .col(number(WebhookEndpoints::UpdatedAt))
        .col(number(WebhookEndpoints::Generation))
        .col(ColumnDef::new(WebhookEndpoints::Secret).blob().not_null())
        .col(optional_number(WebhookEndpoints::PreviousGeneration))
        .col(ColumnDef::new(WebhookEndpoints::PreviousSecret).blob())
        .col(optional_number(WebhookEndpoints::PreviousUntil))
        .take()
}

/// `due_at` is NULL, and `ended_at` isn't, once a delivery has ended. `step` is the number of
/// attempts since it was sent again. Deliveries are removed with their webhook target.
fn deliveries(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(WebhookDeliveries::Table)
        .col(columns.text(WebhookDeliveries::Id).primary_key())
        .col(columns.text(WebhookDeliveries::EndpointId))
        .col(columns.text(WebhookDeliveries::CustomerId))
        .col(columns.text(WebhookDeliveries::Event))
        .col(columns.text(WebhookDeliveries::SubjectId))
        .col(columns.text(WebhookDeliveries::Body))
        .col(number(WebhookDeliveries::CreatedAt))
        .col(columns.text(WebhookDeliveries::State))
        .col(optional_number(WebhookDeliveries::DueAt))
        .col(columns.optional_text(WebhookDeliveries::LeaseToken))
        .col(number(WebhookDeliveries::Attempts))
        .col(number(WebhookDeliveries::Step))
        .col(optional_number(WebhookDeliveries::LastAt))
        .col(optional_number(WebhookDeliveries::LastDuration))
        .col(optional_number(WebhookDeliveries::LastStatus))
        .col(columns.optional_text(WebhookDeliveries::LastFailure))
        .col(columns.optional_text(WebhookDeliveries::LastAnswer))
        .col(optional_number(WebhookDeliveries::EndedAt))
        .foreign_key(
            ForeignKey::create()
                .from(WebhookDeliveries::Table, WebhookDeliveries::EndpointId)
                .to(WebhookEndpoints::Table, WebhookEndpoints::Id)
                .on_delete(ForeignKeyAction::Cascade),
        )
        .take()
}

/// Indexes of the queries. All but the list's are partial, and hold few deliveries.
fn indexes() -> [IndexCreateStatement; 5] {
    let on = |name: &str, columns: &[WebhookDeliveries]| {
        let mut index = Index::create()
            .name(name)
            .table(WebhookDeliveries::Table)
            .take();
        for column in columns {
            index.col(*column);
        }
        index
    };
    let is_set = |column: WebhookDeliveries| Expr::col(column).is_not_null();
    [
        on(
            "webhook_deliveries_of_an_endpoint",
            &[
                WebhookDeliveries::EndpointId,
                WebhookDeliveries::CreatedAt,
                WebhookDeliveries::Id,
            ],
        ),
        on(
            "webhook_deliveries_due",
            &[
                WebhookDeliveries::EndpointId,
                WebhookDeliveries::DueAt,
                WebhookDeliveries::Id,
            ],
        )
        .and_where(is_set(WebhookDeliveries::DueAt))
        .take(),
        on(
            "webhook_deliveries_by_due_time",
            &[WebhookDeliveries::DueAt],
        )
        .and_where(is_set(WebhookDeliveries::DueAt))
        .take(),
        on(
            "webhook_deliveries_leased",
            &[
                WebhookDeliveries::CustomerId,
                WebhookDeliveries::EndpointId,
                WebhookDeliveries::DueAt,
            ],
        )
        .and_where(is_set(WebhookDeliveries::LeaseToken))
        .take(),
        on("webhook_deliveries_by_end", &[WebhookDeliveries::EndedAt])
            .and_where(is_set(WebhookDeliveries::EndedAt))
            .take(),
    ]
}
