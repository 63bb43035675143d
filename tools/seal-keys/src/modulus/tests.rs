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
fn with_the_exponent_of_seals_two_signatures_of_a_key_alone_give_its_modulus() {
    let key = key_with_the_exponent_of_seals();
    let scheme = key.scheme();
    let [one, two] = [b"one", b"two"].map(|text| key.sign(text));
    let modulus = scheme.common_modulus([&one, &two]);
    assert_eq!(modulus.as_ref(), Some(&key.modulus));
    let with = |signature| Signature {
        signature,
        ..key.sign(b"one")
    };
    let encode_nothing = [0_u64, 1].map(|number| with(Natural::from(number)));
    for other in [&one, &encode_nothing[0], &encode_nothing[1]] {
        assert_eq!(scheme.common_modulus([&one, other]), None);
    }
    let excessive = with(key.sign(b"one").signature + &key.modulus);
    assert!(!scheme.verifies(&key.modulus, &excessive));
}
