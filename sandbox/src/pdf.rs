//! The PDF of a proof: its data, original chain and seal, with a conspicuous notice that it is
//! invalid.

mod canvas;
mod typeface;

use chrono::{Datelike as _, NaiveDate, NaiveDateTime, Timelike as _};
use domain::amount::Amount;
use pdf_writer::{Date, Finish as _, Name, Pdf, Rect, Ref, TextStr};

use self::canvas::{Canvas, Colour, Style, wrap_characters, wrap_words};
use self::typeface::Typeface;
use crate::details::Party;
use crate::proof::SealedProof;

/// US Letter, the usual size in Mexico.
const PAGE: [f32; 2] = [612.0, 792.0];
const LEFT: f32 = 42.0;
const RIGHT: f32 = PAGE[0] - LEFT;
const WIDTH: f32 = RIGHT - LEFT;
/// Width of one of the two columns, and the gap between them.
const COLUMN: f32 = (WIDTH - GAP) / 2.0;
const GAP: f32 = 14.0;
const PADDING: f32 = 12.0;

const INK: Colour = [0.11, 0.14, 0.18];
const MUTED: Colour = [0.40, 0.44, 0.50];
const ACCENT: Colour = [0.05, 0.32, 0.42];
const PALE: Colour = [0.94, 0.96, 0.97];
const RULE: Colour = [0.80, 0.84, 0.87];
const WARNING: Colour = [0.72, 0.11, 0.11];
/// Opacity of the watermark.
const WATERMARK_ALPHA: f32 = 0.09;
const WHITE: Colour = [1.0, 1.0, 1.0];

const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

const NOTICE: &str = "Este documento fue generado por un banco simulado (sandbox) para probar \
    programas. No acredita pago alguno: las personas, los RFC, las cuentas de origen y el concepto \
    son inventados, y el sello digital se firmó con una llave pública de desarrollo que no protege \
    nada. Ninguna institución financiera ni el Banco de México participaron en su emisión.";

/// Renders the PDF of `proof` as of `at` (Mexico City's time). Its bytes change with that time.
pub(crate) fn render(proof: &SealedProof, at: NaiveDateTime) -> Vec<u8> {
    document(proof, at, &content(proof, at))
}

fn document(proof: &SealedProof, at: NaiveDateTime, content: &[u8]) -> Vec<u8> {
    let [catalog, pages, page, contents, info, translucent] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let fonts = Typeface::ALL.into_iter().zip((7..).map(Ref::new));
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages).lang(TextStr("es-MX"));
    pdf.pages(pages).kids([page]).count(1);

    let mut sheet = pdf.page(page);
    sheet
        .media_box(Rect::new(0.0, 0.0, PAGE[0], PAGE[1]))
        .parent(pages)
        .contents(contents);
    let mut resources = sheet.resources();
    let mut names = resources.fonts();
    for (typeface, id) in fonts.clone() {
        names.pair(typeface.resource(), id);
    }
    names.finish();
    resources
        .ext_g_states()
        .pair(canvas::TRANSLUCENT, translucent);
    resources.finish();
    sheet.finish();

    for (typeface, id) in fonts {
        pdf.type1_font(id)
            .base_font(typeface.base_font())
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    pdf.ext_graphics(translucent)
        .non_stroking_alpha(WATERMARK_ALPHA);
    pdf.stream(contents, content);
    let title = proof.stem.with_extension("pdf");
    pdf.document_info(info)
        .title(TextStr(&title))
        .subject(TextStr("SANDBOX — SIN VALIDEZ"))
        .creation_date(date_of(at));
    pdf.finish()
}

/// Converts a time of Mexico City, which has been UTC-6 all year since 2022.
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
    parties(&mut canvas, proof);
    evidence(&mut canvas, proof);
    footer(&mut canvas);
    let watermark = style(Typeface::Bold, 112.0, WARNING);
    canvas.climbing(watermark, 122.0, 168.0, "SANDBOX");
    canvas.finish()
}

fn header(canvas: &mut Canvas, at: NaiveDateTime) {
    canvas.fill([0.0, 758.0, PAGE[0], 34.0], WARNING);
    let banner = style(Typeface::Bold, 13.0, WHITE);
    canvas.text(banner, LEFT, 770.0, "SANDBOX — SIN VALIDEZ");
    let aside = style(Typeface::Regular, 8.5, WHITE);
    canvas.text_to(
        aside,
        RIGHT,
        771.0,
        "Comprobante de prueba: ningún banco lo emitió",
    );

    let title = style(Typeface::Bold, 17.0, INK);
    canvas.text(title, LEFT, 724.0, "Comprobante Electrónico de Pago");
    canvas.text(
        LABEL,
        LEFT,
        709.0,
        "CEP — Sistema de Pagos Electrónicos Interbancarios (simulado)",
    );
    canvas.text_to(LABEL, RIGHT, 727.0, "Fecha y hora de consulta");
    let asked = format!("{}, {} horas", long_date(at.date()), at.format("%H:%M:%S"));
    canvas.text_to(VALUE, RIGHT, 713.0, &asked);
    canvas.fill([LEFT, 698.0, WIDTH, 1.5], ACCENT);
}

fn summary(canvas: &mut Canvas, proof: &SealedProof) {
    let (order, details) = (&proof.order, &proof.details);
    canvas.fill([LEFT, 630.0, WIDTH, 58.0], ACCENT);
    let on_accent = style(Typeface::Regular, 8.0, [0.80, 0.90, 0.93]);
    let white = style(Typeface::Bold, 10.5, WHITE);
    let left = LEFT + PADDING;
    canvas.text(on_accent, left, 671.0, "Monto");
    let amount = style(Typeface::Bold, 22.0, WHITE);
    canvas.fitted(
        amount,
        [left, 645.0, 235.0],
        &format!("{} MXN", pesos(order.amount)),
    );
    let column = LEFT + COLUMN + GAP;
    canvas.text(on_accent, column, 671.0, "Clave de rastreo");
    let width = RIGHT - PADDING - column;
    canvas.fitted(white, [column, 656.0, width], order.tracking_key.as_str());
    let label = "Referencia numérica";
    canvas.text(on_accent, column, 641.0, label);
    let after = column + on_accent.typeface.width(label, on_accent.size) + 6.0;
    let reference = style(Typeface::Bold, 9.5, WHITE);
    canvas.text(reference, after, 640.5, &order.reference.to_string());

    let credited = format!("{} horas*", details.credited_at.format("%H:%M:%S"));
    let iva = details
        .iva
        .map_or_else(|| "No informado".to_owned(), |iva| format!("$ {iva}"));
    let operation = long_date(details.operation_date);
    let credit = long_date(order.date);
    let cells = [
        (
            LEFT,
            612.0,
            "Fecha de operación en el SPEI®",
            operation.as_str(),
        ),
        (
            LEFT + 180.0,
            612.0,
            "Fecha de abono en la cuenta beneficiaria*",
            &credit,
        ),
        (LEFT + 390.0, 612.0, "Hora de abono", &credited),
        (LEFT, 582.0, "Concepto del pago", &details.concept),
        (LEFT + 390.0, 582.0, "IVA", &iva),
    ];
    for (x, y, label, value) in cells {
        canvas.text(LABEL, x, y, label);
        canvas.text(VALUE, x, y - 13.0, value);
    }
}

fn parties(canvas: &mut Canvas, proof: &SealedProof) {
    let details = &proof.details;
    let sides = [
        (
            LEFT,
            "Ordenante",
            "Institución emisora del pago",
            &details.payer,
        ),
        (
            LEFT + COLUMN + GAP,
            "Beneficiario",
            "Institución receptora del pago",
            &details.beneficiary,
        ),
    ];
    for (x, heading, institution, party) in sides {
        side(canvas, x, [heading, institution], party);
    }
}

fn side(canvas: &mut Canvas, x: f32, [heading, institution]: [&str; 2], party: &Party) {
    canvas.fill([x, 403.0, COLUMN, 152.0], PALE);
    canvas.fill([x, 553.0, COLUMN, 2.0], ACCENT);
    let inner = x + PADDING;
    canvas.text(style(Typeface::Bold, 11.0, ACCENT), inner, 535.0, heading);
    let rows = [
        (institution, &party.institution),
        ("Titular de la cuenta", &party.name),
        (account_label(party), &party.account),
        ("RFC o CURP", &party.rfc),
    ];
    let mut y = 516.0;
    for (label, value) in rows {
        canvas.text(LABEL, inner, y, label);
        canvas.fitted(VALUE, [inner, y - 13.0, COLUMN - 2.0 * PADDING], value);
        y -= 30.0;
    }
}

fn account_label(party: &Party) -> &'static str {
    match party.account_type {
        "40" => "CLABE",
        "3" | "03" => "Tarjeta de débito",
        "10" => "Número de celular",
        _ => "Cuenta",
    }
}

fn evidence(canvas: &mut Canvas, proof: &SealedProof) {
    canvas.text(
        LABEL,
        LEFT,
        388.0,
        "* La fecha y la hora de abono corresponden al huso horario de la Ciudad de México.",
    );
    canvas.fill([LEFT, 374.0, WIDTH, 0.75], RULE);
    let blocks = [
        (
            "Número de serie del certificado de la institución receptora del pago",
            proof.certificate.number(),
        ),
        ("Cadena original (información del pago)", &proof.chain),
        (
            "Sello digital (firma de la institución receptora del pago simulada)",
            &proof.seal,
        ),
    ];
    let small_print = style(Typeface::Fixed, 6.8, INK);
    let mut y = 356.0;
    for (heading, text) in blocks {
        canvas.text(style(Typeface::Bold, 8.5, ACCENT), LEFT, y, heading);
        let lines = wrap_characters(small_print, WIDTH, text);
        y = canvas.lines(small_print, LEFT, y - 12.0, &lines) - 12.0;
    }
}

fn footer(canvas: &mut Canvas) {
    canvas.fill([LEFT, 56.0, WIDTH, 48.0], [0.99, 0.95, 0.94]);
    canvas.fill([LEFT, 56.0, 3.0, 48.0], WARNING);
    let notice = style(Typeface::Regular, 8.0, INK);
    let lines = wrap_words(notice, WIDTH - 2.0 * PADDING, NOTICE);
    canvas.lines(notice, LEFT + PADDING, 88.0, &lines);
    canvas.text(LABEL, LEFT, 36.0, "SANDBOX — SIN VALIDEZ");
    canvas.text_to(LABEL, RIGHT, 36.0, "Página 1 de 1");
}

const LABEL: Style = style(Typeface::Regular, 8.0, MUTED);
const VALUE: Style = style(Typeface::Bold, 9.5, INK);

const fn style(typeface: Typeface, size: f32, colour: Colour) -> Style {
    Style {
        typeface,
        size,
        colour,
    }
}

/// `08 de noviembre de 2024`.
fn long_date(date: NaiveDate) -> String {
    let month = MONTHS[date.month0() as usize];
    format!("{:02} de {month} de {}", date.day(), date.year())
}

/// `$ 1,234.56`.
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
    use super::canvas::{wrap_characters, wrap_words};
    use super::typeface::win_ansi;
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("0.01", "$ 0.01")]
    #[case("999.00", "$ 999.00")]
    #[case("1234.56", "$ 1,234.56")]
    #[case("1234567.80", "$ 1,234,567.80")]
    fn pesos_are_grouped_by_thousands(#[case] plain: &str, #[case] shown: &str) {
        assert_eq!(pesos(Amount::parse(plain).unwrap()), shown);
    }

    #[test]
    fn dates_are_spelled_out_in_spanish() {
        let date = NaiveDate::from_ymd_opt(2024, 11, 8).unwrap();
        assert_eq!(long_date(date), "08 de noviembre de 2024");
    }

    #[test]
    fn accents_survive_the_encoding() {
        assert_eq!(win_ansi("ñÓ—®€"), [0xf1, 0xd3, 0x97, 0xae, b'?']);
    }

    #[test]
    fn the_width_of_a_line_is_that_of_its_letters() {
        let width = Typeface::Regular.width("Año í", 10.0);
        assert!((width - (6.67 + 5.56 + 5.56 + 2.78 + 2.78)).abs() < 0.001);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_sticks_out_when_a_chain_is_wrapped(
            chain in "[!-~]{1,800}", width in 20_u16..500,
        ) {
            let small_print = style(Typeface::Fixed, 6.8, INK);
            let lines = wrap_characters(small_print, f32::from(width), &chain);
            prop_assert_eq!(lines.concat(), chain);
            for line in lines {
                prop_assert!(Typeface::Fixed.width(&line, 6.8) <= f32::from(width) + 0.01);
            }
        }

        #[test]
        fn no_word_is_lost_when_prose_is_wrapped(words in "[a-z]{1,9}( [a-z]{1,9}){0,40}") {
            let prose = style(Typeface::Regular, 8.0, INK);
            prop_assert_eq!(wrap_words(prose, 120.0, &words).join(" "), words);
        }
    }
}
