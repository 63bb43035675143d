//! The provider's keys of one process keep the cache's contract.

use std::sync::Arc;

use chrono::DateTime;
use futures::executor::block_on;
use memory::MemoryProviderKeys;
use ports::contract;
use ports::contract::provider_keys::CachesUnderTest;
use testkit::fakes::ManualClock;

#[test]
fn a_providers_keys_in_memory_keep_the_contract() {
    block_on(contract::provider_keys::provider_keys(async || {
        let clock = Arc::new(ManualClock::at(DateTime::UNIX_EPOCH));
        let keys = Arc::new(MemoryProviderKeys::new(clock));
        CachesUnderTest {
            here: keys.clone(),
            elsewhere: keys,
        }
    }));
}
