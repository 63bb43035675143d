//! Properties of any file, and of every way to write one table.

use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::amount::pesos;
use crate::query::Token;

#[derive(Clone, Debug)]
struct Payment {
    id: String,
    day: (u32, u32, i32),
    key: String,
    account: String,
    centavos: u64,
    note: String,
}

prop_compose! {
    fn payment()(
        id in "[A-Za-z0-9ñé]{1,8}",
        day in (1_u32..=28, 1_u32..=10, 2020_i32..=2026),
        key in "[A-Z]{4}[0-9]{4,20}",
        account in "[1-9][0-9]{9}",
        centavos in 1_u64..=99_999_999_999,
        note in "[a-zñé ,;\t\"\n=.]{0,12}",
    ) -> Payment {
        Payment { id, day, key, account, centavos, note }
    }
}

/// A way to write a table.
#[derive(Clone, Copy, Debug)]
struct Form {
    separator: char,
    encoding: u8,
    line_end: &'static str,
    date: u8,
    amount: u8,
    quotes: Quotes,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quotes {
    WhereNeeded,
    Everywhere,
}

prop_compose! {
    fn form()(
        separator in prop::sample::select(vec![',', ';', '\t']),
        encoding in 0_u8..5,
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        date in 0_u8..4,
        amount in 0_u8..6,
        quotes in prop::sample::select(vec![Quotes::WhereNeeded, Quotes::Everywhere]),
    ) -> Form {
        Form { separator, encoding, line_end, date, amount, quotes }
    }
}

impl Form {
    fn date(self, (day, month, year): (u32, u32, i32)) -> String {
        match self.date {
            0 => format!("{year}-{month:02}-{day:02}"),
            1 => format!("{day:02}/{month:02}/{year}"),
            2 => format!("{day}/{month}/{year}"),
            _ => format!("{day:02}-{month:02}-{year}"),
        }
    }

    fn amount(self, centavos: u64) -> String {
        let plain = pesos(centavos);
        let (integer, fraction) = plain.split_once('.').unwrap();
        let mut grouped = String::new();
        for (place, digit) in integer.chars().enumerate() {
            if place > 0 && (integer.len() - place).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        match self.amount {
            0 => plain,
            1 => format!("{grouped}.{fraction}"),
            2 => format!("${grouped}.{fraction}"),
            3 => format!(" $ {grouped}.{fraction} MXN "),
            4 => format!("{integer},{fraction}"),
            _ => format!("{},{fraction}", grouped.replace(',', ".")),
        }
    }

    fn cell(self, text: &str) -> String {
        let is_needed = text.contains([self.separator, '"', '\n', '\r']);
        if is_needed || self.quotes == Quotes::Everywhere {
            let doubled = text.replace('"', "\"\"");
            format!("\"{}\"", doubled.replace('\n', self.line_end))
        } else {
            text.to_owned()
        }
    }

    fn encode(self, text: &str) -> Vec<u8> {
        let utf16 = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
        match self.encoding {
            0 => text.as_bytes().to_vec(),
            1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            2 => utf16().flat_map(u16::to_le_bytes).collect(),
            3 => utf16().flat_map(u16::to_be_bytes).collect(),
            // All characters of these tables are those of ISO 8859-1.
            _ => text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
        }
    }

    fn write(self, payments: &[Payment]) -> Vec<u8> {
        let separator = self.separator.to_string();
        let header = "Póliza|Fecha de operación|Clave de rastreo|Cuenta|Importe|Folio";
        let header: Vec<_> = header.split('|').map(|cell| self.cell(cell)).collect();
        let mut text = header.join(&separator);
        for payment in payments {
            let cells = [
                payment.note.clone(),
                self.date(payment.day),
                payment.key.clone(),
                payment.account.clone(),
                self.amount(payment.centavos),
                payment.id.clone(),
            ];
            text.push_str(self.line_end);
            text.push_str(&cells.map(|cell| self.cell(&cell)).join(&separator));
        }
        self.encode(&text)
    }
}

proptest! {
    #[test]
    fn one_table_gives_the_same_rows_in_every_form(
        payments in prop::collection::vec(payment(), 1..6), form in form(),
    ) {
        let file = form.write(&payments);
        let sheet = open(&file).unwrap();
        let separator = sheet.separator().unwrap();
        prop_assert_eq!(separator.character(), form.separator);
        let read: Vec<_> = sheet.rows(rules()).collect();
        prop_assert_eq!(read.len(), payments.len());
        let mut line = 2;
        for (row, payment) in read.iter().zip(&payments) {
            prop_assert_eq!(row.line, line);
            line += 1 + payment.note.matches('\n').count() as u64;
            prop_assert_eq!(row.id.as_ref(), Some(&payment.id));
            let query = row.query.as_ref().unwrap();
            let (day, month, year) = payment.day;
            prop_assert_eq!(Some(query.date), NaiveDate::from_ymd_opt(year, month, day));
            prop_assert_eq!(&query.criterion.to_string(), &payment.key);
            prop_assert_eq!(query.account.as_str(), &payment.account);
            prop_assert_eq!(query.amount.centavos(), payment.centavos);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        start in prop::sample::select(vec![&b""[..], b"\xff\xfe", b"\xfe\xff", b"sep="]),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        if let Ok(sheet) = open(&[start, &rest].concat()) {
            for row in sheet.rows(rules()) {
                prop_assert!(row.line > 0);
            }
        }
    }

    #[test]
    fn any_bytes_after_a_header_are_read_without_panic(
        start in prop::sample::select(vec![&b""[..], b"\xef\xbb\xbf", b"sep=,\n"]),
        rest in prop::collection::vec(
            prop_oneof![1_u8.., prop::sample::select(b"\"\r\n,;='E+-./0123 $".to_vec())], 0..400,
        ),
    ) {
        let file = [start, b"fecha,rastreo,cuenta,monto\n", &rest].concat();
        let sheet = open(&file).unwrap();
        let lines: Vec<_> = sheet.rows(rules()).map(|row| row.line).collect();
        prop_assert!(lines.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn any_cells_are_checked_without_panic(cells in prop::collection::vec("\\PC{0,24}", 7)) {
        let mut raw = RawCells::default();
        for (column, cell) in Column::ALL.into_iter().zip(&cells) {
            *raw.get_mut(column) = Token::Text(cell.into());
        }
        SheetRow::of_cells(1, raw, Spelling::People, rules());
    }

    #[test]
    fn a_number_in_the_column_of_dates_is_the_day_that_excel_shows(
        after in 0_i64..=36_524, fraction in "|[.,][0-9]{1,10}",
    ) {
        let first = NaiveDate::from_ymd_opt(2000, 1, 1).unwrap();
        prop_assert_eq!(serial_number(first), 36_526);
        let day = first + TimeDelta::days(after);
        let number = serial_number(day);
        let spelt = super::super::date::spell(&format!("{number}{fraction}")).map(String::from);
        prop_assert_eq!(spelt, Ok(day.to_string()));
    }

    #[test]
    fn an_amount_keeps_all_its_digits_in_their_order(text in "[0-9.,]{1,9}") {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        if let Ok(spelt) = super::super::amount::spell(&text) {
            prop_assert_eq!(digits(&spelt), digits(&text));
        }
    }
}
