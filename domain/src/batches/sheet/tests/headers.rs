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

fn first(sheet: &Sheet<'_>) -> SheetRow {
    sheet.rows(rules()).next().unwrap()
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
#[case(Column::Issuer, &["Banco emisor", "Institución emisora", "Issuing bank"])]
#[case(Column::Receiver, &["BANCO RECEPTOR", "Banco destino", "receiver"])]
#[case(Column::Id, &["Folio", "ID", "Referencia interna"])]
#[case(Column::Reference, &["numero_referencia", "Referencia numérica", "No. de referencia"])]
fn usual_headers_of_further_columns_are_recognised(
    #[case] column: Column,
    #[case] headers: &[&str],
) {
    for header in headers {
        let file = format!("{header};monto;cuenta;fecha;rastreo");
        assert_eq!(recognised(&open(file.as_bytes()).unwrap())[0], Some(column));
    }
}

#[rstest]
#[case::title(
    "COMERCIAL DEL VALLE SA DE CV,,,\nPagos de noviembre,,,\nGenerado:,24/11/2026 09:30,,\n,,,\n",
    5
)]
#[case::one_word("Fecha\n", 2)]
#[case::separators_of_another_kind(
    "Cuenta: 012180001234567890;;;;;\nPeriodo: 01/11/2026;;;;;\n",
    3
)]
#[case::a_quote_that_is_not_closed("Reporte \"SPEI\n\"Pagos,\n", 3)]
fn a_header_is_found_below_titles(#[case] titles: &str, #[case] line: u64) {
    let table = format!("Fecha,Clave de rastreo,CLABE,Importe\n{ROW}\n");
    let file = titles.to_owned() + &table;
    let sheet = open(file.as_bytes()).unwrap();
    assert_eq!(recognised(&sheet), Column::REQUIRED.map(Some));
    assert_eq!(lines(&sheet), [line + 1]);
    assert!(first(&sheet).query.is_ok());
}

#[test]
fn a_header_is_searched_in_fifty_rows() {
    let table = |titles| {
        format!(
            "{}fecha,rastreo,cuenta,monto\n{ROW}\n",
            "título\n".repeat(titles)
        )
    };
    assert_eq!(lines(&open(table(49).as_bytes()).unwrap()), [51]);
    assert!(matches!(
        open(table(50).as_bytes()),
        Err(SheetError::MissingColumns { .. })
    ));
}

#[test]
fn of_a_table_whose_headers_are_unknown_the_widest_of_the_leading_rows_is_listed() {
    let file = "Pagos de noviembre\n\nDía;Ref;A quién;Total\n5/11/2026;x;y;1\n";
    let error = open(file.as_bytes()).unwrap_err();
    let SheetError::MissingColumns { columns, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(headers_of(&columns), ["Día", "Ref", "A quién", "Total"]);
    let mapping = "fecha:1,clave_rastreo:2,cuenta:3,monto:4";
    let below = format!("Pagos\nDía,Ref,A quién,Total\n{ROW}\n");
    assert_eq!(lines(&mapped(&below, mapping).unwrap()), [3]);
}

#[test]
fn other_headers_are_ignored() {
    let others = "Cuenta ordenante,RFC,Referencia,Clave,Fecha de factura,No.,,notas";
    let file = format!("fecha,rastreo,cuenta,monto,{others}");
    assert_eq!(recognised(&open(file.as_bytes()).unwrap())[4..], [None; 8]);
}

#[test]
fn every_missing_column_is_named_with_the_headers_that_were_found() {
    let error = open(b"Fecha;Notas;Total\n").unwrap_err();
    let column = |number, header: &str, column| SheetColumn {
        number,
        header: header.to_owned(),
        samples: Vec::new(),
        column,
    };
    let expected = SheetError::MissingColumns {
        missing: vec![Column::TrackingKey, Column::Account, Column::Amount],
        columns: vec![
            column(1, "Fecha", Some(Column::Date)),
            column(2, "Notas", None),
            column(3, "Total", None),
        ],
    };
    assert_eq!(error, expected);
    let text = "no column for clave_rastreo, cuenta, monto; the headers are Fecha, Notas, Total";
    assert_eq!(error.to_string(), text);
}

#[test]
fn two_headers_of_one_column_are_refused_unless_the_caller_names_one() {
    let file = format!("fecha,rastreo,CLABE,monto,cuenta\n{ROW},012180001122334451\n");
    let refused = open(file.as_bytes()).unwrap_err();
    let SheetError::DuplicateColumn {
        column,
        headers,
        columns,
    } = refused
    else {
        panic!("both are the account");
    };
    assert_eq!(column, Column::Account);
    assert_eq!(headers, ["CLABE", "cuenta"]);
    let recognised: Vec<_> = columns.iter().map(|it| it.column).collect();
    let [date, key, amount] = [Column::Date, Column::TrackingKey, Column::Amount].map(Some);
    assert_eq!(recognised, [date, key, None, amount, None]);
    for mapping in ["cuenta:clabe", "cuenta:3"] {
        let query = first(&mapped(&file, mapping).unwrap()).query.unwrap();
        assert_eq!(query.account.as_str(), "002010077777777771");
    }
}

#[test]
fn the_results_of_a_batch_are_a_table_of_payments() {
    let names = "fila,id,estado,fecha,clave_rastreo,cuenta,monto,emisor,receptor,fecha_operacion";
    let file = format!("{names}\n1,F-1,delivered,{ROW},40012,40002,2026-11-20\n");
    let row = first(&open(file.as_bytes()).unwrap());
    assert_eq!((row.id.as_deref(), row.query.is_ok()), (Some("F-1"), true));
}

#[test]
fn a_caller_assigns_columns_by_header_or_number() {
    let file = format!("Día,Ref,A quién,Total,Póliza\n{ROW},P-9\n");
    let mapping = "fecha: dia , clave_rastreo:2,cuenta:A QUIEN,monto:Total,id:póliza";
    let row = first(&mapped(&file, mapping).unwrap());
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
        let row = first(&mapped(file, mapping).unwrap());
        assert_eq!((row.line, row.query.is_ok()), (1, true));
    }
    let with_header = format!("a,b,c,d\n{ROW}");
    assert_eq!(lines(&mapped(&with_header, mapping).unwrap()), [2]);
}

#[test]
fn a_table_without_a_header_is_refused_with_the_values_of_its_first_rows() {
    let without_header = |file: &str, mapping: &str| match mapped(file, mapping).unwrap_err() {
        SheetError::NoHeader { columns } => columns,
        other => panic!("it has no header: {other:?}"),
    };
    let column = |(number, value): (usize, &str)| SheetColumn {
        number,
        header: String::new(),
        samples: vec![value.to_owned(); 2],
        column: None,
    };
    let expected: Vec<_> = (1..).zip(ROW.split(',')).map(column).collect();
    for mapping in ["", "fecha:1", "monto:Total"] {
        let file = format!("{ROW}\n{ROW}\n");
        assert_eq!(without_header(&file, mapping), expected);
    }
    // A number is no date there: it may be the code of a bank.
    let error = open(b"40012,a\n46346,b\n").unwrap_err();
    assert!(matches!(error, SheetError::MissingColumns { .. }));
    let long = format!("2026-11-20,{}", "x".repeat(60_000));
    let columns = without_header(&long, "");
    assert_eq!(columns[1].samples[0].len(), 100, "it is cut");
}

#[test]
fn a_column_has_the_first_three_values_that_are_not_blank_without_their_guards() {
    let rows = [
        ",'002010077777777771,\"=\"\"1\"\"\",a",
        " ,'00201,=2,b",
        "\"not closed",
        "x,,3,c",
        "y,7,4,d",
    ];
    for header in ["Notas,Ref,Número,Total", "fecha,rastreo,cuenta,monto"] {
        let file = format!("Pagos\n{header}\n{}", rows.join("\n"));
        let columns = match open(file.as_bytes()) {
            Ok(sheet) => sheet.columns().to_vec(),
            Err(SheetError::MissingColumns { columns, .. }) => columns,
            Err(other) => panic!("{other:?}"),
        };
        let samples: Vec<_> = columns.iter().map(|it| it.samples.join("|")).collect();
        let expected = ["x|y", "002010077777777771|00201|7", "1|=2|3", "a|b|c"];
        assert_eq!(samples, expected, "{header}");
    }
}

#[test]
fn samples_are_searched_in_twenty_rows() {
    let samples = |blank: usize| {
        let file = format!(
            "fecha,rastreo,cuenta,monto,x\n{}{ROW},y\n",
            format!("{ROW},\n").repeat(blank)
        );
        open(file.as_bytes()).unwrap().columns()[4].samples.clone()
    };
    assert_eq!(samples(19), ["y"]);
    assert!(samples(20).is_empty());
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
    let row = first(&sheet);
    assert_eq!(row.query.is_ok(), issuer.is_none());
    assert_eq!(row.id.is_some(), id.is_some());
}

#[test]
fn of_two_headers_of_a_field_that_is_left_out_none_is_read() {
    let file = format!("fecha,rastreo,cuenta,monto,folio,id\n{ROW},1,2\n");
    let refused = open(file.as_bytes()).unwrap_err();
    assert!(matches!(refused, SheetError::DuplicateColumn { .. }));
    assert_eq!(first(&mapped(&file, "id:0").unwrap()).id, None);
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
    assert!(first(&sheet).query.is_ok());

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
#[case(
    "monto:99999999999999999999999",
    MappingError::NoSuchNumber { column: Column::Amount, number: usize::MAX, columns: 6 }
)]
#[case("monto:Total", MappingError::NoSuchHeader { column: Column::Amount, header: "Total".into() })]
#[case("id:Notas.", MappingError::AmbiguousHeader { column: Column::Id, header: "Notas.".into() })]
fn a_mapping_that_does_not_fit_is_refused(#[case] mapping: &str, #[case] expected: MappingError) {
    let file = "fecha,rastreo,cuenta,monto,notas,NOTAS";
    let error = mapped(file, mapping).unwrap_err();
    assert_eq!(error, SheetError::Mapping(expected));
}

#[rstest]
#[case(SheetError::Empty, &[&b""[..], b"\xef\xbb\xbf", b"\n ;; \n", b"sep=;\n"])]
#[case(SheetError::NotText, &[&b"PK\x03\x04rest"[..], b"\xd0\xcf\x11\xe0rest", b"%PDF-1.7", b"f\0e\0c\0h\0a\0"])]
#[case(SheetError::Header { line: 1, fault: RowFault::UnclosedQuote }, &[&b"\"fecha\n"[..]])]
fn a_file_that_is_no_table_is_refused(#[case] expected: SheetError, #[case] files: &[&[u8]]) {
    for file in files {
        assert_eq!(open(file).unwrap_err(), expected, "{file:?}");
    }
}

#[test]
fn a_line_may_say_the_separator() {
    for (line, separator) in [
        ("sep=;\n", ";"),
        ("\"sep=;\"\r\n", ";"),
        ("SEP=\t\n", "\t"),
        ("sep=,,,,\n", ","),
    ] {
        let table = format!("fecha,rastreo,cuenta,monto\n{ROW}").replace(',', separator);
        let file = format!("{line}{table}");
        let sheet = open(file.as_bytes()).unwrap();
        let found = sheet.separator().unwrap();
        assert_eq!(found.character().to_string(), separator);
        assert_eq!(lines(&sheet), [3]);
    }
}

#[rstest]
#[case::beside_internal_numbers(
    "Referencia",
    "2026-11-20,10001,MBAN01002611200000000002,002010077777777771,10.00\n\
     2026-11-20,10002,'MBAN01002611200000000003,002010077777777771,11.00\n",
    true
)]
#[case::in_the_column_of_ids("id", "2026-11-20,7,HSBC123456,002010077777777771,10.00\n", true)]
#[case::where_they_belong(
    "otra",
    "2026-11-20,HSBC123456,HSBC123456,002010077777777771,1\n",
    false
)]
#[case::in_half_of_the_rows("otra", "2026-11-20,7,HSBC123456,,1\n2026-11-20,8,,,1\n", false)]
#[case::nowhere("otra", "2026-11-20,7,x,,1\n", false)]
#[case::without_a_row("otra", "", false)]
fn a_column_of_tracking_keys_is_recognised_by_its_values(
    #[case] header: &str,
    #[case] rows: &str,
    #[case] is_recognised: bool,
) {
    let file = format!("fecha,clave_rastreo,{header},cuenta,monto\n{rows}");
    let sheet = open(file.as_bytes()).unwrap();
    let misplaced = sheet.misplaced_tracking_keys();
    let expected = is_recognised.then_some(header);
    assert_eq!(misplaced.map(|column| &*column.header), expected);
}

/// Cells of two rows that are merged stand in the first one.
#[test]
fn a_header_of_two_rows_is_both_of_them() {
    let table = "Pagos de noviembre\n\
        No.,,Transferencia,,IMPORTE,OBSERVACIONES\n\
        ,Fecha,Clave de rastreo,CLABE,,\n\
        1,20/11/2026,MBAN01002611200001234567,002010077777777771,10.00,urgente\n";
    let sheet = open(table.as_bytes()).unwrap();
    let headers: Vec<_> = sheet.columns().iter().map(|place| &*place.header).collect();
    let expected = [
        "No.",
        "Fecha",
        "Clave de rastreo",
        "CLABE",
        "IMPORTE",
        "OBSERVACIONES",
    ];
    assert_eq!(headers, expected);
    let rows: Vec<_> = sheet.rows(rules()).collect();
    assert_eq!((rows.len(), rows[0].line), (1, 4));
    assert!(rows[0].query.is_ok());
    // Not a row that a blank one sets apart, and no title.
    let apart = table.replace("OBSERVACIONES\n", "OBSERVACIONES\n\n");
    assert!(matches!(
        open(apart.as_bytes()),
        Err(SheetError::MissingColumns { .. })
    ));
}
