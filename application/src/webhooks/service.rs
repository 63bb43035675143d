//! Management of webhooks by people with a session.

use std::sync::Arc;

use super::types::{
    CreatedWebhook, DeliveryView, NewWebhook, WebhookChange, WebhookError, WebhookSwitch,
    WebhookView,
};
use crate::people::Caller;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryId, DisabledReason, EndpointId, EndpointSecret, EndpointState, EventTypes, Reach,
    RotatedSecrets, SECRET_BYTES, WebhookEvent, WebhookUrl, attempts_left,
};
use ports::outbound::{
    AddEndpointError, Clock, CustomerStore, EndpointChange, ListError, Random, Resending,
    StoredDelivery, StoredEndpoint, WebhookStore, new_id,
};

use super::encryption::WebhookEncryption;
use crate::people::Authorization;
use crate::sync::WorkSignal;

/// Dependencies of a [`WebhookService`].
pub struct WebhookSources {
    /// Store of the webhooks and their deliveries.
    pub store: Arc<dyn WebhookStore>,
    /// Accounts of the people.
    pub customers: Arc<dyn CustomerStore>,
    /// Encryption of signing secrets.
    pub encryption: Arc<WebhookEncryption>,
    /// Signals new deliveries to the worker.
    pub signal: Arc<WorkSignal>,
    /// Current time, for audit entries and events.
    pub clock: Arc<dyn Clock>,
    /// Generates signing secrets and ids.
    pub random: Arc<dyn Random>,
    /// Addresses that messages may be sent to, against which target URLs are checked.
    pub reach: Reach,
}

/// Manages the webhooks of people's own accounts.
pub struct WebhookService {
    sources: WebhookSources,
    authorization: Authorization,
}

impl WebhookService {
    /// Creates a service from its dependencies.
    pub fn new(sources: WebhookSources) -> Self {
        let authorization = Authorization::new(
            Arc::clone(&sources.customers),
            Arc::clone(&sources.clock),
            Arc::clone(&sources.random),
        );
        Self {
            sources,
            authorization,
        }
    }

    /// The person's account; an error if it has none, since it then has no webhooks.
    async fn customer(&self, caller: &Caller) -> Result<CustomerId, WebhookError> {
        let customer = self.authorization.customer(caller).await?;
        let customer = customer.ok_or(WebhookError::NotFound)?;
        Ok(customer.id)
    }

    async fn found(&self, caller: &Caller, id: EndpointId) -> Result<StoredEndpoint, WebhookError> {
        let customer = self.customer(caller).await?;
        let found = self.sources.store.endpoint(customer, id).await?;
        found.ok_or(WebhookError::NotFound)
    }

    async fn changed(
        &self,
        caller: &Caller,
        (customer, id): (CustomerId, EndpointId),
        change: &EndpointChange,
    ) -> Result<WebhookView, WebhookError> {
        let act = caller.act(&*self.sources.clock, &*self.sources.random);
        let changed = self
            .sources
            .store
            .change_endpoint(customer, id, change, &act);
        let changed = changed.await?.ok_or(WebhookError::NotFound)?;
        let (state, request_id) = (changed.state, &caller.request_id);
        tracing::info!(target: "cep::webhook", %id, ?state, %request_id, "a person changed a webhook");
        Ok(view(changed))
    }

    fn new_id(&self) -> uuid::Uuid {
        new_id(self.sources.clock.as_ref(), self.sources.random.as_ref())
    }

    fn new_secret(&self) -> EndpointSecret {
        let mut bytes = [0; SECRET_BYTES];
        self.sources.random.fill(&mut bytes);
        EndpointSecret::new(bytes)
    }

    fn url(&self, text: &str) -> Result<WebhookUrl, WebhookError> {
        Ok(WebhookUrl::parse(text, self.sources.reach)?)
    }
}

impl WebhookService {
    /// Adds a webhook. The result contains its signing secret, which isn't available later.
    ///
    /// # Errors
    /// [`WebhookError::Url`], [`WebhookError::Events`], [`WebhookError::TooMany`],
    /// [`WebhookError::Store`].
    pub async fn create(
        &self,
        caller: &Caller,
        new: NewWebhook,
    ) -> Result<CreatedWebhook, WebhookError> {
        let url = self.url(&new.url)?;
        let events = EventTypes::new(&new.events)?;
        let customer = self.authorization.customer_or_new(&caller.owner).await?;
        let id = EndpointId(self.new_id());
        let secret = self.new_secret();
        let encrypted = self.sources.encryption.encrypt((customer.id, id), &secret);
        let act = caller.act(&*self.sources.clock, &*self.sources.random);
        let endpoint = StoredEndpoint {
            id,
            customer: customer.id,
            environment: new.environment,
            url,
            events,
            state: EndpointState::Enabled,
            failing_since: None,
            created_at: act.at,
            updated_at: act.at,
            secrets: RotatedSecrets {
                current: encrypted.map_err(WebhookError::Store)?,
                previous: None,
            },
        };
        let added = self.sources.store.add_endpoint(&endpoint, &act).await;
        added.map_err(|error| match error {
            AddEndpointError::TooMany => WebhookError::TooMany,
            AddEndpointError::Store(error) => error.into(),
        })?;
        let request_id = &caller.request_id;
        tracing::info!(target: "cep::webhook", %id, %request_id, "a person added a webhook");
        Ok(CreatedWebhook {
            webhook: view(endpoint),
            secret,
        })
    }

    /// Webhooks of the account, oldest first.
    ///
    /// # Errors
    /// [`WebhookError::Store`].
    pub async fn list(&self, caller: &Caller) -> Result<Vec<WebhookView>, WebhookError> {
        let Some(customer) = self.authorization.customer(caller).await? else {
            return Ok(Vec::new());
        };
        let found = self.sources.store.endpoints(customer.id).await?;
        Ok(found.into_iter().map(view).collect())
    }

    /// A webhook of the account.
    ///
    /// # Errors
    /// [`WebhookError::NotFound`], [`WebhookError::Store`].
    pub async fn find(&self, caller: &Caller, id: EndpointId) -> Result<WebhookView, WebhookError> {
        self.found(caller, id).await.map(view)
    }

    /// Changes the settings of a webhook.
    ///
    /// # Errors
    /// Those of [`Self::find`], [`WebhookError::Url`] and [`WebhookError::Events`].
    pub async fn change(
        &self,
        caller: &Caller,
        id: EndpointId,
        change: WebhookChange,
    ) -> Result<WebhookView, WebhookError> {
        let url = change.url.map(|url| self.url(&url)).transpose()?;
        let events = change.events.map(|events| EventTypes::new(&events));
        let state = change.switch.map(|switch| match switch {
            WebhookSwitch::Enable => EndpointState::Enabled,
            WebhookSwitch::Disable => EndpointState::Disabled {
                reason: DisabledReason::Owner,
                at: self.sources.clock.now(),
            },
        });
        let change = EndpointChange::Settings {
            url,
            events: events.transpose()?,
            state,
        };
        let customer = self.customer(caller).await?;
        self.changed(caller, (customer, id), &change).await
    }

    /// Removes a webhook with its deliveries.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub async fn remove(&self, caller: &Caller, id: EndpointId) -> Result<(), WebhookError> {
        let customer = self.customer(caller).await?;
        let act = caller.act(&*self.sources.clock, &*self.sources.random);
        if !self
            .sources
            .store
            .remove_endpoint(customer, id, &act)
            .await?
        {
            return Err(WebhookError::NotFound);
        }
        let request_id = &caller.request_id;
        tracing::info!(target: "cep::webhook", %id, %request_id, "a person removed a webhook");
        Ok(())
    }

    /// Generates a new signing secret for a webhook. Messages are signed with the previous one, too, for 24
    /// hours.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub async fn rotate_secret(
        &self,
        caller: &Caller,
        id: EndpointId,
    ) -> Result<CreatedWebhook, WebhookError> {
        let customer = self.customer(caller).await?;
        let secret = self.new_secret();
        let encrypted = self.sources.encryption.encrypt((customer, id), &secret);
        let change = EndpointChange::RotateSecret(encrypted.map_err(WebhookError::Store)?);
        Ok(CreatedWebhook {
            webhook: self.changed(caller, (customer, id), &change).await?,
            secret,
        })
    }

    /// Adds a delivery of a test event, which is attempted once.
    ///
    /// # Errors
    /// Those of [`Self::find`], and [`WebhookError::Disabled`].
    pub async fn test(
        &self,
        caller: &Caller,
        id: EndpointId,
    ) -> Result<DeliveryView, WebhookError> {
        let endpoint = self.found(caller, id).await?;
        if !endpoint.state.is_enabled() {
            return Err(WebhookError::Disabled);
        }
        let owner = (endpoint.customer, endpoint.environment);
        let event = WebhookEvent::test(owner, id, self.sources.clock.now());
        let added = self.sources.store.add_delivery(id, &event).await?;
        self.sources.signal.work();
        added.map(delivery_view).ok_or(WebhookError::NotFound)
    }

    /// Deliveries to a webhook, newest first: one page, without a total.
    ///
    /// # Errors
    /// Those of [`Self::find`], and [`WebhookError::Cursor`].
    pub async fn deliveries(
        &self,
        caller: &Caller,
        id: EndpointId,
        page: &PageRequest,
    ) -> Result<Page<DeliveryView>, WebhookError> {
        let endpoint = self.found(caller, id).await?;
        let found = self.sources.store.deliveries(endpoint.customer, id, page);
        match found.await {
            Ok(page) => Ok(page.map(delivery_view)),
            Err(ListError::Cursor(_)) => Err(WebhookError::Cursor),
            Err(ListError::Store(error)) => Err(error.into()),
        }
    }

    /// Makes an ended delivery pending again, with the same id.
    ///
    /// # Errors
    /// [`WebhookError::NotFound`], [`WebhookError::Disabled`], [`WebhookError::Pending`],
    /// [`WebhookError::Store`].
    pub async fn resend(
        &self,
        caller: &Caller,
        id: EndpointId,
        delivery: DeliveryId,
    ) -> Result<DeliveryView, WebhookError> {
        let customer = self.customer(caller).await?;
        let now = self.sources.clock.now();
        match self
            .sources
            .store
            .resend(customer, id, delivery, now)
            .await?
        {
            Resending::Pending(pending) => {
                self.sources.signal.work();
                Ok(delivery_view(*pending))
            }
            Resending::AlreadyPending => Err(WebhookError::Pending),
            Resending::Disabled => Err(WebhookError::Disabled),
            Resending::Unknown => Err(WebhookError::NotFound),
        }
    }
}

fn view(endpoint: StoredEndpoint) -> WebhookView {
    let previous = endpoint.secrets.previous;
    WebhookView {
        id: endpoint.id,
        environment: endpoint.environment,
        url: endpoint.url,
        events: endpoint.events,
        state: endpoint.state,
        failing_since: endpoint.failing_since,
        created_at: endpoint.created_at,
        updated_at: endpoint.updated_at,
        previous_secret_until: previous.map(|(_, until)| until),
    }
}

fn delivery_view(delivery: StoredDelivery) -> DeliveryView {
    DeliveryView {
        id: delivery.id,
        kind: delivery.kind,
        subject: delivery.subject,
        state: delivery.state,
        created_at: delivery.created_at,
        next_attempt_at: delivery.due_at,
        attempts_left: delivery
            .due_at
            .map(|at| attempts_left(delivery.kind, delivery.step, at)),
        attempts: delivery.attempts,
        last_attempt: delivery.last_attempt,
    }
}
