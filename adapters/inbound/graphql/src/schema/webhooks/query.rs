//! Queries of webhooks and their deliveries.

use application::{DeliveryView, WebhookError};
use async_graphql::{Context, ID, Object};
use domain::page::{Page, PageRequest};
use domain::webhooks::EndpointId;
use web::views::webhooks::{Webhook, WebhookDelivery};

use crate::field_error::FieldError;
use crate::schema::arguments::uuid;
use crate::schema::connection::{PageInfo, connection, page_request};
use crate::schema::context::{ports, requester};

connection! {
    /// One page of the deliveries to a webhook, newest first.
    WebhookDeliveryConnection,
    /// A delivery and its place in the list.
    WebhookDeliveryEdge of WebhookDelivery
}

impl WebhookDeliveryConnection {
    fn new(page: Page<DeliveryView>, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: WebhookDeliveryEdge::of(page.items, |view| WebhookDelivery::from(&view)),
        }
    }
}

#[derive(Default)]
pub(crate) struct WebhookQuery;

#[Object]
impl WebhookQuery {
    /// The viewer's webhooks, oldest first.
    async fn webhooks(&self, context: &Context<'_>) -> Result<Vec<Webhook>, FieldError> {
        let caller = &requester(context).caller;
        let found = ports(context).webhooks.list(caller).await?;
        Ok(found.iter().map(Webhook::from).collect())
    }

    /// One webhook; null when it isn't there, or isn't the viewer's.
    async fn webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] id: ID,
    ) -> Option<Result<Webhook, FieldError>> {
        let id = EndpointId(uuid(&id)?);
        let caller = &requester(context).caller;
        match ports(context).webhooks.find(caller, id).await {
            Ok(view) => Some(Ok(Webhook::from(&view))),
            Err(WebhookError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Deliveries to a webhook, newest first; null when it isn't there, or isn't the viewer's.
    async fn webhook_deliveries(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] id: ID,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
    ) -> Option<Result<WebhookDeliveryConnection, FieldError>> {
        let id = EndpointId(uuid(&id)?);
        let page = match page_request(first, after.as_deref()) {
            Ok(page) => page,
            Err(error) => return Some(Err(error)),
        };
        let caller = &requester(context).caller;
        match ports(context).webhooks.deliveries(caller, id, &page).await {
            Ok(found) => Some(Ok(WebhookDeliveryConnection::new(found, &page))),
            Err(WebhookError::NotFound) => None,
            Err(error) => Some(Err(error.into())),
        }
    }
}
