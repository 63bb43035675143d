use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn key(last: u8) -> SealKey {
    let mut modulus = [0xff; 256];
    modulus[255] = last;
    SealKey::new(&modulus, &[1, 0, 1]).unwrap()
}

fn unchecked() -> UncheckedSeal {
    UncheckedSeal {
        signer: Signer {
            participant: ParticipantCode::parse("40012").unwrap(),
            certificate: CertificateNumber::parse("00000999900000000001").unwrap(),
        },
        text: "||1|…||".to_owned(),
        bytes: vec![7; SEAL_BYTES],
        is_repeated: true,
    }
}

const UNKNOWN: Verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);
const VALID: Verdict = Verdict::Valid(SealHash::Sha512);

#[rstest]
#[case::an_institutions(VALID, false, Environment::Live, SealVerdict::Valid)]
#[case::the_sandboxs_for_a_test_key(VALID, true, Environment::Test, SealVerdict::Valid)]
#[case::the_sandboxs_for_a_live_key(UNKNOWN, true, Environment::Live, SealVerdict::Invalid)]
#[case::of_an_unknown_certificate(UNKNOWN, false, Environment::Live, SealVerdict::NotChecked)]
fn the_sandboxs_seal_on_a_sent_file_is_invalid_for_a_live_key(
    #[case] verdict: Verdict,
    #[case] by_sandbox: bool,
    #[case] environment: Environment,
    #[case] expected: SealVerdict,
) {
    let checked = CheckedSeal {
        verdict,
        signer: None,
        digest: None,
        by_sandbox,
    };
    assert_eq!(checked.of_sent_file(environment), expected);
}

#[test]
fn a_seal_without_a_known_key_is_not_checked() {
    let verdict = unchecked().verdict([], || None, |_, _| panic!("there is no key"));
    assert_eq!(verdict, UNKNOWN);
}

#[test]
fn a_seal_that_another_certificates_key_made_of_another_text_is_invalid() {
    let by_another = |verified| unchecked().verdict([], || Some(key(1)), |_, _| verified);
    assert_eq!(by_another(None), Verdict::Invalid);
    assert_eq!(by_another(Some(SealHash::Sha512)), UNKNOWN);
}

#[test]
fn a_seal_is_valid_when_any_key_of_its_signer_verifies_it() {
    let keys = [key(1), key(3)];
    let by_second = |key: &SealKey, _: &UncheckedSeal| {
        (*key.modulus().last().unwrap() == 3).then_some(SealHash::Sha256)
    };
    let verdict = unchecked().verdict(&keys, || None, by_second);
    assert_eq!(verdict, Verdict::Valid(SealHash::Sha256));
    let by_none = unchecked().verdict(&keys, || None, |_, _| None);
    assert_eq!(by_none, Verdict::Invalid);
}

#[test]
fn a_proof_with_two_seals_has_no_valid_one() {
    let seal = UncheckedSeal {
        is_repeated: false,
        ..unchecked()
    };
    let verdict = seal.verdict([&key(1)], || None, |_, _| Some(SealHash::Sha512));
    assert_eq!(verdict, Verdict::Invalid);
}

#[rstest]
#[case::padding_cut_off(|seal: &str| seal.trim_end_matches('=').to_owned())]
#[case::more_padding(|seal: &str| format!("{seal}=="))]
#[case::a_blank(|seal: &str| seal.replacen("BwcH", "Bw cH", 1))]
#[case::lines(|seal: &str| format!("\r\n{}", seal.replacen("BwcH", "BwcH\n", 3)))]
#[case::other_bits_behind_the_last_byte(|seal: &str| seal.replace("Bw==", "Bx=="))]
fn every_spelling_of_a_seal_is_one_seal(#[case] respelled: fn(&str) -> String) {
    let seal = "BwcH".repeat(85) + "Bw==";
    let other = respelled(&seal);
    assert_ne!(other, seal);
    assert_eq!(decoded(&other).as_deref(), Some(&[7; SEAL_BYTES][..]));
    assert!(is_same_seal(&seal, &other));
    assert!(!is_same_seal(&seal, &other.replacen('B', "C", 1)));
}

#[rstest]
#[case::empty("")]
#[case::no_base64("$$$$")]
#[case::short("BwcH")]
fn what_is_no_seal_is_invalid_where_the_key_is_known(#[case] text: &str) {
    assert_eq!(decoded(text), None);
    let seal = UncheckedSeal {
        bytes: Vec::new(),
        ..unchecked()
    };
    let by_unknown = seal.verdict([], || panic!("no key made it"), |_, _| None);
    assert_eq!(by_unknown, Verdict::NotChecked(NotChecked::Unreadable));
    let by_known = seal.verdict([&key(1)], || None, |_, _| None);
    assert_eq!(by_known, Verdict::Invalid);
}

#[rstest]
#[case::short(&[0xff; 255], &[1, 0, 1], SealKeyError::Size { bits: 2040 })]
#[case::long(&[0xff; 513], &[1, 0, 1], SealKeyError::Size { bits: 4104 })]
#[case::a_bit_too_short(&[&[0x7f][..], &[0xff; 255]].concat(), &[1, 0, 1], SealKeyError::Size { bits: 2047 })]
#[case::empty(&[], &[1, 0, 1], SealKeyError::Size { bits: 0 })]
#[case::even(&[0xfe; 256], &[1, 0, 1], SealKeyError::Even)]
#[case::exponent(&[0xff; 256], &[2], SealKeyError::Exponent)]
fn numbers_that_are_no_key_are_refused(
    #[case] modulus: &[u8],
    #[case] exponent: &[u8],
    #[case] reason: SealKeyError,
) {
    assert_eq!(SealKey::new(modulus, exponent), Err(reason));
}

#[test]
fn leading_zeros_change_no_key() {
    let padded = [&[0, 0][..], &[0xff; 256]].concat();
    let key = SealKey::new(&padded, &[0, 1, 0, 1]);
    assert_eq!(key, SealKey::new(&[0xff; 256], &[1, 0, 1]));
    assert_eq!(key.unwrap().modulus().len(), 256);
}

proptest! {
    #[test]
    fn twenty_digits_are_a_certificate_number(text in "[0-9]{20}") {
        let number = CertificateNumber::parse(&text).unwrap();
        prop_assert_eq!(number.as_str(), text);
    }

    #[test]
    fn anything_else_is_none(text in "[0-9]{0,19}|[0-9]{21,25}|[0-9]{19}[^0-9]|\\PC{0,24}") {
        prop_assume!(!(text.len() == 20 && text.bytes().all(|b| b.is_ascii_digit())));
        prop_assert_eq!(CertificateNumber::parse(&text), None);
    }
}

#[test]
fn a_verdict_is_recorded_without_its_details() {
    for (verdict, recorded) in [
        (Verdict::Valid(SealHash::Sha256), "valid"),
        (Verdict::Invalid, "invalid"),
        (Verdict::NotChecked(NotChecked::Unreadable), "not_checked"),
    ] {
        assert_eq!(SealVerdict::from(verdict).name(), recorded);
        assert_eq!(verdict.name(), recorded);
    }
}
