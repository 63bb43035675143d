use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::small_keys::{SmallKey, Texts, keys, texts};

/// The result for the first `count` texts, of which those at `bad` have the seal of another text.
fn recovered(
    key: &SmallKey,
    texts: &Texts,
    count: usize,
    bad: &[usize],
) -> Result<Recovered, NotRecovered> {
    let mut signatures: Vec<_> = texts[..count].iter().map(|text| key.sign(text)).collect();
    for &place in bad {
        let other = format!("another text {place}");
        signatures[place].signature = key.sign(other.as_bytes()).signature;
    }
    recover(&key.scheme(), &signatures, |_| ())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn two_signatures_give_a_key_a_third_confirms_it_and_a_bad_one_is_passed_over(
        key in keys(), texts in texts(), count in 2_usize..=5, bad in prop::option::of(0_usize..5),
    ) {
        prop_assume!(bad.is_none_or(|bad| count > 2 && bad < count));
        let recovered = recovered(&key, &texts, count, bad.as_slice()).unwrap();
        let good = count - bad.iter().count();
        prop_assert_eq!(&recovered.modulus, &key.modulus);
        prop_assert_eq!(recovered.verified, good);
        prop_assert_eq!(recovered.is_confirmed(), good > 2);
    }

    #[test]
    fn one_good_signature_gives_no_key(key in keys(), texts in texts()) {
        let result = recovered(&key, &texts, 3, &[0, 2]);
        prop_assert_eq!(result, Err(NotRecovered::NothingInCommon { pairs: 3 }));
        for count in [0, 1] {
            prop_assert_eq!(recovered(&key, &texts, count, &[]), Err(NotRecovered::TooFew));
        }
    }

    #[test]
    fn pairs_are_different_and_few_and_begin_with_disjoint_ones(signatures in 0_usize..20) {
        let pairs = pairs(signatures);
        let different: BTreeSet<_> = pairs.iter().collect();
        prop_assert_eq!(different.len(), pairs.len());
        prop_assert!(pairs.iter().all(|[first, second]| first < second && *second < signatures));
        let all = signatures * signatures.saturating_sub(1) / 2;
        prop_assert_eq!(pairs.len(), all.min(MAX_PAIRS));
        let members: BTreeSet<_> = pairs.iter().take(signatures / 2).flatten().collect();
        prop_assert_eq!(members.len(), 2 * pairs.len().min(signatures / 2));
    }
}

#[test]
fn each_step_is_told() {
    let key = crate::small_keys::key_with_the_exponent_of_seals();
    let mut steps = Vec::new();
    let signatures = [b"one", b"two"].map(|text| key.sign(text));
    recover(&key.scheme(), &signatures, |step| steps.push(step)).unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0], "comparing seals 1 and 2 …");
    assert!(steps[1].starts_with("seals 1 and 2 have a modulus in common ("));
}
