//! The archive of issued proofs: a repeat costs the bank nothing, and a stolen database shows nothing.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use domain::proofs::{Proof, ProofField};
use futures::StreamExt as _;
use futures::stream;
use regex::bytes::RegexSet;
use testkit::files_under;

use crate::fleet::Fleet;
use crate::gateway::{CountingBank, Gateway, Key, Plan, command, refusal, request, soon};
use crate::metrics::Measured;
use crate::servers::{database, shared};

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

/// A text in every encoding in which a dump could show it, as patterns of bytes.
fn encodings(text: &str) -> impl Iterator<Item = String> {
    let plain = text.as_bytes();
    let hex = domain::hex::encode(plain);
    let base64 = (0..3).map(|before| {
        // Digits that depend on neighbours are left out.
        let whole = STANDARD_NO_PAD.encode([&b"\0\0"[..before], plain].concat());
        let own = (before * 8).div_ceil(6)..(before + plain.len()) * 8 / 6;
        whole.as_bytes()[own].to_vec()
    });
    let others = [
        plain.to_vec(),
        hex.to_uppercase().into_bytes(),
        hex.into_bytes(),
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ];
    base64.chain(others).map(|encoded| {
        let bytes = encoded.iter().map(|byte| format!("\\x{byte:02x}"));
        format!("(?-u){}", bytes.collect::<String>())
    })
}

/// Asserts that nothing of these proofs is in any of the texts, in any encoding.
fn assert_nothing_is_shown(proofs: &[Proof], texts: &[(&str, Vec<u8>)]) {
    let common = [AMOUNT, "867530917", "002010077777777771", "MBAN01002611180"];
    let names = proofs.iter().take(50).flat_map(|proof| {
        let names = [ProofField::BeneficiaryName, ProofField::PayerName];
        names.into_iter().filter_map(|name| proof.written(name))
    });
    let canaries: Vec<_> = common.map(str::to_owned).into_iter().chain(names).collect();
    assert!(canaries.len() > 50, "the proofs have no names");
    let patterns: Vec<_> = canaries.iter().flat_map(|it| encodings(it)).collect();
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

/// Stops a gateway, and asserts that nothing of these proofs nor of these texts is in its database or log.
pub(crate) fn assert_nothing_is_kept(gateway: Gateway, proofs: &[Proof], others: &[&str]) {
    let folder = gateway.stop();
    let database = everything_under(&folder.path().join("data"));
    let log = std::fs::read(folder.path().join("log")).unwrap();
    for text in others {
        let mut parts = database.windows(text.len()).chain(log.windows(text.len()));
        assert!(!parts.any(|part| part == text.as_bytes()), "{text}");
    }
    assert_nothing_is_shown(proofs, &[("the database", database), ("the log", log)]);
}

#[test]
fn every_encoding_of_a_text_is_found() {
    let text = "MBAN01002611180";
    let base64 = STANDARD_NO_PAD.encode(format!("xy{text}z"));
    let utf16: Vec<_> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let search = RegexSet::new(encodings(text)).unwrap();
    let hex = domain::hex::encode(text.as_bytes());
    for encoded in [text.as_bytes(), base64.as_bytes(), hex.as_bytes(), &utf16] {
        let around = [&b"before "[..], encoded, b" after"].concat();
        assert!(search.is_match(&around));
    }
}

pub(crate) fn everything_under(folder: &Path) -> Vec<u8> {
    let files = files_under(folder).into_iter();
    let bytes = files.flat_map(|file| std::fs::read(file).unwrap());
    bytes.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_transfers_asked_again_after_a_restart_cost_the_bank_a_thousand_lookups() {
    const TRANSFERS: u32 = 1_000;
    let (bank, gateway, key) = CountingBank::with_gateway().await;
    let begun = Instant::now();
    let proofs = ask(&gateway, &key, TRANSFERS).await;
    let first = begun.elapsed();
    let gateway = bank.gateway_in(gateway.stop());
    let begun = Instant::now();
    let again = ask(&gateway, &key, TRANSFERS).await;
    println!("first: {first:?}, again: {:?}", begun.elapsed());
    assert_eq!(again.len(), proofs.len());
    assert_eq!(bank.cycles().len(), TRANSFERS as usize);
    let measured = Measured::of(&gateway).await;
    let hits = measured.value("cep_proof_archive_reads_total{result=\"hit\"}");
    assert_eq!(hits, f64::from(TRANSFERS));
    assert_nothing_is_kept(gateway, &proofs, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_of_one_replica_costs_the_bank_nothing_on_another() {
    const TRANSFERS: u32 = 200;
    let bank = CountingBank::start(Duration::ZERO).await;
    let Some((_redis, fleet)) = Fleet::on_redis(2, |_, plan| bank.known_to(plan)) else {
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
    let (bank, gateway, key) = CountingBank::with_gateway().await;
    ask(&gateway, &key, 1).await;
    let off = bank.known_to(Plan::in_folder(gateway.stop()));
    let off = off.with("CEP_PROOF_ARCHIVE", 0).start();
    ask(&off, &key, 1).await;
    assert_eq!(bank.cycles().len(), 2);
    let on = bank.gateway_in(off.stop());
    ask(&on, &key, 1).await;
    assert_eq!(bank.cycles().len(), 3, "something was kept");
}

#[test]
fn replicas_need_a_store_secret() {
    let Some(database) = database() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut replica = command(folder.path());
    replica
        .envs(shared(&database))
        .env("CEP_REDIS_URL", "redis://127.0.0.1:1")
        .env_remove("CEP_STORE_SECRET");
    for days in ["7", "0"] {
        let said = refusal(replica.env("CEP_PROOF_ARCHIVE", days));
        assert!(said.contains("CEP_STORE_SECRET"), "{said}");
    }
}
