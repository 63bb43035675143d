//! A synthetic key for each row in use, and properties of all keys.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::fixture::day;

fn inferred(key: &str, date: &str) -> Option<Inferred> {
    let key = TrackingKey::parse(key).unwrap();
    issuer_of(&key, day(date), Catalogue::embedded())
}

fn code(key: &str, date: &str) -> Option<String> {
    inferred(key, date).map(|inferred| inferred.code.to_string())
}

const HIGH: Confidence = Confidence::High;
const MEDIUM: Confidence = Confidence::Medium;
const TRANSFER: &str = "2026112090684ABCDEFGH0123456";

/// Synthetic keys, the date of the transfer, its issuer, and the bank whose shape the key has.
#[rustfmt::skip]
const EXAMPLES: [(&str, &str, &str, &str, Confidence); 21] = [
    ("2026112040133ABCD12345678", "2026-11-20", "40133", "any participant: date and its own code", HIGH),
    ("058-20/11/2026/20-000Ab12345", "2026-11-20", "40058", "any bank: its CLABE prefix and date", HIGH),
    ("MBAN01002611200012345678", "2026-11-20", "40012", "BBVA Mexico", HIGH),
    ("BNET01002611200012345678", "2026-11-20", "40012", "BBVA Mexico", HIGH),
    ("002601002611200012345678", "2026-11-20", "40012", "BBVA Mexico (corporate net)", HIGH),
    ("2026112040014ABCD0000001234567", "2026-11-20", "40014", "Santander", HIGH),
    ("2026112040044B36L0000012345678", "2026-11-20", "40044", "Scotiabank", HIGH),
    ("8846APR1202611200012345678", "2026-11-20", "40072", "Banorte (business)", HIGH),
    ("1234APR2000000000012345678", "2026-11-20", "40072", "Banorte (business, wider shape)", MEDIUM),
    ("3843CP01202611200012345678", "2026-11-20", "40072", "Banorte (mobile/retail)", HIGH),
    ("085900001234532401", "2026-11-20", "40002", "Banamex", HIGH),
    ("261120000012345678I", "2026-11-20", "40127", "Banco Azteca", HIGH),
    ("HSBC123456", "2026-11-20", "40021", "HSBC", HIGH),
    ("NU00000000000000000000000000", "2026-11-20", "40638", "Nu", HIGH),
    ("CPO000012345678", "2026-11-20", "90722", "Mercado Pago", MEDIUM),
    ("036APPM20112026000012345", "2026-11-20", "40036", "Inbursa", MEDIUM),
    ("00012345TRANSBP000012345", "2026-11-20", "40137", "BanCoppel", MEDIUM),
    ("BB00012345678", "2026-11-20", "40030", "BanBajio", MEDIUM),
    // Within five days the generic shape matches, with the same issuer.
    (TRANSFER, "2026-10-20", "90684", "Transfer (OPM)", MEDIUM),
    ("CUENCA0001234567", "2023-10-31", "90646", "Cuenca (through STP)", MEDIUM),
    ("CUENCA0001234567", "2023-11-01", "90723", "Cuenca", MEDIUM),
];

#[test]
fn each_shape_names_its_bank() {
    for (key, date, issuer, shape, sure) in EXAMPLES {
        let inferred = inferred(key, date).unwrap_or_else(|| panic!("nobody makes {key}"));
        assert_eq!(inferred.code.to_string(), issuer, "{key}");
        let Evidence::TrackingKeyShape { bank, confidence } = inferred.evidence else {
            panic!("{key} is no account");
        };
        assert_eq!((bank, confidence), (shape, sure), "{key}");
    }
}

#[test]
fn each_row_that_is_used_has_an_example() {
    let shown: BTreeSet<&str> = EXAMPLES.iter().map(|(.., bank, _)| *bank).collect();
    let used: BTreeSet<&str> = EMBEDDED.iter().map(|shape| shape.bank.as_str()).collect();
    assert_eq!(shown, used);
}

#[test]
fn specific_shapes_come_before_generic_ones_and_those_before_doubtful_ones() {
    let ranks: Vec<u8> = EMBEDDED.iter().map(Shape::rank).collect();
    assert!(ranks.is_sorted());
    assert_eq!((ranks.first(), ranks.last()), (Some(&0), Some(&2)));
}

#[test]
fn every_shape_is_anchored_at_both_ends_and_its_participant_known() {
    for shape in EMBEDDED.iter() {
        let regex = shape.regex.as_str();
        assert!(regex.starts_with('^') && regex.ends_with('$'), "{regex}");
        if let Issuer::Named(code) = shape.issuer {
            assert!(Catalogue::embedded().find(code).is_some(), "{code}");
        }
    }
}

#[rstest]
#[case::nu_before("NU00000000000000000000000000", "2026-08-04", "90638")]
#[case::nu_after("NU00000000000000000000000000", "2026-08-05", "40638")]
#[case::a_wrong_date("2026112040014ABCD0000001234567", "2025-01-31", "40014")]
fn a_banks_own_shape_gives_its_code_of_the_date(
    #[case] key: &str,
    #[case] date: &str,
    #[case] expected: &str,
) {
    assert_eq!(code(key, date).as_deref(), Some(expected));
}

#[rstest]
#[case::on_the_day("2026-11-20", true)]
#[case::five_days_after("2026-11-25", true)]
#[case::five_days_before("2026-11-15", true)]
#[case::six_days_after("2026-11-26", false)]
#[case::six_days_before("2026-11-14", false)]
fn a_key_that_names_its_bank_must_name_a_near_date(#[case] date: &str, #[case] near: bool) {
    assert_eq!(code("2026112040133ABCD12345678", date).is_some(), near);
    assert_eq!(code("058-20/11/2026/20-000Ab12345", date).is_some(), near);
}

#[rstest]
#[case::no_such_day("2026113140133ABCD12345678")]
#[case::no_such_participant("2026112040999ABCD12345678")]
#[case::a_code_of_earlier_times("2026112090638ABCD12345678")]
#[case::no_such_prefix("999-20/11/2026/20-000Ab12345")]
#[case::no_such_day_of_an_abm_key("058-31/11/2026/20-000Ab12345")]
#[case::no_such_day_of_a_bbva_key("MBAN01002613200012345678")]
#[case::no_such_day_of_the_year("085900001234536701")]
#[case::one_digit_too_few("MBAN0100261120001234567")]
#[case::one_digit_too_many("HSBC1234567")]
#[case::another_case("hsbc123456")]
#[case::nothing_like_it("PAGO DE RENTA")]
#[case::azteca_in_digits_is_doubtful("2611200000123456789")]
#[case::a_lender_is_doubtful("Cozmo12345678")]
#[case::afirme_is_doubtful("000000000000000000000000000000")]
#[case::bienestar_is_doubtful("BiB20261120001234567")]
fn other_keys_and_shapes_of_low_confidence_yield_no_issuer(#[case] key: &str) {
    assert_eq!(inferred(key, "2026-11-20"), None);
}

#[test]
fn a_malformed_table_is_refused() {
    for (row, shapes) in [
        ("^A$,40012,A,high,,", Some(1)),
        ("^A$,40012,A,low,,", Some(0)),
        ("^A($,40012,A,high,,", None),
        ("^A$,4012,A,high,,", None),
        ("^A$,40012,A,some,,", None),
        ("^A$,40012,A,high,2026,", None),
    ] {
        let table = format!("regex,participant,bank,confidence,valid_from,valid_to\n{row}\n");
        assert_eq!(from_csv(&table).map(|shapes| shapes.len()), shapes, "{row}");
    }
}

/// A transfer's date, and a key of a used shape that names a date at most a week away.
fn plausible() -> impl Strategy<Value = (TrackingKey, NaiveDate)> {
    let dates = (0_u64..9_000, 0_u64..7).prop_map(|(days, more)| {
        let date = day("2004-08-13") + chrono::Days::new(days);
        (date, date + chrono::Days::new(more))
    });
    (dates, 0..EMBEDDED.len()).prop_flat_map(|((date, inside), shape)| {
        let regex = [
            (r"(?P<d8>20\d{6})", "%Y%m%d"),
            (r"(?P<d6>\d{6})", "%y%m%d"),
            (r"(?P<dmy>\d{2}/\d{2}/20\d{2})", "%d/%m/%Y"),
            (r"(?P<dmy8>\d{8})", "%d%m%Y"),
            (r"(?P<doy>[0-3]\d{2})", "%j"),
        ]
        .into_iter()
        .fold(EMBEDDED[shape].regex.to_string(), |regex, (group, form)| {
            regex.replace(group, &inside.format(form).to_string())
        })
        .replace(r"\d", "[0-9]");
        let key = prop::string::string_regex(regex.trim_matches(['^', '$']))
            .unwrap()
            .prop_filter_map("a shape also matches what is no key", |text| {
                let key = TrackingKey::parse(&text).ok()?;
                (key.as_str() == text).then_some(key)
            });
        (key, Just(date))
    })
}

proptest! {
    #[test]
    fn any_key_is_read_without_panic(text in "[ -~]{1,30}", days in 0_u64..9_000) {
        if let Ok(key) = TrackingKey::parse(&text) {
            let date = day("2004-08-13") + chrono::Days::new(days);
            let _ = issuer_of(&key, date, Catalogue::embedded());
            let _ = dates_in(&key, date).count();
        }
    }

    #[test]
    fn an_inferred_institution_takes_part_on_the_date((key, date) in plausible()) {
        let catalogue = Catalogue::embedded();
        if let Some(inferred) = issuer_of(&key, date, catalogue) {
            prop_assert!(catalogue.find(inferred.code).unwrap().is_valid_on(date));
        }
    }

    #[test]
    fn a_banks_own_shape_names_it_on_any_date((key, date) in plausible()) {
        let matching = |shape: &&Shape| shape.regex.is_match(key.as_str());
        let most_specific = EMBEDDED.iter().find(matching).unwrap();
        if matches!(most_specific.issuer, Issuer::Named(_)) {
            prop_assert!(issuer_of(&key, date, Catalogue::embedded()).is_some());
        }
    }
}
