//! Webhooks: the service for signed-in people, and the worker that sends messages.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use application::{
    DeliveryWorker, DeliveryWorkerParts, WebhookEncryption, WebhookReencryption, WebhookService,
    WebhookSources, WorkSignal,
};
use cipher_aes::AesCipher;
use domain::webhooks::Reach;
use store_seaorm::Store;
use tokio_util::task::TaskTracker;
use webhook_http::HttpSender;

use super::identity::Identity;
use super::infrastructure::Infrastructure;
use super::lookups::StoredLookups;
use super::tasks::spawning_in;
use crate::config::{StoreSecret, Switch, WebhookOptions};
use crate::system::SystemTimer;

/// Maximum number of messages that this process sends at the same time.
const PLACES: u32 = 64;

/// Parts of webhooks that the server's start and stop need.
pub(crate) struct Deliveries {
    pub(crate) worker: Arc<DeliveryWorker>,
    pub(crate) reencryption: Arc<WebhookReencryption>,
}

/// Creates the services of webhooks, and holds what they share.
pub(super) struct StoredWebhooks {
    encryption: Arc<WebhookEncryption>,
    sender: Arc<HttpSender>,
    signal: Arc<WorkSignal>,
    reach: Reach,
}

impl StoredWebhooks {
    /// Webhooks that report the ends of `stored` lookups; `secret` encrypts their secrets.
    ///
    /// # Errors
    /// The secret can't be used, or loopback is allowed without the sandbox identity provider.
    pub(super) fn new(
        options: WebhookOptions,
        secret: &StoreSecret,
        identity: Option<&Identity>,
        stored: &StoredLookups,
    ) -> Result<Self> {
        let secrets = secret.webhooks();
        let secrets = secrets.map_err(|problem| anyhow::anyhow!("CEP_STORE_SECRET: {problem}"))?;
        let reach = reach(options.webhook_allow_loopback, identity)?;
        let sender = HttpSender::new(reach).context("the client that sends webhooks")?;
        Ok(Self {
            encryption: Arc::new(WebhookEncryption::new(Arc::new(AesCipher), secrets)),
            sender: Arc::new(sender),
            signal: Arc::clone(&stored.webhooks),
            reach,
        })
    }

    /// Creates the service for signed-in people, which reads and writes on the dashboard's
    /// connections.
    pub(super) fn service(&self, base: &Infrastructure, pool: &Store) -> WebhookService {
        WebhookService::new(WebhookSources {
            store: Arc::new(pool.clone()),
            customers: Arc::new(pool.clone()),
            encryption: Arc::clone(&self.encryption),
            signal: Arc::clone(&self.signal),
            clock: Arc::clone(&base.clock),
            random: Arc::clone(&base.random),
            reach: self.reach,
        })
    }

    /// Creates the worker of deliveries, whose attempts `tasks` tracks.
    pub(super) fn deliveries(&self, base: &Infrastructure, tasks: &TaskTracker) -> Deliveries {
        let worker = DeliveryWorker::new(DeliveryWorkerParts {
            store: Arc::new(base.store.clone()),
            encryption: Arc::clone(&self.encryption),
            sender: self.sender.clone(),
            signal: Arc::clone(&self.signal),
            clock: Arc::clone(&base.clock),
            timer: Arc::new(SystemTimer),
            random: Arc::clone(&base.random),
            spawn: spawning_in(tasks),
            places: PLACES,
        });
        let reencryption = WebhookReencryption::new(
            Arc::new(base.store.clone()),
            Arc::clone(&self.encryption),
            Arc::clone(&base.clock),
        );
        Deliveries {
            worker: Arc::new(worker),
            reencryption: Arc::new(reencryption),
        }
    }
}

/// Loopback needs the sandbox identity provider, which refuses to start with a public address.
fn reach(allow_loopback: Switch, identity: Option<&Identity>) -> Result<Reach> {
    if allow_loopback == Switch::Off {
        return Ok(Reach::Public);
    }
    if identity.is_none_or(|identity| identity.sandbox().is_none()) {
        bail!(
            "CEP_WEBHOOK_ALLOW_LOOPBACK is for development with the sandbox identity provider: with it, \
             whoever signs in could have this machine send requests to itself. Remove it, or remove \
             CEP_OIDC_ISSUER and set CEP_DASHBOARD=on"
        );
    }
    tracing::warn!("webhooks may be sent to this machine (CEP_WEBHOOK_ALLOW_LOOPBACK)");
    Ok(Reach::PublicAndLoopback)
}
