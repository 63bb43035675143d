//! The strict reader against a table of bodies, and against a general parser.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::value::RawValue;

use super::*;

#[test]
fn the_six_fields_are_read_and_numbers_keep_their_spelling() {
    let body = br#" {"fecha":"2026-11-20","clave_rastreo":"A\u0042\/C","cuenta":" 0 ",
        "monto":9007199254740993.01,"emisor":null,"receptor":[1,{"a":[]}],"otro":{"x":1}} "#;
    let ReadQuery { query, .. } = read_query(body).unwrap();
    assert_eq!(query.date, Token::Text("2026-11-20".into()));
    assert_eq!(query.tracking_key, Token::Text("AB/C".into()));
    assert_eq!(query.account, Token::Text(" 0 ".into()));
    assert_eq!(query.amount, Token::Number("9007199254740993.01"));
    assert_eq!(query.issuer, Token::Absent);
    assert_eq!(query.receiver, Token::Other("array"));
}

#[test]
fn text_that_needs_no_unescaping_is_not_copied() {
    let ReadQuery { query, .. } = read_query(br#"{"fecha":"2026-11-20"}"#).unwrap();
    assert!(matches!(query.date, Token::Text(Cow::Borrowed(_))));
}

#[rstest]
#[case("", Problem::EmptyBody)]
#[case(" \r\n\t", Problem::EmptyBody)]
#[case("[]", Problem::NotAnObject { found: "array" })]
#[case("\"a\"", Problem::NotAnObject { found: "string" })]
#[case("1.5", Problem::NotAnObject { found: "number" })]
#[case("true", Problem::NotAnObject { found: "boolean" })]
#[case("null", Problem::NotAnObject { found: "null" })]
#[case("not json", Problem::MalformedJson { position: 2 })]
#[case("{", Problem::MalformedJson { position: 2 })]
#[case("{}x", Problem::MalformedJson { position: 3 })]
#[case("{} {}", Problem::MalformedJson { position: 4 })]
#[case("{\"a\":1,}", Problem::MalformedJson { position: 8 })]
#[case("{'a':1}", Problem::MalformedJson { position: 2 })]
#[case("{\"a\":NaN}", Problem::MalformedJson { position: 6 })]
#[case("{\"a\":01}", Problem::MalformedJson { position: 7 })]
#[case("{\"a\":+1}", Problem::MalformedJson { position: 6 })]
#[case("{\"a\":1.}", Problem::MalformedJson { position: 8 })]
#[case("{\"a\":.5}", Problem::MalformedJson { position: 6 })]
#[case("{\"a\":\"\n\"}", Problem::MalformedJson { position: 6 })]
#[case("{\"a\":\"\\x\"}", Problem::MalformedJson { position: 8 })]
#[case("{\"a\":\"\\ud800\"}", Problem::MalformedJson { position: 13 })]
#[case("{\"a\":\"\\udc00\"}", Problem::MalformedJson { position: 12 })]
#[case("{\"a\":\"\\ud800\\ud800\"}", Problem::MalformedJson { position: 18 })]
#[case("{\n \"a\":1,\r\n\"b\" 2}", Problem::MalformedJson { position: 16 })]
#[case("{\n\n\"a\":[\"é\",\n\"\\ud800\"]}", Problem::MalformedJson { position: 22 })]
#[case("\u{feff}{}", Problem::ByteOrderMark)]
#[case("{\"a\":1,\"a\":1}", Problem::DuplicateUnknownKey { position: 8 })]
#[case("{\"b\":{\"a\":1,\"a\":1}}", Problem::DuplicateUnknownKey { position: 13 })]
#[case(
    "{\"monto\":1,\"mont\\u006f\":2}",
    Problem::DuplicateKey { field: "monto", position: 12 }
)]
fn what_is_no_acceptable_object_is_refused_with_its_place(
    #[case] body: &str,
    #[case] fault: Problem,
) {
    assert_eq!(read_query(body.as_bytes()), Err(fault));
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_with_their_place() {
    let read = read_query(b"{\"a\":\"\xff\"}");
    assert_eq!(read, Err(Problem::NotUtf8 { position: 7 }));
}

#[test]
fn a_surrogate_pair_is_one_character() {
    let ReadQuery { query, .. } = read_query(br#"{"fecha":"\ud83d\ude00"}"#).unwrap();
    assert_eq!(query.date, Token::Text("\u{1f600}".into()));
}

#[test]
fn eight_levels_are_read_and_nine_are_not() {
    let nested = |levels: usize| {
        let inner = levels - 1;
        format!("{{\"a\":{}{}}}", "[".repeat(inner), "]".repeat(inner))
    };
    assert!(read_query(nested(MAX_DEPTH).as_bytes()).is_ok());
    let (position, levels) = (13, MAX_DEPTH);
    let too_deep = Err(Problem::TooDeep { position, levels });
    assert_eq!(read_query(nested(MAX_DEPTH + 1).as_bytes()), too_deep);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_panic(body: Vec<u8>) {
        let _ = read_query(&body);
    }

    #[test]
    fn what_looks_like_json_is_read_or_refused_without_panic(
        body in r#"\{("(monto|a|\\u00[0-9a-f]{2}|\\ud[89][0-9a-f]{2}|é)":(-?[0-9.eE]{1,5}|"[^"]{0,4}"|\[|\]|null|\{\}),?){0,4}\}"#,
    ) {
        accepted_only_if_a_general_parser_does(body.as_bytes())?;
    }

    #[test]
    fn a_damaged_body_is_accepted_only_if_a_general_parser_accepts_it(
        place in 0_usize..80, byte: u8,
    ) {
        let mut body = br#"{"fecha":"2026-11-20","monto":-12.5e3,"x":[true,{"y":"\u00e9"}],"z":null}"#
            .to_vec();
        let place = place % body.len();
        body[place] = byte;
        accepted_only_if_a_general_parser_does(&body)?;
    }

    #[test]
    fn every_string_comes_back_as_it_was_written(text: String) {
        let body = serde_json::to_string(&BTreeMap::from([("cuenta", &text)])).unwrap();
        let ReadQuery { query, .. } = read_query(body.as_bytes()).unwrap();
        prop_assert_eq!(query.account, Token::Text(text.into()));
    }
}

fn accepted_only_if_a_general_parser_does(body: &[u8]) -> Result<(), TestCaseError> {
    if read_query(body).is_ok() {
        let general = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(body);
        let text = String::from_utf8_lossy(body);
        prop_assert!(general.is_ok(), "{text:?}: {general:?}");
    }
    Ok(())
}
