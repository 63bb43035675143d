use malachite_nz::natural::Natural;
use rstest::rstest;

use super::*;

#[rstest]
#[case::by_all(3, 3, "key recovered, and confirmed by all 3 seals")]
#[case::by_some(
    3,
    4,
    "key recovered, and confirmed by 3 seals; 1 are not this key's: another hash than SHA-512, \
     another text, or another key"
)]
#[case::by_none(2, 2, "key recovered, but NOT confirmed: that takes a third proof")]
#[case::against_others(
    2,
    3,
    "key recovered, but NOT confirmed: 1 further seals are not this key's. Don't trust it without a \
     proof that confirms it"
)]
fn the_summary_says_how_far_a_key_is_confirmed(
    #[case] verified: usize,
    #[case] samples: usize,
    #[case] expected: &str,
) {
    let modulus = Natural::from(1_u8);
    let recovered = Recovered { modulus, verified };
    assert_eq!(summary(&recovered, samples), expected);
}
