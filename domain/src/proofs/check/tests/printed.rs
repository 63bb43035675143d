//! Reports of the portal's page.

use chrono::NaiveDate;

use super::*;
use crate::keys::Environment;

mod candidates;
mod not_compared;

/// The texts of the page of the proof of [`SIGNED`] but for chain and seal, where the portal's page has
/// them: `x`, `y`, size and text of each.
const PAGE: &str = "\
504.75 812.32 9 horas
353 825.62 10 Fecha de consulta
452 827.7 8 13 de diciembre de 2026
353 810.62 10 Hora de consulta
453 811.66 9 10:58:25
153 787.09 12 COMPROBANTE   ELECTRÓNICO   DE   PAGO
24 766.7 8 Fecha de operación en el SPEI®
199 765.66 9 23 de noviembre de 2026
24 748.7 8 Fecha de abono en la cuenta beneficiaria*
199 747.66 9 20 de noviembre de 2026
23 728.7 8 Hora de abono en la cuenta beneficiaria*
199 727.66 9 18:02:30 horas
24 710.7 8 Concepto del pago
111 709.7 8 Pago de prueba
336 765.7 8 Monto
529.47 765.66 9 $ 1,234.56
336 747.7 8 IVA
546.98 747.66 9 $ 0.00
335 728.7 8 Referencia numérica
536.97 728.66 9 4900001
335 709.7 8 Clave de rastreo
467.92 708.66 9 PRUEBA0001
130.29 668.5 13 Ordenante
24 652.7 8 Institución emisora del pago
153 651.66 9 BANCO UNO
24 627.7 8 Titular de la cuenta
153 628.66 9 Ana Prueba
25 603.7 8 RFC/CURP
153 602.66 9 XAXX010101000
24 582.7 8 CLABE,Tarjeta de débito,Número
24 572.63 8 de celular
153 581.66 9 012180000118359719
410 668.5 13 Beneficiario
305 651.7 8 Institución receptora del pago
435 650.66 9 BANCO DOS
306 627.7 8 Titular de la cuenta
435 628.66 9 Luis Ejemplo
306 602.7 8 RFC/CURP
435 601.66 9 ND
306 582.7 8 CLABE,Tarjeta de débito,Número
306 572.63 8 de celular
435 581.66 9 4111111111111111
101 542.32 9 *La hora de abono corresponde al huso horario que rige en la Ciudad de México.
21 501.62 10 Número de Serie del Certificado de Seguridad de la institución receptora del pago
23 490.96 7 00001000000500000001
20 468.62 10 Cadena Original (información del pago):
20 371.62 10 Sello Digital (firma provista por la institución receptora del pago):
474.63 19.62 10 Página 1 de
530 19.62 10  1";

/// A line of [`PAGE`].
fn line(line: &str) -> TextRun {
    let parts: Vec<&str> = line.splitn(4, ' ').collect();
    let number = |place: usize| parts[place].parse().unwrap();
    run((number(0), number(1), number(2), parts[3]))
}

fn run((x, y, size, text): (f32, f32, f32, &str)) -> TextRun {
    // Amounts and the like end at 572 points; the width of no other text matters.
    let is_amount = x > 400.0 && (700.0..770.0).contains(&y);
    TextRun {
        x,
        y,
        width: if is_amount { 572.0 - x } else { 10.0 },
        size,
        text: text.to_owned(),
    }
}

/// The day on which the pages are read.
fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 12, 13).unwrap()
}

impl PrintedPage {
    /// The only text that says this.
    fn text(&mut self, text: &str) -> &mut TextRun {
        let mut found = self.runs.iter_mut().filter(|run| run.text == text);
        let text = found.next().unwrap();
        assert!(found.next().is_none());
        text
    }
}

/// The page on which a text says something else.
fn respelt(from: &str, to: &str) -> PrintedPage {
    let mut page = printed(&[]);
    to.clone_into(&mut page.text(from).text);
    page
}

/// The page without a text.
fn without(text: &str) -> PrintedPage {
    let mut page = printed(&[]);
    page.runs.retain(|run| run.text != text);
    page
}

/// The finding of a text that differs from the chain.
fn changed(field: &'static str) -> Finding {
    ("texto_y_cadena", "campos_cambiados", vec![field])
}

/// The page with the chain broken before these places, where a blank is lost.
fn printed(breaks: &[usize]) -> PrintedPage {
    let mut lines = Vec::new();
    let mut from = 0;
    for end in breaks.iter().copied().chain([SIGNED.len()]) {
        lines.push(SIGNED[from..end].trim().to_owned());
        from = end;
    }
    lines.retain(|line| !line.is_empty());
    let mut runs: Vec<TextRun> = PAGE.lines().map(line).collect();
    let mut y = 457.96;
    for line in lines {
        runs.push(run((24.0, y, 7.0, &line)));
        y -= 9.14;
    }
    let seal = seal();
    runs.push(run((24.0, 360.96, 7.0, &seal[..140])));
    runs.push(run((24.0, 351.82, 7.0, &seal[140..])));
    runs.push(run((26.0, 154.73, 7.0, PORTAL_NOTICE)));
    PrintedPage {
        runs,
        drawing: Drawing::Portal,
    }
}

fn page_report(page: &PrintedPage) -> CheckReport {
    report_by(page, known)
}

/// The report of somebody who has this verdict.
fn report_by(page: &PrintedPage, verdict: fn(&Proof) -> Verdict) -> CheckReport {
    let pages = std::slice::from_ref(page);
    CheckReport::of_pages(Ok(pages), Environment::Live, today(), verdict)
}

fn place_of(text: &str) -> usize {
    SIGNED.find(text).unwrap()
}

#[test]
fn the_page_of_a_proof_passes_every_check_of_what_is_sealed() {
    let report = page_report(&printed(&[]));
    assert!(findings(&report).is_empty(), "{:?}", findings(&report));
    assert_eq!(report.outcome(), CheckOutcome::Valid);
    let proof = report.proof.unwrap();
    assert_eq!(proof.tracking_key(), "PRUEBA0001");
    assert_eq!(proof.certificate_number, CERTIFICATE);
    assert_eq!(proof.centavos(), 123_456);
}

#[test]
fn broken_lines_are_joined_and_without_the_key_the_likeliest_readable_join_is_told() {
    let page = printed(&[place_of(" Prueba|40"), place_of("000500000001||")]);
    assert_eq!(page_report(&page).outcome(), CheckOutcome::Valid);
    let report = report_by(&page, |proof| match UncheckedSeal::of(proof) {
        Ok(_) => Verdict::NotChecked(NotChecked::UnknownCertificate),
        Err(reason) => Verdict::NotChecked(reason),
    });
    assert_eq!(findings(&report), [UNKNOWN_CERTIFICATE]);
    let chain = report.proof.unwrap().chain;
    assert_eq!(chain.as_str(), format!("{SIGNED}{}", seal()));
}

#[test]
fn of_all_joins_the_one_that_another_certificates_key_sealed_is_told() {
    // Within a word, where a blank is likelier.
    let breaks = [place_of("ueba|40"), place_of("000500000001||")];
    let report = report_by(&printed(&breaks), |proof| match UncheckedSeal::of(proof) {
        Ok(seal) if seal.text() != SIGNED => Verdict::Invalid,
        Ok(_) => Verdict::NotChecked(NotChecked::UnknownCertificate),
        Err(reason) => Verdict::NotChecked(reason),
    });
    assert_eq!(findings(&report), [UNKNOWN_CERTIFICATE]);
}

#[rstest]
#[case("$ 1,234.56", "$ 9,234.56", "monto")]
#[case("$ 0.00", "$ 0.01", "iva")]
#[case("Ana Prueba", "Ana Pruebas", "ordenante.nombre")]
#[case("Luis Ejemplo", "Eva Muestra", "beneficiario.nombre")]
#[case("BANCO UNO", "BANCO TRES", "emisor.nombre")]
#[case("BANCO DOS", "BANCO TRES", "receptor.nombre")]
#[case("4111111111111111", "4111111111111129", "beneficiario.cuenta")]
#[case("23 de noviembre de 2026", "24 de mayo de 2026", "fecha_operacion")]
#[case("20 de noviembre de 2026", "24 de noviembre de 2026", "fecha_abono")]
#[case("18:02:30 horas", "18:02:31 horas", "hora_abono")]
#[case("Pago de prueba", "Renta", "concepto")]
#[case("ND", "XEXX010101000", "beneficiario.rfc_curp")]
#[case("$ 1,234.56", "ayer", "monto")]
fn a_visible_text_that_differs_from_the_chain_is_named(
    #[case] from: &str,
    #[case] to: &str,
    #[case] field: &'static str,
) {
    let report = page_report(&respelt(from, to));
    assert_eq!(findings(&report), [changed(field)]);
}

#[test]
fn a_text_drawn_over_another_one_is_found() {
    let mut page = printed(&[]);
    let mut over = page.text("$ 1,234.56").clone();
    over.x += 0.5;
    over.text = "$ 9,234.56".to_owned();
    page.runs.push(over);
    assert_eq!(findings(&page_report(&page)), [changed("monto")]);
}

#[test]
fn a_name_over_two_lines_is_one_name() {
    let mut page = printed(&[]);
    let run = page.text("Ana Prueba");
    run.text = "Ana".to_owned();
    run.y += 5.0;
    let second = TextRun {
        y: run.y - 10.0,
        text: "Prueba".to_owned(),
        ..run.clone()
    };
    page.runs.push(second);
    assert_eq!(page_report(&page).outcome(), CheckOutcome::Valid);
    // Lines of one text aren't drawn over each other.
    page.runs.last_mut().unwrap().y += 5.0;
    assert_eq!(page_report(&page).outcome(), CheckOutcome::NotChecked);
}

#[rstest]
#[case::issuer("|BANCO UNO|", "BANCO UNO")]
#[case::payer("|Ana Prueba|", "Ana Prueba")]
#[case::payers_account("|012180000118359719|", "012180000118359719")]
#[case::payers_tax_id("|XAXX010101000|", "XAXX010101000")]
#[case::receiver("|BANCO DOS|", "BANCO DOS")]
#[case::beneficiary("|Luis Ejemplo|", "Luis Ejemplo")]
#[case::beneficiarys_account("|4111111111111111|", "4111111111111111")]
#[case::concept("|Pago de prueba|", "Pago de prueba")]
#[case::vat("|0.00|1234.56|", "$ 0.00")]
fn a_page_leaves_the_place_blank_of_what_is_sealed_as_unknown(
    #[case] sealed: &str,
    #[case] shown: &str,
) {
    let mut page = without(shown);
    let blank = report_by(&page, unknown);
    assert_eq!(findings(&blank)[0].1, "pagina_no_comparada", "{shown}");
    let nothing = sealed.replacen(sealed.split('|').nth(1).unwrap(), "NA", 1);
    let chain = page.runs.iter_mut().find(|run| run.text.contains(sealed));
    let chain = &mut chain.unwrap().text;
    *chain = chain.replacen(sealed, &nothing, 1);
    let found = findings(&report_by(&page, unknown));
    assert_eq!(found, [UNKNOWN_CERTIFICATE], "{shown}");
}

#[test]
fn a_page_shows_the_proof_of_its_chain_and_tracking_key_and_no_other() {
    let shown = ShownProof::of(&[printed(&[])], Environment::Live, today()).unwrap();
    let proof = report(&xml()).proof.unwrap();
    assert!(shown.is(&proof.chain, "PRUEBA0001"));
    assert!(!shown.is(&proof.chain, "PRUEBA0002"));
    let other = report(&xml().replace("1234.56", "1234.57")).proof.unwrap();
    assert!(!shown.is(&other.chain, "PRUEBA0001"));
    assert_eq!(shown.seal(), seal());
    // Nothing is shown by a page that contradicts its chain.
    let page = respelt("$ 1,234.56", "$ 9,234.56");
    let shown = ShownProof::of(&[page], Environment::Live, today()).unwrap();
    assert!(!shown.is(&proof.chain, "PRUEBA0001"));
}

#[test]
fn a_field_without_a_value_or_its_only_label_is_not_compared() {
    let empty = without("$ 1,234.56");
    let mut missing = empty.clone();
    missing.runs.retain(|run| run.text != "Monto");
    let mut repeated = printed(&[]);
    let label = repeated.text("Monto").clone();
    repeated.runs.push(TextRun { y: 20.0, ..label });
    for page in [empty, missing, repeated] {
        let report = page_report(&page);
        assert_eq!(report.outcome(), CheckOutcome::NotChecked);
        let expected = ("texto_y_cadena", "pagina_no_comparada", vec!["monto"]);
        assert_eq!(findings(&report), [expected]);
    }
}

#[test]
fn the_proof_among_other_pages_is_found_and_two_are_refused() {
    let reason = |pages: &[PrintedPage]| {
        let report = CheckReport::of_pages(Ok(pages), Environment::Live, today(), known);
        (report.outcome(), report.checks[0].reason)
    };
    let proof = PrintedPage {
        drawing: Drawing::Other,
        ..printed(&[])
    };
    let other = PrintedPage {
        runs: vec![run((9.0, 9.0, 9.0, "Carta"))],
        ..proof.clone()
    };
    let found = reason(&[other, proof.clone()]);
    assert_eq!(found, (CheckOutcome::NotChecked, None));
    let two = reason(&[proof.clone(), proof]);
    let several = Some(CheckReason::SeveralProofs);
    assert_eq!(two, (CheckOutcome::Invalid, several));
}

#[rstest]
#[case::receipt(
    &["BBVA", "Comprobante de transferencia interbancaria SPEI", "Importe: $12,500.00"],
    CheckReason::BankReceipt
)]
#[case::state(
    &["Se identificó el siguiente pago:", "Clave de rastreo", "Estado del pago en Banxico", "Liquidado"],
    CheckReason::StateReport
)]
#[case::letter(&["Estimado cliente:"], CheckReason::PdfWithoutChain)]
fn other_documents_are_told_by_their_words(#[case] lines: &[&str], #[case] reason: CheckReason) {
    let runs = lines.iter().map(|line| run((60.0, 700.0, 9.0, line)));
    let page = PrintedPage {
        runs: runs.collect(),
        drawing: Drawing::Other,
    };
    assert_eq!(page_report(&page).checks[0].reason, Some(reason));
}

#[test]
fn a_character_that_the_page_cannot_show_is_no_proof_of_a_forgery() {
    let mut page = printed(&[]);
    for run in &mut page.runs {
        run.text = run.text.replace("Ana", "?na");
    }
    let report = page_report(&page);
    assert_eq!(report.verdict, Verdict::NotChecked(NotChecked::Unreadable));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
}

#[test]
fn a_log_of_a_page_has_none_of_its_text() {
    let page = printed(&[]);
    let told = format!("{page:?} {:?}", page.runs);
    let begin = format!("PrintedPage {{ runs: {}, ", page.runs.len());
    assert!(told.starts_with(&begin), "{told}");
    assert!(page.runs.iter().any(|run| run.text == "Ana Prueba"));
    assert!(!told.contains("Ana Prueba"), "{told}");
}

#[test]
fn a_page_without_text_or_chain_is_told_so() {
    let reason = |page: &PrintedPage| findings(&page_report(page))[0].1;
    assert_eq!(reason(&PrintedPage::default()), "pdf_sin_texto");
    let page = without("Cadena Original (información del pago):");
    assert_eq!(reason(&page), "pdf_sin_cadena");
}

proptest! {
    #[test]
    fn a_chain_broken_anywhere_is_joined_again(
        breaks in prop::collection::btree_set(1..SIGNED.len(), 0..5),
    ) {
        let breaks: Vec<usize> = breaks.into_iter().collect();
        let report = page_report(&printed(&breaks));
        prop_assert_eq!(report.outcome(), CheckOutcome::Valid);
    }

    #[test]
    fn any_page_is_checked_without_panic(
        runs in prop::collection::vec((any::<f32>(), any::<f32>(), 0_usize..50), 0..60),
    ) {
        let texts = printed(&[]).runs;
        let runs = runs
            .into_iter()
            .map(|(x, y, index)| TextRun { x, y, ..texts[index % texts.len()].clone() })
            .collect();
        let _ = page_report(&PrintedPage { runs, drawing: Drawing::Portal });
    }
}
