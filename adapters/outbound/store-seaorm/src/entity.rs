//! SeaORM entities of the tables. Their meaning is documented in `migrations`, which creates them.
#![expect(
    unreachable_pub,
    reason = "SeaORM's derives make their types as public as the model"
)]

pub(crate) use queue::{batch_chunks, batches, lookup_attempts, lookup_turns, lookups};

mod queue;

pub(crate) mod customers {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "customers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub issuer: String,
        pub subject: String,
        pub plan: String,
        pub created_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod api_keys {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "api_keys")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub customer_id: String,
        pub name: String,
        pub prefix: String,
        pub environment: String,
        pub hash: String,
        pub hash_generation: i64,
        pub first_key_id: Option<String>,
        pub per_minute: i64,
        pub monthly_quota: Option<i64>,
        pub created_at: i64,
        pub retires_at: Option<i64>,
        pub revoked_at: Option<i64>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::customers::Entity",
            from = "Column::CustomerId",
            to = "super::customers::Column::Id"
        )]
        Customer,
        #[sea_orm(has_many = "super::monthly_use::Entity")]
        MonthlyUse,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod key_changes {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "key_changes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        pub key_id: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::api_keys::Entity",
            from = "Column::KeyId",
            to = "super::api_keys::Column::Id"
        )]
        ApiKey,
    }

    impl Related<super::api_keys::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::ApiKey.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod newest_key_change {
    use sea_orm::entity::prelude::*;

    /// The id of the only row.
    pub const ONLY: i64 = 1;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "newest_key_change")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub number: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod monthly_use {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "monthly_use")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub key_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub month: i64,
        pub charged: i64,
        pub refunded: i64,
        pub last_used_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::api_keys::Entity",
            from = "Column::KeyId",
            to = "super::api_keys::Column::Id"
        )]
        ApiKey,
    }

    impl Related<super::api_keys::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::ApiKey.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod requests {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "requests")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub request_id: String,
        pub customer_id: String,
        pub key_id: String,
        pub endpoint: String,
        pub outcome: String,
        pub issuer: Option<i64>,
        pub receiver: Option<i64>,
        pub at: i64,
        pub duration_ms: i64,
        pub bank_ms: Option<i64>,
        pub seal: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod journal_marks {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "journal_marks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub writer: String,
        pub batch: i64,
        pub at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod audit_log {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "audit_log")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub at: i64,
        pub actor_issuer: String,
        pub actor_subject: String,
        pub action: String,
        pub customer_id: String,
        pub key_id: Option<String>,
        pub changes: String,
        pub request_id: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod denied {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "denied")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub fingerprint: String,
        pub until: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod session_ends {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "session_ends")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod erasure_time {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "erasure_time")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod secret_marks {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "secret_marks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub generation: i64,
        pub mark: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod participant_catalogue {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "participant_catalogue")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub version: i64,
        pub as_of: Option<String>,
        pub participants: Option<String>,
        pub renew_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod seal_keys {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "seal_keys")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub participant: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub certificate: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub fingerprint: String,
        pub modulus: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub exponent: String,
        pub origin: String,
        pub added_at: i64,
        pub first_used_at: Option<i64>,
        pub last_used_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod seal_samples {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "seal_samples")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub participant: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub certificate: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub place: i64,
        pub digest: String,
        pub seal: String,
        pub added_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
