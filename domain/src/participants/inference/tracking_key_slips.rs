//! Corrects typing errors in tracking keys: lower-case letters, and letters in place of digits.

use chrono::NaiveDate;

use super::{Confidence, Inferred, tracking_key_shapes};
use crate::lookalikes;
use crate::participants::Catalogue;
use crate::tracking_key::TrackingKey;

/// The correction with the fewest changes that yields a known shape. `None` for a key of a known shape,
/// and if there is no such correction.
pub(super) fn likely(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<TrackingKey> {
    let issuer = |key: &TrackingKey| tracking_key_shapes::issuer_of(key, date, catalogue);
    if issuer(key).is_some() {
        return None;
    }
    let capitals = key.as_str().to_ascii_uppercase();
    let in_capitals = TrackingKey::parse(&capitals).ok()?;
    if issuer(&in_capitals).is_some() {
        return Some(in_capitals);
    }
    // Unchanged letters are only at one end of the key.
    let places = 0..=capitals.len();
    let replaced = places.flat_map(|place| {
        let (head, tail) = capitals.split_at(place);
        [digits(head) + tail, head.to_owned() + &digits(tail)]
    });
    let changes = |changed: &String| {
        let pairs = changed.bytes().zip(capitals.bytes());
        pairs.filter(|(one, other)| one != other).count()
    };
    // Many texts can be changed to match a shape that several banks use, so only shapes of a single
    // bank count.
    let is_certain = |issuer: &Inferred| issuer.evidence.confidence() == Confidence::High;
    let likely = replaced.filter(|changed| {
        let key = TrackingKey::parse(changed).ok();
        let issuer = key.and_then(|key| issuer(&key));
        issuer.as_ref().is_some_and(is_certain)
    });
    TrackingKey::parse(&likely.min_by_key(changes)?).ok()
}

/// Replaces letters with the digits that look like them.
fn digits(text: &str) -> String {
    text.chars().map(lookalikes::digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::day;
    use proptest::prelude::*;
    use rstest::rstest;

    fn likely_of(key: &str) -> Option<String> {
        let key = TrackingKey::parse(key).unwrap();
        let likely = likely(&key, day("2026-11-20"), Catalogue::embedded());
        likely.map(|key| key.as_str().to_owned())
    }

    #[rstest]
    #[case::small_letters("mban01002611200000000001", Some("MBAN01002611200000000001"))]
    #[case::o_for_0("MBANO1OO261120000000OOO1", Some("MBAN01002611200000000001"))]
    #[case::i_for_1("MBAN01002611200000000OOi", Some("MBAN01002611200000000001"))]
    #[case::both("hsbcl23456", Some("HSBC123456"))]
    #[case::letters_at_the_end("26112O123456789012I", Some("261120123456789012I"))]
    #[case::small_letters_of_a_less_certain_shape("cuenca123456789", Some("CUENCA123456789"))]
    #[case::of_a_known_shape("MBAN01002611200000000001", None)]
    #[case::digits_alone("8812345678901", None)]
    #[case::nobodys("PAGO DE RENTA", None)]
    #[case::an_unreal_date("mban01002613450000000001", None)]
    fn a_slip_gives_the_likely_key(#[case] key: &str, #[case] expected: Option<&str>) {
        assert_eq!(likely_of(key).as_deref(), expected);
    }

    proptest! {
        #[test]
        fn a_likely_key_has_a_known_shape_and_differs(key in "[A-Za-z0-9]{1,30}") {
            if let Some(likely) = likely_of(&key) {
                prop_assert_ne!(&likely, &key);
                prop_assert!(tracking_key_shapes::is_known(&TrackingKey::parse(&likely).unwrap()));
            }
        }
    }
}
