//! Proofs as banks write them, and documents that only look like one.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::account::Account;
use crate::amount::Amount;
use crate::tracking_key::TrackingKey;

/// A proof as a receiving bank would write it; every value can be respelled.
#[derive(Clone, Debug)]
struct Written {
    root: &'static str,
    operation_date: NaiveDate,
    credit_date: NaiveDate,
    receiver: &'static str,
    chain_receiver: &'static str,
    key: String,
    amount: String,
    chain_amount: String,
    concept: String,
    vat: Option<&'static str>,
    payer: [&'static str; 5],
    further: usize,
    payer_first: bool,
    line_end: &'static str,
}

const KNOWN_PAYER: [&str; 5] = [
    "BANCO UNO",
    "Ana Prueba",
    "40",
    "012180000118359719",
    "XAXX010101000",
];
const UNKNOWN_PAYER: [&str; 5] = ["BANCO UNO", "NA", "-1", "ND", "NA"];
const BENEFICIARY: [&str; 5] = [
    "BANCO DOS",
    "Luis Ejemplo & Hijos",
    "03",
    "4111111111111111",
    "ND",
];
const SEAL: &str = "c2VsbG8gZGUgcHJ1ZWJh+/==";
const CERTIFICATE: &str = "00001000000500000001";

impl Default for Written {
    fn default() -> Self {
        Self {
            root: "SPEI_Tercero",
            operation_date: day(2026, 11, 23),
            credit_date: day(2026, 11, 20),
            receiver: "40014",
            chain_receiver: "40014",
            key: "PRUEBA0001".to_owned(),
            amount: "1234.56".to_owned(),
            chain_amount: "1234.56".to_owned(),
            concept: "Pago de prueba".to_owned(),
            vat: Some("0.00"),
            payer: KNOWN_PAYER,
            further: 24,
            payer_first: false,
            line_end: "\r\n",
        }
    }
}

impl Written {
    fn signed_text(&self) -> String {
        let mut fields = vec![
            "1".to_owned(),
            self.operation_date.format("%d%m%Y").to_string(),
            self.credit_date.format("%d%m%Y").to_string(),
            "180230".to_owned(),
            self.chain_receiver.to_owned(),
        ];
        fields.extend(self.payer.map(str::to_owned));
        fields.extend(BENEFICIARY.map(str::to_owned));
        fields.push(self.concept.clone());
        fields.push(self.vat.unwrap_or("NA").to_owned());
        fields.push(self.chain_amount.clone());
        fields.extend((0..self.further).map(|_| "NA".to_owned()));
        format!("||{}|{CERTIFICATE}||", fields.join("|"))
    }

    fn xml(&self) -> String {
        let escape = |text: &str| {
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('"', "&quot;")
        };
        let party = |institution: &str, [bank, name, kind, account, tax_id]: [&str; 5]| {
            format!(
                r#"{institution}="{bank}" Nombre="{}" TipoCuenta="{kind}" Cuenta="{account}" RFC="{tax_id}""#,
                escape(name)
            )
        };
        let vat = self
            .vat
            .map(|vat| format!(r#" IVA="{vat}""#))
            .unwrap_or_default();
        let beneficiary = format!(
            r#"    <Beneficiario {} Concepto="{}"{vat} MontoPago="{}"/>"#,
            party("BancoReceptor", BENEFICIARY),
            escape(&self.concept),
            self.amount
        );
        let payer = format!("    <Ordenante {}/>", party("BancoEmisor", self.payer));
        let children = if self.payer_first {
            [payer, beneficiary]
        } else {
            [beneficiary, payer]
        };
        let root = format!(
            r#"<{} FechaOperacion="{}" Hora="18:02:30" ClaveSPEI="{}" sello="{SEAL}" numeroCertificado="{CERTIFICATE}" cadenaCDA="{}{SEAL}" claveRastreo="{}">"#,
            self.root,
            self.operation_date,
            self.receiver,
            escape(&self.signed_text()),
            escape(&self.key),
        );
        let [first, second] = children;
        let declaration = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
        [
            declaration,
            &root,
            &first,
            &second,
            &format!("</{}>", self.root),
        ]
        .join(self.line_end)
    }

    fn parse(&self) -> Result<Proof, ProofError> {
        Proof::parse(self.xml().as_bytes())
    }
}

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

fn transfer(date: NaiveDate, key: &str, amount: &str, receiver: &str) -> Transfer {
    Transfer::new(
        date,
        TrackingKey::parse(key).unwrap(),
        Account::parse("002010077777777771").unwrap(),
        Amount::parse(amount).unwrap(),
        ParticipantCode::parse("40012").unwrap(),
        ParticipantCode::parse(receiver).unwrap(),
    )
    .unwrap()
}

#[test]
fn a_proof_is_read_with_all_that_it_says() {
    let proof = Written::default().parse().unwrap();
    assert_eq!(proof.operation_date, day(2026, 11, 23));
    assert_eq!(
        proof.credit_time,
        NaiveTime::from_hms_opt(18, 2, 30).unwrap()
    );
    assert_eq!(proof.receiver.to_string(), "40014");
    assert_eq!(proof.tracking_key, "PRUEBA0001");
    assert_eq!(proof.centavos, 123_456);
    assert_eq!(proof.concept.as_deref(), Some("Pago de prueba"));
    assert_eq!(proof.vat_centavos, Some(0));
    assert_eq!(proof.certificate_number, CERTIFICATE);
    assert_eq!(proof.seal, SEAL);
    assert_eq!(proof.payer.account_type, Some(AccountType::Clabe));
    assert_eq!(proof.payer.tax_id.as_deref(), Some("XAXX010101000"));
    assert_eq!(proof.beneficiary.account_type, Some(AccountType::Card));
    assert_eq!(
        proof.beneficiary.name.as_deref(),
        Some("Luis Ejemplo & Hijos")
    );
    assert_eq!(proof.beneficiary.tax_id, None);
}

#[test]
fn the_chain_says_the_same_and_more() {
    let proof = Written::default().parse().unwrap();
    let chain = &proof.chain;
    assert_eq!(chain.payment_type(), Some(1));
    assert_eq!(chain.operation_date(), proof.operation_date);
    assert_eq!(chain.credit_date(), day(2026, 11, 20));
    assert_eq!(chain.credit_time(), Some(proof.credit_time));
    assert_eq!(chain.receiver(), proof.receiver);
    assert_eq!(chain.payer(), proof.payer);
    assert_eq!(chain.beneficiary(), proof.beneficiary);
    assert_eq!(chain.concept(), proof.concept.as_deref());
    assert_eq!(chain.vat_centavos(), Some(0));
    assert_eq!(chain.centavos(), Some(123_456));
    assert_eq!(chain.certificate_number(), CERTIFICATE);
    assert_eq!(chain.seal(), SEAL);
}

#[test]
fn the_seal_is_made_over_the_chain_with_both_double_bars() {
    let written = Written::default();
    let proof = written.parse().unwrap();
    assert_eq!(proof.chain.signed_text(), written.signed_text());
    assert_eq!(
        proof.chain.signed_bytes(),
        written.signed_text().into_bytes()
    );
    assert_eq!(
        proof.chain.as_str(),
        format!("{}{SEAL}", written.signed_text())
    );
}

#[test]
fn a_payer_that_the_proof_does_not_know_is_none() {
    let written = Written {
        payer: UNKNOWN_PAYER,
        ..Written::default()
    };
    let proof = written.parse().unwrap();
    let unknown = Party {
        institution: Some("BANCO UNO".to_owned()),
        ..Party::default()
    };
    assert_eq!(proof.payer, unknown);
    assert_eq!(proof.chain.payer(), unknown);
}

#[rstest]
#[case("3", Some(AccountType::Card))]
#[case("03", Some(AccountType::Card))]
#[case("10", Some(AccountType::Phone))]
#[case("40", Some(AccountType::Clabe))]
#[case("7", Some(AccountType::Other(7)))]
#[case("-1", None)]
#[case("NA", None)]
#[case("x", None)]
fn account_types_are_numbers(#[case] text: &str, #[case] expected: Option<AccountType>) {
    let party = Party::from_texts(["", "", text, "", ""]);
    assert_eq!(party.account_type, expected);
}

#[rstest]
#[case::the_operation_date(transfer(day(2026, 11, 23), "PRUEBA0001", "1234.56", "40014"), Ok(()))]
#[case::the_credit_date(transfer(day(2026, 11, 20), "PRUEBA0001", "1234.56", "40014"), Ok(()))]
#[case::another_date(
    transfer(day(2026, 11, 21), "PRUEBA0001", "1234.56", "40014"),
    Err(Mismatch::Date)
)]
#[case::another_case(
    transfer(day(2026, 11, 20), "prueba0001", "1234.56", "40014"),
    Err(Mismatch::TrackingKey)
)]
#[case::a_centavo_more(
    transfer(day(2026, 11, 20), "PRUEBA0001", "1234.57", "40014"),
    Err(Mismatch::Amount)
)]
#[case::another_receiver(
    transfer(day(2026, 11, 20), "PRUEBA0001", "1234.56", "40072"),
    Err(Mismatch::Receiver)
)]
fn a_proof_answers_only_the_transfer_that_it_proves(
    #[case] asked: Transfer,
    #[case] answer: Result<(), Mismatch>,
) {
    assert_eq!(Written::default().parse().unwrap().answers(&asked), answer);
}

#[rstest]
#[case::root(Written { root: "SPEI_Primero", ..Written::default() }, ProofError::Root)]
#[case::receiver(
    Written { chain_receiver: "40072", ..Written::default() },
    ProofError::Contradiction { name: "ClaveSPEI" }
)]
#[case::amount(
    Written { chain_amount: "1234.57".to_owned(), ..Written::default() },
    ProofError::Contradiction { name: "MontoPago" }
)]
#[case::no_amount(
    Written { amount: "NA".to_owned(), ..Written::default() },
    ProofError::Unreadable { name: "MontoPago" }
)]
#[case::no_key(
    Written { key: String::new(), ..Written::default() },
    ProofError::Missing { name: "claveRastreo" }
)]
#[case::no_receiver(
    Written { receiver: "banco", ..Written::default() },
    ProofError::Unreadable { name: "ClaveSPEI" }
)]
fn what_is_no_proof_is_refused_with_its_reason(
    #[case] written: Written,
    #[case] reason: ProofError,
) {
    assert_eq!(written.parse(), Err(reason));
}

#[test]
fn a_bar_in_the_concept_is_no_contradiction() {
    let written = Written {
        concept: "renta | luz".to_owned(),
        further: 0,
        ..Written::default()
    };
    let proof = written.parse().unwrap();
    assert_eq!(proof.centavos, 123_456);
    assert!(!proof.chain.is_of_known_length());
    assert_eq!(proof.chain.seal(), SEAL);
}

#[test]
fn a_proof_without_a_payer_is_a_proof() {
    let xml = Written::default().xml();
    let from = xml.find("    <Ordenante").unwrap();
    let to = from + xml[from..].find("/>").unwrap() + 2;
    let proof = Proof::parse(format!("{}{}", &xml[..from], &xml[to..]).as_bytes()).unwrap();
    assert_eq!(proof.payer, Party::default());
}

#[test]
fn a_byte_order_mark_is_accepted() {
    let xml = format!("\u{feff}{}", Written::default().xml());
    assert_eq!(Proof::parse(xml.as_bytes()), Written::default().parse());
}

#[test]
fn latin_1_is_refused() {
    let xml = Written {
        concept: "renta de a?o".to_owned(),
        ..Written::default()
    }
    .xml();
    let latin_1: Vec<u8> = xml
        .bytes()
        .map(|b| if b == b'?' { 0xf1 } else { b })
        .collect();
    assert_eq!(Proof::parse(&latin_1), Err(ProofError::NotUtf8));
}

/// Documents that try to keep the parser busy.
fn bombs() -> Vec<(String, ProofError)> {
    let entities: Vec<String> = (1..10)
        .map(|level| {
            let ten = format!("&l{};", level - 1).repeat(10);
            format!(r#"<!ENTITY l{level} "{ten}">"#)
        })
        .collect();
    let laughs = format!(
        r#"<!DOCTYPE lolz [<!ENTITY l0 "lol">{}]><SPEI_Tercero>&l9;</SPEI_Tercero>"#,
        entities.concat()
    );
    let attributes: Vec<String> = (0..400_000).map(|n| format!(" a{n}=''")).collect();
    let attributes = attributes.concat();
    let bars = format!("{}{SEAL}", "|".repeat(1_000_000));
    let chain = Written::default()
        .xml()
        .replace(&format!("|{CERTIFICATE}||"), &bars);
    vec![
        (laughs, ProofError::DocumentType),
        ("<a>".repeat(1_000_000), ProofError::TooComplex),
        (
            format!("<SPEI_Tercero{attributes}/>"),
            ProofError::TooComplex,
        ),
        (chain, ProofError::TooComplex),
        (
            "x".repeat(MAX_BYTES + 1),
            ProofError::TooLarge {
                bytes: MAX_BYTES + 1,
            },
        ),
    ]
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
    let shown = format!("{proof:?} {:?} {:?}", proof.payer, proof.beneficiary);
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

/// An amount in centavos and one of the spellings that banks use for it.
fn spelled_amount() -> impl Strategy<Value = (u64, String)> {
    (1_u64..10_000_000_000, 0_usize..4).prop_map(|(centavos, spelling)| {
        let (pesos, cents) = (centavos / 100, centavos % 100);
        let text = match spelling {
            0 if cents == 0 => format!("{pesos}"),
            1 if cents % 10 == 0 => format!("{pesos}.{}", cents / 10),
            2 => format!("{pesos:015}.{cents:02}"),
            _ => format!("{pesos}.{cents:02}"),
        };
        (centavos, text)
    })
}

fn written() -> impl Strategy<Value = (u64, Written)> {
    let dates = (0_u64..8_000, 0_u64..7);
    (
        spelled_amount(),
        dates,
        "[ -;=?-~]{1,30}",
        "[A-Za-z0-9 ñÁ&<\"']{0,40}",
        prop::sample::select(vec![0_usize, 7, 24, 31]),
        any::<[bool; 4]>(),
    )
        .prop_map(
            |((centavos, amount), (days, roll), key, concept, further, flips)| {
                let [payer_first, vat, known_payer, carriage_return] = flips;
                let credit_date = day(2004, 8, 13) + chrono::Days::new(days);
                let written = Written {
                    credit_date,
                    operation_date: credit_date + chrono::Days::new(roll),
                    key,
                    chain_amount: amount.clone(),
                    amount,
                    concept,
                    vat: vat.then_some("16.5"),
                    payer: if known_payer {
                        KNOWN_PAYER
                    } else {
                        UNKNOWN_PAYER
                    },
                    further,
                    payer_first,
                    line_end: if carriage_return { "\r\n" } else { "\n" },
                    ..Written::default()
                };
                (centavos, written)
            },
        )
}

proptest! {
    #[test]
    fn every_generation_spelling_and_order_says_the_same((centavos, written) in written()) {
        let proof = written.parse().unwrap();
        prop_assert_eq!(proof.centavos, centavos);
        prop_assert_eq!(proof.chain.centavos(), Some(centavos));
        prop_assert_eq!(&proof.tracking_key, &written.key);
        prop_assert_eq!(proof.operation_date, written.operation_date);
        prop_assert_eq!(proof.chain.operation_date(), written.operation_date);
        prop_assert_eq!(proof.chain.credit_date(), written.credit_date);
        prop_assert_eq!(proof.vat_centavos, written.vat.map(|_| 1_650));
        prop_assert_eq!(proof.concept.as_deref(), party::given(&written.concept));
        prop_assert_eq!(proof.chain.concept(), proof.concept.as_deref());
        prop_assert_eq!(&proof.payer, &Party::from_texts(written.payer));
        prop_assert_eq!(&proof.chain.payer(), &proof.payer);
        prop_assert_eq!(proof.chain.length(), 18 + written.further);
        prop_assert_eq!(proof.chain.further_fields().count(), written.further);
        prop_assert_eq!(proof.chain.signed_text(), written.signed_text());
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Proof::parse(&bytes);
    }

    #[test]
    fn any_chain_is_read_or_refused_without_panic(chain in "[|]{0,2}([|]?[0-9Añ ]{0,8}){0,50}[|]{0,2}x?") {
        if let Ok(chain) = OriginalChain::parse(&chain) {
            let _ = (chain.payer(), chain.beneficiary(), chain.concept(), chain.centavos());
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
