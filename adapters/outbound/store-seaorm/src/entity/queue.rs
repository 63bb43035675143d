//! SeaORM entities of lookups and batches.

pub(crate) mod lookups {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "lookups")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub customer_id: String,
        pub key_id: String,
        pub counters_id: String,
        pub environment: String,
        pub class: String,
        pub next_class: String,
        pub request_id: String,
        pub month: i64,
        pub state: String,
        pub created_at: i64,
        pub updated_at: i64,
        pub retry_until: i64,
        pub due_at: Option<i64>,
        pub lease_token: Option<String>,
        pub attempts: i64,
        pub last_at: Option<i64>,
        pub last_outcome: Option<String>,
        pub ended_at: Option<i64>,
        pub generation: i64,
        pub question: Vec<u8>,
        pub proof: Option<Vec<u8>>,
        pub seal: Option<String>,
        pub finding: Option<Vec<u8>>,
        pub batch_id: Option<String>,
        pub batch_row: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod lookup_attempts {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "lookup_attempts")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub lookup_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        pub at: i64,
        pub outcome: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod lookup_turns {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "lookup_turns")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub customer_id: String,
        pub turn: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod batches {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "batches")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub customer_id: String,
        pub key_id: String,
        pub counters_id: String,
        pub environment: String,
        pub request_id: String,
        pub all_rows: i64,
        pub faulty_rows: i64,
        pub duplicate_rows: i64,
        pub next_row: i64,
        pub state: String,
        pub created_at: i64,
        pub updated_at: i64,
        pub due_at: Option<i64>,
        pub lease_token: Option<String>,
        pub ended_at: Option<i64>,
        pub generation: i64,
        pub content: Vec<u8>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod batch_chunks {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "batch_chunks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub batch_id: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub number: i64,
        pub content: Vec<u8>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
