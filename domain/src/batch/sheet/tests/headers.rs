//! Headers, and columns that a caller assigns.

use rstest::rstest;

use super::*;

const ROW: &str = "2026-11-20,MBAN01002611200001234567,002010077777777771,1";

fn recognised(sheet: &Sheet<'_>) -> Vec<Option<Column>> {
    sheet.columns().iter().map(|place| place.column).collect()
}

fn lines(sheet: &Sheet<'_>) -> Vec<u64> {
    sheet.rows(rules()).map(|row| row.line).collect()
}

#[rstest]
#[case("fecha,clave_rastreo,cuenta,monto")]
#[case("FECHA,CLAVE DE RASTREO,CLABE,IMPORTE")]
#[case("Fecha de operación,Clave rastreo,Cuenta beneficiaria,Monto (MXN)")]
#[case("Fecha de la transferencia,Rastreo,CLABE interbancaria,Importe en pesos")]
#[case("fecha_pago,clave-de-rastreo,cuenta_beneficiario,cantidad")]
#[case("Fecha de Operacio\u{301}n,Clave de Rastreo:,No. de cuenta,$ Monto")]
#[case("Date,Tracking key,Account number,Amount")]
#[case("Payment date,Tracking ID,Beneficiary account,Amount")]
fn usual_headers_are_recognised(#[case] header: &str) {
    let file = format!("{header}\n{ROW}\n");
    let sheet = open(file.as_bytes()).unwrap();
    assert_eq!(recognised(&sheet), Column::REQUIRED.map(Some));
    assert!(sheet.rows(rules()).all(|row| row.query.is_ok()));
}

#[rstest]
#[case("Banco emisor", Column::Issuer)]
#[case("Institución emisora", Column::Issuer)]
#[case("Issuing bank", Column::Issuer)]
#[case("BANCO RECEPTOR", Column::Receiver)]
#[case("Banco destino", Column::Receiver)]
#[case("receiver", Column::Receiver)]
#[case("Folio", Column::Id)]
#[case("ID", Column::Id)]
#[case("Referencia interna", Column::Id)]
fn usual_headers_of_further_columns_are_recognised(#[case] header: &str, #[case] column: Column) {
    let file = format!("{header};monto;cuenta;fecha;rastreo");
    assert_eq!(recognised(&open(file.as_bytes()).unwrap())[0], Some(column));
}

#[rstest]
#[case("Cuenta ordenante")]
#[case("RFC")]
#[case("Referencia")]
#[case("Clave")]
#[case("Fecha de factura")]
#[case("No.")]
#[case("")]
fn other_headers_are_ignored(#[case] header: &str) {
    let file = format!("fecha,rastreo,cuenta,monto,{header},notas");
    assert_eq!(recognised(&open(file.as_bytes()).unwrap())[4], None);
}

#[test]
fn every_missing_column_is_named_with_the_headers_that_were_found() {
    let error = open(b"Fecha;Concepto;Total\n").unwrap_err();
    let column = |number, header: &str, column| SheetColumn {
        number,
        header: header.to_owned(),
        sample: None,
        column,
    };
    let expected = SheetError::MissingColumns {
        missing: vec![Column::TrackingKey, Column::Account, Column::Amount],
        columns: vec![
            column(1, "Fecha", Some(Column::Date)),
            column(2, "Concepto", None),
            column(3, "Total", None),
        ],
    };
    assert_eq!(error, expected);
    let text = "no column for clave_rastreo, cuenta, monto; the headers are Fecha, Concepto, Total";
    assert_eq!(error.to_string(), text);
}

#[test]
fn two_headers_of_one_column_are_refused_unless_the_caller_names_one() {
    let file = format!("fecha,rastreo,CLABE,monto,cuenta\n{ROW},012180001122334451\n");
    let SheetError::DuplicateColumn {
        column,
        headers,
        columns,
    } = open(file.as_bytes()).unwrap_err()
    else {
        panic!("both are the account");
    };
    assert_eq!(column, Column::Account);
    assert_eq!(headers, ["CLABE", "cuenta"]);
    let recognised: Vec<_> = columns.iter().map(|it| it.column).collect();
    let [date, key, amount] = [Column::Date, Column::TrackingKey, Column::Amount].map(Some);
    assert_eq!(recognised, [date, key, None, amount, None]);
    for mapping in ["cuenta:clabe", "cuenta:3"] {
        let sheet = mapped(&file, mapping).unwrap();
        let query = sheet.rows(rules()).next().unwrap().query.unwrap();
        assert_eq!(query.account.as_str(), "002010077777777771");
    }
}

#[test]
fn a_caller_assigns_columns_by_header_or_number() {
    let file = format!("Día,Ref,A quién,Total,Póliza\n{ROW},P-9\n");
    let mapping = "fecha: dia , clave_rastreo:2,cuenta:A QUIEN,monto:Total,id:póliza";
    let sheet = mapped(&file, mapping).unwrap();
    let row = sheet.rows(rules()).next().unwrap();
    assert_eq!((row.id.as_deref(), row.query.is_ok()), (Some("P-9"), true));
}

#[test]
fn a_column_that_is_assigned_to_one_field_is_not_recognised_as_another() {
    let file = "fecha,rastreo,cuenta,monto,folio";
    let sheet = mapped(file, "clave_rastreo:folio").unwrap();
    assert_eq!(recognised(&sheet)[1], None);
    assert_eq!(recognised(&sheet)[4], Some(Column::TrackingKey));
}

#[test]
fn a_table_needs_no_header_if_every_column_has_a_number() {
    let mapping = "fecha:1,clave_rastreo:2,cuenta:3,monto:4";
    let semicolons = ROW.replace(',', ";") + ",50\n";
    for file in [ROW, &semicolons] {
        let sheet = mapped(file, mapping).unwrap();
        let row = sheet.rows(rules()).next().unwrap();
        assert_eq!((row.line, row.query.is_ok()), (1, true));
    }
    let with_header = format!("a,b,c,d\n{ROW}");
    assert_eq!(lines(&mapped(&with_header, mapping).unwrap()), [2]);
}

#[rstest]
#[case("")]
#[case("fecha:1")]
#[case("monto:Total")]
fn a_table_without_a_header_is_refused_with_the_values_of_its_first_row(#[case] mapping: &str) {
    let SheetError::NoHeader { columns } = mapped(ROW, mapping).unwrap_err() else {
        panic!("it has no header");
    };
    let expected = (1..)
        .zip(ROW.split(','))
        .map(|(number, value)| SheetColumn {
            number,
            header: String::new(),
            sample: Some(value.to_owned()),
            column: None,
        });
    assert_eq!(columns, expected.collect::<Vec<_>>());
}

#[test]
fn the_values_of_a_first_row_are_cut() {
    let file = format!("2026-11-20,{}", "x".repeat(60_000));
    let SheetError::NoHeader { columns } = open(file.as_bytes()).unwrap_err() else {
        panic!("it has no header");
    };
    assert_eq!(columns[1].sample.as_ref().unwrap().len(), 100);
}

#[rstest]
#[case("", Some(Column::Issuer), Some(Column::Id))]
#[case("emisor:0", None, Some(Column::Id))]
#[case("id:0,emisor:00", None, None)]
fn a_field_that_is_not_needed_can_be_left_out(
    #[case] mapping: &str,
    #[case] issuer: Option<Column>,
    #[case] id: Option<Column>,
) {
    let file = format!("fecha,rastreo,cuenta,monto,banco emisor,folio\n{ROW},x,F-1\n");
    let sheet = mapped(&file, mapping).unwrap();
    assert_eq!(recognised(&sheet)[4..], [issuer, id]);
    // No bank is called x.
    let row = sheet.rows(rules()).next().unwrap();
    assert_eq!(row.query.is_ok(), issuer.is_none());
    assert_eq!(row.id.is_some(), id.is_some());
}

#[test]
fn of_two_headers_of_a_field_that_is_left_out_none_is_read() {
    let file = format!("fecha,rastreo,cuenta,monto,folio,id\n{ROW},1,2\n");
    assert!(matches!(
        open(file.as_bytes()),
        Err(SheetError::DuplicateColumn { .. })
    ));
    let sheet = mapped(&file, "id:0").unwrap();
    assert_eq!(sheet.rows(rules()).next().unwrap().id, None);
}

#[test]
fn an_answer_lists_a_hundred_columns_and_a_row_may_have_more() {
    let wide = |others: usize| format!("{}fecha,rastreo,cuenta,monto\n", "x,".repeat(others));
    let file = wide(500) + &",".repeat(500) + ROW;
    let sheet = open(file.as_bytes()).unwrap();
    assert_eq!(sheet.columns().len(), 100);
    let numbers = sheet.columns().iter().map(|it| it.number);
    let expected: Vec<_> = (1..=96).chain(501..=504).collect();
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
    assert!(sheet.rows(rules()).next().unwrap().query.is_ok());

    let commas = ",".repeat(60_000);
    for file in [format!("x{commas}"), format!("2026-11-20{commas}")] {
        let columns = match open(file.as_bytes()).unwrap_err() {
            SheetError::MissingColumns { columns, .. } | SheetError::NoHeader { columns } => {
                columns
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(columns.len(), 100);
    }
}

#[rstest]
#[case("x:1", MappingError::UnknownField { name: "x".into() })]
#[case("rfc_beneficiario:1", MappingError::UnknownField { name: "rfc_beneficiario".into() })]
#[case("monto", MappingError::Malformed { part: "monto".into() })]
#[case("monto:", MappingError::Malformed { part: "monto:".into() })]
#[case("monto:1,monto:2", MappingError::Repeated { column: Column::Amount })]
#[case("monto:1,cuenta:1", MappingError::Shared { first: Column::Amount, second: Column::Account })]
#[case("monto:7", MappingError::NoSuchNumber { column: Column::Amount, number: 7, columns: 6 })]
#[case("monto:0", MappingError::NoSuchNumber { column: Column::Amount, number: 0, columns: 6 })]
#[case("monto:Total", MappingError::NoSuchHeader { column: Column::Amount, header: "Total".into() })]
#[case("id:Notas.", MappingError::AmbiguousHeader { column: Column::Id, header: "Notas.".into() })]
fn a_mapping_that_does_not_fit_is_refused(#[case] mapping: &str, #[case] expected: MappingError) {
    let file = "fecha,rastreo,cuenta,monto,notas,NOTAS";
    let error = mapped(file, mapping).unwrap_err();
    assert_eq!(error, SheetError::Mapping(expected));
}

#[test]
fn a_number_of_many_digits_is_beyond_the_last_column() {
    let error = mapped("fecha", "monto:99999999999999999999999").unwrap_err();
    let SheetError::Mapping(MappingError::NoSuchNumber { .. }) = error else {
        panic!("{error:?}");
    };
}

#[rstest]
#[case(b"", SheetError::Empty)]
#[case(b"\xef\xbb\xbf", SheetError::Empty)]
#[case(b"\n ;; \n", SheetError::Empty)]
#[case(b"sep=;\n", SheetError::Empty)]
#[case(b"PK\x03\x04rest", SheetError::NotText)]
#[case(b"\xd0\xcf\x11\xe0rest", SheetError::NotText)]
#[case(b"%PDF-1.7", SheetError::NotText)]
#[case(b"f\0e\0c\0h\0a\0", SheetError::NotText)]
#[case(b"\"fecha\n", SheetError::Header { line: 1, fault: RowFault::UnclosedQuote })]
fn a_file_that_is_no_table_is_refused(#[case] file: &[u8], #[case] expected: SheetError) {
    assert_eq!(open(file).unwrap_err(), expected);
}

#[rstest]
#[case("sep=;\n", ";")]
#[case("\"sep=;\"\r\n", ";")]
#[case("SEP=\t\n", "\t")]
#[case("sep=,,,,\n", ",")]
fn a_line_may_say_the_separator(#[case] line: &str, #[case] separator: &str) {
    let table = format!("fecha,rastreo,cuenta,monto\n{ROW}").replace(',', separator);
    let file = format!("{line}{table}");
    let sheet = open(file.as_bytes()).unwrap();
    assert_eq!(sheet.separator().character().to_string(), separator);
    assert_eq!(lines(&sheet), [3]);
}

#[rstest]
#[case::beside_internal_numbers(
    "Fecha,Clave de rastreo,Referencia,CLABE,Importe\n\
     2026-11-20,10001,MBAN01002611200000000002,002010077777777771,10.00\n\
     2026-11-20,10002,'MBAN01002611200000000003,002010077777777771,11.00\n",
    Some("Referencia")
)]
#[case::in_the_column_of_ids(
    "fecha,clave_rastreo,id,cuenta,monto\n2026-11-20,7,HSBC123456,002010077777777771,10.00\n",
    Some("id")
)]
#[case::where_they_belong(
    "fecha,clave_rastreo,otra,cuenta,monto\n\
     2026-11-20,HSBC123456,HSBC123456,002010077777777771,10.00\n",
    None
)]
#[case::in_half_of_the_rows(
    "fecha,clave_rastreo,otra,cuenta,monto\n2026-11-20,7,HSBC123456,,1\n2026-11-20,8,,,1\n",
    None
)]
#[case::nowhere("fecha,clave_rastreo,otra,cuenta,monto\n2026-11-20,7,x,,1\n", None)]
#[case::without_a_row("fecha,clave_rastreo,otra,cuenta,monto\n", None)]
fn a_column_of_tracking_keys_is_recognised_by_its_values(
    #[case] file: &str,
    #[case] header: Option<&str>,
) {
    let sheet = Sheet::open(file.as_bytes(), &ColumnMapping::default()).unwrap();
    let misplaced = sheet.misplaced_tracking_keys();
    assert_eq!(misplaced.map(|column| &*column.header), header);
}
