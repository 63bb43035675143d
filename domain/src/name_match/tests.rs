use proptest::prelude::*;
use rstest::rstest;

use super::MatchLevel::{Exact, None as Different, NotAsked, Partial, Unavailable};
use super::*;

#[rstest]
// Folding.
#[case("Ana Prueba Ejemplo", "ANA PRUEBA EJEMPLO", Exact)]
#[case("José Muñoz Güell", "JOSE MUNOZ GUELL", Exact)]
#[case("Jose\u{301} Mun\u{303}oz", "JOSÉ MUÑOZ", Exact)]
#[case("  Ana   Prueba ", "ANA PRUEBA", Exact)]
#[case("PRUEBA EJEMPLO ANA", "ANA PRUEBA EJEMPLO", Exact)]
#[case("PRUEBA,EJEMPLO/ANA", "Ana Prueba Ejemplo", Exact)]
#[case("O'Brien Prueba", "OBRIEN PRUEBA", Exact)]
#[case("Ana Prueba-Ejemplo", "ANA PRUEBA EJEMPLO", Exact)]
#[case("Ana Dela Prueba", "ANA DE LA PRUEBA", Exact)]
#[case("Prueba & Ejemplo", "PRUEBA Y EJEMPLO", Exact)]
// Company forms.
#[case("Ejemplo SA de CV", "EJEMPLO S.A. DE C.V.", Exact)]
#[case("Ejemplo", "EJEMPLO S A DE C V", Exact)]
#[case("Ejemplo, S.A.P.I. de C.V.", "EJEMPLO SAPI DE CV", Exact)]
#[case("Ejemplo S. de R.L. de C.V.", "EJEMPLO S DE RL DE CV", Exact)]
#[case("Pruebas y Ejemplos, S.C.", "PRUEBAS Y EJEMPLOS", Exact)]
#[case("Pruebas de Mexico, A.C.", "PRUEBAS DE MEXICO AC", Exact)]
#[case("Grupo Ejemplo, S.A.B. de C.V.", "GRUPO EJEMPLO SAB DE CV", Exact)]
#[case("Ejemplo SA de CV", "EJEMPLO S DE RL DE CV", Partial)]
#[case("SA DE CV", "SA DE CV", Exact)]
// Names that a bank cut.
#[case(
    "Comercializadora de Ejemplos del Norte SA de CV",
    "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S",
    Exact
)]
#[case(
    "Comercializadora de Ejemplos del Norte",
    "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S",
    Exact
)]
#[case(
    "Comercializadora de Ejemplos del Noroeste y Sur",
    "COMERCIALIZADORA DE EJEMPLOS DEL NOROEST",
    Exact
)]
#[case(
    "Comercializadora de Ejemplos del Noroeste",
    "COMERCIALIZADORA DE EJEMPLOS DEL NORTE S",
    Different
)]
#[case("Ejemplo Ana", "EJEMPL", Different)]
// More words, initials.
#[case("Ana Prueba", "ANA PRUEBA EJEMPLO", Partial)]
#[case("Ana Maria Prueba Ejemplo", "ANA PRUEBA EJEMPLO", Partial)]
#[case("Ana M. Prueba Ejemplo", "ANA MARIA PRUEBA EJEMPLO", Partial)]
#[case("A Prueba", "ANA PRUEBA EJEMPLO", Partial)]
#[case("Ma. Prueba Ejemplo", "MARIA PRUEBA EJEMPLO", Partial)]
#[case("Ana de la Prueba", "ANA PRUEBA", Partial)]
// Other people.
#[case("Ana Prueba Ejemplo", "ANA PRUEBA MODELO", Different)]
#[case("Prueba", "ANA PRUEBA EJEMPLO", Different)]
#[case("A P", "ANA PRUEBA", Different)]
#[case("de la", "DE LA PRUEBA", Different)]
#[case("Ana Ana", "ANA PRUEBA", Different)]
#[case("M Maria", "MARIA PRUEBA", Different)]
#[case("Ana Prueba", "...", Different)]
#[case("?!", "ANA PRUEBA", Different)]
fn names_are_compared_by_the_rule(
    #[case] expected: &str,
    #[case] proven: &str,
    #[case] level: MatchLevel,
) {
    assert_eq!(match_names(Some(expected), Some(proven)), level);
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

#[rstest]
#[case(None, Some("ANA PRUEBA"), NotAsked)]
#[case(Some(" "), Some("ANA PRUEBA"), NotAsked)]
#[case(Some("Ana Prueba"), None, Unavailable)]
#[case(Some("Ana Prueba"), Some(" "), Unavailable)]
#[case(None, None, NotAsked)]
fn a_name_that_is_missing_is_neither_a_match_nor_a_mismatch(
    #[case] expected: Option<&str>,
    #[case] proven: Option<&str>,
    #[case] level: MatchLevel,
) {
    assert_eq!(match_names(expected, proven), level);
}

#[test]
fn a_very_long_name_is_compared_with_nothing() {
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
