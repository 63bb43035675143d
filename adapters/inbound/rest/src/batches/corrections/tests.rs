//! Corrections as callers write them.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn faults(part: &str) -> Vec<(String, FieldProblem)> {
    match read(Some(part.as_bytes())) {
        Err(Problem::InvalidFields { faults }) => {
            let faults = faults.into_iter();
            faults
                .map(|fault| (fault.field.into_owned(), fault.problem))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

fn one(name: &str, problem: FieldProblem) -> Vec<(String, FieldProblem)> {
    vec![(name.to_owned(), problem)]
}

#[test]
fn a_line_or_a_value_is_corrected() {
    let part = r#" [
        {"line": 12, "field": "cuenta", "value": "002\u0031"},
        {"value": "", "from": " BBVA MEX", "field": "receptor", "line": null}
    ]"#;
    let expected = [
        Correction {
            rows: CorrectedRows::OnLine(12),
            column: Column::Account,
            value: "0021".to_owned(),
        },
        Correction {
            rows: CorrectedRows::WithValue(" BBVA MEX".to_owned()),
            column: Column::Receiver,
            value: String::new(),
        },
    ];
    assert_eq!(read(Some(part.as_bytes())), Ok(expected.to_vec()));
    assert_eq!(read(Some(b"[]")), Ok(vec![]));
    assert_eq!(read(None), Ok(vec![]));
}

#[rstest]
#[case("", FieldProblem::NotJson { position: 1 })]
#[case("\u{feff}[]", FieldProblem::NotJson { position: 1 })]
#[case("[{]", FieldProblem::NotJson { position: 3 })]
#[case("[] []", FieldProblem::NotJson { position: 4 })]
#[case("[{\"line\":1,\"line\":1}]", FieldProblem::RepeatedKey { position: 12 })]
#[case("{}", FieldProblem::NotListOf { items: "corrections", found: "object" })]
#[case("null", FieldProblem::NotListOf { items: "corrections", found: "null" })]
fn what_is_no_list_is_refused(#[case] part: &str, #[case] problem: FieldProblem) {
    assert_eq!(faults(part), one("corrections", problem));
}

const FIELD_NAMES: [&str; 8] = [
    "fecha",
    "clave_rastreo",
    "numero_referencia",
    "cuenta",
    "monto",
    "emisor",
    "receptor",
    "id",
];

#[rstest]
#[case("1", "", FieldProblem::WrongType { expected: "object", found: "number" })]
#[case(r#"{"field":"id","value":""}"#, ".line", FieldProblem::NoCorrectedRows)]
#[case(
    r#"{"line":1,"from":"","field":"id","value":""}"#,
    ".line",
    FieldProblem::Excluded { other: "from" }
)]
#[case(
    r#"{"line":"1","field":"id","value":""}"#,
    ".line",
    FieldProblem::WrongType { expected: "number", found: "string" }
)]
#[case(r#"{"line":0,"field":"id","value":""}"#, ".line", out_of_range())]
#[case(r#"{"line":1.5,"field":"id","value":""}"#, ".line", out_of_range())]
#[case(
    r#"{"line":4294967296,"field":"id","value":""}"#,
    ".line",
    out_of_range()
)]
#[case(
    r#"{"from":7,"field":"id","value":""}"#,
    ".from",
    FieldProblem::WrongType { expected: "string", found: "number" }
)]
#[case(r#"{"line":1,"value":""}"#, ".field", FieldProblem::Missing)]
#[case(
    r#"{"line":1,"field":"Cuentas","value":""}"#,
    ".field",
    FieldProblem::Misspelt { meant: "cuenta" }
)]
#[case(
    r#"{"line":1,"field":"texto","value":""}"#,
    ".field",
    FieldProblem::NotOneOf { words: &FIELD_NAMES }
)]
#[case(
    r#"{"line":1,"field":"id","value":null}"#,
    ".value",
    FieldProblem::Missing
)]
#[case(
    r#"{"line":1,"field":"monto","value":1.5}"#,
    ".value",
    FieldProblem::WrongType { expected: "string", found: "number" }
)]
#[case(
    r#"{"line":1,"field":"id","value":"","sheet":"x"}"#,
    ".sheet",
    FieldProblem::Unknown
)]
#[case(
    r#"{"lines":1,"field":"id","value":"","from":""}"#,
    ".lines",
    FieldProblem::Misspelt { meant: "line" }
)]
fn a_faulty_correction_is_refused_with_its_place(
    #[case] item: &str,
    #[case] member: &str,
    #[case] problem: FieldProblem,
) {
    let good = r#"{"line":1,"field":"id","value":"x"}"#;
    let part = format!("[{good},{good},{item}]");
    assert_eq!(
        faults(&part),
        one(&format!("corrections[2]{member}"), problem)
    );
}

fn out_of_range() -> FieldProblem {
    FieldProblem::OutOfRange {
        least: 1,
        most: u32::MAX.into(),
    }
}

#[test]
fn all_errors_of_a_correction_are_told() {
    let told = faults(r#"[{"from":1,"field":"x","value":2,"y":3}]"#);
    let names: Vec<_> = told.iter().map(|(name, _)| &**name).collect();
    let expected = ["y", "from", "field", "value"];
    assert_eq!(names, expected.map(|name| format!("corrections[0].{name}")));
}

#[test]
fn texts_have_at_most_five_hundred_characters_and_an_answer_has_twenty_faults() {
    let item = |length: usize| {
        let text = "ñ".repeat(length);
        format!(r#"{{"from":"{text}","field":"id","value":"{text}"}}"#)
    };
    let part = |length: usize| format!("[{}]", vec![item(length); 20].join(","));
    assert_eq!(read(Some(part(500).as_bytes())).unwrap().len(), 20);
    let told = faults(&part(501));
    assert_eq!(told.len(), 20);
    let (length, most) = (501, 500);
    let too_long = FieldProblem::TextTooLong { length, most };
    assert_eq!(told[1], ("corrections[0].value".to_owned(), too_long));
}

#[test]
fn there_are_at_most_ten_thousand_corrections() {
    let part = |count: usize| {
        format!(
            "[{}]",
            vec![r#"{"line":1,"field":"id","value":""}"#; count].join(",")
        )
    };
    assert_eq!(read(Some(part(10_000).as_bytes())).unwrap().len(), 10_000);
    let most = 10_000;
    let problem = FieldProblem::TooManyCorrections { most };
    assert_eq!(faults(&part(10_001)), one("corrections", problem));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        part in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"[]{}\":,linefromvalue1 ".to_vec())], 0..200,
        ),
    ) {
        let _ = read(Some(&part));
    }

    #[test]
    fn each_text_comes_back_as_it_was_written(from: String, value: String) {
        prop_assume!(from.chars().count().max(value.chars().count()) <= MAX_CORRECTION_LENGTH);
        let part = serde_json::json!([{ "from": from, "field": "id", "value": value }]);
        let expected = Correction {
            rows: CorrectedRows::WithValue(from),
            column: Column::Id,
            value,
        };
        prop_assert_eq!(read(Some(part.to_string().as_bytes())), Ok(vec![expected]));
    }
}
