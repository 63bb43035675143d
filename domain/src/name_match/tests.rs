use proptest::prelude::*;
use rstest::rstest;

use super::MatchLevel::{Exact, None as Different, NotAsked, Partial, Unavailable};
use super::*;

#[rstest]
#[case::folded(Exact, &[
    ("Ana Prueba Ejemplo", "ANA PRUEBA EJEMPLO"), ("José Muñoz Güell", "JOSE MUNOZ GUELL"),
    ("Jose\u{301} Mun\u{303}oz", "JOSÉ MUÑOZ"), ("  Ana   Prueba ", "ANA PRUEBA"),
    ("PRUEBA EJEMPLO ANA", "ANA PRUEBA EJEMPLO"), ("PRUEBA,EJEMPLO/ANA", "Ana Prueba Ejemplo"),
    ("O'Brien Prueba", "OBRIEN PRUEBA"), ("Ana Prueba-Ejemplo", "ANA PRUEBA EJEMPLO"),
    ("Ana Dela Prueba", "ANA DE LA PRUEBA"), ("Prueba & Ejemplo", "PRUEBA Y EJEMPLO"),
])]
#[case::of_companies(Exact, &[
    ("Ejemplo SA de CV", "EJEMPLO S.A. DE C.V."), ("Ejemplo", "EJEMPLO S A DE C V"),
    ("Ejemplo, S.A.P.I. de C.V.", "EJEMPLO SAPI DE CV"),
    ("Ejemplo S. de R.L. de C.V.", "EJEMPLO S DE RL DE CV"),
    ("Pruebas y Ejemplos, S.C.", "PRUEBAS Y EJEMPLOS"), ("SA DE CV", "SA DE CV"),
    ("Pruebas de Mexico, A.C.", "PRUEBAS DE MEXICO AC"),
    ("Grupo Ejemplo, S.A.B. de C.V.", "GRUPO EJEMPLO SAB DE CV"),
])]
#[case::of_another_form(Partial, &[("Ejemplo SA de CV", "EJEMPLO S DE RL DE CV")])]
#[case::cut_by_a_bank(Exact, &[
    ("Comercializadora de Ejemplos del Norte SA de CV", "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S"),
    ("Comercializadora de Ejemplos del Norte", "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S"),
    ("Comercializadora de Ejemplos del Noroeste y Sur", "COMERCIALIZADORA DE EJEMPLOS DEL NOROEST"),
])]
#[case::not_cut(Different, &[
    ("Comercializadora de Ejemplos del Noroeste", "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S"),
    ("Ejemplo Ana", "EJEMPL"),
])]
#[case::more_words_or_initials(Partial, &[
    ("Ana Prueba", "ANA PRUEBA EJEMPLO"), ("Ana Maria Prueba Ejemplo", "ANA PRUEBA EJEMPLO"),
    ("Ana M. Prueba Ejemplo", "ANA MARIA PRUEBA EJEMPLO"), ("A Prueba", "ANA PRUEBA EJEMPLO"),
    ("Ma. Prueba Ejemplo", "MARIA PRUEBA EJEMPLO"), ("Ana de la Prueba", "ANA PRUEBA"),
])]
#[case::of_others(Different, &[
    ("Ana Prueba Ejemplo", "ANA PRUEBA MODELO"), ("Prueba", "ANA PRUEBA EJEMPLO"),
    ("A P", "ANA PRUEBA"), ("de la", "DE LA PRUEBA"), ("Ana Ana", "ANA PRUEBA"),
    ("M Maria", "MARIA PRUEBA"), ("Ana Prueba", "..."), ("?!", "ANA PRUEBA"),
])]
fn names_are_compared_by_the_rule(#[case] level: MatchLevel, #[case] pairs: &[(&str, &str)]) {
    for (expected, proven) in pairs {
        let found = match_names(Some(expected), Some(proven));
        assert_eq!(found, level, "{expected} and {proven}");
    }
}

#[rstest]
#[case::of_the_same(Exact, &[("Ana Prueba Ejemplo", "ANA PRUEBA EJEMPLO"), ("Ejemplo", "EJEMPLO SA DE CV")])]
#[case::cut(Partial, &[
    ("Ana Maria Prueb", "ANA MARIA PRUEBA EJEMPLO"), ("Ana Prueba Eje…", "ANA PRUEBA EJEMPLO"),
    ("Ana Maria Prueba Ejemplo", "ANA MARIA PRUEBA EJEM"), ("Ma Prueba", "MARIA PRUEBA EJEMPLO"),
    ("Pruebas del Nor", "PRUEBAS DEL NORTE SA DE CV"),
])]
#[case::of_others(Different, &[
    ("A", "ANA PRUEBA"), ("Ana", "ANA PRUEBA"), ("A P", "ANA PRUEBA"), ("An Pru", "ANA PRUEBA"),
    ("de la", "DE LA PRUEBA"), ("...", "ANA PRUEBA"), ("Ana Ana", "ANA PRUEBA"), ("Ana Pruz", "ANA PRUEBA"),
])]
#[case::of_nothing(NotAsked, &[("", "ANA PRUEBA"), (" ", "ANA PRUEBA")])]
fn a_name_may_be_cut_short_beside_a_word_in_full(
    #[case] level: MatchLevel,
    #[case] pairs: &[(&str, &str)],
) {
    for (shown, proven) in pairs {
        assert_eq!(
            match_cut_names(shown, proven),
            level,
            "{shown} and {proven}"
        );
    }
}

#[rstest]
#[case(Some("PUEA800101AB1"), Some("PUEA800101AB1"), Exact)]
#[case(Some("puea-800101-ab1 "), Some("PUEA800101AB1"), Exact)]
#[case(Some("PUEA800101AB1"), Some("PUEA800101MDFRNN09"), Partial)]
#[case(Some("PUEA800101"), Some("PUEA800101AB1"), Partial)]
#[case(Some("PUEA800101AB1"), Some("PUEA800101AB2"), Different)]
#[case(Some("PUEA800102MDFRNN09"), Some("PUEA800101AB1"), Different)]
#[case(Some("EJE800101AB1"), Some("EJE800101AB1"), Exact)]
#[case(Some("EJE800101AB1"), Some("EJE800101AB12"), Different)]
#[case(Some("Ñ&E800101AB1"), Some("ñ&e800101ab1"), Exact)]
#[case(Some("PUEA800101AB1"), None, Unavailable)]
#[case(Some("PUEA800101AB1"), Some(" "), Unavailable)]
#[case(None, None, NotAsked)]
#[case(Some(" "), Some("PUEA800101AB1"), NotAsked)]
#[case(None, Some("PUEA800101AB1"), NotAsked)]
fn tax_ids_are_compared_by_the_rule(
    #[case] expected: Option<&str>,
    #[case] proven: Option<&str>,
    #[case] level: MatchLevel,
) {
    assert_eq!(match_tax_ids(expected, proven), level);
}

#[test]
fn a_name_that_is_missing_or_very_long_is_neither_a_match_nor_a_mismatch() {
    for expected in [None, Some(" ")] {
        assert_eq!(match_names(expected, Some("ANA PRUEBA")), NotAsked);
    }
    for proven in [None, Some(" ")] {
        assert_eq!(match_names(Some("Ana Prueba"), proven), Unavailable);
    }
    assert_eq!(match_names(None, None), NotAsked);
    let long = "ANA ".repeat(MAX_WORDS + 1);
    assert_eq!(match_names(Some(&long), Some(&long)), Different);
}

/// Words of letters that no company form is made of: every form has an `A`, an `I` or an `S`.
fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[B-HJ-RT-Z]{3,7}", 2..6)
}

proptest! {
    #[test]
    fn the_order_of_words_and_their_case_change_nothing(
        (words, shuffled) in words().prop_flat_map(|words| (Just(words.clone()), Just(words).prop_shuffle())),
    ) {
        let (name, other) = (words.join(" "), shuffled.join("  ").to_lowercase());
        prop_assert_eq!(match_names(Some(&name), Some(&other)), Exact);
    }

    #[test]
    fn comparing_either_way_gives_the_same_below_the_cut(
        one in "[A-Za-zÁñ.&' ]{0,38}", other in "[A-Za-zÁñ.&' ]{0,38}",
    ) {
        prop_assume!(!one.trim().is_empty() && !other.trim().is_empty());
        let there = match_names(Some(&one), Some(&other));
        prop_assert_eq!(there, match_names(Some(&other), Some(&one)));
    }

    #[test]
    fn any_texts_are_compared_without_panic(one in "\\PC{0,60}", other in "\\PC{0,60}") {
        let _ = match_names(Some(&one), Some(&other));
        let _ = match_tax_ids(Some(&one), Some(&other));
    }
}
