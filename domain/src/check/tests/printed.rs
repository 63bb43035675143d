//! Reports of the portal's page.

use super::*;

/// The page of the proof of [`SIGNED`], as the portal lays it out: values beside their labels.
fn page() -> Vec<(f32, f32, &'static str)> {
    vec![
        (24.0, 766.7, "Fecha de operación en el SPEI®"),
        (199.0, 765.66, "23 de noviembre de 2026"),
        (24.0, 748.7, "Fecha de abono en la cuenta beneficiaria*"),
        (199.0, 747.66, "20 de noviembre de 2026"),
        (23.0, 728.7, "Hora de abono en la cuenta beneficiaria*"),
        (199.0, 727.66, "18:02:30 horas"),
        (24.0, 710.7, "Concepto del pago"),
        (111.0, 709.7, "Pago de prueba"),
        (336.0, 765.7, "Monto"),
        (529.47, 765.66, "$ 1,234.56"),
        (336.0, 747.7, "IVA"),
        (546.98, 747.66, "$ 0.00"),
        (335.0, 728.7, "Referencia numérica"),
        (536.97, 728.66, "4900001"),
        (335.0, 709.7, "Clave de rastreo"),
        (467.92, 708.66, "PRUEBA0001"),
        (130.29, 668.5, "Ordenante"),
        (24.0, 652.7, "Institución emisora del pago"),
        (153.0, 651.66, "BANCO UNO"),
        (24.0, 627.7, "Titular de la cuenta"),
        (153.0, 628.66, "Ana Prueba"),
        (25.0, 603.7, "RFC/CURP"),
        (153.0, 602.66, "XAXX010101000"),
        (24.0, 582.7, "CLABE,Tarjeta de débito,Número"),
        (24.0, 572.63, "de celular"),
        (153.0, 581.66, "012180000118359719"),
        (410.0, 668.5, "Beneficiario"),
        (305.0, 651.7, "Institución receptora del pago"),
        (435.0, 650.66, "BANCO DOS"),
        (306.0, 627.7, "Titular de la cuenta"),
        (435.0, 628.66, "Luis Ejemplo"),
        (306.0, 602.7, "RFC/CURP"),
        (435.0, 601.66, "ND"),
        (306.0, 582.7, "CLABE,Tarjeta de débito,Número"),
        (306.0, 572.63, "de celular"),
        (435.0, 581.66, "4111111111111111"),
        (
            21.0,
            501.62,
            "Número de Serie del Certificado de Seguridad de la institución receptora del pago",
        ),
        (23.0, 490.96, CERTIFICATE),
        (20.0, 468.62, "Cadena Original (información del pago):"),
    ]
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
    let run = |x, y, text: &str| TextRun {
        x,
        y,
        text: text.to_owned(),
    };
    let mut runs: Vec<TextRun> = page()
        .into_iter()
        .map(|(x, y, text)| run(x, y, text))
        .collect();
    let mut y = 457.96;
    for line in lines {
        runs.push(run(24.0, y, &line));
        y -= 9.14;
    }
    let label = "Sello Digital (firma provista por la institución receptora del pago):";
    runs.push(run(20.0, 300.0, label));
    let seal = seal();
    runs.push(run(24.0, 289.0, &seal[..140]));
    runs.push(run(24.0, 279.86, &seal[140..]));
    runs.push(run(
        26.0,
        154.0,
        "La información contenida en este Comprobante",
    ));
    PrintedPage {
        runs,
        may_be_covered: false,
    }
}

fn page_report(page: &PrintedPage) -> CheckReport {
    CheckReport::of_page(Ok(page), known)
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
    assert_eq!(proof.tracking_key, "PRUEBA0001");
    assert_eq!(proof.certificate_number, CERTIFICATE);
    assert_eq!(proof.centavos, 123_456);
}

#[test]
fn lines_broken_in_a_name_and_in_the_certificate_number_are_joined() {
    let breaks = [place_of(" Prueba|40"), place_of("000500000001||")];
    let report = page_report(&printed(&breaks));
    assert_eq!(report.outcome(), CheckOutcome::Valid);
}

#[test]
fn without_the_key_the_likeliest_readable_join_is_told() {
    let breaks = [place_of(" Prueba|40"), place_of("000500000001||")];
    let readable = |proof: &Proof| match UncheckedSeal::of(proof) {
        Ok(_) => Verdict::NotChecked(NotChecked::UnknownCertificate),
        Err(reason) => Verdict::NotChecked(reason),
    };
    let report = CheckReport::of_page(Ok(&printed(&breaks)), readable);
    assert_eq!(
        findings(&report),
        [("sello", "certificado_desconocido", vec![])]
    );
    assert_eq!(
        report.proof.unwrap().chain.as_str(),
        format!("{SIGNED}{}", seal())
    );
}

#[rstest]
#[case("$ 1,234.56", "$ 9,234.56", "monto")]
#[case("$ 0.00", "$ 0.01", "iva")]
#[case("Ana Prueba", "Ana Pruebas", "ordenante.nombre")]
#[case("Luis Ejemplo", "Eva Muestra", "beneficiario.nombre")]
#[case("BANCO UNO", "BANCO TRES", "emisor.nombre")]
#[case("BANCO DOS", "BANCO TRES", "receptor.nombre")]
#[case("4111111111111111", "4111111111111129", "beneficiario.cuenta")]
#[case(
    "23 de noviembre de 2026",
    "24 de noviembre de 2026",
    "fecha_operacion"
)]
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
    let mut page = printed(&[]);
    let run = page.runs.iter_mut().find(|run| run.text == from).unwrap();
    run.text = to.to_owned();
    let expected = ("texto_y_cadena", "campos_cambiados", vec![field]);
    assert_eq!(findings(&page_report(&page)), [expected]);
}

#[test]
fn a_text_drawn_over_another_one_is_found() {
    let mut page = printed(&[]);
    let over = page
        .runs
        .iter()
        .find(|run| run.text == "$ 1,234.56")
        .unwrap();
    let over = TextRun {
        x: over.x + 0.5,
        text: "$ 9,234.56".to_owned(),
        ..over.clone()
    };
    page.runs.push(over);
    let expected = ("texto_y_cadena", "campos_cambiados", vec!["monto"]);
    assert_eq!(findings(&page_report(&page)), [expected]);
}

#[test]
fn a_name_over_two_lines_is_one_name() {
    let mut page = printed(&[]);
    let run = page
        .runs
        .iter_mut()
        .find(|run| run.text == "Ana Prueba")
        .unwrap();
    run.text = "Ana".to_owned();
    run.y += 5.0;
    let second = TextRun {
        y: run.y - 10.0,
        text: "Prueba".to_owned(),
        ..run.clone()
    };
    page.runs.push(second);
    assert_eq!(page_report(&page).outcome(), CheckOutcome::Valid);
}

#[rstest]
#[case::missing(&|page: &mut PrintedPage| {
    page.runs.retain(|run| run.text != "Monto" && run.text != "$ 1,234.56");
})]
#[case::empty(&|page: &mut PrintedPage| page.runs.retain(|run| run.text != "$ 1,234.56"))]
#[case::repeated(&|page: &mut PrintedPage| {
    let label = page.runs.iter().find(|run| run.text == "Monto").unwrap().clone();
    page.runs.push(TextRun { y: 20.0, ..label });
})]
fn a_field_without_a_value_or_its_only_label_is_not_compared(
    #[case] change: &dyn Fn(&mut PrintedPage),
) {
    let mut page = printed(&[]);
    change(&mut page);
    let report = page_report(&page);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    let expected = ("texto_y_cadena", "pagina_no_comparada", vec!["monto"]);
    assert_eq!(findings(&report), [expected]);
}

#[test]
fn a_page_that_may_be_covered_is_not_called_valid() {
    let page = PrintedPage {
        may_be_covered: true,
        ..printed(&[])
    };
    let report = page_report(&page);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert!(matches!(report.verdict, Verdict::Valid(_)));
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
fn a_page_without_text_or_chain_is_told_so() {
    let reason = |page: &PrintedPage| findings(&page_report(page))[0].1;
    assert_eq!(reason(&PrintedPage::default()), "pdf_sin_texto");
    let mut page = printed(&[]);
    page.runs.retain(|run| !run.text.starts_with("Cadena"));
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
        runs in prop::collection::vec((any::<f32>(), any::<f32>(), 0_usize..41), 0..60),
    ) {
        let texts = printed(&[]).runs;
        let runs = runs
            .into_iter()
            .map(|(x, y, index)| TextRun { x, y, ..texts[index % texts.len()].clone() })
            .collect();
        let _ = page_report(&PrintedPage { runs, may_be_covered: false });
    }
}
