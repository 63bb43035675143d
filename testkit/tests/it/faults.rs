//! Faults of fakes, and the count of their calls.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use ports::outbound::{ChangeNumber, KeyStore as _, StoreError};
use testkit::fakes::{DRIVER_ERROR, Fault, MemoryStore};

fn assert_fails<T>(result: &Result<T, StoreError>) {
    let error = result.as_ref().err().unwrap();
    assert_eq!(error.cause.to_string(), DRIVER_ERROR);
}

#[tokio::test]
async fn a_fault_of_the_store_is_that_of_one_handle_and_its_clones_until_it_is_cleared() {
    let store = MemoryStore::default();
    let (clone, elsewhere) = (store.clone(), store.elsewhere());
    store.faults().inject(Fault::Fails);
    assert_fails(&store.is_empty().await);
    assert_fails(&clone.is_empty().await);
    assert!(elsewhere.is_empty().await.unwrap());
    store.faults().clear();
    assert!(store.is_empty().await.unwrap());
}

#[tokio::test]
async fn a_fault_of_one_method_leaves_the_others_as_they_are() {
    let store = MemoryStore::default();
    store.faults().inject_into("is_empty", Fault::Fails);
    assert_fails(&store.is_empty().await);
    assert_eq!(store.newest_change().await.unwrap(), ChangeNumber(0));
}

#[tokio::test]
async fn a_call_that_hangs_goes_on_when_the_fault_is_cleared() {
    let store = MemoryStore::default();
    store.faults().inject(Fault::Hangs);
    let mut call = store.is_empty();
    assert!((&mut call).now_or_never().is_none());
    store.faults().clear();
    assert!(call.await.unwrap());
}

#[tokio::test]
async fn a_fake_works_after_a_panic() {
    let store = MemoryStore::default();
    store.faults().inject(Fault::Panics);
    let panicking = store.clone();
    let call = tokio::spawn(async move { panicking.is_empty().await });
    assert!(call.await.unwrap_err().is_panic());
    store.faults().clear();
    assert!(store.is_empty().await.unwrap());
}

#[tokio::test]
async fn calls_are_counted_by_method_even_those_that_fail() {
    let store = MemoryStore::default();
    store.is_empty().await.unwrap();
    store.faults().inject(Fault::Fails);
    store.is_empty().await.unwrap_err();
    store.newest_change().await.unwrap_err();
    store.elsewhere().is_empty().await.unwrap();
    let expected = BTreeMap::from([("is_empty", 2), ("newest_change", 1)]);
    assert_eq!(store.faults().calls(), expected);
    store.faults().forget_calls();
    assert_eq!(store.faults().calls(), BTreeMap::new());
}

#[tokio::test]
async fn a_single_call_fails_after_so_many() {
    let store = MemoryStore::default();
    store.faults().fail_once_after(1);
    store.is_empty().await.unwrap();
    assert_fails(&store.is_empty().await);
    store.is_empty().await.unwrap();
}
