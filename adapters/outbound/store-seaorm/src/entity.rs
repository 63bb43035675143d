//! SeaORM entities of the tables. Their meaning is documented in `migrations`, which creates them.
#![expect(
    unreachable_pub,
    reason = "SeaORM's derives make their types as public as the model"
)]

use std::time::Duration;

use domain::audit::{Action, FieldChange};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::keys::{
    CounterId, Environment, HashGeneration, KeyHash, KeyId, KeyPrefix, SecretFingerprint,
};
use domain::limits::Plan;
use domain::lookups::{LookupId, LookupState};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::LookupClass;
use domain::participants::ParticipantCode;
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use domain::seals::{CertificateNumber, SealKeyOrigin, SealVerdict};
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EventType, EventTypes, SendFailure,
    WebhookUrl,
};
use uuid::Uuid;

use crate::stored::{Stored, Time};

/// Declares the entity of a table in a module of its own: first the columns of the primary key, then the
/// others, then the relations to other tables.
macro_rules! entities {
    ($($module:ident in $table:literal (
        $($key:ident: $key_type:ty),+
    ) {
        $($column:ident: $type:ty,)*
    } $({ $($relations:tt)* })?)+) => {
        $(pub(crate) mod $module {
            #[allow(unused_imports, reason = "no table has columns of every type")]
            use super::*;
            use sea_orm::entity::prelude::{
                ActiveModelBehavior, DeriveEntityModel, DerivePrimaryKey, DeriveRelation, EntityTrait,
                EnumIter, PrimaryKeyTrait,
            };

            #[derive(Clone, Debug, DeriveEntityModel)]
            #[sea_orm(table_name = $table)]
            pub struct Model {
                $(#[sea_orm(primary_key, auto_increment = false)]
                pub $key: $key_type,)+
                $(pub $column: $type,)*
            }

            #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
            pub enum Relation { $($($relations)*)? }

            impl ActiveModelBehavior for ActiveModel {}
        })+
    };
}

entities! {
    customers in "customers" (id: Stored<CustomerId>) {
        issuer: String,
        subject: String,
        plan: Stored<Plan>,
        created_at: Time,
    }

    api_keys in "api_keys" (id: Stored<KeyId>) {
        customer_id: Stored<CustomerId>,
        // Read for people alone: no request depends on it.
        name: String,
        prefix: Stored<KeyPrefix>,
        environment: Stored<Environment>,
        hash: Stored<KeyHash>,
        hash_generation: Stored<HashGeneration>,
        first_key_id: Option<Stored<CounterId>>,
        per_minute: Stored<u32>,
        monthly_quota: Option<Stored<u64>>,
        created_at: Time,
        retires_at: Option<Time>,
        revoked_at: Option<Time>,
        version: Stored<u64>,
    } {
        #[sea_orm(
            belongs_to = "super::customers::Entity",
            from = "Column::CustomerId",
            to = "super::customers::Column::Id"
        )]
        Customer,
        #[sea_orm(has_many = "super::monthly_use::Entity")]
        MonthlyUse,
    }

    key_changes in "key_changes" (number: i64) {
        key_id: Stored<KeyId>,
    } {
        #[sea_orm(
            belongs_to = "super::api_keys::Entity",
            from = "Column::KeyId",
            to = "super::api_keys::Column::Id"
        )]
        ApiKey,
    }

    newest_key_change in "newest_key_change" (id: i64) {
        number: i64,
    }

    monthly_use in "monthly_use" (key_id: Stored<KeyId>, month: Stored<Month>) {
        charged: Stored<u64>,
        refunded: Stored<u64>,
        last_used_at: i64,
    } {
        #[sea_orm(
            belongs_to = "super::api_keys::Entity",
            from = "Column::KeyId",
            to = "super::api_keys::Column::Id"
        )]
        ApiKey,
    }

    requests in "requests" (id: Stored<Uuid>) {
        request_id: Stored<RequestId>,
        // Empty for a request from before there were customers, of a key that isn't there any more.
        customer_id: String,
        key_id: Stored<KeyId>,
        endpoint: Stored<Endpoint>,
        outcome: Stored<Outcome>,
        issuer: Option<Stored<ParticipantCode>>,
        receiver: Option<Stored<ParticipantCode>>,
        at: Time,
        duration_ms: Stored<Duration>,
        bank_ms: Option<Stored<Duration>>,
        seal: Option<Stored<SealVerdict>>,
    }

    journal_marks in "journal_marks" (writer: String) {
        batch: i64,
        at: Time,
    }

    audit_log in "audit_log" (id: Stored<Uuid>) {
        at: Time,
        actor_issuer: String,
        actor_subject: String,
        action: Stored<Action>,
        customer_id: Stored<CustomerId>,
        key_id: Option<Stored<KeyId>>,
        changes: Stored<Vec<FieldChange>>,
        request_id: Stored<RequestId>,
    }

    denied in "denied" (fingerprint: String) {
        until: Time,
    }

    session_ends in "session_ends" (at: Time) {}

    erasure_time in "erasure_time" (id: i64) {
        at: Time,
    }

    secret_marks in "secret_marks" (generation: i64) {
        mark: Stored<SecretFingerprint>,
    }

    own_accounts in "own_accounts" (customer_id: Stored<CustomerId>) {
        revision: Stored<u64>,
        generation: Stored<HashGeneration>,
        content: Vec<u8>,
    }

    participant_catalogue in "participant_catalogue" (id: i64) {
        version: Stored<u64>,
        as_of: Option<String>,
        participants: Option<String>,
        renew_at: Option<Time>,
    }

    seal_keys in "seal_keys" (
        participant: Stored<ParticipantCode>,
        certificate: Stored<CertificateNumber>,
        fingerprint: String,
        exponent: String
    ) {
        modulus: String,
        origin: Stored<SealKeyOrigin>,
        added_at: Time,
        first_used_at: Option<Time>,
        last_used_at: Option<Time>,
    }

    seal_samples in "seal_samples" (
        participant: Stored<ParticipantCode>,
        certificate: Stored<CertificateNumber>,
        place: i64
    ) {
        digest: String,
        seal: String,
        added_at: Time,
    }

    lookups in "lookups" (id: Stored<LookupId>) {
        customer_id: Stored<CustomerId>,
        key_id: Stored<KeyId>,
        counters_id: Stored<CounterId>,
        environment: Stored<Environment>,
        class: Stored<LookupClass>,
        next_class: Stored<LookupClass>,
        request_id: Stored<RequestId>,
        month: Stored<Month>,
        state: Stored<LookupState>,
        created_at: Time,
        updated_at: Time,
        retry_until: Time,
        due_at: Option<Time>,
        lease_token: Option<Stored<Uuid>>,
        attempts: Stored<u32>,
        last_at: Option<Time>,
        last_outcome: Option<Stored<Outcome>>,
        ended_at: Option<Time>,
        generation: Stored<HashGeneration>,
        question: Vec<u8>,
        proof: Option<Vec<u8>>,
        seal: Option<Stored<SealVerdict>>,
        finding: Option<Vec<u8>>,
        batch_id: Option<Stored<BatchId>>,
        batch_row: Option<Stored<RowNumber>>,
    }

    lookup_attempts in "lookup_attempts" (lookup_id: Stored<LookupId>, number: Stored<u32>) {
        at: Time,
        outcome: Stored<Outcome>,
    }

    lookup_turns in "lookup_turns" (customer_id: Stored<CustomerId>) {
        turn: i64,
    }

    batches in "batches" (id: Stored<BatchId>) {
        customer_id: Stored<CustomerId>,
        key_id: Stored<KeyId>,
        counters_id: Stored<CounterId>,
        environment: Stored<Environment>,
        request_id: Stored<RequestId>,
        all_rows: Stored<u32>,
        faulty_rows: Stored<u32>,
        duplicate_rows: Stored<u32>,
        next_row: Stored<u32>,
        state: Stored<BatchState>,
        created_at: Time,
        updated_at: Time,
        due_at: Option<Time>,
        lease_token: Option<Stored<Uuid>>,
        ended_at: Option<Time>,
        generation: Stored<HashGeneration>,
        content: Vec<u8>,
    }

    batch_chunks in "batch_chunks" (batch_id: Stored<BatchId>, number: Stored<u32>) {
        content: Vec<u8>,
    }

    endpoints in "webhook_endpoints" (id: Stored<EndpointId>) {
        customer_id: Stored<CustomerId>,
        environment: Stored<Environment>,
        url: Stored<WebhookUrl>,
        events: Stored<EventTypes>,
        disabled_reason: Option<Stored<DisabledReason>>,
        disabled_at: Option<Time>,
        failing_since: Option<Time>,
        served_at: Time,
        created_at: Time,
        updated_at: Time,
        generation: Stored<HashGeneration>,
        secret: Vec<u8>,
        previous_generation: Option<Stored<HashGeneration>>,
        previous_secret: Option<Vec<u8>>,
        previous_until: Option<Time>,
    }

    deliveries in "webhook_deliveries" (id: Stored<DeliveryId>) {
        endpoint_id: Stored<EndpointId>,
        customer_id: Stored<CustomerId>,
        event: Stored<EventType>,
        subject_id: Stored<Uuid>,
        body: String,
        created_at: Time,
        state: Stored<DeliveryState>,
        due_at: Option<Time>,
        lease_token: Option<Stored<Uuid>>,
        attempts: Stored<u32>,
        step: Stored<u32>,
        last_at: Option<Time>,
        last_duration: Option<Stored<Duration>>,
        last_status: Option<Stored<u16>>,
        last_failure: Option<Stored<SendFailure>>,
        last_answer: Option<String>,
        ended_at: Option<Time>,
    }
}

macro_rules! related_to_keys {
    ($($module:ident)+) => {
        $(impl sea_orm::Related<api_keys::Entity> for $module::Entity {
            fn to() -> sea_orm::RelationDef {
                sea_orm::RelationTrait::def(&$module::Relation::ApiKey)
            }
        })+
    };
}

related_to_keys! { key_changes monthly_use }
