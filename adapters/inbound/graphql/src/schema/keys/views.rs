//! Keys as GraphQL shows them.

use async_graphql::{ComplexObject, Context, SimpleObject};
use domain::keys::KeyOverview;
use domain::limits::MinuteStatus;
use domain::page::{Page, PageRequest};
use web::views::keys;
use web::views::scalars::{Count, int};

use crate::field_error::FieldError;
use crate::schema::connection::{PageInfo, connection};
use crate::schema::context::{ports, readings};

/// An API key. Its secret is shown once, by the mutation that made it.
#[derive(SimpleObject)]
#[graphql(complex)]
pub(crate) struct Key {
    #[graphql(flatten)]
    key: keys::Key,
    #[graphql(skip)]
    overview: KeyOverview,
}

#[ComplexObject]
impl Key {
    /// Rest of its limit a minute, now.
    async fn window(&self, context: &Context<'_>) -> Result<Window, FieldError> {
        let insights = ports(context).insights.as_ref();
        let limit_status = readings(context).limit_status(insights, &self.overview);
        Ok(limit_status.await?.minute.into())
    }
}

impl From<KeyOverview> for Key {
    fn from(overview: KeyOverview) -> Self {
        Self {
            key: (&overview).into(),
            overview,
        }
    }
}

/// Rest of a key's limit a minute.
#[derive(SimpleObject)]
pub(crate) struct Window {
    /// Requests allowed in any 60 seconds.
    limit: u32,
    /// Requests that would be admitted now.
    remaining: u32,
    /// Whole seconds until the next request returns, rounded up.
    reset_seconds: u32,
}

impl From<MinuteStatus> for Window {
    fn from(minute: MinuteStatus) -> Self {
        Self {
            limit: minute.limit,
            remaining: minute.remaining,
            reset_seconds: int(minute.reset.as_millis().div_ceil(1_000)),
        }
    }
}

connection! {
    /// One page of a list of keys.
    KeyConnection,
    /// A key and its place in the list.
    KeyEdge of Key,
    total_count: Count =
        /// Keys of the whole list, all pages together.
}

impl KeyConnection {
    pub(super) fn new(page: Page<KeyOverview>, request: &PageRequest) -> Result<Self, FieldError> {
        Ok(Self {
            page_info: PageInfo::new(&page, request),
            total_count: Count(page.total.ok_or(FieldError::TotalMissing)?),
            edges: KeyEdge::of(page.items, Key::from),
        })
    }
}
