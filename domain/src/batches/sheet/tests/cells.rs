//! Spellings of single values.

use rstest::rstest;

use super::*;
use crate::account::AccountError;
use crate::amount::AmountError;
use crate::calendar::DateError;
use crate::fixture::code;
use crate::participants::ParticipantError;
use crate::query::Token;

/// A good row, but for one value.
fn row_with(column: Column, value: &str) -> SheetRow {
    row_spelt(column, value, Spelling::People)
}

fn row_spelt(column: Column, value: &str, spelling: Spelling) -> SheetRow {
    let good = [
        (Column::Date, "2026-11-20"),
        (Column::TrackingKey, "MBAN01002611200001234567"),
        (Column::Account, "002010077777777771"),
        (Column::Amount, "1234.56"),
    ];
    row_of(good.into_iter().chain([(column, value)]), spelling)
}

fn row_of<'a>(values: impl IntoIterator<Item = (Column, &'a str)>, spelling: Spelling) -> SheetRow {
    let mut cells = RawCells::default();
    for (column, value) in values {
        *cells.get_mut(column) = Token::Text(value.into());
    }
    SheetRow::of_cells(7, cells, spelling, rules())
}

fn problem(column: Column, value: &str) -> CellErrorKind {
    let row = row_with(column, value);
    let (name, problem) = error(&row);
    assert_eq!(name, column.name());
    problem
}

#[rstest]
#[case(123_456, &["1234.56", "1,234.56", "$1,234.56", " $ 1,234.56 ", "$1,234.56 MXN", "MXN 1234.56"])]
#[case(123_456, &["mxn$1234.56", "MX$1,234.56", "$1,234.56 M.N.", "1 234.56", "1\u{a0}234,56"])]
#[case(123_456, &["'1234.56", "=\"1234.56\"", "1234,56", "1.234,56"])]
#[case(123_456_750, &["1\u{202f}234\u{202f}567,5"])]
#[case(123_450, &["1234,5"])]
#[case(45, &["0,45", "0.45"])]
#[case(123_400, &["1,234", "1234"])]
#[case(123_456_700, &["1,234,567", "1.234.567"])]
#[case(123_456_780, &["1,234,567.8"])]
#[case(1_234_567_890, &["12.345.678,90"])]
#[case(900_719_925_474_099_301, &["9007199254740993.01"])]
fn an_amount_is_read(#[case] centavos: u64, #[case] texts: &[&str]) {
    for text in texts {
        let query = row_with(Column::Amount, text).query.unwrap();
        assert_eq!(query.amount.centavos(), centavos, "{text}");
    }
}

#[test]
fn an_amount_that_has_two_readings_is_refused() {
    let expected = CellErrorKind::AmbiguousAmount;
    for text in ["1.234,567.89", "1234,567.89", "1,234 567.00"] {
        assert_eq!(problem(Column::Amount, text), expected, "{text}");
    }
    for text in [
        "1.234",
        "12.345",
        "1.234,567",
        "1,234,56",
        "12,34,567",
        "1,23.45",
        "0,123",
        "0,123.45",
        "1234,5678",
        "1,",
        "1 2",
    ] {
        assert_eq!(problem(Column::Amount, text), expected, "{text}");
    }
}

#[rstest]
#[case(AmountError::TooManyDecimals, &["1234.567", "0.001"])]
#[case(AmountError::Exponent, &["1.2346E05", "12e3"])]
#[case(AmountError::NotDecimal, &["-1,234.56", "(1,234.56)", "mil", "USD 5", "1.", "１２"])]
#[case(AmountError::NotPositive, &["-5", "0.00"])]
fn a_value_that_is_no_amount_is_refused_as_the_api_does(
    #[case] error: AmountError,
    #[case] texts: &[&str],
) {
    let expected = CellErrorKind::Field(error.into());
    for text in texts {
        assert_eq!(problem(Column::Amount, text), expected, "{text}");
    }
}

#[test]
fn a_date_is_read_day_first() {
    for text in [
        "2026-11-05",
        "05/11/2026",
        "05-11-2026",
        "5/11/2026",
        " 5-11-2026 ",
        "5.11.2026",
        "'05/11/2026",
        "05/11/26",
        "2026/11/5",
        "2026-11-05 00:00:00",
        "2026-11-05T10:53:36.000",
        "05/11/2026 09:30 hrs",
        "5/11/2026, 10:53:36 a. m.",
        "05-nov-26",
        "05-NOV.-2026",
        "5 de noviembre de 2026, 10:53:36 h",
        "jueves, 5 de noviembre del 2026",
        "Nov 5, 2026",
        "46331",
        "46331.0",
        " 46331,4537 ",
    ] {
        let query = row_with(Column::Date, text).query.unwrap();
        assert_eq!(query.date.to_string(), "2026-11-05", "{text}");
    }
    for text in ["11/20/2026", "11/20/26 10:53"] {
        assert_eq!(problem(Column::Date, text), CellErrorKind::MonthFirst);
    }
}

#[rstest]
#[case(DateError::NoSuchDay, &["31/02/2026", "00/00/2026", "20/13/2026", "31-feb-26"])]
#[case(DateError::Malformed, &["20/11-2026", "20/11/026", "20 no 2026", "20 nov", "nov 2026", "36525", "73051", "46346.", "46,346", "046346", "46346.5.1", "2026-11-20T10:53Z", "2026-11-20 10:53 -06:00", "10:53", "20/nov/2026/1"])]
#[case(DateError::TooEarly, &["5/11/2003"])]
fn another_date_is_refused(#[case] error: DateError, #[case] texts: &[&str]) {
    let expected = CellErrorKind::Field(error.into());
    for text in texts {
        assert_eq!(problem(Column::Date, text), expected, "{text}");
    }
}

#[test]
fn an_empty_value_is_missing() {
    use Column::{Account, Amount, Date, TrackingKey};
    for (column, text, problem_of_field) in [
        (Date, "", FieldErrorKind::Missing),
        (Amount, "$", FieldErrorKind::Missing),
        (Account, " ", FieldErrorKind::Missing),
        (TrackingKey, "'", FieldErrorKind::NoCriterion),
    ] {
        let expected = CellErrorKind::Field(problem_of_field);
        assert_eq!(problem(column, text), expected);
    }
}

#[rstest]
#[case(Column::Account, "1.23457E+17", CellErrorKind::Shortened { significant: 6 })]
#[case(Column::Account, "1,23457E+17", CellErrorKind::Shortened { significant: 6 })]
#[case(Column::Account, "2E+15", CellErrorKind::Shortened { significant: 1 })]
#[case(Column::Account, "1.2e+17", CellErrorKind::Shortened { significant: 2 })]
#[case(Column::Account, "002010077777777000", CellErrorKind::Rounded)]
#[case(Column::Account, "12180001122334451", CellErrorKind::LeadingZerosLost { zeros: 1 })]
#[case(Column::Account, "2010012345678908", CellErrorKind::LeadingZerosLost { zeros: 2 })]
#[case(Column::Account, "12180001122334452", CellErrorKind::Field(AccountError::Length { digits: 17 }.into()))]
#[case(Column::Amount, "1,2346E+15", CellErrorKind::Shortened { significant: 5 })]
#[case(Column::TrackingKey, "1.23457E+17", CellErrorKind::Shortened { significant: 6 })]
#[case(Column::TrackingKey, "123456789012345000", CellErrorKind::Rounded)]
#[case(
    Column::TrackingKey,
    "12345678901234500000000000",
    CellErrorKind::Rounded
)]
fn a_damaged_number_is_recognised(
    #[case] column: Column,
    #[case] text: &str,
    #[case] expected: CellErrorKind,
) {
    assert_eq!(problem(column, text), expected);
}

#[rstest]
#[case::of_a_card("4111111111111111")]
#[case::of_a_card_with_a_typing_error("4111111111111112")]
#[case::of_a_clabe_with_a_typing_error("002010077777777772")]
#[case::of_text("'002010077777777000")]
#[case::of_a_formula("=\"002010077777777771\"")]
#[case::of_groups("002 010 07777777777 1")]
fn a_whole_account_is_read(#[case] text: &str) {
    row_with(Column::Account, text).query.unwrap();
}

#[test]
fn a_clabe_that_ends_in_zeros_is_read_if_its_check_digit_is_right() {
    let rights = (100..200).map(|middle| format!("002010077777{middle}000"));
    let (read, refused): (Vec<_>, Vec<_>) =
        rights.partition(|clabe| row_with(Column::Account, clabe).query.is_ok());
    assert_eq!((read.len(), refused.len()), (10, 90));
}

#[rstest]
#[case::with_an_e("1E56", "1E56")]
#[case::short("12345678901234500", "12345678901234500")]
#[case::with_other_digits("123456789012345001", "123456789012345001")]
#[case::guarded("'123456789012345000", "123456789012345000")]
#[case::in_a_formula("=\"123456789012345000\"", "123456789012345000")]
fn a_whole_tracking_key_is_read(#[case] text: &str, #[case] expected: &str) {
    let query = row_with(Column::TrackingKey, text).query.unwrap();
    assert_eq!(query.criterion.to_string(), expected);
}

#[test]
fn banks_are_codes_or_names_and_may_be_missing() {
    let read = |column, text| row_with(column, text).query.unwrap();
    let (issuer, receiver) = (code("40012"), code("40014"));
    assert_eq!(read(Column::Issuer, "'40012").issuer, Some(issuer));
    assert_eq!(read(Column::Receiver, " ").receiver, None);
    let named = read(Column::Receiver, "'Banco Santander");
    assert_eq!(named.receiver, Some(receiver));
    let expected = CellErrorKind::Field(ParticipantError::Malformed.into());
    assert_eq!(problem(Column::Receiver, "4001"), expected);
}

#[test]
fn an_id_comes_back_and_is_bounded() {
    let id = |text: &str| row_with(Column::Id, text).id;
    assert_eq!(id(" 0042 ").as_deref(), Some("0042"));
    assert_eq!(id(""), None);
    assert_eq!(id(&"ñ".repeat(MAX_ID_LENGTH)).unwrap().len(), 200);
    let too_long = "x".repeat(MAX_ID_LENGTH + 1);
    let expected = CellErrorKind::IdTooLong { length: 101 };
    assert_eq!(problem(Column::Id, &too_long), expected);
    assert_eq!(problem(Column::Id, "a\tb"), CellErrorKind::IdCharacter);
}

#[test]
fn a_faulty_row_keeps_its_id_and_tells_all_errors_in_the_order_of_the_columns() {
    let values = [
        (Column::Id, "7"),
        (Column::Amount, "1.234"),
        (Column::Account, "1.2E+17"),
        (Column::Issuer, "4001"),
    ];
    let row = row_of(values, Spelling::People);
    assert_eq!((row.line, row.id.as_deref()), (7, Some("7")));
    let CellErrors(errors) = row.query.unwrap_err();
    let names: Vec<_> = errors.iter().map(CellError::name).collect();
    let expected = ["fecha", "clave_rastreo", "cuenta", "monto", "emisor"];
    assert_eq!(names, expected);
}

#[test]
fn the_spelling_of_people_is_not_the_apis() {
    for (column, text) in [
        (Column::Date, "20/11/2026"),
        (Column::Amount, "$1,234.56"),
        (Column::Account, "'002010077777777771"),
    ] {
        row_with(column, text).query.unwrap();
        assert!(row_spelt(column, text, Spelling::Api).query.is_err());
    }
    let shortened = row_spelt(Column::TrackingKey, "1.23457E+17", Spelling::Api);
    let expected = CellErrorKind::Shortened { significant: 6 };
    assert_eq!(error(&shortened), ("clave_rastreo", expected));
}

#[test]
fn an_id_may_be_a_number_but_not_an_array() {
    let row = |id| {
        let cells = RawCells {
            id,
            ..RawCells::default()
        };
        SheetRow::of_cells(1, cells, Spelling::Api, rules())
    };
    assert_eq!(row(Token::Number("42")).id.as_deref(), Some("42"));
    let CellErrors(errors) = row(Token::Other("array")).query.unwrap_err();
    assert_eq!(errors.last().unwrap().name(), "id");
}

#[test]
fn every_field_of_a_payment_has_a_column() {
    use Field::{Account, Amount, Date, Issuer, Receiver, TrackingKey};
    for field in [Date, TrackingKey, Account, Amount, Issuer, Receiver] {
        assert_eq!(Column::of_field(field).unwrap().name(), field.name());
    }
    assert_eq!(Column::of_field(Field::BeneficiaryName), None);
}
