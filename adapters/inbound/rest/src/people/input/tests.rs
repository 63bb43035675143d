//! Parameters and members: what is read, what is a fault, and that nothing panics.

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use rstest::rstest;
use serde::Deserialize;
use validator::ValidationError;

use super::*;

#[derive(Debug, strum::EnumString, strum::VariantNames, PartialEq)]
#[strum(serialize_all = "snake_case")]
enum Colour {
    Red,
    LightBlue,
}

/// A struct with a member of every kind.
#[derive(Debug, Deserialize, PartialEq, Validate)]
#[expect(
    clippy::option_option,
    reason = "the outer None is no member, the inner one is null"
)]
#[validate(schema(function = in_order))]
struct Kinds {
    text: Option<SearchText>,
    word: Option<Word<Colour>>,
    #[serde(default)]
    words: Vec<Word<Colour>>,
    flag: Option<bool>,
    #[validate(range(min = 1, max = 60))]
    least: Option<u32>,
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 1, max = 9))]
    most: Option<Option<u64>>,
    id: Option<Id>,
    at: Option<Instant>,
    after: Option<After>,
}

fn in_order(kinds: &Kinds) -> Result<(), ValidationError> {
    match (kinds.least, kinds.most) {
        (Some(least), Some(Some(most))) if u64::from(least) > most => {
            Err(rule_error("least", &FieldProblem::Backwards))
        }
        _ => Ok(()),
    }
}

#[derive(Debug, Deserialize, PartialEq, Validate)]
struct Named {
    other: Option<SearchText>,
    name: Name,
}

fn query<T: DeserializeOwned + Validate>(query: &str) -> Result<T, Problem> {
    Input::of_query(Some(query)).only()
}

/// The faulty fields of a result, with the problem of each.
fn faults_of<T: std::fmt::Debug>(result: Result<T, Problem>) -> Vec<String> {
    let Err(Problem::InvalidFields { faults }) = result else {
        panic!("{result:?}");
    };
    let faults = faults.into_iter();
    let faults = faults.map(|fault| format!("{}: {}", fault.field, fault.problem.code()));
    faults.collect()
}

fn search(text: &str) -> SearchText {
    Text(Search(Some(text.to_owned())))
}

#[test]
fn a_parameter_is_decoded() {
    let kinds: Kinds = query("text=x%20y+z&flag=false&word=light_blue").unwrap();
    assert_eq!(kinds.text, Some(search("x y z")));
    assert_eq!(kinds.flag, Some(false));
    assert_eq!(kinds.word, Some(Word(Colour::LightBlue)));
    assert_eq!(kinds.least, None);
}

#[test]
fn faulty_parameters_are_reported_in_the_order_of_the_struct_and_unknown_ones_last() {
    let faults = faults_of(query::<Kinds>(
        "x&least=0&after=7&id=1&at=now&flag=yes&text=%00&word=Red&words=red,&most=1&most=2",
    ));
    let expected = [
        "text: malformed_text",
        "word: not_one_of",
        "words: not_one_of",
        "flag: not_one_of",
        "least: out_of_range",
        "most: duplicate",
        "id: malformed_id",
        "at: malformed_instant",
        "after: wrong_cursor",
        "x: unknown",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn a_parameter_of_many_values_is_repeated_or_separated() {
    let kinds: Kinds = query("words=red,light_blue&words=red").unwrap();
    assert_eq!(
        kinds.words,
        [Colour::Red, Colour::LightBlue, Colour::Red].map(Word)
    );
}

#[rstest]
#[case("least=9&most=3", &["least: backwards"])]
#[case("least=9&most=0", &["most: out_of_range"])]
#[case("least=9&most=x&word=x", &["word: not_one_of", "most: out_of_range"])]
#[case("least=9&most=3&word=x", &["word: not_one_of", "least: backwards"])]
fn a_rule_across_members_sees_the_good_ones(#[case] text: &str, #[case] faults: &[&str]) {
    assert_eq!(faults_of(query::<Kinds>(text)), faults);
}

#[test]
fn two_structs_share_an_input_and_each_reads_its_own_names() {
    let mut input = Input::of_query(Some("name=till&flag=true&other=x"));
    let kinds = input.part::<Kinds>();
    let named = input.part::<Named>();
    let (kinds, named) = input.end(kinds.zip(named)).unwrap();
    assert_eq!(kinds.flag, Some(true));
    assert_eq!(named.other, Some(search("x")));

    let mut input = Input::of_query(Some("flag=x&other=%00"));
    assert_eq!(input.part::<Kinds>(), None);
    assert_eq!(input.part::<Named>(), None);
    let expected = ["flag: not_one_of", "other: malformed_text", "name: missing"];
    assert_eq!(faults_of(input.end::<()>(None)), expected);
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
fn a_whole_number_is_digits_alone(#[case] text: &str, #[case] number: Option<u32>) {
    let parameter: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let read = query::<Kinds>(&format!("least={parameter}"));
    let problem = FieldProblem::OutOfRange { least: 1, most: 60 };
    let expected = number.ok_or_else(|| Problem::invalid_field("least", problem));
    assert_eq!(read.map(|kinds| kinds.least.unwrap()), expected);
}

#[rstest]
#[case("2026-11-20T12:00:00Z", Some("2026-11-20T12:00:00Z"))]
#[case("2026-11-20T12:00:00.001-06:00", Some("2026-11-20T18:00:00.001Z"))]
#[case("2026-11-20", None)]
#[case("2026-11-20T12:00:00", None)]
#[case("1763640000", None)]
#[case("%2B262142-01-01T00:00:00Z", None)]
fn an_instant_has_an_offset(#[case] text: &str, #[case] expected: Option<&str>) {
    let expected = expected.map(|text| text.parse::<DateTime<Utc>>().unwrap());
    let read = query::<Kinds>(&format!("at={text}")).ok();
    let read = read.and_then(|kinds| kinds.at).map(|Text(at)| at);
    assert_eq!(read, expected);
}

#[test]
fn null_is_no_text_no_number_and_a_lifted_cap() {
    let read: Kinds = body(br#"{"text":null,"word":null,"most":null}"#).unwrap();
    assert_eq!((read.text, read.word, read.most), (None, None, Some(None)));
    let read: Kinds = body(br#"{"most":5}"#).unwrap();
    assert_eq!(read.most, Some(Some(5)));
    let read: Kinds = body(b"{}").unwrap();
    assert_eq!(read.most, None);
}

#[test]
fn a_member_has_a_type_where_a_parameter_has_none() {
    let faults = faults_of(body::<Kinds>(
        br#"{"text":1,"word":true,"least":"1","most":[1],"y":null}"#,
    ));
    let expected = [
        "text: wrong_type",
        "word: wrong_type",
        "least: wrong_type",
        "most: wrong_type",
        "y: unknown",
    ];
    assert_eq!(faults, expected);
}

#[rstest]
#[case(b"{}", "missing")]
#[case(br#"{"name":null}"#, "missing")]
#[case(br#"{"name":1}"#, "wrong_type")]
#[case(br#"{"name":"\u0007"}"#, "malformed_name")]
fn a_member_that_must_be_there_is_missed_once(#[case] given: &[u8], #[case] problem: &'static str) {
    assert_eq!(
        faults_of(body::<Named>(given)),
        [format!("name: {problem}")]
    );
}

proptest! {
    #[test]
    fn any_address_is_read_without_panic(
        text in "\\PC{0,60}|((text|words?|least|most|id|at|after|flag)=[0-9a-z%,+]{0,4}&){0,9}",
    ) {
        let _ = query::<Kinds>(&text);
    }

    #[test]
    fn any_body_is_read_without_panic(
        given in r#"\PC{0,80}|\{("(text|words?|least|most|id|at|after|flag)":(-?[0-9.]{1,3}|"[^"]{0,4}"|\[\]|null|true|\{\}),?){0,4}\}"#,
    ) {
        let _ = body::<Kinds>(given.as_bytes());
    }

    #[test]
    fn what_is_written_is_read(value in "[!-~ñ]([ -~ñ]{0,40}[!-~ñ])?") {
        let written = form_urlencoded::Serializer::new(String::new())
            .append_pair("text", &value)
            .finish();
        prop_assert_eq!(query::<Kinds>(&written).unwrap().text, Some(search(&value)));
    }
}
