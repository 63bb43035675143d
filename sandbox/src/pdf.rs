//! Renders the PDF of a proof like the portal's generator (recorded in 2025): the data, original chain
//! and seal, in the portal's layout and with the same operators. In place of the emblem, in the blank
//! area and in the notice it states that it is invalid.

mod canvas;
mod helvetica;

use chrono::{Datelike as _, NaiveDateTime, Timelike as _};
use domain::amount::Amount;
use domain::proofs::printed_date;
use pdf_writer::{Date, Finish as _, Name, Pdf, Rect, Ref, TextStr};

use self::canvas::{BLACK, BLUE, Canvas, Colour, FONT, wrap};
use crate::details::Party;
use crate::proof::SealedProof;

/// Width and height of the portal's page.
const PAGE: [f32; 2] = [595.0, 850.0];
/// Right edge of the amounts.
const RIGHT: f32 = 572.0;
/// Left edges of the label and value columns, and the width of the value column.
const PAYER: [f32; 3] = [24.0, 153.0, 146.0];
const BENEFICIARY: [f32; 3] = [306.0, 435.0, 138.0];
/// Line width of the chain, the seal and the notice.
const WIDTH: f32 = 545.0;
/// Line spacings of the chain and seal, of the notice, and of values.
const STEP: f32 = 9.14;
const NOTICE_STEP: f32 = 8.8;
const VALUE_STEP: f32 = 11.0;

const GREY: f32 = 0.8;
const PALE: f32 = 0.93333;
const WARNING: Colour = [0.72, 0.11, 0.11];

const NOTICE: &str = "Este documento fue generado por un banco simulado (sandbox) para probar \
    programas. No acredita pago alguno: las personas, los RFC, las cuentas de origen y el concepto \
    son inventados, y el sello digital se firmó con una llave pública de desarrollo que no protege \
    nada. Ninguna institución financiera ni el Banco de México participaron en su emisión.";

/// Renders the PDF of `proof` with the query time `at` (Mexico City). Its bytes depend on that time.
pub(crate) fn render(proof: &SealedProof, at: NaiveDateTime) -> Vec<u8> {
    document(at, &content(proof, at))
}

fn document(at: NaiveDateTime, content: &[u8]) -> Vec<u8> {
    let [catalog, pages, page, contents, info, font] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.set_version(1, 5);
    pdf.catalog(catalog).pages(pages).lang(TextStr("es-MX"));
    pdf.pages(pages).kids([page]).count(1);

    let mut sheet = pdf.page(page);
    sheet
        .media_box(Rect::new(0.0, 0.0, PAGE[0], PAGE[1]))
        .parent(pages)
        .contents(contents);
    sheet.resources().fonts().pair(FONT, font);
    sheet.finish();

    pdf.stream(contents, content);
    // No title, because the portal's PDFs have none; a title would suggest a forgery.
    pdf.document_info(info).creation_date(date_of(at));
    pdf.type1_font(font)
        .base_font(Name(b"Helvetica"))
        .encoding_predefined(Name(b"WinAnsiEncoding"));
    pdf.finish()
}

/// Converts a time in Mexico City, which has been UTC-6 all year since 2022.
fn date_of(at: NaiveDateTime) -> Date {
    let small = |number: u32| u8::try_from(number).unwrap_or(0);
    Date::new(u16::try_from(at.year()).unwrap_or(0))
        .month(small(at.month()))
        .day(small(at.day()))
        .hour(small(at.hour()))
        .minute(small(at.minute()))
        .second(small(at.second()))
        .utc_offset_hour(-6)
        .utc_offset_minute(0)
}

fn content(proof: &SealedProof, at: NaiveDateTime) -> Vec<u8> {
    let mut canvas = Canvas::new();
    header(&mut canvas, at);
    summary(&mut canvas, proof);
    canvas.frame([304.0, 556.0, 574.0, 686.0], GREY);
    canvas.frame([22.0, 556.0, 302.0, 686.0], PALE);
    payer(&mut canvas, &proof.details.payer);
    beneficiary(&mut canvas, &proof.details.beneficiary);
    evidence(&mut canvas, proof);
    footer(&mut canvas);
    marks(&mut canvas);
    canvas.finish()
}

fn header(canvas: &mut Canvas, at: NaiveDateTime) {
    canvas.text([504.75, 812.32], 9.0, BLACK, "horas");
    canvas.text([353.0, 825.62], 10.0, BLACK, "Fecha de consulta");
    canvas.text([452.0, 827.7], 8.0, BLACK, &printed_date(at.date()));
    canvas.text([353.0, 810.62], 10.0, BLACK, "Hora de consulta");
    canvas.text(
        [453.0, 811.66],
        9.0,
        BLACK,
        &at.format("%H:%M:%S").to_string(),
    );
    canvas.frame([22.0, 782.0, 574.0, 800.0], GREY);
    canvas.text(
        [153.0, 787.09],
        12.0,
        BLACK,
        "COMPROBANTE   ELECTRÓNICO   DE   PAGO",
    );
}

fn summary(canvas: &mut Canvas, proof: &SealedProof) {
    let (order, details) = (&proof.order, &proof.details);
    canvas.frame([22.0, 692.0, 397.0, 780.0], PALE);
    canvas.label([24.0, 710.7], "Concepto del pago");
    canvas.frame([333.0, 692.0, 574.0, 780.0], GREY);
    canvas.label([336.0, 765.7], "Monto");
    canvas.label([336.0, 747.7], "IVA");
    canvas.label([335.0, 728.7], "Referencia numérica");
    canvas.label([335.0, 709.7], "Clave de rastreo");
    canvas.value([199.0, 765.66], &printed_date(details.operation_date));
    let concept = wrap(&details.concept, 8.0, 220.0);
    canvas.value_lines([111.0, 709.7], 8.0, 9.5, &concept);
    canvas.value_to([RIGHT, 765.66], &pesos(order.amount));
    // The sandbox's payments have no VAT; some of its banks omit the field.
    if details.iva.is_some() {
        canvas.value_to([RIGHT, 747.66], "$ 0.00");
    }
    canvas.value_to([RIGHT, 728.66], &order.reference.to_string());
    canvas.value_to([RIGHT, 708.66], order.tracking_key.as_str());
    canvas.line([23.0, 693.5], [573.0, 693.5], 4.25, 0.4);
    canvas.label([24.0, 766.7], "Fecha de operación en el SPEI®");
    canvas.value([199.0, 747.66], &printed_date(details.credited_at.date()));
    let time = format!("{} horas", details.credited_at.format("%H:%M:%S"));
    canvas.value([199.0, 727.66], &time);
    canvas.label([24.0, 748.7], "Fecha de abono en la cuenta beneficiaria*");
    canvas.label([23.0, 728.7], "Hora de abono en la cuenta beneficiaria*");
}

fn payer(canvas: &mut Canvas, party: &Party) {
    canvas.text([130.29, 668.5], 13.0, BLACK, "Ordenante");
    let [left, value, width] = PAYER;
    canvas.label([left, 652.7], "Institución emisora del pago");
    canvas.label([left, 627.7], "Titular de la cuenta");
    canvas.label([left + 1.0, 603.7], "RFC/CURP");
    account_label(canvas, left);
    let values = [
        (651.66, &party.institution),
        (628.66, &party.name),
        (602.66, &party.rfc),
        (581.66, &party.account),
    ];
    for (y, text) in values {
        canvas.value_lines([value, y], 9.0, VALUE_STEP, &wrap(text, 9.0, width));
    }
}

fn beneficiary(canvas: &mut Canvas, party: &Party) {
    canvas.text([410.0, 668.5], 13.0, BLACK, "Beneficiario");
    let [left, value, width] = BENEFICIARY;
    canvas.label([left - 1.0, 651.7], "Institución receptora del pago");
    canvas.label([left, 627.7], "Titular de la cuenta");
    canvas.label([left, 602.7], "RFC/CURP");
    account_label(canvas, left);
    let values = [
        (650.66, &party.institution),
        (628.66, &party.name),
        (601.66, &party.rfc),
        (581.66, &party.account),
    ];
    for (y, text) in values {
        canvas.value_lines([value, y], 9.0, VALUE_STEP, &wrap(text, 9.0, width));
    }
}

fn account_label(canvas: &mut Canvas, left: f32) {
    canvas.label([left, 582.7], "CLABE,Tarjeta de débito,Número");
    canvas.label([left, 572.63], "de celular");
}

fn evidence(canvas: &mut Canvas, proof: &SealedProof) {
    let note = "*La hora de abono corresponde al huso horario que rige en la Ciudad de México.";
    canvas.text([101.0, 542.32], 9.0, BLACK, note);
    canvas.frame([21.0, 35.0, 575.0, 165.0], GREY);
    let number =
        "Número de Serie del Certificado de Seguridad de la institución receptora del pago";
    canvas.text([21.0, 501.62], 10.0, BLUE, number);
    canvas.text([23.0, 490.96], 7.0, BLACK, proof.certificate.number());
    canvas.text(
        [20.0, 468.62],
        10.0,
        BLUE,
        "Cadena Original (información del pago):",
    );
    let chain = wrap(&proof.chain, 7.0, WIDTH);
    canvas.lines([24.0, 457.96], STEP, &chain);
    let seal = "Sello Digital (firma provista por la institución receptora del pago):";
    canvas.text([20.0, 371.62], 10.0, BLUE, seal);
    canvas.lines([24.0, 360.96], STEP, &wrap(&proof.seal, 7.0, WIDTH));
    canvas.line([20.0, 525.0], [572.0, 523.0], 3.0, 0.0);
}

fn footer(canvas: &mut Canvas) {
    canvas.lines([26.0, 154.73], NOTICE_STEP, &wrap(NOTICE, 7.0, WIDTH));
    canvas.text([474.63, 19.62], 10.0, BLACK, "Página 1 de");
    canvas.text([530.0, 19.62], 10.0, BLACK, " 1");
}

fn marks(canvas: &mut Canvas) {
    canvas.text([23.0, 816.0], 26.0, WARNING, "SANDBOX");
    canvas.text([23.0, 801.0], 9.0, WARNING, "SIN VALIDEZ");
    canvas.text([70.0, 250.0], 72.0, WARNING, "SANDBOX");
    let notice = "SIN VALIDEZ: comprobante de prueba, ningún banco lo emitió";
    canvas.text([70.0, 214.0], 12.0, WARNING, notice);
}

/// Formats an amount like the portal: `$ 1,234.56`.
fn pesos(amount: Amount) -> String {
    let plain = amount.to_string();
    let (integer, cents) = plain.split_once('.').unwrap_or((&plain, "00"));
    let mut grouped = String::new();
    for (place, digit) in integer.chars().enumerate() {
        if place > 0 && (integer.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("$ {grouped}.{cents}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::helvetica::{width, win_ansi};
    use super::*;

    #[test]
    fn pesos_are_grouped_by_thousands() {
        for (plain, shown) in [
            ("0.01", "$ 0.01"),
            ("999.00", "$ 999.00"),
            ("1234.56", "$ 1,234.56"),
            ("1234567.80", "$ 1,234,567.80"),
        ] {
            assert_eq!(pesos(Amount::parse(plain).unwrap()), shown);
        }
    }

    #[test]
    fn accents_survive_the_encoding_and_a_line_is_as_wide_as_its_letters() {
        assert_eq!(win_ansi("ñÓ—®€"), [0xf1, 0xd3, 0x97, 0xae, b'?']);
        assert!((width("Año í", 10.0) - (6.67 + 5.56 + 5.56 + 2.78 + 2.78)).abs() < 0.001);
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_is_lost_and_nothing_sticks_out_when_a_text_is_wrapped(
            text in "[!-~]{1,200}( [!-~]{1,200}){0,8}", most in 20_u16..500,
        ) {
            let most = f32::from(most);
            let lines = wrap(&text, 7.0, most);
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
            for line in lines {
                prop_assert!(width(&line, 7.0) <= most + 0.01);
            }
        }
    }
}
