//! Parameters and members: what is read, what is a fault, and that nothing panics.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[expect(clippy::unnecessary_wraps, reason = "readers may fail")]
fn text(value: &str) -> Result<String, FieldProblem> {
    Ok(value.to_owned())
}

/// The faulty fields of a problem, with the problem of each.
fn told(problem: &Problem) -> Vec<(String, String)> {
    let Problem::InvalidFields { faults } = problem else {
        panic!("{problem:?}");
    };
    faults
        .iter()
        .map(|fault| (fault.field.to_string(), fault.problem.code().to_owned()))
        .collect()
}

#[test]
fn a_parameter_is_decoded_and_stands_there_once() {
    let mut parameters = Parameters::read(Some("a=x%20y+z&b=1&b=2&c"));
    assert_eq!(parameters.one("a", text), Some("x y z".to_owned()));
    assert_eq!(parameters.one("b", text), None);
    assert_eq!(parameters.one("d", text), None);
    let problem = parameters.end().unwrap_err();
    let fault = |field: &str, problem: &str| (field.to_owned(), problem.to_owned());
    assert_eq!(
        told(&problem),
        [fault("b", "duplicate"), fault("c", "unknown")]
    );
}

#[test]
fn a_parameter_of_many_values_is_repeated_or_separated() {
    let mut parameters = Parameters::read(Some("a=1,2&b=3&a=4"));
    assert_eq!(parameters.many("a", |text| whole(text, 9)), [1, 2, 4]);
    assert_eq!(parameters.many("b", |text| whole(text, 2)), [0_u64; 0]);
    let problem = parameters.end().unwrap_err();
    assert_eq!(
        told(&problem),
        [("b".to_owned(), "out_of_range".to_owned())]
    );
}

#[rstest]
#[case("1", Some(1))]
#[case("0001", Some(1))]
#[case("60", Some(60))]
#[case("0", None)]
#[case("61", None)]
#[case("", None)]
#[case("+1", None)]
#[case("-1", None)]
#[case("1.0", None)]
#[case("1e1", None)]
#[case(" 1", None)]
#[case("١", None)]
#[case("99999999999999999999999999", None)]
fn a_whole_number_is_digits_alone(#[case] text: &str, #[case] number: Option<u64>) {
    assert_eq!(whole(text, 60).ok(), number);
}

#[rstest]
#[case("2026-11-20T12:00:00Z", Some("2026-11-20T12:00:00Z"))]
#[case("2026-11-20T12:00:00.001-06:00", Some("2026-11-20T18:00:00.001Z"))]
#[case("2026-11-20", None)]
#[case("2026-11-20T12:00:00", None)]
#[case("1763640000", None)]
#[case("+262142-01-01T00:00:00Z", None)]
fn an_instant_has_an_offset(#[case] text: &str, #[case] expected: Option<&str>) {
    let expected = expected.map(|text| text.parse::<DateTime<Utc>>().unwrap());
    assert_eq!(instant(text).ok(), expected);
}

#[test]
fn null_is_no_text_no_number_and_a_lifted_cap() {
    let body = br#"{"a":null,"b":null,"c":null,"d":5}"#;
    let mut members = Members::read(body, &["a", "b", "c", "d"]).unwrap();
    assert_eq!(members.text("a", text), None);
    assert_eq!(members.whole("b", 9), None);
    assert_eq!(members.whole_or_null("c", 9), Some(None));
    assert_eq!(members.whole_or_null("d", 9), Some(Some(5)));
    assert_eq!(members.whole_or_null("e", 9), None);
    let problem = members.end().unwrap_err();
    assert_eq!(told(&problem), [("b".to_owned(), "wrong_type".to_owned())]);
}

#[test]
fn a_member_that_must_be_there_is_missed_once() {
    for (body, expected) in [
        ("{}", "missing"),
        (r#"{"a":null}"#, "missing"),
        (r#"{"a":1}"#, "wrong_type"),
    ] {
        let mut members = Members::read(body.as_bytes(), &["a"]).unwrap();
        let value = members.text("a", text);
        let problem = members.end_with("a", value).unwrap_err();
        assert_eq!(
            told(&problem),
            [("a".to_owned(), expected.to_owned())],
            "{body}"
        );
    }
}

proptest! {
    #[test]
    fn any_address_is_read_without_panic(query in "\\PC{0,60}|([a-c%=&,+0-9]{0,40})") {
        let mut parameters = Parameters::read(Some(&query));
        let _ = parameters.one("a", id);
        let _ = parameters.one("b", instant);
        let _ = parameters.one("c", search);
        let _ = parameters.many("", |text| whole(text, 7));
        let _ = parameters.end();
    }

    #[test]
    fn any_body_is_read_without_panic(body in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(mut members) = Members::read(&body, &["a"]) {
            let _ = members.text("a", text);
            let _ = members.end();
        }
    }

    #[test]
    fn what_is_written_is_read(name in "[a-z]{1,8}", value in "\\PC{0,40}") {
        let written = form_urlencoded::Serializer::new(String::new())
            .append_pair(&name, &value)
            .finish();
        let mut parameters = Parameters::read(Some(&written));
        let name: &'static str = name.leak();
        prop_assert_eq!(parameters.one(name, text), Some(value));
        prop_assert!(parameters.end().is_ok());
    }
}
