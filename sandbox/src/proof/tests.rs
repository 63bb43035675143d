//! Properties of all proofs of the sandbox.

use std::collections::BTreeSet;

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDate;
use domain::account::Account;
use domain::amount::{Amount, centavos_from_bank_spelling};
use domain::participant::ParticipantCode;
use domain::proof::Proof;
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::SealedProof;
use crate::details::{ChildOrder, Details};
use crate::order::{Beneficiary, Order};
use crate::pdf;
use crate::seal::SealCertificate;

fn order(key: &str, account: &str, centavos: u64, day: u32) -> Order {
    Order {
        date: NaiveDate::from_ymd_opt(2026, 11, day).unwrap(),
        tracking_key: TrackingKey::parse(key).unwrap(),
        reference: 1,
        issuer: ParticipantCode::parse("40012").unwrap(),
        receiver: ParticipantCode::parse("40002").unwrap(),
        account: account.to_owned(),
        amount: Amount::from_centavos(centavos).unwrap(),
        beneficiary: Beneficiary::Customer,
    }
}

fn transfer(order: &Order) -> Transfer {
    Transfer::new(
        order.date,
        order.tracking_key.clone(),
        Account::parse(&order.account).unwrap(),
        order.amount,
        order.issuer,
        order.receiver,
    )
    .unwrap()
}

fn child<'a>(document: &'a Document<'_>, name: &str) -> Node<'a, 'a> {
    let named = |node: &Node<'_, '_>| node.has_tag_name(name);
    document.root_element().children().find(named).unwrap()
}

fn verifies(certificate: SealCertificate, chain: &str, seal: &str) -> bool {
    let signature = STANDARD.decode(seal).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, certificate.public_key_der())
        .verify(chain.as_bytes(), &signature)
        .is_ok()
}

/// Checks that a proof is read and answers its transfer, and that its attributes, its chain and its
/// PDF have one certificate and one seal; returns which certificates verify this seal.
fn verifying_certificates(order: &Order, certificate: SealCertificate) -> Vec<SealCertificate> {
    let issued = SealedProof::issue(order.clone());
    let proof = Proof::parse(&issued.xml).unwrap();
    assert_eq!(proof.answers(&transfer(order)), Ok(()));
    assert_eq!(proof.certificate_number, certificate.number());
    assert_eq!(proof.chain.certificate_number(), certificate.number());
    assert_eq!(proof.chain.seal(), proof.seal);
    let credited = issued.details.credited_at;
    let printed = printed_text(&pdf::render(&issued, credited));
    assert!(printed.contains(&proof.seal));
    assert!(printed.contains(certificate.number()));
    [SealCertificate::Known, SealCertificate::Unknown]
        .into_iter()
        .filter(|it| verifies(*it, proof.chain.signed_text(), &proof.seal))
        .collect()
}

/// All text that a PDF shows, without blanks between its lines.
fn printed_text(pdf: &[u8]) -> String {
    let text: String = pdf.iter().copied().map(char::from).collect();
    let shown = text
        .split(") Tj")
        .filter_map(|line| line.rsplit('(').next());
    shown.collect()
}

fn tracking_key() -> impl Strategy<Value = String> {
    "[ -~]{1,30}".prop_filter("a tracking key", |text| TrackingKey::parse(text).is_ok())
}

proptest! {
    #[test]
    fn every_proof_says_what_was_asked_for_and_its_seal_verifies(
        key in tracking_key(),
        account in "[0-9]{18}|[0-9]{16}|[0-9]{10}",
        centavos in 1_u64..1_000_000_000_000,
        day in 1_u32..=30,
    ) {
        let order = order(&key, &account, centavos, day);
        let proof = SealedProof::issue(order.clone());
        let text = std::str::from_utf8(&proof.xml).unwrap();
        let document = Document::parse(text).unwrap();
        let root = document.root_element();
        prop_assert!(root.has_tag_name("SPEI_Tercero"));
        prop_assert_eq!(root.attribute("claveRastreo"), Some(order.tracking_key.as_str()));
        prop_assert_eq!(root.attribute("ClaveSPEI"), Some("40002"));

        let paid = child(&document, "Beneficiario");
        let amount = paid.attribute("MontoPago").unwrap();
        prop_assert_eq!(centavos_from_bank_spelling(amount), Some(centavos));
        for side in [paid, child(&document, "Ordenante")] {
            prop_assert!(side.attribute("Nombre").unwrap().chars().count() <= 40);
        }

        let chain = root.attribute("cadenaCDA").unwrap();
        let seal = root.attribute("sello").unwrap();
        prop_assert_eq!(seal.len(), 344);
        let sealed = chain.strip_suffix(seal).unwrap();
        prop_assert!(sealed.starts_with("||") && sealed.ends_with("||"));
        prop_assert!(verifies(SealCertificate::Known, sealed, seal));
        let fields: Vec<_> = chain.split('|').collect();
        prop_assert!([18, 25, 42].contains(&(fields.len() - 5)));
        let credited = Details::of(&order).credited_at;
        prop_assert_eq!(fields[4], credited.format("%d%m%Y").to_string());
        prop_assert_eq!(fields[fields.len() - 3], root.attribute("numeroCertificado").unwrap());
    }

    #[test]
    fn every_proof_is_read_by_the_gateway_and_answers_its_transfer(
        key in tracking_key(),
        account in "[0-9]{18}|[0-9]{16}|[0-9]{10}",
        centavos in 1_u64..1_000_000_000_000,
        day in 1_u32..=30,
    ) {
        let order = order(&key, &account, centavos, day);
        let proof = Proof::parse(&SealedProof::issue(order.clone()).xml).unwrap();
        prop_assert_eq!(proof.answers(&transfer(&order)), Ok(()));
        let another = Proof::parse(&SealedProof::issue(order.another().unwrap()).xml).unwrap();
        prop_assert!(another.answers(&transfer(&order)).is_err());
    }

    #[test]
    fn magic_amounts_bring_seals_that_a_gateway_cannot_accept(
        key in tracking_key(),
        account in "[0-9]{18}|[0-9]{16}|[0-9]{10}",
        day in 1_u32..=30,
    ) {
        use SealCertificate::{Known, Unknown};
        for (centavos, certificate, verifying) in [
            (59_999, Known, vec![Known]),
            (60_000, Known, vec![]),
            (60_001, Unknown, vec![Unknown]),
            (60_002, Known, vec![Known]),
        ] {
            let order = order(&key, &account, centavos, day);
            prop_assert_eq!(verifying_certificates(&order, certificate), verifying);
        }
    }
}

#[test]
fn a_payment_credited_after_midnight_has_a_proof_of_the_next_day() {
    // A Tuesday, and a Friday before a weekend and Revolution Day.
    for (day, credited, operated) in [(10, 11, 11), (13, 14, 17)] {
        let order = order("KEY", "002010077777777771", 20_001, day);
        let proof = Proof::parse(&SealedProof::issue(order.clone()).xml).unwrap();
        let november = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        assert_eq!(proof.chain.credit_date(), november(credited));
        assert_eq!(proof.operation_date, november(operated));
        assert_eq!(proof.answers(&transfer(&order)), Ok(()));
    }
}

#[test]
fn lines_end_with_crlf_and_nothing_follows_the_document() {
    let xml = SealedProof::issue(order("KEY", "002010077777777771", 1, 20)).xml;
    let text = std::str::from_utf8(&xml).unwrap();
    assert_eq!(text.matches("\r\n").count(), 4);
    assert_eq!(text.matches('\n').count(), 4);
    assert!(text.ends_with("</SPEI_Tercero>"));
}

#[test]
fn one_order_has_one_proof_to_the_byte() {
    for centavos in [123_456, 60_000, 60_001] {
        let order = order("KEY", "002010077777777771", centavos, 20);
        let again = SealedProof::issue(order.clone());
        assert_eq!(SealedProof::issue(order).xml, again.xml);
    }
}

#[test]
fn the_certificates_have_keys_and_numbers_of_their_own() {
    let [known, unknown] = [SealCertificate::Known, SealCertificate::Unknown];
    assert_ne!(known.public_key_der(), unknown.public_key_der());
    assert_ne!(known.number(), unknown.number());
}

#[test]
fn banks_spell_in_every_way_on_record() {
    let details: Vec<_> = (0..2_000)
        .map(|number| {
            Details::of(&order(
                &format!("KEY{number}"),
                "4111111111111111",
                985_870,
                20,
            ))
        })
        .collect();
    let seen = |what: &dyn Fn(&Details) -> String| -> BTreeSet<String> {
        details.iter().map(what).collect()
    };
    assert_eq!(
        seen(&|details| details.amount.clone()),
        ["000000000009858.70", "9858.7", "9858.70"]
            .map(String::from)
            .into()
    );
    assert_eq!(
        seen(&|details| details.beneficiary.account_type.to_owned()),
        ["03", "10", "3", "40"].map(String::from).into()
    );
    assert_eq!(
        seen(&|details| details.payer.account_type.to_owned()),
        ["-1", "03", "10", "3", "40"].map(String::from).into()
    );
    assert_eq!(
        seen(&|details| details.payment_type.to_string()),
        ["1", "12", "3", "30", "31", "5"].map(String::from).into()
    );
    let names = seen(&|details| details.payer.name.clone());
    assert!(names.contains("NA") && names.contains("ND"));
    assert!(names.iter().any(|name| name.chars().count() == 40));
    assert_eq!(
        seen(&|details| format!("{:?}", details.generation)).len(),
        3
    );
    assert_eq!(seen(&|details| format!("{:?}", details.iva)).len(), 3);
    assert!(
        details
            .iter()
            .any(|details| details.child_order == ChildOrder::PayerFirst)
    );

    let friday = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    let monday = NaiveDate::from_ymd_opt(2026, 11, 23).unwrap();
    let in_the_evening = details
        .iter()
        .filter(|details| details.operation_date == monday);
    assert!((1..500).contains(&in_the_evening.count()));
    assert!(
        details
            .iter()
            .all(|details| details.credited_at.date() == friday)
    );
}

#[test]
fn whole_pesos_may_lose_their_cents() {
    let spellings: BTreeSet<_> = (0..100)
        .map(|number| {
            Details::of(&order(
                &format!("KEY{number}"),
                "4111111111111111",
                30_000,
                20,
            ))
        })
        .map(|details| details.amount)
        .collect();
    let expected = ["000000000000300.00", "300", "300.00"];
    assert_eq!(spellings, expected.map(String::from).into());
}

#[test]
fn an_unknown_payer_is_marked_as_missing_in_the_chain_too() {
    let order = (0..100)
        .map(|number| order(&format!("KEY{number}"), "4111111111111111", 1, 20))
        .find(|order| Details::of(order).payer.name == "ND")
        .unwrap();
    let proof = SealedProof::issue(order);
    assert!(proof.chain.contains("|BBVA MEXICO|ND|ND|ND|ND|BANAMEX|"));
    let text = std::str::from_utf8(&proof.xml).unwrap();
    assert!(text.contains("Nombre=\"ND\" TipoCuenta=\"-1\" Cuenta=\"ND\" RFC=\"ND\"/>"));
}

#[test]
fn a_payment_to_a_bank_itself_names_the_payers_account() {
    let order = Order {
        beneficiary: Beneficiary::Participant,
        ..order("KEY", "012180004412345678", 1, 20)
    };
    let details = Details::of(&order);
    assert_eq!(details.payer.account, "012180004412345678");
    assert_eq!(details.beneficiary.name, "BANAMEX");
    assert_eq!(details.beneficiary.account, "NA");
    assert_eq!(details.payment_type, 4);
}
