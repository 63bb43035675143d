//! Receipts as texts.

use chrono::NaiveDate;
use rstest::rstest;

use super::*;
use crate::fixture::day;
use crate::participants::Catalogue;
use crate::query::Token;

const KEY: &str = "MBAN01002611200001234567";
const CLABE: &str = "002010077777777771";

fn today() -> NaiveDate {
    day("2026-11-25")
}

fn read(text: &str) -> Receipt {
    Receipt::read(&ReceiptText::of_plain(text), today(), Catalogue::embedded())
}

/// The fields of a query with their confidence: `fecha=2026-11-20 high`.
fn shown(receipt: &Receipt) -> Vec<String> {
    let wanted = [
        ReceiptField::Date,
        ReceiptField::TrackingKey,
        ReceiptField::Account,
        ReceiptField::Amount,
        ReceiptField::Issuer,
        ReceiptField::Receiver,
    ];
    let fields = wanted.into_iter().filter_map(|field| receipt.field(field));
    let shown = fields.map(|read| {
        format!(
            "{}={} {}",
            read.field.name(),
            read.value,
            read.confidence.name()
        )
    });
    shown.collect()
}

const ALL_HIGH: [&str; 6] = [
    "fecha=2026-11-20 high",
    "clave_rastreo=MBAN01002611200001234567 high",
    "cuenta=002010077777777771 high",
    "monto=1234.56 high",
    "emisor=40012 high",
    "receptor=40002 high",
];

#[rstest]
#[case::behind_labels(
    "Transferencia SPEI exitosa
     Monto: $1,234.56
     Comisión: $5.00
     IVA: $0.80
     Fecha y hora: 20/nov/2026 10:53:36 h
     Cuenta destino: 002010077777777771
     Banco destino: BANAMEX
     Beneficiario: María López
     Concepto: renta 987654321098765432
     Referencia: 1234567
     Clave de rastreo: MBAN01002611200001234567
     Folio: 8812345678901"
)]
#[case::above_values(
    "Importe
$1,234⁵⁶
Fecha de operación
20 de noviembre de 2026, 10:53:36
CLABE destino
002 010 07777777777 1
Institución receptora
Banamex
Clave de rastreo
MBAN01002611200001234567
Concepto de pago
Renta"
)]
#[case::columns(
    "Cuenta origen          Cuenta destino
**** 5678              002010077777777771
Banco emisor           Banco receptor
BBVA MEXICO            BANAMEX
Importe                Fecha
1,234.56 MXN           2026-11-20T10:53:36
No. de autorización    Clave de rastreo
88123456               MBAN01002611200001234567"
)]
#[case::sections(
    "Ordenante
Cuenta: 012180001234567891
Banco: BBVA
Beneficiario
Cuenta: 002010077777777771
Banco: Banamex
Importe: $1,234.56
Fecha: 20/11/2026
Clave de rastreo: MBAN01002611200001234567"
)]
#[case::one_line(
    "Monto:$1,234.56 Fecha:20-11-2026 Cuenta destino:002010077777777771 Clave de rastreo:MBAN01002611200001234567"
)]
fn a_receipt_is_read(#[case] text: &str) {
    let receipt = read(text);
    assert_eq!(shown(&receipt), ALL_HIGH, "{receipt:#?}");
    assert_eq!(receipt.kind, DocumentKind::Receipt);
    assert_eq!((receipt.missing, receipt.notices), (vec![], vec![]));
}

#[test]
fn a_chat_without_labels_gives_no_high_confidence() {
    let receipt = read(
        "te mandé $1,234.56 el 20/11/2026 a 002010077777777771, la clave es MBAN01002611200001234567",
    );
    let shown = shown(&receipt);
    assert_eq!(shown.len(), 6, "{shown:?}");
    assert!(
        shown.iter().all(|field| field.ends_with(" medium")),
        "{shown:?}"
    );
    assert!(!receipt.is_certain());
}

fn with(lines: &[&str]) -> Receipt {
    let text = [
        "Monto: $1,234.56",
        "Fecha: 20/11/2026",
        "Cuenta destino: 002010077777777771",
        "Clave de rastreo: MBAN01002611200001234567",
    ];
    // A later line with the same label takes the place of an earlier one.
    let label = |line: &str| line.split(':').next().map(str::to_owned);
    let is_replaced = |line: &str| {
        let brings_account = lines
            .iter()
            .any(|it| it.contains("CLABE") || it.contains("origen"));
        line.starts_with("Cuenta") && brings_account
            || lines.iter().any(|other| label(other) == label(line))
    };
    let kept = text.into_iter().filter(|line| !is_replaced(line));
    read(
        &kept
            .chain(lines.iter().copied())
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

#[rstest]
#[case::programmed(&["Transferencia programada"], ReceiptNotice::NotPaidYet)]
#[case::in_process(&["Estatus: En proceso"], ReceiptNotice::NotPaidYet)]
#[case::returned(&["Estado: Devuelta"], ReceiptNotice::Returned)]
#[case::refused(&["Operación rechazada"], ReceiptNotice::Refused)]
#[case::one_bank(&["Cuenta destino: 012180001234567895"], ReceiptNotice::WithinOneBank)]
#[case::another_bank(&["Banco destino: HSBC"], ReceiptNotice::ReceiverDiffers)]
#[case::another_issuer(&["Banco emisor: Santander"], ReceiptNotice::IssuerDiffers)]
#[case::another_date(&["Fecha: 01/11/2026"], ReceiptNotice::KeyDateDiffers)]
#[case::midnight(&["Hora: 23:45"], ReceiptNotice::AroundMidnight)]
#[case::wrong_check_digit(&["Cuenta destino: 002010077777777772"], ReceiptNotice::WrongCheckDigit)]
#[case::a_reference(&["Clave de rastreo: 1234567"], ReceiptNotice::KeyIsReference)]
#[case::misread_letters(&["Clave de rastreo: MBAN0100261120OOO1234567"], ReceiptNotice::Corrected)]
#[case::two(&["Rastreo: MBAN01002611200001234568"], ReceiptNotice::SeveralReceipts)]
fn contradictions_are_noticed(#[case] lines: &[&str], #[case] notice: ReceiptNotice) {
    let receipt = with(lines);
    assert!(receipt.notices.contains(&notice), "{receipt:#?}");
    assert!(!receipt.is_certain());
}

#[rstest]
#[case::masked(&["Cuenta destino: •••• 1234"], ReceiptField::Account, MissingReason::Masked)]
#[case::folio(&["Clave de rastreo:", "Folio: 8812345678901"], ReceiptField::TrackingKey, MissingReason::NotFound)]
#[case::unclear(&["Importe: $99.00"], ReceiptField::Amount, MissingReason::Unclear)]
#[case::short(&["Clave de rastreo: XYZ123"], ReceiptField::TrackingKey, MissingReason::Unclear)]
#[case::words(&["Clave de rastreo: no disponible"], ReceiptField::TrackingKey, MissingReason::NotFound)]
#[case::no_shape(&["Clave de rastreo: ABC123456789"], ReceiptField::Issuer, MissingReason::NotTold)]
fn what_is_missing_is_told(
    #[case] lines: &[&str],
    #[case] field: ReceiptField,
    #[case] reason: MissingReason,
) {
    let receipt = with(lines);
    assert!(
        receipt.missing.contains(&MissingField { field, reason }),
        "{receipt:#?}"
    );
}

/// What the payer wrote gives neither key nor account, labels in it included.
#[test]
fn a_concept_with_labels_gives_neither_key_nor_account() {
    let text = format!(
        "Transferencia SPEI\nImporte: $1,234.56\nFecha: 20/nov/2026\n\
         Concepto: Clave de rastreo {KEY} cuenta destino {CLABE}\n"
    );
    let receipt = read(&text);
    for field in [ReceiptField::TrackingKey, ReceiptField::Account] {
        let confidence = receipt.field(field).map(|read| read.confidence);
        assert!(
            confidence.is_none_or(|it| it == ReadConfidence::Low),
            "{receipt:#?}"
        );
    }
}

#[rstest]
#[case::of_the_day("2026-11-20", false)]
#[case::of_the_next_banking_day("2026-11-19", false)]
#[case::days_later("2026-11-18", true)]
#[case::earlier("2026-11-21", true)]
fn a_key_of_another_day_is_noticed(#[case] date: &str, #[case] is_noticed: bool) {
    let date = format!("Fecha: {date}");
    let notices = with(&[&date]).notices;
    assert_eq!(notices.contains(&ReceiptNotice::KeyDateDiffers), is_noticed);
}

/// Without a tracking key, the reference number finds the transfer where the receipt names both banks.
#[rstest]
#[case(&["Banco emisor: BBVA", "Referencia numérica: 4900001"], Some("4900001"))]
#[case(&["Referencia numérica: 4900001"], None)]
#[case(&["Banco emisor: BBVA"], None)]
#[case(&["Banco emisor: BBVA", "Referencia numérica: 4900001", "Importe: $99.00"], None)]
fn a_reference_number_stands_in_place_of_a_key_that_is_not_there(
    #[case] lines: &[&str],
    #[case] reference: Option<&str>,
) {
    let receipt = with(&[&["Clave de rastreo:"], lines].concat());
    let query = receipt.query();
    let found = query.as_ref().map(|query| query.reference.clone());
    let expected = reference.map(|text| Token::Text(text.into()));
    assert_eq!(found, expected, "{receipt:#?}");
    assert!(query.is_none_or(|query| query.tracking_key == Token::Absent));
    let missing = receipt.missing.iter().map(|missing| missing.field);
    assert!(
        missing
            .into_iter()
            .any(|field| field == ReceiptField::TrackingKey)
    );
    assert!(!receipt.is_certain());
}

#[rstest]
#[case("hola", DocumentKind::Unknown)]
#[case("", DocumentKind::Unknown)]
#[case("Folio fiscal: 1 Uso CFDI: G03 Total $1.00", DocumentKind::Invoice)]
#[case(
    "Cadena original Sello digital Número de serie del certificado",
    DocumentKind::Proof
)]
#[case("Estado del pago en Banxico: Liquidado", DocumentKind::StateReport)]
fn another_document_is_recognised(#[case] text: &str, #[case] kind: DocumentKind) {
    assert_eq!(read(text).kind, kind);
}

/// Whatever somebody writes to have a value misread, it isn't called certain.
#[rstest]
#[case::blanks("Monto: $1 234.56", ReceiptField::Amount, "1234.56")]
#[case::comma("Monto: $1.234,56", ReceiptField::Amount, "1234.56")]
#[case::apostrophe("Monto: $1'234,567.00", ReceiptField::Amount, "1234567.00")]
#[case::letter("Monto: $1,O00.00", ReceiptField::Amount, "1000.00")]
#[case::wide_digit("Monto: $\u{ff11},234.56", ReceiptField::Amount, "1234.56")]
#[case::hidden("Monto: $1\u{200b}1,234.56", ReceiptField::Amount, "11234.56")]
#[case::times("Monto: 3 x $500.00", ReceiptField::Amount, "1500.00")]
#[case::struck("Monto: ~$9,999.00~ $1,234.56", ReceiptField::Amount, "1234.56")]
#[case::part("Monto: $1,000.00 de $5,000.00", ReceiptField::Amount, "5000.00")]
#[case::qualified("Monto disponible: $50,000.00", ReceiptField::Amount, "1234.56")]
#[case::foreign("Monto: $500.00 USD", ReceiptField::Amount, "9000.00")]
#[case::two_lines("Monto: $1,234\n567.00", ReceiptField::Amount, "1234567.00")]
#[case::hour("Fecha: vie 20 nov, 10:53", ReceiptField::Date, "2026-11-20")]
#[case::short_year("Fecha: 26/11/20", ReceiptField::Date, "2026-11-20")]
#[case::print(
    "Fecha y hora de impresión: 22/11/2026",
    ReceiptField::Date,
    "2026-11-20"
)]
#[case::issue("Fecha de emisión: 22/11/2026", ReceiptField::Date, "2026-11-20")]
#[case::span("Fecha: 20/11/2026 al 25/11/2026", ReceiptField::Date, "2026-11-25")]
#[case::broken_day("Fecha: 2\u{200b}1/11/2026", ReceiptField::Date, "2026-11-21")]
#[case::masked(
    "Para pagar usa la CLABE: 014320567890123458\nCuenta destino: •••• 7771",
    ReceiptField::Account,
    CLABE
)]
#[case::stacked(
    "Cuenta origen\nCuenta destino\n014320567890123458\n002010077777777771",
    ReceiptField::Account,
    CLABE
)]
#[case::two(
    "Cuenta destino: 014320567890123458 (NO, es 002010077777777771)",
    ReceiptField::Account,
    CLABE
)]
#[case::columns(
    "Origen    Destino\nCLABE     CLABE\n014320567890123458    002010077777777771",
    ReceiptField::Account,
    CLABE
)]
#[case::joined(
    "Clave de rastreo: MBAN0100261120\n1234567890 Folio",
    ReceiptField::TrackingKey,
    "doubt"
)]
#[case::cut(
    "Clave de rastreo: MBAN0100261120 0001234567 89",
    ReceiptField::TrackingKey,
    "doubt"
)]
#[case::impossible(
    "Clave de rastreo: 991399123456789012I",
    ReceiptField::TrackingKey,
    "doubt"
)]
#[case::two_banks("Banco emisor: Banco Azteca Banorte", ReceiptField::Issuer, "40012")]
fn what_misleads_is_not_called_certain(
    #[case] lines: &str,
    #[case] field: ReceiptField,
    #[case] meant: &str,
) {
    let lines: Vec<&str> = lines.split('\n').collect();
    let receipt = with(&lines);
    let read = receipt.field(field);
    let is_misled =
        read.is_some_and(|read| read.confidence == ReadConfidence::High && read.value != meant);
    assert!(!is_misled, "{read:#?}");
}

#[rstest]
#[case("Operación no realizada")]
#[case("Denegada")]
#[case("Fondos insuficientes")]
#[case("Transferencia revertida")]
#[case("Programada para el 30/11/2026")]
#[case("En revisión")]
#[case("Simulación")]
fn a_payment_that_was_not_made_is_noticed(#[case] line: &str) {
    assert!(!with(&[line]).notices.is_empty());
}

#[rstest]
#[case("Concepto: pago pendiente")]
#[case("Esta operación no puede ser cancelada")]
fn a_payment_that_was_made_is_not_doubted(#[case] line: &str) {
    assert_eq!(with(&[line]).notices, []);
}

#[test]
fn a_long_text_is_read_in_time() {
    let text = "Cuenta destino: 002010077777777771\n".repeat(5_000);
    let began = std::time::Instant::now();
    let _ = read(&text);
    // A second or two without optimisation.
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}

#[test]
fn digits_in_the_concept_are_neither_account_nor_key() {
    let receipt = with(&["Concepto: pago MBAN01002611200009999999 a 002010077777777784"]);
    assert_eq!(shown(&receipt), ALL_HIGH);
}

#[test]
fn words_in_doubt_give_no_high_confidence() {
    let text =
        format!("Monto: $1,234.56\nFecha: 20/11/2026\nCuenta destino: {CLABE}\nRastreo: {KEY}");
    let mut text = ReceiptText::of_plain(&text);
    for word in &mut text.pages[0].words {
        word.is_certain = false;
    }
    let receipt = Receipt::read(&text, today(), Catalogue::embedded());
    let shown = shown(&receipt);
    assert!(
        shown.iter().all(|field| field.ends_with(" medium")),
        "{shown:?}"
    );
}

#[test]
fn a_link_of_the_portal_tells_the_issuer_and_the_date() {
    let mut text = ReceiptText::of_plain("Monto: $1,234.56\nCuenta destino: 002010077777777771");
    let link = "https://www.banxico.org.mx/cep/go?i=40012&s=20261120&d=x";
    text.codes = vec!["hola".to_owned(), link.to_owned()];
    let receipt = Receipt::read(&text, today(), Catalogue::embedded());
    let shown = shown(&receipt);
    assert_eq!(shown[0], "fecha=2026-11-20 medium");
    assert!(
        shown.contains(&"emisor=40012 medium".to_owned()),
        "{shown:?}"
    );
    assert_eq!(receipt.link.unwrap().url.as_str(), link);
}

#[test]
fn places_are_fractions_of_the_page_and_absent_without_positions() {
    let text = "Monto: $1,234.56\nFecha: 20/11/2026";
    let places = |receipt: &Receipt| receipt.fields.iter().map(|it| it.place).collect::<Vec<_>>();
    let drawn = Receipt::read(&ReceiptText::of_plain(text), today(), Catalogue::embedded());
    let amount = Place {
        x: 0.4118,
        y: 0.0,
        width: 0.5294,
        height: 0.5,
    };
    assert_eq!(places(&drawn)[1], Some((1, amount)));
    let plain = Receipt::read_plain(text, today(), Catalogue::embedded());
    assert_eq!(places(&plain), [None, None]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,400}") {
        let _ = read(&text);
    }
}
