use proptest::prelude::*;

use super::*;
use crate::small_keys::{key_with_the_exponent_of_seals, keys, texts};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_two_signatures_of_a_key_give_its_modulus(key in keys(), texts in texts()) {
        let scheme = key.scheme();
        let [a, b, c, ..] = texts.map(|text| key.sign(&text));
        for (pair, third) in [([&a, &b], &c), ([&c, &a], &b), ([&b, &c], &a)] {
            let modulus = scheme.common_modulus(pair).unwrap();
            prop_assert_eq!(&modulus, &key.modulus);
            prop_assert!(scheme.verifies(&modulus, third));
        }
    }

    #[test]
    fn signatures_of_different_keys_or_texts_have_nothing_in_common(
        key in keys(), other in keys(), texts in texts(),
    ) {
        let scheme = key.scheme();
        let [good, another, ..] = texts.map(|text| key.sign(&text));
        let of_another_text = Signature { text: another.text, ..key.sign(&texts[2]) };
        for bad in [other.sign(&texts[1]), of_another_text] {
            prop_assert_eq!(scheme.common_modulus([&good, &bad]), None);
            prop_assert!(!scheme.verifies(&key.modulus, &bad));
        }
    }

    #[test]
    fn small_cofactors_are_stripped(
        key in keys(), cofactors in prop::collection::vec(1_u64..SMALL_FACTORS, 0..4),
    ) {
        let bits = key.scheme().bits + MAX_COFACTOR_BITS;
        let number = cofactors.iter().fold(key.modulus.clone(), |it, factor| it * Natural::from(*factor));
        prop_assert_eq!(without_small_factors(number, bits), Some(key.modulus));
    }

    #[test]
    fn bytes_come_back(bytes: Vec<u8>) {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        prop_assert_eq!(to_bytes(&from_bytes(&bytes)), &bytes[zeros..]);
    }
}

#[test]
fn the_exponent_of_seals_gives_the_modulus() {
    let key = key_with_the_exponent_of_seals();
    let [a, b] = [b"one", b"two"].map(|text| key.sign(text));
    let modulus = key.scheme().common_modulus([&a, &b]);
    assert_eq!(modulus, Some(key.modulus));
}

#[test]
fn a_signature_with_itself_gives_nothing() {
    let key = key_with_the_exponent_of_seals();
    let signature = key.sign(b"one");
    assert_eq!(key.scheme().common_modulus([&signature; 2]), None);
}

#[test]
fn numbers_that_encode_nothing_give_nothing() {
    let key = key_with_the_exponent_of_seals();
    let good = key.sign(b"one");
    for number in [0_u64, 1] {
        let small = Signature {
            signature: Natural::from(number),
            text: good.text.clone(),
        };
        assert_eq!(key.scheme().common_modulus([&good, &small]), None);
    }
}

#[test]
fn a_signature_that_exceeds_the_modulus_is_invalid() {
    let key = key_with_the_exponent_of_seals();
    let Signature { signature, text } = key.sign(b"one");
    let excessive = Signature {
        signature: signature + &key.modulus,
        text,
    };
    assert!(!key.scheme().verifies(&key.modulus, &excessive));
}
