//! Pages that are read.

use domain::check::{PdfError, PrintedPage};
use pdf_text::PortalPdf;
use ports::outbound::ProofPdfReader as _;
use rstest::rstest;

use crate::support::{drawn, page_objects, pdf, pdf_with_trailer, proof, replaced, stream};

fn texts(page: &PrintedPage) -> Vec<&str> {
    page.runs.iter().map(|run| run.text.as_str()).collect()
}

fn read(pdf: &[u8]) -> Result<PrintedPage, PdfError> {
    PortalPdf.read(pdf)
}

#[test]
fn the_sandboxs_page_is_read_with_its_accents_and_without_its_watermark() {
    let page = read(&proof(1).pdf).unwrap();
    let texts = texts(&page);
    assert!(texts.contains(&"Comprobante Electrónico de Pago"));
    assert!(texts.contains(&"$ 1,234.56 MXN"));
    assert!(texts.contains(&"SANDBOX — SIN VALIDEZ"));
    assert!(!texts.contains(&"SANDBOX"));
    assert!(!page.may_be_covered);
}

#[test]
fn texts_stand_where_the_matrices_put_them() {
    let page = read(&drawn(
        "q 2 0 0 2 10 20 cm BT /F1 9 Tf 1 0 0 1 5 6 Tm (uno) Tj 3 -4 Td (dos) Tj ET Q \
         BT /F1 9 Tf 12 TL 7 8 Td (tres) Tj T* (cua) Tj (tro) Tj (cinco) ' ET",
    ))
    .unwrap();
    let places: Vec<_> = page
        .runs
        .iter()
        .map(|run| (run.text.as_str(), run.x, run.y))
        .collect();
    assert_eq!(
        places,
        [
            ("uno", 20.0, 32.0),
            ("dos", 26.0, 24.0),
            ("tres", 7.0, 8.0),
            ("cuatro", 7.0, -4.0),
            ("cinco", 7.0, -16.0),
        ]
    );
    assert!(!page.may_be_covered);
}

#[test]
fn strings_are_read_with_escapes_and_in_hexadecimal() {
    let page = read(&drawn(
        r"BT /F1 9 Tf (a\(b\)\\ (c) \363\
d) Tj 1 1 Td <4f b3> Tj 1 1 Td [(x) -200 (y) 20 (z)] TJ ET",
    ))
    .unwrap();
    assert_eq!(texts(&page), ["a(b)\\ (c) ód", "O³", "x yz"]);
}

#[rstest]
#[case::invisible("BT /F1 9 Tf 3 Tr (a) Tj ET")]
#[case::tiny("BT /F1 0.5 Tf (a) Tj ET")]
#[case::a_little_slanted("BT /F1 9 Tf 1 0.05 -0.05 1 9 9 Tm (a) Tj ET")]
#[case::mirrored("BT /F1 9 Tf -1 0 0 1 9 9 Tm (a) Tj ET")]
#[case::unknown_font("BT /F2 9 Tf (a) Tj ET")]
#[case::below_an_area("BT /F1 9 Tf 9 9 Td (a) Tj ET 0 0 20 20 re f")]
#[case::below_a_picture("BT /F1 9 Tf 9 9 Td (a) Tj ET q 20 0 0 20 0 0 cm /I Do Q")]
#[case::below_a_form("BT /F1 9 Tf 9 9 Td (a) Tj ET /F Do")]
#[case::optional("/OC /a BDC BT /F1 9 Tf 9 9 Td (a) Tj ET EMC")]
#[case::inline_picture("BT /F1 9 Tf 9 9 Td (a) Tj ET BI /W 1 /H 1 ID x EI")]
fn what_may_not_look_like_its_text_is_noted(#[case] content: &str) {
    let page = read(&drawn(content)).unwrap();
    assert!(page.may_be_covered);
    assert_eq!(texts(&page), ["a"]);
}

#[rstest]
#[case::above_an_area("0 0 20 20 re f BT /F1 9 Tf 9 9 Td (a) Tj ET")]
#[case::beside_an_area("BT /F1 9 Tf 9 9 Td (a) Tj ET 10 10 20 20 re f")]
#[case::framed("BT /F1 9 Tf 9 9 Td (a) Tj ET 0 0 20 20 re S")]
#[case::beside_a_picture("BT /F1 9 Tf 9 9 Td (a) Tj ET q 20 0 0 20 10 0 cm /I Do Q")]
fn what_covers_nothing_is_not_noted(#[case] content: &str) {
    assert!(!read(&drawn(content)).unwrap().may_be_covered);
}

#[test]
fn a_font_that_may_draw_other_letters_is_noted() {
    for font in [
        "<</BaseFont/Helvetica/Encoding<</Differences[51/nine]>>>>",
        "<</BaseFont/ABCDEF+Helvetica/Encoding/WinAnsiEncoding>>",
        "<</BaseFont/Helvetica/Encoding/WinAnsiEncoding/FontDescriptor 6 0 R>>",
    ] {
        let mut objects = page_objects(stream("", b"BT /F1 9 Tf (3) Tj ET"));
        objects[4] = font.as_bytes().to_vec();
        assert!(read(&pdf(&objects)).unwrap().may_be_covered, "{font}");
    }
}

#[test]
fn annotations_are_noted() {
    let mut objects = page_objects(stream("", b"BT /F1 9 Tf (a) Tj ET"));
    let end = objects[2].len() - ">>".len();
    objects[2].truncate(end);
    objects[2].extend(b"/Annots[6 0 R]>>");
    assert!(read(&pdf(&objects)).unwrap().may_be_covered);
}

#[test]
fn a_page_with_a_picture_alone_has_no_text() {
    let page = read(&drawn("q 600 0 0 800 0 0 cm /I Do Q")).unwrap();
    assert!(page.runs.is_empty());
}

#[test]
fn an_encrypted_pdf_is_refused() {
    let objects = page_objects(stream("", b""));
    let encrypted = pdf_with_trailer(&objects, "/Encrypt 6 0 R");
    assert_eq!(read(&encrypted), Err(PdfError::Encrypted));
}

#[test]
fn a_revised_pdf_is_refused() {
    let objects = page_objects(stream("", b""));
    let revised = pdf_with_trailer(&objects, "/Prev 9");
    assert_eq!(read(&revised), Err(PdfError::Damaged));
    let mut appended = proof(1).pdf;
    appended.extend(b"4 0 obj\nnull\nendobj\nstartxref\n9\n%%EOF\n");
    assert_eq!(read(&appended), Err(PdfError::Damaged));
}

#[test]
fn a_table_that_names_other_objects_than_there_are_is_refused() {
    let file = drawn("");
    let entry = |number: usize| {
        let place = file.windows(4).rposition(|it| it == b"xref").unwrap();
        let place = file[..place]
            .windows(4)
            .rposition(|it| it == b"xref")
            .unwrap();
        let first = place + "xref\n0 7\n".len();
        first + 20 * number..first + 20 * (number + 1)
    };
    let mut swapped = file.clone();
    let (one, other) = (entry(4), entry(5));
    swapped[one.clone()].copy_from_slice(&file[other.clone()]);
    swapped[other].copy_from_slice(&file[one]);
    assert_eq!(read(&swapped), Err(PdfError::Damaged));
    let mut hidden = file.clone();
    hidden[entry(6)].copy_from_slice(b"0000000000 65535 f \n");
    assert_eq!(read(&hidden), Err(PdfError::Damaged));
}

#[rstest]
#[case::another_file(b"<SPEI_Tercero/>", PdfError::NotPdf)]
#[case::nothing(b"", PdfError::NotPdf)]
#[case::header_alone(b"%PDF-1.7\n", PdfError::Damaged)]
fn what_is_no_pdf_is_refused(#[case] file: &[u8], #[case] reason: PdfError) {
    assert_eq!(read(file), Err(reason));
}

#[test]
fn a_page_of_a_changed_file_shows_the_change() {
    let files = proof(2);
    let page = read(&files.pdf).unwrap();
    let shown = texts(&page).contains(&"$ 1,234.56 MXN");
    assert!(shown);
    let changed = replaced(&files.pdf, b"$ 1,234.56 MXN", b"$ 9,234.56 MXN");
    let page = read(&changed).unwrap();
    assert!(texts(&page).contains(&"$ 9,234.56 MXN"));
}
