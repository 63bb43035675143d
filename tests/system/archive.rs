//! The archive of issued proofs: a repeat costs the bank nothing, and a stolen database shows nothing.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use domain::proof::Proof;
use futures::StreamExt as _;
use futures::stream;
use regex::bytes::RegexSet;
use testkit::files_under;
use testkit::redis::Redis;

use crate::fleet::{Fleet, on};
use crate::gateway::{CountingBank, Gateway, Key, Plan, request, soon};
use crate::metrics::Measured;
use crate::servers::database;

/// Pesos of every transfer here: a number that nothing else contains.
pub(crate) const AMOUNT: &str = "8675309.17";
/// Requests under way at once.
const CALLERS: usize = 8;

/// Asks for the XML of so many transfers, and returns the proofs.
async fn ask(gateway: &Gateway, key: &Key, transfers: u32) -> Vec<Proof> {
    let asked = stream::iter(0..transfers).map(|number| async move {
        let answer = gateway.post("xml", key, &request(number, AMOUNT)).await;
        assert_eq!(answer.status(), 200, "{number}");
        Proof::parse(&answer.bytes().await.unwrap()).unwrap()
    });
    asked.buffer_unordered(CALLERS).collect().await
}

/// A text in every encoding in which a dump could show it.
fn encodings(text: &str) -> Vec<Vec<u8>> {
    let plain = text.as_bytes();
    let hex = domain::hex::encode(plain);
    let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let base64 = (0..3).map(|before| {
        // Digits that depend on neighbours are left out.
        let whole = STANDARD_NO_PAD.encode([&b"\0\0"[..before], plain].concat());
        let own = (before * 8).div_ceil(6)..(before + plain.len()) * 8 / 6;
        whole.as_bytes()[own].to_vec()
    });
    [
        plain.to_vec(),
        hex.to_uppercase().into_bytes(),
        hex.into_bytes(),
        little,
        big,
    ]
    .into_iter()
    .chain(base64)
    .collect()
}

/// Asserts that nothing of these proofs is in any of the texts, in any encoding.
pub(crate) fn assert_nothing_is_shown(proofs: &[Proof], texts: &[(&str, Vec<u8>)]) {
    let common = [AMOUNT, "867530917", "002010077777777771", "MBAN01002611180"];
    let names = proofs.iter().take(50).flat_map(|proof| {
        let names = [&proof.beneficiary.name, &proof.payer.name];
        names.into_iter().flatten().cloned()
    });
    let canaries: Vec<_> = common.map(str::to_owned).into_iter().chain(names).collect();
    assert!(canaries.len() > 50, "the proofs have no names");
    let pattern = |encoded: Vec<u8>| {
        let bytes = encoded.iter().map(|byte| format!("\\x{byte:02x}"));
        format!("(?-u){}", bytes.collect::<String>())
    };
    let patterns: Vec<_> = canaries
        .iter()
        .flat_map(|canary| encodings(canary))
        .map(pattern)
        .collect();
    let each = patterns.len() / canaries.len();
    let search = regex::bytes::RegexSetBuilder::new(&patterns)
        .size_limit(1 << 28)
        .build()
        .unwrap();
    for (name, text) in texts {
        let found: Vec<_> = search.matches(text).iter().collect();
        let shown: Vec<_> = found.iter().map(|place| &canaries[place / each]).collect();
        assert!(shown.is_empty(), "{shown:?} in {name}");
    }
}

#[test]
fn every_encoding_of_a_text_is_found() {
    let text = "MBAN01002611180";
    let base64 = STANDARD_NO_PAD.encode(format!("xy{text}z"));
    let utf16: Vec<_> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let patterns = encodings(text).into_iter().map(|encoded| {
        let bytes = encoded.iter().map(|byte| format!("\\x{byte:02x}"));
        format!("(?-u){}", bytes.collect::<String>())
    });
    let search = RegexSet::new(patterns).unwrap();
    let hex = domain::hex::encode(text.as_bytes());
    for encoded in [text.as_bytes(), base64.as_bytes(), hex.as_bytes(), &utf16] {
        let around = [&b"before "[..], encoded, b" after"].concat();
        assert!(search.is_match(&around));
    }
}

/// A gateway whose `live` keys query this bank.
pub(crate) fn embedded(bank: &CountingBank, folder: tempfile::TempDir) -> Plan {
    bank.known_to(Plan::in_folder(folder))
}

pub(crate) fn everything_under(folder: &Path) -> Vec<u8> {
    let files = files_under(folder).into_iter();
    files
        .flat_map(|file| std::fs::read(file).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_transfers_asked_again_after_a_restart_cost_the_bank_a_thousand_lookups() {
    const TRANSFERS: u32 = 1_000;
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = embedded(&bank, tempfile::tempdir().unwrap()).start();
    let key = gateway.live_key();
    let begun = Instant::now();
    let proofs = ask(&gateway, &key, TRANSFERS).await;
    let first = begun.elapsed();
    let gateway = embedded(&bank, gateway.stop()).start();
    let begun = Instant::now();
    let again = ask(&gateway, &key, TRANSFERS).await;
    println!("first: {first:?}, again: {:?}", begun.elapsed());
    assert_eq!(again.len(), proofs.len());
    assert_eq!(bank.cycles().len(), TRANSFERS as usize);
    let measured = Measured::of(&gateway).await;
    let hits = measured.value("cep_proof_archive_reads_total{result=\"hit\"}");
    assert_eq!(hits, f64::from(TRANSFERS));

    let folder = gateway.stop();
    let database = everything_under(&folder.path().join("data"));
    println!("{} bytes", database.len());
    let log = std::fs::read(folder.path().join("log")).unwrap();
    assert_nothing_is_shown(&proofs, &[("the database", database), ("the log", log)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_of_one_replica_costs_the_bank_nothing_on_another() {
    const TRANSFERS: u32 = 200;
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    let Some(fleet) = Fleet::start(2, &on(&redis, &bank)) else {
        return;
    };
    let key = fleet.replicas[0].live_key();
    let proofs = ask(&fleet.replicas[0], &key, TRANSFERS).await;
    let all = u64::from(TRANSFERS);
    let written = async || fleet.database.number("select count(*) from proof_archive") == all;
    soon("all are archived", written).await;
    ask(&fleet.replicas[1], &key, TRANSFERS).await;
    assert_eq!(bank.cycles().len(), TRANSFERS as usize);
    assert_nothing_is_shown(&proofs, &[("the dump", fleet.database.dump())]);
}

#[tokio::test]
async fn an_archive_that_is_switched_off_keeps_nothing() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = embedded(&bank, tempfile::tempdir().unwrap()).start();
    let key = gateway.live_key();
    ask(&gateway, &key, 1).await;
    let folder = gateway.stop();
    let off = embedded(&bank, folder).with("CEP_PROOF_ARCHIVE", 0).start();
    ask(&off, &key, 1).await;
    assert_eq!(bank.cycles().len(), 2);
    let on = embedded(&bank, off.stop()).start();
    ask(&on, &key, 1).await;
    assert_eq!(bank.cycles().len(), 3, "something was kept");
}

#[tokio::test]
async fn replicas_need_a_store_secret() {
    let Some(database) = database() else {
        return;
    };
    let plan = || {
        Plan::new()
            .with("CEP_DATABASE_URL", database.url())
            .with("CEP_REDIS_URL", "redis://127.0.0.1:1")
            .with("CEP_HMAC_SECRET", "the same long secret on every replica")
            .with("CEP_DASHBOARD", "off")
    };
    for days in [7, 0] {
        let refused = plan().with("CEP_PROOF_ARCHIVE", days).try_start();
        let log = refused.err().expect("it doesn't serve without a secret");
        assert!(log.contains("CEP_STORE_SECRET"), "{log}");
    }
    let secret = "another long secret on every replica";
    plan().with("CEP_STORE_SECRET", secret).start();
}
