//! Webhooks over in-memory adapters, with real encryption.

use std::sync::Arc;

use application::{WebhookEncryption, WebhookService, WebhookSources, WorkSignal};
use cipher_aes::AesCipher;
use domain::keys::HashGeneration;
use domain::webhooks::{Reach, WebhookSecrets};

use crate::people::PeopleServices;

/// Encryption of endpoints' secrets, as [`service`] has it.
pub fn encryption() -> Arc<WebhookEncryption> {
    let secrets = WebhookSecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
    Arc::new(WebhookEncryption::new(Arc::new(AesCipher), secrets))
}

/// The service of people's webhooks over the adapters of [`PeopleServices`], which sends nothing.
pub fn service(services: &PeopleServices) -> WebhookService {
    service_reaching(Reach::Public, services)
}

/// The same, whose webhooks may reach so far.
pub fn service_reaching(reach: Reach, services: &PeopleServices) -> WebhookService {
    WebhookService::new(WebhookSources {
        store: Arc::new(services.store.clone()),
        customers: Arc::new(services.store.clone()),
        encryption: encryption(),
        signal: Arc::new(WorkSignal::default()),
        clock: services.clock.clone(),
        random: services.random.clone(),
        reach,
    })
}
