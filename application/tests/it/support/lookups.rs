//! Stored lookups of one process, with real encryption.

use std::num::NonZeroU32;
use std::sync::Arc;

use application::{
    IdempotencyService, LookupEncryption, LookupReader, LookupService, LookupSignals,
};
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::idempotency::IdempotencySecrets;
use domain::key::HashGeneration;
use domain::lookup::LookupSecrets;
use domain::pacing::Pacing;
use domain::participant::Catalogue;
use ports::outbound::{SealChecks, Timer};
use testkit::fakes::{CountingRandom, MemoryStore};

use super::fixture::Fixture;

/// Encryption by secrets of these generations, the newest first.
pub(crate) fn encryption(generations: &[u16]) -> Arc<LookupEncryption> {
    let secret = |number: &u16| (HashGeneration(*number), number.to_be_bytes().repeat(16));
    let secrets = LookupSecrets::new(generations.iter().map(secret).collect()).unwrap();
    Arc::new(LookupEncryption::new(Arc::new(AesCipher), secrets))
}

/// Reads and creation of lookups in a store, which are kept for a week.
pub(crate) fn service(
    fixture: &Fixture,
    store: &MemoryStore,
    encryption: &Arc<LookupEncryption>,
    seals: Arc<dyn SealChecks>,
    signals: &Arc<LookupSignals>,
    timer: Arc<dyn Timer>,
) -> Arc<LookupService> {
    let reader = LookupReader::new(
        encryption.clone(),
        Arc::new(Catalogue::embedded().clone()),
        seals,
        TimeDelta::days(7),
    );
    Arc::new(LookupService::new(
        Arc::new(store.clone()),
        reader,
        fixture.gatekeeper.clone(),
        signals.clone(),
        fixture.clock.clone(),
        timer,
        Pacing::new(NonZeroU32::new(60).unwrap()),
    ))
}

/// Recognition of repeated requests.
pub(crate) fn idempotency(fixture: &Fixture, store: &MemoryStore) -> IdempotencyService {
    IdempotencyService::new(
        Arc::new(store.clone()),
        IdempotencySecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap(),
        fixture.clock.clone(),
        Arc::<CountingRandom>::default(),
    )
}
