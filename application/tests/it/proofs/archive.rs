//! The archive of issued proofs: what another process, or this one after a restart, has of it.

use application::ArchiveParts;
use bytes::Bytes;
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::keys::HashGeneration;
use domain::proofs::archive::{ArchiveSecrets, ContentKey};
use futures::executor::block_on;
use ports::outbound::{ArchivedProof, Cipher, CipherError, Clock as _, ProofArchive as _};
use rstest::rstest;
use testkit::fakes::{Fault, MemoryStore};
use testkit::log::listen;

use super::*;

fn secrets(bytes: &[u8]) -> ArchiveSecrets {
    let secret = |byte: &u8| (HashGeneration(u16::from(*byte)), vec![*byte; 32]);
    ArchiveSecrets::new(bytes.iter().map(secret).collect()).unwrap()
}

pub(crate) fn parts(store: &MemoryStore, clock: &Arc<ManualClock>) -> ArchiveParts {
    ArchiveParts {
        store: Arc::new(store.clone()),
        cipher: Arc::new(AesCipher),
        secrets: secrets(&[1]),
        retention: TimeDelta::days(7),
        clock: clock.clone(),
        timer: clock.clone(),
        spawn: Arc::new(block_on),
    }
}

fn archive(
    store: &MemoryStore,
    clock: &Arc<ManualClock>,
    cipher: Arc<dyn Cipher>,
    listed: &[u8],
) -> Arc<ArchiveService> {
    Arc::new(ArchiveService::new(ArchiveParts {
        cipher,
        secrets: secrets(listed),
        ..parts(store, clock)
    }))
}

/// A process with an empty memory on this store, with secrets of these bytes.
fn process_with(store: &MemoryStore, listed: &[u8]) -> Fixture {
    fixture_on(1 << 20, |clock| {
        Some(archive(store, clock, Arc::new(AesCipher), listed))
    })
}

pub(crate) fn process(store: &MemoryStore) -> Fixture {
    process_with(store, &[1])
}

/// A store with the XML of 10.00, which a process archived.
async fn archived() -> MemoryStore {
    let store = MemoryStore::default();
    process(&store).delivery("10.00", XML).await;
    store
}

/// The XML and the PDF, as far as they were delivered.
fn bytes_of(files: Files) -> [Option<Bytes>; 2] {
    match files {
        Files::Xml(xml) => [Some(xml), None],
        Files::Pdf(pdf) => [None, Some(pdf)],
        Files::Both { xml, pdf } => [Some(xml), Some(pdf)],
    }
}

fn entry(store: &MemoryStore) -> ArchivedProof {
    let [entry] = &store.archive()[..] else {
        panic!("there are {} entries", store.archive().len());
    };
    entry.clone()
}

#[rstest]
#[case(XML)]
#[case(PDF)]
#[case(BOTH)]
#[tokio::test]
async fn an_archived_proof_is_delivered_without_asking_the_bank(#[case] wanted: RequestedFiles) {
    let store = MemoryStore::default();
    let first = process(&store).delivery("10.00", wanted).await;
    let other = process(&store);
    let report = other.fetch("10.00", wanted).await;
    assert_eq!(report.details.bank_time, None, "the bank was asked");
    let again = report.result.unwrap();
    assert_eq!(bytes_of(again.files), bytes_of(first.files));
    assert_eq!((again.stem, again.proof), (first.stem, first.proof));
    assert_eq!(other.test.times_asked(), 0);
    assert_eq!(other.monitor.health(Environment::Test, None).lookups, 0);
    // Its seal is checked again, and not recorded.
    assert_eq!(other.seals.checked().len(), 1);
    assert_eq!(other.seals.recorded(), []);
    // From now on it is in memory.
    store.faults().forget_calls();
    other.delivery("10.00", wanted).await;
    assert_eq!(store.faults().all_calls(), 0);
}

#[tokio::test]
async fn a_transfer_that_is_not_archived_is_looked_up() {
    let store = archived().await;
    let other = process(&store);
    for amount in ["10.01", "404.00", "404.02", "502.00"] {
        let _ = other.fetch(amount, XML).await;
    }
    assert_eq!(other.test.times_asked(), 4);
    assert_eq!(store.archive().len(), 2, "an error was archived");
}

#[tokio::test]
async fn environments_have_entries_of_their_own() {
    let store = MemoryStore::default();
    let fixture = process(&store);
    fixture.delivery("10.00", XML).await;
    fixture.live_delivery("10.00").await;
    assert_eq!(fixture.live.times_asked(), 1);
    assert_eq!(store.archive().len(), 2);
}

/// The test bank answers its first query like its last one from now on.
pub(crate) fn answer_the_first_like_the_last(fixture: &Fixture) {
    let asked = fixture.test.asked();
    let answer = by_amount(&asked.last().unwrap().transfer);
    fixture.test.script(asked[0].transfer.clone(), answer);
}

#[rstest]
#[case("404.03", 0)] // Returned.
#[case("404.05", 0)] // Canceled.
#[case("404.06", 0)] // Rejected.
#[case("404.07", 0)] // Being returned.
#[case("404.02", 1)] // Settled: no proof yet.
#[case("404.09", 1)] // Not found by SPEI.
#[case("404.00", 1)] // Unknown to the portal.
#[case("502.00", 1)] // No answer.
#[tokio::test]
async fn a_kept_proof_is_removed_when_the_bank_says_that_the_payment_is_not_received(
    #[case] answer: &str,
    #[case] kept: usize,
) {
    let store = MemoryStore::default();
    let fixture = process(&store);
    fixture.delivery("10.00", XML).await;
    fixture.delivery("11.00", XML).await;
    let _ = fixture.fetch(answer, XML).await;
    answer_the_first_like_the_last(&fixture);
    fixture.error_of_the_bank("10.00").await;
    assert_eq!(store.archive().len(), kept + 1);
    // In memory, too.
    let again = fixture.fetch("10.00", XML).await.result;
    assert_eq!(again.is_ok(), kept == 1, "{again:?}");
    let asked = fixture.test.times_asked();
    fixture.delivery("11.00", XML).await;
    assert_eq!(fixture.test.times_asked(), asked, "another proof is gone");
}

/// The store writes them in one step.
#[tokio::test]
async fn proofs_of_different_transfers_are_written_at_the_same_time() {
    let store = MemoryStore::default();
    let fixture = fixture_on(1 << 20, |clock| {
        let parts = ArchiveParts {
            spawn: Arc::new(|write| drop(tokio::spawn(write))),
            ..parts(&store, clock)
        };
        Some(Arc::new(ArchiveService::new(parts)))
    });
    store.faults().inject_into("archive_proof", Fault::Hangs);
    for amount in ["10.00", "11.00", "12.00"] {
        fixture.delivery(amount, XML).await;
    }
    let begun = || store.faults().calls().get("archive_proof").copied();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(begun(), Some(3));
}

#[tokio::test]
async fn a_damaged_entry_is_looked_up_and_written_again() {
    let store = archived().await;
    let now = process(&store).clock.now();
    let sound = entry(&store);
    for content in [
        Vec::new(),
        b"nonsense".to_vec(),
        sound.content[1..].to_vec(),
        [&sound.content[..], b"x"].concat(),
    ] {
        let index = sound.index;
        let damaged = ArchivedProof { index, content };
        store.archive_proof(&damaged, now).await.unwrap();
        let fixture = process(&store);
        let (log, _guard) = listen();
        fixture.delivery("10.00", XML).await;
        assert_eq!(fixture.test.times_asked(), 1);
        assert_ne!(entry(&store), damaged);
        let lines = log.of("application::proofs::archive");
        let [line] = &lines[..] else {
            panic!("one warning: {lines:?}");
        };
        assert_eq!(line["level"], "WARN");
        let expected = "an archived proof can't be used: the bank is asked";
        assert_eq!(line["fields"]["message"], expected);
        assert_eq!(line["fields"]["request_id"], "request-1");
    }
}

/// A cipher without a key: everything in the store is taken for what it encrypted.
struct NoCipher;

impl Cipher for NoCipher {
    fn encrypt(&self, _: &ContentKey, _: &[u8], plain: &[u8]) -> Result<Vec<u8>, CipherError> {
        Ok(plain.to_vec())
    }

    fn decrypt(&self, _: &ContentKey, _: &[u8], plain: &[u8]) -> Result<Vec<u8>, CipherError> {
        Ok(plain.to_vec())
    }
}

/// Puts the entry of another transfer where the one of 10.00 would be.
async fn with_another_proof(cipher: &Arc<dyn Cipher>, content: Option<&[u8]>) -> Fixture {
    let store = MemoryStore::default();
    let fixture = || {
        fixture_on(1 << 20, |clock| {
            Some(archive(&store, clock, Arc::clone(cipher), &[1]))
        })
    };
    fixture().delivery("99.00", XML).await;
    let [keys] = &secrets(&[1]).keys(Environment::Test, &transfer(1_000))[..] else {
        panic!("one secret has one entry");
    };
    let (index, other) = (keys.index, entry(&store).content);
    let content = content.map_or(other, <[u8]>::to_vec);
    let now = fixture().clock.now();
    let moved = ArchivedProof { index, content };
    store.archive_proof(&moved, now).await.unwrap();
    fixture()
}

#[tokio::test]
async fn an_archived_proof_of_another_transfer_is_never_delivered() {
    let (sound, none): (Arc<dyn Cipher>, Arc<dyn Cipher>) =
        (Arc::new(AesCipher), Arc::new(NoCipher));
    for (cipher, content) in [
        (sound, None),
        (none.clone(), None),
        // Nor content that makes no sense.
        (none.clone(), Some(&b""[..])),
        (none.clone(), Some(b"\x01\x00\x00\x00\x00\x04<xml")),
        (none.clone(), Some(b"\x02\x00\x00\x00\x00\x01x")),
        (none, Some(b"\x01\x00\xff\xff\xff\xffx")),
    ] {
        let fixture = with_another_proof(&cipher, content).await;
        let delivery = fixture.delivery("10.00", XML).await;
        assert_eq!(delivery.proof.centavos(), 1_000, "{content:?}");
        assert_eq!(fixture.test.times_asked(), 1, "{content:?}");
    }
}

#[tokio::test]
async fn a_pdf_that_is_fetched_later_extends_the_entry() {
    let store = archived().await;
    // Each by another process: what it wants, and what it asks the bank for.
    for (wanted, asked) in [
        (XML, None),
        (PDF, Some(PDF)),
        (PDF, None),
        // The PDF is of another session than the XML.
        (BOTH, Some(BOTH)),
        (BOTH, None),
        (PDF, None),
        (XML, None),
    ] {
        let fixture = process(&store);
        fixture.delivery("10.00", wanted).await;
        assert_eq!(fixture.asked(), Vec::from_iter(asked), "{wanted:?}");
    }
    assert_eq!(store.archive().len(), 1);
}

#[tokio::test]
async fn a_pdf_of_another_process_is_found_while_the_xml_is_in_memory() {
    let store = MemoryStore::default();
    let (one, other) = (process(&store), process(&store));
    one.delivery("10.00", XML).await;
    other.delivery("10.00", PDF).await;
    let Files::Pdf(_) = one.delivery("10.00", PDF).await.files else {
        panic!("the PDF was wanted");
    };
    assert_eq!((one.asked(), other.asked()), (vec![XML], vec![PDF]));
}

#[tokio::test]
async fn an_archived_xml_that_differs_from_the_one_in_memory_is_not_used() {
    let store = MemoryStore::default();
    let one = process(&store);
    one.delivery("10.00", XML).await;
    let other = process_with(&store, &[2]);
    let mut issued = unsealed_proof(&transfer(1_000));
    issued.xml = issued.xml.map(|xml| [&xml[..], b"\n"].concat().into());
    other.test.script(transfer(1_000), Script::Issue(issued));
    other.delivery("10.00", BOTH).await;
    // Where the first process would have written it.
    let index = |byte| secrets(&[byte]).keys(Environment::Test, &transfer(1_000));
    let [theirs, ours] = [index(2), index(1)].map(|mut keys| keys.remove(0));
    let since = one.clock.now();
    let found = store.archived_proofs(&[theirs.index], since).await.unwrap();
    let plain = AesCipher.decrypt(&theirs.content, &theirs.index.0, &found[0].content);
    let content = AesCipher.encrypt(&ours.content, &ours.index.0, &plain.unwrap());
    let forged = ArchivedProof {
        index: ours.index,
        content: content.unwrap(),
    };
    store.archive_proof(&forged, since).await.unwrap();
    one.delivery("10.00", PDF).await;
    assert_eq!(one.asked(), [XML, PDF]);
}

#[tokio::test]
async fn an_entry_past_its_retention_is_looked_up() {
    let store = archived().await;
    for (days, asked) in [(7, 0), (8, 1)] {
        let fixture = process(&store);
        fixture.clock.advance(Duration::from_hours(24 * days));
        fixture.delivery("10.00", XML).await;
        assert_eq!(fixture.test.times_asked(), asked, "{days}");
    }
}

#[tokio::test]
async fn entries_of_an_old_secret_are_read_as_long_as_it_is_listed() {
    let store = archived().await;
    for (listed, asked) in [
        (&[2, 1][..], 0),
        // The old secret is gone: the entry is neither found nor opened.
        (&[2], 1),
        // The new one wrote another.
        (&[3, 2], 0),
    ] {
        let fixture = process_with(&store, listed);
        fixture.delivery("10.00", XML).await;
        assert_eq!(fixture.test.times_asked(), asked, "{listed:?}");
    }
    assert_eq!(store.archive().len(), 2);
}
