//! Rows, lines and quotes.

use super::*;

const HEADER: &str = "id,fecha,clave_rastreo,cuenta,monto";
const REST: &str = "2026-11-20,MBAN01002611200001234567,002010077777777771,1";

/// The lines and ids of the rows, which are good.
fn ids(file: &str) -> Vec<(u64, String)> {
    let rows = read(file.as_bytes()).into_iter();
    rows.inspect(|row| assert!(row.query.is_ok(), "{row:?}"))
        .map(|row| (row.line, row.id.unwrap()))
        .collect()
}

#[test]
fn blank_lines_and_lines_of_separators_are_skipped_and_counted() {
    let rows = format!("1,{REST}\r\r2,{REST}\n  \n");
    let file = format!("\n ,;\r\n{HEADER}\n\n,,,,\n\"\",\" \"\n{rows}");
    assert_eq!(ids(&file), [(7, "1".into()), (9, "2".into())]);
}

#[test]
fn a_quoted_cell_may_hold_separators_quotes_and_line_ends() {
    let note = "\"a,\"\"b\"\"\r\nc\rd\n\"";
    let file = format!("notas,{HEADER}\n{note},1,{REST}\n , 2 ,{REST}\n");
    assert_eq!(ids(&file), [(2, "1".into()), (6, "2".into())]);
}

#[test]
fn a_quote_within_a_cell_is_text() {
    let file = format!("{HEADER}\n \"1\" ,{REST}\n\"2\"x,{REST}\n3\"x,{REST}");
    let expected = [(2, "1".into()), (3, "2x".into()), (4, "3\"x".into())];
    assert_eq!(ids(&file), expected);
}

#[test]
fn a_quote_that_is_never_closed_or_a_row_that_is_too_long_costs_one_row() {
    let long = "x".repeat(MAX_ROW_LENGTH);
    for (begin, fault) in [("\"2", RowFault::UnclosedQuote), (&long, RowFault::TooLong)] {
        let file = format!("{HEADER}\n1,{REST}\n{begin},{REST}\n3,{REST}\n4,{REST}");
        let rows = read(file.as_bytes());
        assert!(rows.iter().map(|row| row.line).eq([2, 3, 4, 5]));
        assert_eq!(error(&rows[1]), ("row", fault.into()));
        assert!(rows[2].query.is_ok() && rows[3].query.is_ok());
    }
}

#[test]
fn blank_rows_are_passed_over_and_count_as_rows_once_there_are_too_many() {
    for (more, rows) in [(0, 2), (3, 5)] {
        let blank = ";;;;\n".repeat(MAX_BLANK_ROWS as usize + more);
        let file = format!("{HEADER}\n1,{REST}\n{blank}2,{REST}\n").replace(',', ";");
        let read = read(file.as_bytes());
        assert_eq!(read.len(), rows);
        assert_eq!(read.iter().filter(|row| row.query.is_ok()).count(), 2);
        assert_eq!(
            read[rows - 1].line,
            u64::from(MAX_BLANK_ROWS) + 3 + more as u64
        );
    }
}

#[test]
fn a_value_that_a_separator_split_is_never_half_read() {
    let split = "1,2026-11-20,KEY,002010077777777771,1,234.56";
    let rows = read(format!("{HEADER}\n{split}\n2,{REST},,\n").as_bytes());
    let fault = RowFault::MoreCells {
        cells: 6,
        columns: 5,
    };
    assert_eq!(error(&rows[0]), ("row", fault.into()));
    assert!(rows[1].query.is_ok());
}

#[test]
fn a_short_row_lacks_its_last_cells() {
    let short = "2,2026-11-20,KEY,002010077777777771";
    let rows = read(format!("{HEADER},emisor\n1,{REST}\n{short}\n").as_bytes());
    assert!(rows[0].query.is_ok());
    assert_eq!(error(&rows[1]), ("monto", FieldErrorKind::Missing.into()));
}

#[test]
fn utf16_is_read_in_both_orders_and_may_end_within_a_character() {
    let text = format!("{HEADER}\n😀,{REST}\n");
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        let mut file: Vec<u8> = unit(0xfeff).to_vec();
        file.extend(text.encode_utf16().flat_map(unit));
        assert_eq!(read(&file)[0].id.as_deref(), Some("😀"));
        file.push(b'x');
        assert_eq!(read(&file).len(), 2);
    }
}

#[test]
fn a_file_without_a_byte_order_mark_may_be_windows_1252_and_one_with_it_is_utf8() {
    let id = |mark: &[u8], id: &[u8]| {
        let header = HEADER.replace("fecha", "Fecha de operación");
        let header = if mark.is_empty() { HEADER } else { &header };
        let parts = [mark, header.as_bytes(), b"\n", id, b",", REST.as_bytes()];
        read(&parts.concat()).remove(0).id.unwrap()
    };
    assert_eq!(id(b"", b"\x80\x93\xf1"), "€“ñ");
    assert_eq!(id(b"\xef\xbb\xbf", b"\xf1\xc3\xb1"), "\u{fffd}ñ");
}
