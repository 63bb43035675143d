use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::fixture::{self, code};

const PARTIES: &str =
    "STP|Ana Prueba|40|012180000000000017|ND|SANTANDER|Ejemplo|40|014180000000000013|NA";
const SEAL: &str = "c2VsbG8gZGUgcHJ1ZWJh";

fn hasher(generations: &[u8]) -> KeyHasher {
    KeyHasher::new(fixture::secrets(generations)).unwrap()
}

/// A signed text with these parties, concept and amount.
fn chain(parties: &str, concept: &str, amount: &str) -> String {
    format!(
        "||1|20112026|20112026|105336|40014|{parties}|{concept}|0|{amount}|00001000000500000001||"
    )
}

/// A file whose chain is written so.
fn xml_of(written_chain: &str) -> String {
    format!(
        r#"<SPEI_Tercero FechaOperacion="2026-11-20" Hora="10:53:36" ClaveSPEI="40014" sello="{SEAL}"
        numeroCertificado="00001000000500000001" cadenaCDA="{written_chain}" claveRastreo="PRUEBA1">
        <Beneficiario BancoReceptor="SANTANDER" Nombre="Ejemplo" TipoCuenta="40"
        Cuenta="014180000000000013" RFC="NA" Concepto="renta" IVA="0" MontoPago="1234.56"/>
        <Ordenante BancoEmisor="STP" Nombre="Ana Prueba" TipoCuenta="40"
        Cuenta="012180000000000017" RFC="ND"/></SPEI_Tercero>"#
    )
}

fn proof_of(written_chain: &str) -> Proof {
    Proof::read(xml_of(written_chain).as_bytes()).unwrap()
}

fn proof() -> Proof {
    proof_of(&format!("{}{SEAL}", chain(PARTIES, "renta", "1234.56")))
}

fn mark(proof: &Proof) -> ProofMark {
    ProofMark::all(&hasher(&[1]), Environment::Live, None, proof)[0]
}

/// The marks that earlier versions recorded, one for each secret.
fn of_payment(secrets: &[u8], proof: &Proof) -> Vec<ProofMark> {
    let message = ProofMark::payment_message(Environment::Live, code("40012"), proof);
    let macs = hasher(secrets).macs(message.as_bytes()).collect::<Vec<_>>();
    macs.into_iter().map(ProofMark).collect()
}

#[test]
fn a_mark_is_that_of_one_chain_in_one_environment_under_one_secret() {
    let of = |secret, environment| ProofMark::all(&hasher(&[secret]), environment, None, &proof());
    assert_eq!(of(1, Environment::Live).len(), 1);
    assert_eq!(of(1, Environment::Live), of(1, Environment::Live));
    assert_ne!(of(1, Environment::Live), of(2, Environment::Live));
    assert_ne!(of(1, Environment::Live), of(1, Environment::Test));
}

#[rstest]
#[case::of_the_root(&[
    ("FechaOperacion", "2026-11-19"), ("Hora", "11:00:00"), ("ClaveSPEI", "40072"),
    ("sello", "b3RybyBzZWxsbyBkZSBhbGd1aWVu"), ("numeroCertificado", "00001000000500000002"),
    ("claveRastreo", "PRUEBA2"),
])]
#[case::of_a_party(&[
    ("BancoReceptor", "OTRO"), ("BancoEmisor", "OTRO"), ("Nombre", "Otra Persona"),
    ("TipoCuenta", "3"), ("Cuenta", "014180000000000026"), ("RFC", "XEXX010101000"),
])]
#[case::of_the_payment(&[("Concepto", "luz"), ("IVA", "5.00"), ("MontoPago", "9234.56")])]
fn an_edited_attribute_changes_no_mark(#[case] edits: &[(&str, &str)]) {
    let chain = format!("{}{SEAL}", chain(PARTIES, "renta", "1234.56"));
    let xml = xml_of(&chain);
    for (attribute, value) in edits {
        let begin = format!("{attribute}=\"");
        for (place, _) in xml.match_indices(&begin) {
            let from = place + begin.len();
            let to = from + xml[from..].find('"').unwrap();
            let edited = format!("{}{value}{}", &xml[..from], &xml[to..]);
            let edited = Proof::read(edited.as_bytes()).unwrap();
            assert_ne!(edited, proof(), "{attribute}");
            assert_eq!(mark(&edited), mark(&proof()), "{attribute}");
        }
    }
}

#[rstest]
#[case::without_the_repeated_seal(&|chain: &str| chain.to_owned())]
#[case::with_another_repeated_seal(&|chain: &str| format!("{chain}b3Rybw=="))]
#[case::broken_into_lines(&|chain: &str| format!("{}{SEAL}", chain.replace("|40|", "|40|\n        ")))]
#[case::with_line_ends_of_windows(&|chain: &str| format!("{}{SEAL}", chain.replace("Ana Prueba", "Ana\r\nPrueba")))]
#[case::without_a_blank_that_a_line_ate(&|chain: &str| format!("{}{SEAL}", chain.replace("Ana Prueba", "AnaPrueba")))]
#[case::with_a_blank_within_a_number(&|chain: &str| format!("{}{SEAL}", chain.replace("000005", "00000 5")))]
#[case::with_entities(&|chain: &str| format!("{}{SEAL}", chain.replace('A', "&#65;").replace('P', "&#x50;")))]
#[case::with_a_written_line_feed(&|chain: &str| format!("{}{SEAL}", chain.replace("Ana Prueba", "Ana&#10;Prueba")))]
#[case::with_a_hard_blank(&|chain: &str| format!("{}{SEAL}", chain.replace("Ana Prueba", "Ana\u{a0}Prueba")))]
fn every_spelling_of_a_chain_has_one_mark(#[case] spell: &dyn Fn(&str) -> String) {
    let spelt = spell(&chain(PARTIES, "renta", "1234.56"));
    assert_eq!(mark(&proof_of(&spelt)), mark(&proof()));
}

proptest! {
    #[test]
    fn payments_with_other_sealed_data_have_other_marks(
        (one, other) in ("[A-Za-z0-9 ÑÉñé.&/-]{1,40}", "[A-Za-z0-9 ÑÉñé.&/-]{1,40}"),
        (pesos, pesos_of_other) in (1_u32..1_000, 1_u32..1_000),
    ) {
        let escaped = |text: &str| text.replace('&', "&amp;");
        let of = |concept: &str, pesos: u32| {
            let chain = chain(PARTIES, &escaped(concept), &format!("{pesos}.00"));
            mark(&proof_of(&format!("{chain}{SEAL}")))
        };
        let data = |concept: &str, pesos| (concept.replace(' ', ""), pesos);
        prop_assert_eq!(
            of(&one, pesos) == of(&other, pesos_of_other),
            data(&one, pesos) == data(&other, pesos_of_other)
        );
    }

    #[test]
    fn what_moves_from_one_sealed_field_to_the_next_is_another_payment(
        concept in "[a-z]{2,20}", place in 1_usize..20,
    ) {
        let place = place.min(concept.len() - 1);
        let (before, after) = concept.split_at(place);
        let one = PARTIES.replace("|NA", &format!("|{before}"));
        let other = PARTIES.replace("|NA", &format!("|{concept}"));
        let one = proof_of(&format!("{}{SEAL}", chain(&one, after, "1.00")));
        let other = proof_of(&format!("{}{SEAL}", chain(&other, "", "1.00")));
        prop_assert_ne!(mark(&one), mark(&other));
    }
}

#[test]
fn a_new_secret_knows_the_marks_of_the_old_one() {
    let of = |secrets: &[u8]| ProofMark::all(&hasher(secrets), Environment::Live, None, &proof());
    assert_eq!(of(&[2, 1]), [of(&[2]), of(&[1])].concat());
}

#[test]
fn the_mark_of_a_chain_is_recorded_and_those_of_the_payment_are_still_known() {
    let marks = |issuer| ProofMark::all(&hasher(&[2, 1]), Environment::Live, issuer, &proof());
    let (all, of_chain) = (marks(Some(code("40012"))), marks(None));
    assert_eq!(all, [of_chain, of_payment(&[2, 1], &proof())].concat());
}

/// Computed apart from this code: rows of an existing database have such marks.
#[test]
fn the_mark_of_a_payment_never_changes() {
    let [mark] = of_payment(&[1], &proof())[..] else {
        panic!("one secret has one mark");
    };
    let computed = "9f6a736f0e3f93cb555a795ac20b9c9a08e43cfb4b1031ff71cb126df2021d30";
    assert_eq!(mark.hex(), computed);
}

#[test]
fn a_mark_shows_nothing() {
    assert_eq!(format!("{:?}", ProofMark([7; 32])), "ProofMark");
    assert_eq!(ProofMark([7; 32]).hex(), "07".repeat(32));
}
