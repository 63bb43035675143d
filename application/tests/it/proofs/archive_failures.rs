//! Failures of the archive: no request fails with it, none waits long, and what isn't archived is counted.

use std::sync::Mutex;

use application::{ArchiveParts, SpawnTask};
use futures::executor::block_on;
use ports::outbound::{BankFiles, Clock as _};
use rstest::rstest;
use testkit::fakes::{Fault, MemoryStore};
use testkit::log::listen;

use super::archive::{answer_the_first_like_the_last, parts, process};
use super::*;

/// A process whose tasks run as `spawn` says, and its archive.
fn process_spawning(store: &MemoryStore, spawn: SpawnTask) -> (Fixture, Arc<ArchiveService>) {
    let mut made = None;
    let fixture = fixture_on(1 << 20, |clock| {
        let parts = ArchiveParts {
            spawn,
            ..parts(store, clock)
        };
        made = Some(Arc::new(ArchiveService::new(parts)));
        made.clone()
    });
    (fixture, made.unwrap())
}

#[rstest]
#[case(Fault::Fails)]
#[case(Fault::Hangs)]
#[tokio::test]
async fn an_archive_that_fails_fails_no_request(#[case] fault: Fault) {
    let store = MemoryStore::default();
    let fixture = process(&store);
    store.faults().inject(fault);
    for amount in ["10.00", "10.01", "10.02", "10.03"].repeat(5) {
        fixture.delivery(amount, BOTH).await;
    }
    assert_eq!(fixture.test.times_asked(), 4);
}

#[rstest]
#[case(Fault::Fails)]
#[case(Fault::Hangs)]
#[tokio::test]
async fn a_return_is_told_though_the_archived_proof_cannot_be_removed(#[case] fault: Fault) {
    let store = MemoryStore::default();
    let fixture = process(&store);
    fixture.delivery("10.00", XML).await;
    let _ = fixture.fetch("404.03", XML).await;
    answer_the_first_like_the_last(&fixture);
    store.faults().inject(fault);
    let (log, _guard) = listen();
    let error = fixture.error_of_the_bank("10.00").await;
    assert_eq!(error.outcome(), Outcome::PaymentReturned);
    assert!(log.text().contains("stays archived"), "{}", log.text());
}

#[tokio::test]
async fn an_archive_that_keeps_failing_is_left_alone_until_it_works_again() {
    let store = MemoryStore::default();
    let fixture = process(&store);
    store.faults().inject(Fault::Hangs);
    for pesos in 1..8 {
        fixture.delivery(&format!("{pesos}.00"), XML).await;
    }
    let calls = store.faults().all_calls();
    assert_eq!(calls, 3, "each lookup waited for it");
    store.faults().clear();
    fixture.clock.advance(Duration::from_secs(15));
    for amount in ["8.00", "9.00"] {
        fixture.delivery(amount, XML).await;
    }
    assert_eq!(store.archive().len(), 2);
}

#[tokio::test]
async fn a_lookup_waits_a_second_for_an_archive_that_hangs_and_the_fourth_not_at_all() {
    let store = MemoryStore::default();
    let (fixture, archive) = process_spawning(&store, Arc::new(drop));
    store.faults().inject(Fault::Hangs);
    for (amount, seconds) in [("1.00", 1), ("2.00", 1), ("3.00", 1), ("4.00", 0)] {
        let begun = fixture.clock.monotonic();
        fixture.delivery(amount, XML).await;
        let waited = fixture.clock.monotonic().checked_sub(begun).unwrap();
        assert_eq!(waited, Duration::from_secs(seconds), "{amount}");
    }
    assert_eq!(archive.dropped_writes(), 0);
}

#[tokio::test]
async fn writes_are_dropped_and_counted_while_the_archive_is_left_out() {
    let store = MemoryStore::default();
    let (fixture, archive) = process_spawning(&store, Arc::new(block_on));
    store.faults().inject(Fault::Fails);
    // Each makes two calls; the third call opens the circuit.
    for (amount, dropped) in [("1.00", 0), ("2.00", 1), ("3.00", 2)] {
        fixture.delivery(amount, XML).await;
        assert_eq!(archive.dropped_writes(), dropped, "{amount}");
    }
}

#[tokio::test]
async fn writes_are_dropped_and_counted_when_too_many_bytes_wait() {
    let store = MemoryStore::default();
    let waiting = Arc::new(Mutex::new(Vec::new()));
    let tasks = Arc::clone(&waiting);
    let keep: SpawnTask = Arc::new(move |task| tasks.lock().unwrap().push(task));
    let (fixture, archive) = process_spawning(&store, keep);
    let mut issued = unsealed_proof(&transfer(1_000));
    issued.pdf = Some(vec![b' '; 9 << 20].into());
    for centavos in [1_000, 1_001] {
        let xml = unsealed_proof(&transfer(centavos)).xml;
        let pdf = issued.pdf.clone();
        let script = Script::Issue(BankFiles { xml, pdf });
        fixture.test.script(transfer(centavos), script);
    }
    fixture.delivery("10.00", BOTH).await;
    assert_eq!(archive.dropped_writes(), 0);
    fixture.delivery("10.01", BOTH).await;
    assert_eq!(archive.dropped_writes(), 1);
    // The bytes of a write that ended wait no longer.
    waiting.lock().unwrap().clear();
    fixture.delivery("10.02", BOTH).await;
    assert_eq!(archive.dropped_writes(), 1);
    assert_eq!(waiting.lock().unwrap().len(), 1);
}
