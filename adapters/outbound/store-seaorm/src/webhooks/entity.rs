//! SeaORM entities of the tables.
#![expect(
    unreachable_pub,
    reason = "SeaORM's derives make their types as public as the model"
)]

pub(crate) mod endpoints {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "webhook_endpoints")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub customer_id: String,
        pub environment: String,
        pub url: String,
        pub events: String,
        pub disabled_reason: Option<String>,
        pub disabled_at: Option<i64>,
        pub failing_since: Option<i64>,
        pub served_at: i64,
        pub created_at: i64,
        pub updated_at: i64,
        pub generation: i64,
        pub secret: Vec<u8>,
        pub previous_generation: Option<i64>,
        pub previous_secret: Option<Vec<u8>>,
        pub previous_until: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod deliveries {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "webhook_deliveries")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub endpoint_id: String,
        pub customer_id: String,
        pub event: String,
        pub subject_id: String,
        pub body: String,
        pub created_at: i64,
        pub state: String,
        pub due_at: Option<i64>,
        pub lease_token: Option<String>,
        pub attempts: i64,
        pub step: i64,
        pub last_at: Option<i64>,
        pub last_duration: Option<i64>,
        pub last_status: Option<i64>,
        pub last_failure: Option<String>,
        pub last_answer: Option<String>,
        pub ended_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
