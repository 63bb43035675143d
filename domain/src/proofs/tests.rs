//! Fields of a proof, and documents that only look like one.

use std::ops::Range;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::account::Account;
use crate::amount::Amount;
use crate::tracking_key::TrackingKey;
use ProofError::{Contradiction, Missing, Unreadable};

mod sealed;
mod written;

use written::{CERTIFICATE, SEAL, UNKNOWN_PAYER, Written, day, written};

fn transfer(date: NaiveDate, key: &str, amount: &str, receiver: &str) -> Transfer {
    transfer_to("002010077777777771", date, key, amount, receiver)
}

fn transfer_to(
    account: &str,
    date: NaiveDate,
    key: &str,
    amount: &str,
    receiver: &str,
) -> Transfer {
    Transfer::new(
        date,
        TrackingKey::parse(key).unwrap(),
        Account::parse(account).unwrap(),
        Amount::parse(amount).unwrap(),
        ParticipantCode::parse("40012").unwrap(),
        ParticipantCode::parse(receiver).unwrap(),
    )
    .unwrap()
}

#[test]
fn a_proof_is_read_with_all_that_it_says() {
    let proof = Written::default().parse().unwrap();
    let written = ProofField::ALL.map(|field| proof.written(field).unwrap_or_default());
    let expected = "1|2026-11-23|2026-11-20|18:02:30|40014|BANCO UNO|Ana Prueba|40|012180000118359719|\
        XAXX010101000|BANCO DOS|Luis Ejemplo & Hijos|3|4111111111111111||Pago de prueba|0.00|1234.56|PRUEBA0001";
    assert_eq!(written.join("|"), expected);
    assert_eq!(proof.operation_date(), day(2026, 11, 23));
    assert_eq!(proof.credit_time().to_string(), "18:02:30");
    assert_eq!(proof.receiver().to_string(), "40014");
    assert_eq!(proof.tracking_key(), "PRUEBA0001");
    assert_eq!(proof.centavos(), 123_456);
    assert_eq!(proof.certificate_number, CERTIFICATE);
    assert_eq!(proof.seal, SEAL);
}

#[test]
fn the_chain_says_the_same_and_more() {
    let written = Written::default();
    let proof = written.parse().unwrap();
    let chain = &proof.chain;
    let sealed = chain.values();
    assert!(ProofField::sealed().all(|field| sealed.get(field) == proof.values.get(field)));
    assert_eq!(chain.operation_date(), proof.operation_date());
    assert_eq!(chain.credit_date(), day(2026, 11, 20));
    assert_eq!(chain.receiver(), proof.receiver());
    assert_eq!(chain.certificate_number(), CERTIFICATE);
    assert_eq!(chain.seal(), SEAL);
    // The seal is made over the chain with both double bars.
    let signed = written.signed_text();
    assert_eq!(chain.signed_text(), signed);
    assert_eq!(chain.as_str(), format!("{signed}{SEAL}"));
}

#[test]
fn a_payer_that_the_proof_does_not_know_or_lacks_is_none() {
    let written = Written {
        payer: UNKNOWN_PAYER,
        ..Written::default()
    };
    let proof = written.parse().unwrap();
    let bank = ProofField::IssuerName;
    let payer = ProofField::sealed().filter(|field| field.name().starts_with("ordenante."));
    let payer: Vec<_> = payer.collect();
    assert_eq!(payer.len(), 4);
    for values in [&proof.values, &proof.chain.values()] {
        assert_eq!(values.text(bank), Some("BANCO UNO"));
        assert!(payer.iter().all(|field| values.get(*field).is_none()));
    }
    let mut xml = written.xml();
    xml.replace_range(element(&xml, "Ordenante"), "");
    let proof = Proof::parse(xml.as_bytes()).unwrap();
    assert!(
        payer
            .iter()
            .chain([&bank])
            .all(|field| proof.written(*field).is_none())
    );
}

#[test]
fn account_types_are_numbers() {
    for (text, expected) in [
        ("3", Some(3)),
        ("03", Some(3)),
        ("40", Some(40)),
        ("-1", None),
        ("NA", None),
        ("x", None),
    ] {
        let written = Written {
            payer: ["BANCO UNO", "Ana Prueba", text, "", ""],
            ..Written::default()
        };
        let proof = written.parse().unwrap();
        assert_eq!(
            proof.number(ProofField::PayerAccountType),
            expected,
            "{text}"
        );
    }
}

#[rstest]
#[case::the_operation_date(23, "PRUEBA0001", "1234.56", "40014", None)]
#[case::the_credit_date(20, "PRUEBA0001", "1234.56", "40014", None)]
#[case::the_day_before(19, "PRUEBA0001", "1234.56", "40014", None)]
#[case::two_days_before(18, "PRUEBA0001", "1234.56", "40014", Some(Mismatch::Date))]
#[case::the_day_after(24, "PRUEBA0001", "1234.56", "40014", Some(Mismatch::Date))]
#[case::another_case(20, "prueba0001", "1234.56", "40014", Some(Mismatch::TrackingKey))]
#[case::a_centavo_more(20, "PRUEBA0001", "1234.57", "40014", Some(Mismatch::Amount))]
#[case::another_receiver(20, "PRUEBA0001", "1234.56", "40072", Some(Mismatch::Receiver))]
fn a_proof_answers_only_the_transfer_that_it_proves(
    #[case] day_of_november: u32,
    #[case] key: &str,
    #[case] amount: &str,
    #[case] receiver: &str,
    #[case] mismatch: Option<Mismatch>,
) {
    let asked = transfer(day(2026, 11, day_of_november), key, amount, receiver);
    let answer = Written::default().parse().unwrap().answers(&asked);
    assert_eq!(answer.err(), mismatch);
}

#[rstest]
#[case::root(|it: &mut Written| it.root = "SPEI_Primero", ProofError::Root)]
#[case::receiver(|it: &mut Written| it.chain_receiver = "40072", Contradiction { name: "ClaveSPEI" })]
#[case::amount(|it: &mut Written| it.chain_amount = "1234.57".to_owned(), Contradiction { name: "MontoPago" })]
#[case::no_amount(|it: &mut Written| it.amount = "NA".to_owned(), Unreadable { name: "MontoPago" })]
#[case::no_key(|it: &mut Written| it.key.clear(), Missing { name: "claveRastreo" })]
#[case::no_receiver(|it: &mut Written| it.receiver = "banco", Unreadable { name: "ClaveSPEI" })]
fn an_invalid_proof_is_refused_with_its_reason(
    #[case] change: fn(&mut Written),
    #[case] reason: ProofError,
) {
    let mut written = Written::default();
    change(&mut written);
    assert_eq!(written.parse(), Err(reason));
}

#[test]
fn another_operation_date_than_the_sealed_one_is_refused() {
    let xml = Written::default().xml();
    let forged = xml.replace("FechaOperacion=\"2026-11-23", "FechaOperacion=\"2026-11-20");
    assert_ne!(forged, xml);
    let name = "FechaOperacion";
    assert_eq!(Proof::parse(forged.as_bytes()), Err(Contradiction { name }));
}

/// The place of an element of a file.
fn element(xml: &str, name: &str) -> Range<usize> {
    let from = xml.find(&format!("    <{name}")).unwrap();
    from..from + xml[from..].find("/>").unwrap() + 2
}

#[test]
fn a_second_beneficiary_is_refused() {
    let name = "Beneficiario";
    let mut twice = Written::default().xml();
    let place = element(&twice, name);
    let again = twice[place.clone()].to_owned();
    twice.insert_str(place.end, &again);
    let reason = ProofError::Repeated { name };
    assert_eq!(Proof::parse(twice.as_bytes()), Err(reason));
}

#[test]
fn a_bar_in_the_concept_is_no_contradiction() {
    let written = Written {
        concept: "renta | luz".to_owned(),
        further: 0,
        ..Written::default()
    };
    let proof = written.parse().unwrap();
    assert_eq!(proof.centavos(), 123_456);
    assert!(!proof.chain.is_of_known_length());
    assert_eq!(proof.chain.seal(), SEAL);
}

#[test]
fn latin_1_is_refused_and_a_byte_order_mark_is_not() {
    let xml = Written::default().xml();
    let marked = format!("\u{feff}{xml}");
    assert_eq!(Proof::parse(marked.as_bytes()), Written::default().parse());
    let place = xml.find("Pago").unwrap();
    let mut latin_1 = xml.into_bytes();
    latin_1[place] = 0xf1;
    assert_eq!(Proof::parse(&latin_1), Err(ProofError::NotUtf8));
}

/// Documents that try to exhaust the parser.
fn bombs() -> [(String, ProofError); 5] {
    let entity = |level: usize| {
        let ten = format!("&l{};", level - 1).repeat(10);
        format!(r#"<!ENTITY l{level} "{ten}">"#)
    };
    let entities: String = (1..10).map(entity).collect();
    let laughs = format!(
        r#"<!DOCTYPE lolz [<!ENTITY l0 "lol">{entities}]><SPEI_Tercero>&l9;</SPEI_Tercero>"#
    );
    let attributes: Vec<String> = (0..400_000).map(|n| format!(" a{n}=''")).collect();
    let attributes = format!("<SPEI_Tercero{}/>", attributes.concat());
    let bars = format!("{}{SEAL}", "|".repeat(1_000_000));
    let xml = Written::default().xml();
    let chain = xml.replace(&format!("|{CERTIFICATE}||"), &bars);
    let bytes = MAX_BYTES + 1;
    [
        (laughs, ProofError::DocumentType),
        ("<a>".repeat(1_000_000), ProofError::TooComplex),
        (attributes, ProofError::TooComplex),
        (chain, ProofError::TooComplex),
        ("x".repeat(bytes), ProofError::TooLarge { bytes }),
    ]
}

#[test]
fn a_document_type_is_refused_before_anything_is_parsed() {
    for xml in [
        "<!DOCTYPE SPEI_Tercero><SPEI_Tercero/>",
        "<SPEI_Tercero <!DOCTYPE a>",
    ] {
        assert_eq!(Proof::parse(xml.as_bytes()), Err(ProofError::DocumentType));
    }
}

#[test]
fn a_bomb_is_refused_fast() {
    for (xml, reason) in bombs() {
        let start = Instant::now();
        assert_eq!(Proof::parse(xml.as_bytes()), Err(reason));
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn debug_shows_nothing_personal() {
    let proof = Written::default().parse().unwrap();
    let shown = format!("{proof:?} {:?}", proof.values);
    for personal in [
        "Prueba", "PRUEBA", "Ejemplo", "0121", "4111", "XAXX", "1234", "123456", SEAL,
    ] {
        assert!(!shown.contains(personal), "{personal} in {shown}");
    }
}

#[test]
fn an_error_never_quotes_the_document() {
    let xml = Written::default().xml().replace("</SPEI", "</Ana_Prueba");
    let error = Proof::parse(xml.as_bytes()).unwrap_err();
    assert!(matches!(error, ProofError::NotXml { .. }));
    assert!(!format!("{error} {error:?}").contains("Prueba"));
}

proptest! {
    #[test]
    fn a_proof_of_the_next_day_answers_when_everything_else_agrees(
        days in 0_i64..8_000, operated in -2_i64..8, credited in -2_i64..8, centavos in 1_u64..1_000,
    ) {
        let asked = day(2004, 8, 13) + TimeDelta::days(days);
        let written = Written {
            operation_date: asked + TimeDelta::days(operated),
            credit_date: asked + TimeDelta::days(credited),
            ..Written::default()
        };
        let proof = written.parse().unwrap();
        let accepted = [asked, asked + TimeDelta::days(1), calendar::next_banking_day(asked)];
        let is_dated = [written.operation_date, written.credit_date]
            .iter()
            .any(|date| accepted.contains(date));
        let expected = if is_dated { Ok(()) } else { Err(Mismatch::Date) };
        prop_assert_eq!(proof.answers(&transfer(asked, "PRUEBA0001", "1234.56", "40014")), expected);
        for other in [
            transfer(asked, "PRUEBA0002", "1234.56", "40014"),
            transfer(asked, "PRUEBA0001", &format!("{centavos}.00"), "40014"),
            transfer(asked, "PRUEBA0001", "1234.56", "40072"),
        ] {
            prop_assert!(proof.answers(&other).is_err());
        }
    }

    #[test]
    fn every_generation_spelling_and_order_says_the_same((centavos, written) in written()) {
        let proof = written.parse().unwrap();
        prop_assert_eq!(proof.centavos(), centavos);
        prop_assert_eq!(proof.tracking_key(), &written.key);
        prop_assert_eq!(proof.operation_date(), written.operation_date);
        prop_assert_eq!(proof.chain.credit_date(), written.credit_date);
        prop_assert_eq!(proof.values.centavos(ProofField::Vat), written.vat.map(|_| 1_650));
        prop_assert_eq!(proof.text(ProofField::Concept), value::given(&written.concept));
        prop_assert_eq!(proof.text(ProofField::PayerName), value::given(written.payer[1]));
        let sealed = proof.chain.values();
        prop_assert!(ProofField::sealed().all(|field| sealed.get(field) == proof.values.get(field)));
        prop_assert_eq!(proof.chain.length(), 18 + written.further);
        prop_assert_eq!(proof.chain.signed_text(), written.signed_text());
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Proof::parse(&bytes);
    }

    #[test]
    fn any_chain_is_read_or_refused_without_panic(chain in "[|]{0,2}([|]?[0-9Añ ]{0,8}){0,50}[|]{0,2}x?") {
        if let Ok(chain) = OriginalChain::parse(&chain) {
            let _ = (chain.values(), chain.uncertain_fields());
            prop_assert!(chain.signed_text().ends_with("||"));
            prop_assert_eq!(format!("{}{}", chain.signed_text(), chain.seal()), chain.as_str());
        }
    }

    #[test]
    fn a_damaged_proof_is_read_or_refused_without_panic(
        place in 0_usize..1_000, byte in any::<u8>(), keep in 0_usize..2_000,
    ) {
        let mut xml = Written::default().xml().into_bytes();
        if let Some(damaged) = xml.get_mut(place) {
            *damaged = byte;
        }
        xml.truncate(keep);
        let _ = Proof::parse(&xml);
    }
}
