//! Statements of banks, and results that are sent again.

use rstest::rstest;

use super::*;
use crate::criterion::ReferenceNumber;

fn all(file: &str) -> (Vec<SheetRow>, Vec<(u64, PassedOver)>) {
    let sheet = open(file.as_bytes()).unwrap();
    let mut rows = sheet.rows(rules());
    let read = rows.by_ref().collect();
    (read, rows.passed_over().to_vec())
}

fn asked(row: &SheetRow) -> (String, String, String) {
    let query = row.query.as_ref().unwrap();
    (
        query.criterion.to_string(),
        query.account.as_str().to_owned(),
        query.amount.to_string(),
    )
}

#[test]
fn a_statement_tells_key_and_account_in_its_text_and_the_amount_in_one_of_two_columns() {
    let (rows, passed_over) = all("Cuenta: 012180001234567890;;;;;\n\
         Fecha Operación;Concepto;Referencia;Cargo;Abono;Saldo\n\
         11/11/2026;SPEI ENVIADO SCOTIABANK 044180222509199082 PAPELERÍA CLAVE RASTREO BNET01002611110000000077 PAGO F-1;0000001;63,913.75;;2,436,086.25\n\
         03/11/2026;COMISION SPEI;0;5.00;;2,307,796.03\n\
         03/11/2026;RASTREO: MBAN01002611030000000004 044180222509199082;2;0.00;12,000.00;124,329.16\n");
    let (key, clabe) = ("BNET01002611110000000077", "044180222509199082");
    let owned = |texts: [&str; 3]| {
        let [one, two, three] = texts.map(str::to_owned);
        (one, two, three)
    };
    assert_eq!(asked(&rows[0]), owned([key, clabe, "63913.75"]));
    let key = "MBAN01002611030000000004";
    assert_eq!(asked(&rows[1]), owned([key, clabe, "12000.00"]));
    assert_eq!(rows.len(), 2);
    assert_eq!(passed_over, [(4, PassedOver::NoPayment)]);
}

#[test]
fn a_row_without_a_key_is_asked_for_by_its_reference_number() {
    let (rows, _) = all("fecha,clave de rastreo,referencia numérica,CLABE,importe\n\
         2026-11-20,MBAN01002611200000000002,no es,002010077777777771,1.00\n\
         2026-11-20,,0012345,002010077777777771,1.00\n\
         2026-11-20,,123456789,002010077777777771,1.00\n");
    let criterion = |row: usize| &rows[row].query.as_ref().unwrap().criterion;
    assert_eq!(criterion(0).to_string(), "MBAN01002611200000000002");
    assert_eq!(
        criterion(1).reference(),
        ReferenceNumber::parse("12345").ok()
    );
    let (placeholders, _) = all("fecha,clave de rastreo,referencia numérica,CLABE,importe\n\
         2026-11-20,-,7,002010077777777771,1.00\n2026-11-20,N/A,8,002010077777777771,1.00\n");
    let found = placeholders.iter().map(|row| row.query.as_ref().unwrap());
    assert!(
        found
            .map(|query| query.criterion.to_string())
            .eq(["7", "8"])
    );
    let refused = rows[2].query.as_ref().unwrap_err();
    assert_eq!(refused.0[0].column, Some(Column::Reference));
    let (rows, _) = all("fecha,numero_referencia,CLABE,importe\n\
         2026-11-20,7,002010077777777771,1.00\n");
    assert_eq!(rows[0].query.as_ref().unwrap().criterion.to_string(), "7");
}

/// What can be read in two ways is left out, and its column called missing.
#[rstest]
#[case("BNET01002611110000000077 044180222509199082", &[])]
#[case("clave de rastreo 8846CAP2202611190123456789 clabe 044180222509199082", &[])]
#[case("BNET01002611110000000077 BNET01002611110000000078 044180222509199082", &["clave_rastreo", "cuenta"])]
#[case("BNET01002611110000000077 044180222509199082 002010077777777771", &["cuenta"])]
#[case("BNET01002611110000000077 044180222509199083", &["cuenta"])]
#[case("clave de rastreo 123456 044180222509199082", &["clave_rastreo"])]
#[case("RASTREO BNET01002611110000000077 PAGO RASTREO BNET01002611110000000077 044180222509199082", &[])]
#[case("PAGO RASTREO OTRA0000000001 RASTREO BNET01002611110000000077 044180222509199082", &["clave_rastreo", "cuenta"])]
#[case("BNET01002611110000000077 PAGO RASTREO OTRA0000000001 044180222509199082", &["clave_rastreo", "cuenta"])]
fn what_a_text_does_not_tell_for_certain_is_not_taken(
    #[case] text: &str,
    #[case] missing: &[&str],
) {
    let (rows, _) = all(&format!(
        "fecha,descripción,importe\n2026-11-20,{text},1.00\n"
    ));
    let errors = rows[0].query.as_ref().err();
    let errors = errors.iter().flat_map(|CellErrors(errors)| errors.iter());
    assert_eq!(errors.map(CellError::name).collect::<Vec<_>>(), missing);
}

#[test]
fn a_text_beside_all_columns_is_ignored_and_cells_win_over_it() {
    let file = "fecha,rastreo,clabe,monto,concepto\n2026-11-20,,002010077777777771,1.00,BNET01002611110000000077\n";
    let sheet = open(file.as_bytes()).unwrap();
    assert_eq!(sheet.columns()[4].column, None);
    assert_eq!(error(&all(file).0[0]).0, "clave_rastreo");
    let mapped = mapped(file, "texto:concepto").unwrap();
    let row = mapped.rows(rules()).next().unwrap();
    let (key, account, _) = asked(&row);
    assert_eq!(
        (&*key, &*account),
        ("BNET01002611110000000077", "002010077777777771")
    );
}

#[rstest]
#[case("5.00", "7.00", false)]
#[case("", "", false)]
#[case("-", "7.00", true)]
#[case("$ 7.00", "0.00", true)]
fn the_amount_is_the_one_that_is_not_empty(
    #[case] charge: &str,
    #[case] credit: &str,
    #[case] is_read: bool,
) {
    let (rows, _) = all(&format!(
        "fecha,rastreo,clabe,retiros,depósitos\n2026-11-20,MBAN01,002010077777777771,{charge},{credit}\n"
    ));
    match &rows[0].query {
        Ok(query) => assert!(is_read && query.amount.to_string() == "7.00"),
        Err(_) => assert!(!is_read && error(&rows[0]).0 == "monto"),
    }
}

#[test]
fn totals_count_as_rows_once_there_are_too_many() {
    let file = "fecha,rastreo,clabe,monto\n".to_owned() + &"TOTAL,,,\n".repeat(100_002);
    let (rows, passed_over) = all(&file);
    assert_eq!((rows.len(), passed_over.len()), (2, 100_000));
    assert!(rows.iter().all(|row| row.query.is_err()));
}

/// A file proves nothing: what it says of a row is kept for those who know the lookup.
#[test]
fn rows_of_results_tell_what_the_file_calls_them() {
    let row = |state: &str, seal: &str| {
        format!("1,{state},2026-11-20,MBAN01,002010077777777771,1.00,{seal},x\n")
    };
    let header = "fila,estado,fecha,clave_rastreo,cuenta,monto,sello,consulta\n".to_owned();
    let rows = [
        ("delivered", "valid"),
        ("delivered", "invalid"),
        ("delivered", "not_checked"),
        ("not_found", "valid"),
    ];
    let file = header + &rows.map(|(state, seal)| row(state, seal)).concat();
    let called = |file: &str| -> Vec<_> {
        let (rows, passed_over) = all(file);
        assert_eq!((rows.len(), passed_over.len()), (4, 0));
        rows.iter().map(|row| row.is_called_answered).collect()
    };
    assert_eq!(called(&file), [true, false, false, false]);
    // Tables of people have no such columns.
    assert_eq!(called(&file.replace("consulta", "notas")), [false; 4]);
}

/// A payment whose text is unclear is a faulty row, and never passed over in silence.
#[rstest]
#[case("RASTREO K1 CLABE 002010077777777771 PAGO RASTREO K9")]
#[case("SPEI RASTREO M\u{200b}BAN01002611200000000001")]
#[case("RASTREO MBAN01002611200000000001MBAN01002611200000000009")]
#[case("SPEI 123 CLABE 002010077777777772")]
#[case("SPEI 4152313012345678")]
#[case("SPEI CLAVE DE RASTREO: 7")]
#[case("SPEI 0020 1007 7777 7777 71")]
#[case("Total Play RASTREO MBAN01002611200000000001 002010077777777771")]
fn what_may_be_a_payment_is_not_passed_over(#[case] text: &str) {
    let (rows, passed_over) = all(&format!("fecha,concepto,cargo\n,{text},1.00\n"));
    assert_eq!((rows.len(), passed_over.len()), (1, 0));
    assert!(rows[0].query.is_err());
}

/// The payer writes a part of the text, and another CLABE into it.
#[rstest]
#[case("0020 1007 7777 7777 71")]
#[case("002-010-07777777777-1")]
#[case("002010077777777772")]
#[case("TARJETA 4152313012345678")]
#[case("CTA ****7771")]
#[case("CTA 0123456789")]
#[case("CLABE 002010077777777771A")]
#[case("٠٠٢٠١٠٠٧٧٧٧٧٧٧٧٧٧١")]
#[case("0020\u{200b}10077777777771")]
fn an_account_beside_another_one_in_any_form_is_not_taken(#[case] account: &str) {
    let key = "BNET01002611110000000077";
    let (rows, _) = all(&format!(
        "fecha,concepto,cargo\n2026-11-20,RASTREO {key} {account} concepto 072180001234567897,1.00\n"
    ));
    assert!(rows[0].query.is_err());
    let errors = rows[0].query.as_ref().err().unwrap();
    assert!(
        errors.0.iter().any(|error| error.name() == "cuenta"),
        "{errors:?}"
    );
}
