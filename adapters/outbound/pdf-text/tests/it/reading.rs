//! Pages that are read.

use domain::proofs::check::{Drawing, PdfError, PrintedPage};
use pdf_text::PortalPdf;
use ports::outbound::ProofPdfReader as _;
use rstest::rstest;

use crate::hostile::deflated;
use crate::support::{
    add_entries, drawn, frames, page_objects, pdf, pdf_with_trailer, proof, replaced, sheet,
    sheet_objects, stream,
};

const TEXT: &str = "BT 1 0 0 1 30 400 Tm /F1 9 Tf 0 0 0 rg (a) Tj 0 g ET";

fn texts(page: &PrintedPage) -> Vec<&str> {
    page.runs.iter().map(|run| run.text.as_str()).collect()
}

fn read(pdf: &[u8]) -> Result<PrintedPage, PdfError> {
    let pages = PortalPdf.read(pdf)?;
    let [page] = <[PrintedPage; 1]>::try_from(pages).expect("one page");
    Ok(page)
}

fn drawing(pdf: &[u8]) -> Drawing {
    read(pdf).unwrap().drawing
}

#[test]
fn the_sandboxs_page_is_drawn_as_the_portals_and_read_with_its_accents() {
    let page = read(&proof(0).pdf).unwrap();
    assert_eq!(page.drawing, Drawing::Portal);
    let texts = texts(&page);
    assert!(texts.contains(&"COMPROBANTE   ELECTRÓNICO   DE   PAGO"));
    assert!(texts.contains(&"$ 1,234.56"));
    assert!(texts.contains(&"SANDBOX"));
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
    assert_eq!(page.drawing, Drawing::Other);
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
#[case::invisible("3 Tr (a) Tj")]
#[case::tiny("/F1 0.5 Tf (a) Tj")]
#[case::a_little_slanted("1 0.05 -0.05 1 9 9 Tm (a) Tj")]
#[case::clearly_slanted("1 0 0.2 1 9 9 Tm (a) Tj")]
#[case::climbing("0.7 0.7 -0.7 0.7 9 9 Tm (a) Tj")]
#[case::mirrored("-1 0 0 1 9 9 Tm (a) Tj")]
#[case::unknown_font("/F2 9 Tf (a) Tj")]
fn a_text_that_may_not_look_like_itself_is_read_and_not_trusted(#[case] content: &str) {
    let page = read(&drawn(&format!("BT /F1 9 Tf {content} ET"))).unwrap();
    assert_eq!(page.drawing, Drawing::Unknown);
    assert_eq!(texts(&page), ["a"]);
}

#[test]
fn a_text_on_the_portals_sheet_is_in_its_grammar() {
    assert_eq!(drawing(&sheet(TEXT)), Drawing::Portal);
    let without_boxes = pdf(&sheet_objects(stream("", TEXT.as_bytes())));
    assert_eq!(drawing(&without_boxes), Drawing::Other);
}

#[rstest]
#[case::area("0 0 20 20 re f")]
#[case::white_box("1 1 1 rg 22 782 m 574 782 l 574 800 l 22 800 l 22 782 l f")]
#[case::thick_line("30 w 20 525 m 572 523 l S")]
#[case::another_line("3 w 20 405 m 572 405 l S")]
#[case::clip("22 782 m 574 782 l 574 800 l 22 800 l 22 782 l W n")]
#[case::transparency("/T gs")]
#[case::picture("q 20 0 0 20 10 0 cm /I Do Q")]
#[case::picture_in_place("q 123.08 0 0 40 23 800 cm /I Do Q")]
#[case::form("/F Do")]
#[case::optional("/OC /a BDC EMC")]
#[case::inline_picture("BI /W 1 /H 1 ID x EI")]
#[case::shading("/S sh")]
#[case::pattern("/Pattern cs /P scn")]
#[case::white_text("BT 1 0 0 1 30 300 Tm /F1 9 Tf 1 1 1 rg (b) Tj 0 g ET")]
#[case::over_the_text("BT 1 0 0 1 32 402 Tm /F1 9 Tf 0 0 0 rg (b) Tj 0 g ET")]
#[case::beside_the_sheet("BT 1 0 0 1 700 300 Tm /F1 9 Tf 0 0 0 rg (b) Tj 0 g ET")]
#[case::half_off_the_sheet("BT 1 0 0 1 590 300 Tm /F1 9 Tf 0 0 0 rg (b) Tj 0 g ET")]
#[case::two_texts_in_a_row("BT 1 0 0 1 30 300 Tm /F1 9 Tf (b) Tj (c) Tj ET")]
#[case::spread("BT 1 0 0 1 30 300 Tm /F1 9 Tf 9 Tc (b) Tj ET")]
#[case::raised("BT 1 0 0 1 30 300 Tm /F1 9 Tf 99 Ts (b) Tj ET")]
#[case::stretched("BT 1 0 0 1 30 300 Tm /F1 9 Tf 900 Tz (b) Tj ET")]
#[case::hard_blank("BT 1 0 0 1 30 300 Tm /F1 9 Tf <a0> Tj ET")]
#[case::unknown_operator("1 2 foo")]
#[case::open_text("BT")]
#[case::open_state("q")]
#[case::loose_operands("1 2 3")]
fn anything_else_that_is_drawn_makes_it_another_page(#[case] more: &str) {
    let page = read(&sheet(&format!("{TEXT} {more}"))).unwrap();
    assert_ne!(page.drawing, Drawing::Portal);
    assert_eq!(texts(&page)[0], "a");
    let page = read(&sheet(&format!("{more} {TEXT}"))).unwrap();
    assert_ne!(page.drawing, Drawing::Portal);
    assert!(texts(&page).contains(&"a"));
}

#[test]
fn what_is_moved_is_not_the_portals() {
    assert_eq!(
        drawing(&sheet(&format!("1 0 0 1 5000 0 cm {TEXT}"))),
        Drawing::Other
    );
}

#[rstest]
#[case::form(0, "/AcroForm 6 0 R")]
#[case::optional_content(0, "/OCProperties<<>>")]
#[case::scripts(0, "/Names<</JavaScript 6 0 R>>")]
#[case::action(0, "/OpenAction 6 0 R")]
#[case::inherited_turn(1, "/Rotate 90")]
#[case::inherited_box(1, "/CropBox[0 0 9 9]")]
#[case::turn(2, "/Rotate 90")]
#[case::unit(2, "/UserUnit 3")]
#[case::cropped(2, "/CropBox[0 0 9 9]")]
#[case::second_box(2, "/MediaBox[0 0 595 850]")]
#[case::annotations(2, "/Annots[6 0 R]")]
#[case::isolated(2, "/Group<</S/Transparency/I true>>")]
#[case::second_content(2, "/Contents 6 0 R")]
#[case::widths(4, "/Widths[1 2]")]
#[case::to_unicode(4, "/ToUnicode 6 0 R")]
#[case::descriptor(4, "/FontDescriptor 6 0 R")]
fn an_entry_that_the_portal_does_not_write_makes_it_another_page(
    #[case] object: usize,
    #[case] entry: &str,
) {
    let mut objects = sheet_objects(stream("", (frames() + TEXT).as_bytes()));
    assert_eq!(drawing(&pdf(&objects)), Drawing::Portal);
    add_entries(&mut objects[object], entry);
    let pages = PortalPdf.read(&pdf(&objects));
    let is_portals = |page: &PrintedPage| page.drawing == Drawing::Portal;
    assert!(!pages.is_ok_and(|pages| pages.iter().any(is_portals)));
}

#[test]
fn a_font_that_may_draw_other_letters_is_not_trusted() {
    for font in [
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[51/nine]>>>>",
        "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Helvetica/Encoding/WinAnsiEncoding>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FontDescriptor 6 0 R>>",
    ] {
        let mut objects = sheet_objects(stream("", TEXT.as_bytes()));
        objects[4] = font.as_bytes().to_vec();
        assert_eq!(drawing(&pdf(&objects)), Drawing::Unknown, "{font}");
    }
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
fn what_a_revision_replaced_is_read_and_never_the_portals() {
    let mut revised = sheet(TEXT);
    assert_eq!(drawing(&revised), Drawing::Portal);
    let later = stream("", TEXT.replace("(a)", "(later)").as_bytes());
    revised.extend(b"4 0 obj\n");
    revised.extend(later);
    revised.extend(b"\nendobj\ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n");
    let page = read(&revised).unwrap();
    assert_eq!(texts(&page), ["later"]);
    assert_eq!(page.drawing, Drawing::Other);
    let objects = sheet_objects(stream("", TEXT.as_bytes()));
    assert_eq!(
        drawing(&pdf_with_trailer(&objects, "/Prev 9")),
        Drawing::Other
    );
}

/// A program that takes the file for a ZIP or a web page would find its content there.
#[test]
fn a_file_with_room_for_another_content_has_another_page() {
    let content = (frames() + TEXT).into_bytes();
    let objects = |content| sheet_objects(content);
    let drawing_of = |objects: Vec<Vec<u8>>| drawing(&pdf(&objects));
    let packed = deflated(&content);
    let flate = |bytes: &[u8]| stream("/Filter/FlateDecode", bytes);
    assert_eq!(drawing_of(objects(flate(&packed))), Drawing::Portal);

    let behind_the_data = [&packed[..], b"<h1>$ 9,999.00</h1>"].concat();
    assert_eq!(drawing_of(objects(flate(&behind_the_data))), Drawing::Other);
    let in_a_comment = [&content[..], b"\n% <h1>$ 9,999.00</h1>\n"].concat();
    let in_a_comment = stream("", &in_a_comment);
    assert_eq!(drawing_of(objects(in_a_comment)), Drawing::Other);
    for (object, expected) in [
        (stream("", b"<h1>$ 9,999.00</h1>"), Drawing::Other),
        (b"<</Text(<h1>$ 9,999.00</h1>)>>".to_vec(), Drawing::Portal),
        (
            format!("[<<>>[({})]]", "x".repeat(81)).into_bytes(),
            Drawing::Other,
        ),
        (
            format!("[{}]", "[]".repeat(2_100)).into_bytes(),
            Drawing::Other,
        ),
        (b"[]%<h1>$ 9,999.00</h1>\n".to_vec(), Drawing::Other),
    ] {
        let mut objects = objects(stream("", &content));
        objects[5] = object;
        assert_eq!(drawing(&pdf(&objects)), expected);
    }
    let in_the_trailer = format!("/ID[({})]", "x".repeat(81));
    let objects = objects(stream("", &content));
    let file = pdf_with_trailer(&objects, &in_the_trailer);
    assert_eq!(drawing(&file), Drawing::Other);
}

#[test]
fn a_table_that_viewers_may_read_another_way_makes_it_another_page() {
    let file = sheet(TEXT);
    let text = |from: &str, to: &str| {
        let place = file
            .windows(from.len())
            .rposition(|it| it == from.as_bytes())
            .unwrap();
        let mut changed = file.clone();
        changed.splice(place..place + from.len(), to.bytes());
        drawing(&changed)
    };
    assert_eq!(text("%%EOF", "%%EOF"), Drawing::Portal);
    // Another object that a viewer finds when it searches for objects.
    assert_eq!(text("%%EOF", "% 4 0 obj<<>>"), Drawing::Other);
    assert_eq!(
        text("0000000009 00000 n \n", "0000000009 0 n  \n"),
        Drawing::Other
    );
    assert_eq!(
        text("0000000009 00000 n", "0000000010 00000 n"),
        Drawing::Other
    );
    assert_eq!(text("0 7\n", "0  7\n"), Drawing::Other);
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
    let files = proof(0);
    let changed = replaced(&files.pdf, b"$ 1,234.56", b"$ 9,234.56");
    let page = read(&changed).unwrap();
    assert!(texts(&page).contains(&"$ 9,234.56"));
    assert_eq!(page.drawing, Drawing::Portal);
}
