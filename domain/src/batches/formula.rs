//! Protects CSV cells from being run as formulas by spreadsheets.

use std::borrow::Cow;

use crate::shown::shown;

/// Signs with which a formula begins, and their full-width and small forms, which East Asian
/// spreadsheets treat alike.
const SIGNS: [char; 12] = [
    '=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫',
];
/// Characters at which a program may split a cell, because it takes them for separators.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// Digits up to which spreadsheets show a number as it was typed.
const MAX_SHOWN_DIGITS: usize = 11;

/// Escapes a cell so that spreadsheets show it instead of computing it. An apostrophe is added before a
/// cell that begins like a formula (OWASP, "CSV injection"), and before each part that does so for a
/// program that splits the cell there. The readers in this crate drop the apostrophe at the start of a
/// cell.
pub fn escape(cell: &str) -> Cow<'_, str> {
    let begins_row = cell.starts_with(['\t', '\r', '\n']);
    let mut parts = cell.split_inclusive(SEPARATORS);
    if !begins_row && !parts.any(is_formula) {
        return cell.into();
    }
    let mut escaped = String::with_capacity(cell.len() + 2);
    for part in cell.split_inclusive(SEPARATORS) {
        if is_formula(part) || begins_row && escaped.is_empty() {
            escaped.push('\'');
        }
        escaped.push_str(part);
    }
    escaped.into()
}

/// Marks a text that spreadsheets would take for a number, and round, or whose leading zeros they would drop: an
/// apostrophe is added before it, which the readers in this crate drop. Other texts are returned unchanged.
pub fn as_text(cell: &str) -> Cow<'_, str> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_rounded = is_digits(cell) && cell.len() > MAX_SHOWN_DIGITS;
    let is_cut = is_digits(cell) && cell.len() > 1 && cell.starts_with('0');
    // `12E34` and `1.2E+34` are numbers.
    let is_power = cell.split_once(['E', 'e']).is_some_and(|(digits, power)| {
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        is_digits(&digits.replacen('.', "", 1)) && is_digits(power)
    });
    if is_rounded || is_cut || is_power {
        format!("'{cell}").into()
    } else {
        cell.into()
    }
}

/// Returns `true` if a text begins with a formula sign, after anything that a program may drop: blanks,
/// quotes and invisible characters.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches(|it: char| it.is_whitespace() || it == '"' || shown(it) != it)
        .starts_with(SIGNS)
}

/// Writes one row (RFC 4180, with CRLF) with every cell escaped.
///
/// # Panics
/// Never, because writing to memory can't fail.
pub fn row<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> String {
    const INFALLIBLE: &str = "writing to memory can't fail";
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for cell in cells {
        let cell = escape(cell.as_ref()).into_owned();
        writer.write_field(cell).expect(INFALLIBLE);
    }
    // Ends the row.
    writer.write_record(None::<&[u8]>).expect(INFALLIBLE);
    let csv = writer.into_inner().expect(INFALLIBLE);
    String::from_utf8(csv).expect("it is made of strings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::sheet::{ColumnMapping, Sheet};
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::of_one_character(&["=1+1", "+521234567890", "-5", "@SUM(A1)", "\t1", " =1", "\"=1"])]
    #[case::full_width_or_small(&["＝1", "＠A", "﹦1"])]
    #[case::behind_what_nobody_sees(&["\u{200b}=1", "\u{feff}＝1", "\u{202e}@A", "\0\u{1b}+1"])]
    fn what_begins_as_a_formula_is_escaped(#[case] cells: &[&str]) {
        for cell in cells {
            assert_eq!(escape(cell), format!("'{cell}"));
        }
    }

    #[rstest]
    #[case("\t=1", "'\t'=1")]
    #[case("\r=1", "'\r'=1")]
    #[case("\n=1", "'\n'=1")]
    #[case("x;=1", "x;'=1")]
    #[case("x;\u{a0}\"+1;y\t@A", "x;'\u{a0}\"+1;y\t'@A")]
    #[case("x\r\n-1", "x\r\n'-1")]
    #[case::full_width("＋1;－1", "'＋1;'－1")]
    #[case::small("﹦1;﹢1\t﹣1", "'﹦1;'﹢1\t'﹣1")]
    #[case::soft_hyphen("x;\u{ad} =1", "x;'\u{ad} =1")]
    #[case::unseen_alone("\u{200b}x", "\u{200b}x")]
    #[case::none("a; b;", "a; b;")]
    #[case::none("1-2=3", "1-2=3")]
    #[case::none("", "")]
    fn each_part_that_begins_as_a_formula_is_escaped(#[case] cell: &str, #[case] expected: &str) {
        assert_eq!(escape(cell), expected);
    }

    #[test]
    fn a_row_is_quoted_where_needed_and_ends_with_cr_and_lf() {
        let cells = ["a", "b,c", "\"d\"", "", "=e"];
        assert_eq!(row(cells), "a,\"b,c\",\"\"\"d\"\"\",,'=e\r\n");
        assert_eq!(row(["", ""]), ",\r\n");
    }

    #[rstest]
    #[case(&["002010077777777771", "123456789012", "01", "12E34", "5e6", "4.41808E+16", "1.5e-3"], true)]
    #[case(&["", "0", "12345678901", "5512345678", "E5", "1E", "1E2E", "ABC1E5", "1.5", "-01"], false)]
    fn numbers_that_would_lose_digits_are_marked(#[case] cells: &[&str], #[case] is_marked: bool) {
        for cell in cells {
            let expected = if is_marked {
                format!("'{cell}")
            } else {
                (*cell).to_owned()
            };
            assert_eq!(as_text(cell), expected);
        }
    }

    proptest! {
        #[test]
        fn a_spreadsheet_finds_no_formula_and_every_cell(
            cells in prop::collection::vec("[ =+@＝－\u{200b}\u{ad}'\"a-c,;\t\r\n-]{0,8}", 1..6),
        ) {
            let text = row(&cells);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            let read = reader.records().next().unwrap().unwrap();
            prop_assert_eq!(read.len(), cells.len());
            for (read, cell) in read.iter().zip(&cells) {
                prop_assert!(!read.starts_with(['\t', '\r', '\n']));
                for part in read.split(SEPARATORS) {
                    let bare = part.trim_start_matches([' ', '"', '\u{200b}', '\u{ad}']);
                    prop_assert!(!bare.starts_with(SIGNS), "{}", part);
                }
                // What was added is an apostrophe here and there.
                let without = |text: &str| text.replace('\'', "");
                prop_assert_eq!(without(read), without(cell));
            }
        }

        #[test]
        fn a_cell_is_written_as_it_is_unless_some_of_it_begins_as_a_formula(cell in "[ -*,.-<>?A-~]{0,20}") {
            let escaped = escape(&cell).into_owned();
            prop_assert_eq!(escaped, cell);
        }

        #[test]
        fn a_written_row_is_read_back_as_a_row_of_a_table(id in "[ -~]{1,20}") {
            let header = row(["id", "fecha", "clave_rastreo", "cuenta", "monto"]);
            let text = header + &row([&id, "2026-11-20", "KEY", "5512345678", "1.00"]);
            let sheet = Sheet::open(text.as_bytes(), &ColumnMapping::default()).unwrap();
            let rules = crate::batches::sheet::RowRules {
                today: chrono::NaiveDate::from_ymd_opt(2026, 11, 24).unwrap(),
                catalogue: crate::participants::Catalogue::embedded(),
                own_accounts: &[],
            };
            let read = sheet.rows(rules).next().unwrap();
            prop_assert!(read.query.is_ok());
            let guarded = id.trim_start().starts_with(['\'', '=']);
            if !guarded && !escape(&id).contains(";'") {
                prop_assert_eq!(read.id.unwrap_or_default(), id.trim());
            }
        }
    }
}
