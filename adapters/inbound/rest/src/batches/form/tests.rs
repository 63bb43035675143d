//! Forms as clients write them, and damaged ones.

use proptest::prelude::*;
use rstest::rstest;
use web::problem::FieldProblem;

use super::*;

const END: &str = "--x--\r\n";
const TABLE: &str = "fecha\r\n--y\r\n";

fn part(disposition: &str, more: &str, content: &str) -> String {
    format!("--x\r\nContent-Disposition: form-data; {disposition}\r\n{more}\r\n{content}\r\n")
}

fn file() -> String {
    let more = "Content-Type: application/octet-stream\r\n";
    part("name=\"file\"; filename=\"pagos.csv\"", more, TABLE)
}

fn parsed(body: impl Into<Bytes>) -> Result<SentTable, Problem> {
    read(body.into(), "x".to_owned())
}

fn sent(format: TableType, corrections: Option<&'static str>) -> SentTable {
    SentTable {
        format,
        file: TABLE.into(),
        corrections: corrections.map(Bytes::from),
    }
}

#[test]
fn a_table_and_its_corrections_are_taken_in_any_order() {
    let corrections = part("name=\"corrections\"", "", "[]");
    let with_corrections = Ok(sent(TableType::Sheet, Some("[]")));
    assert_eq!(parsed(file() + END), Ok(sent(TableType::Sheet, None)));
    assert_eq!(parsed(file() + &corrections + END), with_corrections);
    let reversed = format!("preamble\r\n{corrections}{}{END}epilogue", file());
    assert_eq!(parsed(reversed), with_corrections);
}

#[rstest]
#[case("filename=\"pagos.XLSX\"", "", Some(TableType::Sheet))]
#[case("filename=\"pagos.jsonl\"", "", Some(TableType::JsonLines))]
#[case(
    "filename=\"pagos.jsonl\"",
    "Content-Type: text/csv; charset=utf-8",
    Some(TableType::Sheet)
)]
#[case(
    "filename=\"x\"",
    "Content-Type: application/x-ndjson",
    Some(TableType::JsonLines)
)]
#[case(
    "filename=\"año; 1.csv\"",
    "content-type: text/plain",
    Some(TableType::Sheet)
)]
#[case("filename=\"pagos.pdf\"", "Content-Type: application/pdf", None)]
#[case("filename=\"pagos\"", "", None)]
#[case("x=y", "", None)]
fn the_type_of_a_part_or_the_name_of_its_file_tells_the_format(
    #[case] name: &str,
    #[case] header: &str,
    #[case] format: Option<TableType>,
) {
    let header = if header.is_empty() {
        String::new()
    } else {
        format!("{header}\r\n")
    };
    let body = part(&format!("name=\"file\"; {name}"), &header, TABLE) + END;
    let expected = format.map(|format| sent(format, None));
    assert_eq!(parsed(body), expected.ok_or(Problem::UnsupportedPartType));
}

fn fault(name: &str, problem: FieldProblem) -> Problem {
    Problem::invalid_fields([FieldFault::new(name.to_owned(), problem)])
}

#[rstest]
#[case::no_file(part("name=\"corrections\"", "", "[]") + END, fault("file", FieldProblem::NoFile))]
#[case::twice(file() + &file() + END, fault("file", FieldProblem::Duplicate))]
#[case::parameter(
    part("name=\"dry_run\"", "", "true") + &file() + END,
    fault("dry_run", FieldProblem::UnknownPart)
)]
#[case::no_name(part("x=y", "", "") + END, fault("", FieldProblem::UnknownPart))]
#[case::cut_off(file().trim_end_matches("--y\r\n\r\n").to_owned(), Problem::IncompletePart { part: "file" })]
#[case::no_end(file(), Problem::IncompletePart { part: "file" })]
#[case::another_boundary(file().replace("--x", "--z") + END, fault("file", FieldProblem::NoFile))]
#[case::no_form("fecha,monto\n".to_owned(), Problem::MalformedForm)]
#[case::empty(String::new(), Problem::MalformedForm)]
fn a_form_that_is_not_understood_is_refused(#[case] body: String, #[case] problem: Problem) {
    assert_eq!(parsed(body), Err(problem));
}

#[test]
fn a_part_that_is_too_large_is_refused() {
    for (name, max_bytes, header) in [
        (FILE, MAX_TABLE_BYTES, "Content-Type: text/csv\r\n"),
        (CORRECTIONS, MAX_CORRECTIONS_BYTES, ""),
    ] {
        let body = |bytes: usize| {
            let large = part(&format!("name=\"{name}\""), header, &"x".repeat(bytes));
            let file = if name == FILE { String::new() } else { file() };
            format!("{large}{file}{END}")
        };
        assert!(parsed(body(max_bytes)).is_ok(), "{name}");
        let refused = Problem::PartTooLarge {
            part: name,
            max_bytes,
        };
        assert_eq!(parsed(body(max_bytes + 1)), Err(refused));
    }
}

proptest! {
    #[test]
    fn each_content_comes_back_as_it_was_written(
        content in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"\r\n-x".to_vec())], 0..60),
    ) {
        let separator = b"\r\n--x";
        prop_assume!(!content.windows(separator.len()).any(|window| window == separator));
        let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n";
        prop_assume!(!content.starts_with(b"--x"));
        let body = [head.as_bytes(), &content, b"\r\n--x--\r\n"].concat();
        prop_assert_eq!(parsed(body).unwrap().file, content);
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        body in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"\r\n-x:;=\"".to_vec())], 0..200),
        cut in any::<prop::sample::Index>(),
    ) {
        let _ = parsed(body);
        let whole = (file() + END).into_bytes();
        let _ = parsed(whole[..cut.index(whole.len())].to_vec());
    }
}
