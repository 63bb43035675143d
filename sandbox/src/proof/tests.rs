//! Properties of all proofs of the sandbox.

use std::collections::BTreeSet;

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDate;
use domain::account::Account;
use domain::amount::Amount;
use domain::participants::ParticipantCode;
use domain::proofs::{Proof, ProofField};
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use proptest::prelude::*;

use super::SealedProof;
use crate::details::{ChildOrder, Details};
use crate::order::{Beneficiary, Order};
use crate::pdf;
use crate::seal::SealCertificate;

const CARD: &str = "4111111111111111";

/// An order of a day of November 2026.
pub(crate) fn order(key: &str, account: &str, centavos: u64, day: u32) -> Order {
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

/// Any order.
fn orders() -> impl Strategy<Value = Order> {
    let is_key = |text: &String| TrackingKey::parse(text).is_ok();
    let key = "[ -~]{1,30}".prop_filter("a tracking key", is_key);
    let account = "[0-9]{18}|[0-9]{16}|[0-9]{10}";
    (key, account, 1_u64..1_000_000_000_000, 1_u32..=30)
        .prop_map(|(key, account, centavos, day)| order(&key, &account, centavos, day))
}

/// The data of so many cards' proofs of an amount.
fn details(count: usize, centavos: u64) -> Vec<Details> {
    let of = |number| Details::of(&order(&format!("KEY{number}"), CARD, centavos, 20));
    (0..count).map(of).collect()
}

proptest! {
    #[test]
    fn every_proof_says_what_was_asked_for_and_its_seal_verifies(order in orders()) {
        let proof = Proof::parse(&SealedProof::issue(order.clone()).xml).unwrap();
        prop_assert_eq!(proof.tracking_key(), order.tracking_key.as_str());
        prop_assert_eq!(proof.receiver(), order.receiver);
        prop_assert_eq!(proof.centavos(), order.amount.centavos());
        let names = [ProofField::PayerName, ProofField::BeneficiaryName];
        for name in names.into_iter().filter_map(|field| proof.text(field)) {
            prop_assert!(name.chars().count() <= 40);
        }
        let (chain, seal) = (&proof.chain, &proof.seal);
        prop_assert_eq!(seal.len(), 344);
        prop_assert_eq!(chain.seal(), seal);
        let sealed = chain.signed_text();
        prop_assert!(sealed.starts_with("||") && sealed.ends_with("||"));
        prop_assert!(verifies(SealCertificate::Known, sealed, seal));
        prop_assert!([18, 25, 42].contains(&chain.length()));
        prop_assert_eq!(chain.credit_date(), Details::of(&order).credited_at.date());
        prop_assert_eq!(chain.certificate_number(), &proof.certificate_number);

        prop_assert_eq!(proof.answers(&transfer(&order)), Ok(()));
        let another = Proof::parse(&SealedProof::issue(order.another().unwrap()).xml).unwrap();
        prop_assert!(another.answers(&transfer(&order)).is_err());
    }

    #[test]
    fn magic_amounts_bring_seals_that_a_gateway_cannot_accept(order in orders()) {
        use SealCertificate::{Known, Unknown};
        for (centavos, certificate, verifying) in [
            (59_999, Known, vec![Known]),
            (60_000, Known, vec![]),
            (60_001, Unknown, vec![Unknown]),
            (60_002, Unknown, vec![]),
            (60_007, Unknown, vec![Unknown]),
            (60_008, Known, vec![Known]),
        ] {
            let amount = Amount::from_centavos(centavos).unwrap();
            let order = Order { amount, ..order.clone() };
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
        assert_eq!(proof.operation_date(), november(operated));
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
    let details = details(2_000, 985_870);
    let seen = |what: fn(&Details) -> String| -> Vec<String> {
        let seen: BTreeSet<_> = details.iter().map(what).collect();
        seen.into_iter().collect()
    };
    let amounts = ["000000000009858.70", "9858.7", "9858.70"];
    assert_eq!(seen(|it| it.amount.clone()), amounts);
    let types = ["03", "10", "3", "40"];
    assert_eq!(seen(|it| it.beneficiary.account_type.to_owned()), types);
    let types = ["-1", "03", "10", "3", "40"];
    assert_eq!(seen(|it| it.payer.account_type.to_owned()), types);
    let types = ["1", "12", "3", "30", "31", "5"];
    assert_eq!(seen(|it| it.payment_type.to_string()), types);
    let names = seen(|it| it.payer.name.clone());
    let has = |is_it: fn(&String) -> bool| names.iter().any(is_it);
    assert!(has(|name| name == "NA") && has(|name| name == "ND"));
    assert!(has(|name| name.chars().count() == 40));
    assert_eq!(seen(|it| format!("{:?}", it.generation)).len(), 3);
    assert_eq!(seen(|it| format!("{:?}", it.iva)).len(), 3);
    let mut orders = details.iter().map(|it| it.child_order);
    assert!(orders.any(|order| order == ChildOrder::PayerFirst));

    let november = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let mondays = details
        .iter()
        .filter(|it| it.operation_date == november(23));
    assert!((1..500).contains(&mondays.count()), "of Friday evenings");
    let mut credited = details.iter().map(|it| it.credited_at.date());
    assert!(credited.all(|date| date == november(20)));
}

#[test]
fn whole_pesos_may_lose_their_cents() {
    let amounts = details(100, 30_000).into_iter().map(|it| it.amount);
    let amounts: Vec<_> = amounts.collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(amounts, ["000000000000300.00", "300", "300.00"]);
}

#[test]
fn an_unknown_payer_is_marked_as_missing_in_the_chain_too() {
    let order = (0..100)
        .map(|number| order(&format!("KEY{number}"), CARD, 1, 20))
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
