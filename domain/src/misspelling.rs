//! Finds the intended name for a misspelt one: JSON members, parameters, participants.

/// Returns the `known` name that `given` probably means: one that differs only in case and punctuation,
/// else the most similar one; `None` if none is similar.
pub fn meant<'n>(given: &str, known: &[&'n str]) -> Option<&'n str> {
    let folded = fold(given);
    let near = known.iter().copied().filter(|name| {
        let name = fold(name);
        name == folded || is_near(&folded, &name)
    });
    near.min_by_key(|name| strsim::osa_distance(&folded, &fold(name)))
}

/// Returns `true` if two normalised names differ by one or two typing errors. The limit is lower for
/// short names, which are often similar by chance.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
    let (one_length, other_length) = (one.chars().count(), other.chars().count());
    let most = match one_length.min(other_length) {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    // The difference in length is a lower bound, checked first because computing the distance takes
    // time proportional to the product of the lengths.
    one_length.abs_diff(other_length) <= most && strsim::osa_distance(one, other) <= most
}

/// The letters and digits of a name in lower case.
fn fold(name: &str) -> String {
    let kept = name.chars().filter(|character| character.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const KNOWN: [&str; 7] = [
        "fecha",
        "clave_rastreo",
        "formats",
        "retry_for",
        "metadata",
        "id",
        "env",
    ];

    #[rstest]
    #[case::camel_case("retryFor", Some("retry_for"))]
    #[case::hyphen("retry-for", Some("retry_for"))]
    #[case::another_case("ID", Some("id"))]
    #[case::a_letter_too_few("format", Some("formats"))]
    #[case::swapped("fehca", Some("fecha"))]
    #[case::two_edits("claverastero1", Some("clave_rastreo"))]
    #[case::one_edit_of_a_short_name("evn", Some("env"))]
    #[case::two_edits_of_a_short_name("new", None)]
    #[case::a_short_name("ip", None)]
    #[case::three_edits("fletcha1", None)]
    #[case::part_of_a_name("meta", None)]
    #[case::empty("", None)]
    fn a_name_is_meant_to_be_the_nearest(#[case] given: &str, #[case] expected: Option<&str>) {
        assert_eq!(meant(given, &KNOWN), expected);
        // A spelling apart from case is nearer than another name.
        assert_eq!(meant("Cuenta-s", &["cuenta", "cuentas"]), Some("cuentas"));
    }

    proptest! {
        #[test]
        fn a_name_is_never_meant_to_be_one_of_another_length(text in "\\PC{0,30}") {
            if let Some(name) = meant(&text, &KNOWN) {
                let difference = fold(&text).chars().count().abs_diff(fold(name).chars().count());
                prop_assert!(difference <= 2);
            }
        }
    }
}
