//! Text of PDFs.

use rstest::rstest;

use super::browser::{self, ROWS};
use super::made::{self, deflated, stream};
use super::*;

#[test]
fn a_page_that_chromium_prints_is_read_with_the_places_of_its_words() {
    let Some(file) = browser::print(&browser::page("")) else {
        return;
    };
    let text = pdf(file).unwrap();
    assert_eq!(text.source, TextSource::Characters);
    let [page] = &text.pages[..] else {
        panic!("{} pages", text.pages.len());
    };
    assert_eq!((page.width, page.height), (612.0, 792.0));
    for (label, value) in ROWS {
        for part in label.split(' ').chain(value.split(' ')) {
            word(page, part);
        }
    }
    let (label, value) = (word(page, "Importe"), word(page, "$1,234.50"));
    assert!((label.place.y - value.place.y).abs() < 2.0);
    assert!(label.place.x + label.place.width < value.place.x);
    assert!(label.place.y < word(page, "Hora").place.y);
    // 16 px of padding, and the page's margin of 1 cm.
    assert!((label.place.x - (12.0 + 28.3)).abs() < 1.0, "{label:?}");
}

#[test]
fn columns_of_chromium_are_apart() {
    let style = "body{font-family:serif}p{display:inline-block;width:45%}span,b{display:block}";
    let Some(file) = browser::print(&browser::page(style)) else {
        return;
    };
    let text = pdf(file).unwrap();
    let page = &text.pages[0];
    let (label, value) = (word(page, "Importe"), word(page, "$1,234.50"));
    assert!((label.place.x - value.place.x).abs() < 1.0);
    assert!(label.place.y + label.place.height <= value.place.y + 4.0);
    assert!(word(page, "27/11/2026").place.x > value.place.x + value.place.width);
}

#[test]
fn a_sheet_that_libreoffice_exports_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("pago.csv");
    let rows = ROWS.map(|(label, value)| format!("{label},\"{value}\"\n"));
    std::fs::write(&source, rows.concat()).unwrap();
    let profile = folder.path().join("profile");
    let status = std::process::Command::new("soffice")
        .arg(format!(
            "-env:UserInstallation=file://{}",
            profile.display()
        ))
        .args([
            "--headless",
            "--convert-to",
            "pdf",
            "--infilter=CSV:44,34,76",
            "--outdir",
        ])
        .args([folder.path(), &source])
        .output();
    if status.is_err() {
        return browser::say("skipped: LibreOffice isn't installed");
    }
    let text = pdf(std::fs::read(source.with_extension("pdf")).unwrap()).unwrap();
    let page = &text.pages[0];
    let (label, value) = (
        word(page, "rastreo"),
        word(page, "MBAN01002611270000012345"),
    );
    assert!((label.place.y - value.place.y).abs() < 2.0);
    assert!(label.place.x < value.place.x);
    word(page, "operación");
}

#[rstest]
#[case::win_ansi(
    "/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding",
    "(Operaci\\363n) Tj"
)]
#[case::mac_roman(
    "/Subtype/TrueType/BaseFont/Arial/Encoding/MacRomanEncoding",
    "(Operaci\\227n) Tj"
)]
#[case::differences(
    "/Subtype/Type1/BaseFont/X/Encoding<</Differences[1/O/p/e/r/a/c/i/oacute/n]>>",
    "<010203040506070809> Tj"
)]
#[case::parts(
    "/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding",
    "[(Ope) 20 (raci) -30 <F36E>] TJ"
)]
#[case::letters(
    "/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding",
    "(Oper) Tj 24 0 Td (aci\\363n) Tj"
)]
fn one_byte_codes_are_characters(#[case] font: &str, #[case] shown: &str) {
    let content = format!("BT /F 10 Tf 100 700 Td {shown} ET");
    let file = made::page(&made::font(font), deflated("", content.as_bytes()), &[]);
    let text = pdf(file).unwrap();
    assert_eq!(words(&text), ["Operación"]);
    let place = text.pages[0].words[0].place;
    assert_eq!((place.x, place.y), (100.0, 92.0));
    assert!(place.height > 9.0 && place.width > 25.0, "{place:?}");
}

#[test]
fn codes_of_two_bytes_are_characters_of_their_table() {
    let map = b"1 begincodespacerange <0000> <FFFF> endcodespacerange \
        2 beginbfrange <0010> <0019> <0030> <0020> <0021> [<00410042> <00F3>] endbfrange \
        1 beginbfchar <0030> <FB01> endbfchar";
    let font = made::font(
        "/Subtype/Type0/Encoding/Identity-H/ToUnicode 4 0 R/DescendantFonts[<</W[16[500 500] 18 50 600]>>]",
    );
    let content = "BT /F 10 Tf 50 50 Td <00100011002000210030> Tj ET";
    let file = made::page(&font, stream("", content.as_bytes()), &[deflated("", map)]);
    let text = pdf(file).unwrap();
    assert_eq!(words(&text), ["01ABófi"]);
    let place = text.pages[0].words[0].place;
    assert!(
        (place.width - (5.0 + 5.0 + 6.0 * 3.0)).abs() < 0.01,
        "{place:?}"
    );
}

#[test]
fn blanks_and_gaps_part_words() {
    let content = "BT /F 10 Tf 50 700 Td (Banco destino) Tj 0 -20 Td [(Clave) -400 (de)] TJ \
        0 -20 Td (STP) Tj 200 0 Td (BBVA) Tj ET";
    let file = made::page(&made::helvetica(), stream("", content.as_bytes()), &[]);
    let text = pdf(file).unwrap();
    assert_eq!(
        words(&text),
        ["Banco", "destino", "Clave", "de", "STP", "BBVA"]
    );
}

#[test]
fn bold_text_that_is_drawn_twice_is_read_once() {
    let content = "BT /F 10 Tf 50 700 Td (STP) Tj 0.3 0 Td (STP) Tj 0 -30 Td (STP) Tj ET";
    let file = made::page(&made::helvetica(), stream("", content.as_bytes()), &[]);
    assert_eq!(words(&pdf(file).unwrap()), ["STP", "STP"]);
}

#[rstest]
#[case(0, [100.0, 92.0])]
#[case(90, [698.0, 100.0])]
#[case(180, [500.0, 698.0])]
#[case(270, [92.0, 500.0])]
fn turned_pages_are_read_upright(#[case] degrees: u16, #[case] expected: [f32; 2]) {
    let content = stream("", b"BT /F 10 Tf 100 700 Td (STP) Tj ET");
    let entries = format!("{}/Rotate {degrees}", made::helvetica());
    let text = pdf(made::page(&entries, content, &[])).unwrap();
    let page = &text.pages[0];
    let is_turned = degrees % 180 == 90;
    assert_eq!(page.width > page.height, is_turned);
    let place = page.words[0].place;
    // The corner of the text that is its upper left one before the page is turned.
    let near = match degrees {
        180 => [place.x + place.width, place.y],
        270 => [place.x, place.y + place.height],
        // Of a quarter turn, too.
        _ => [place.x, place.y],
    };
    assert!(
        (near[0] - expected[0]).abs() < 0.1 && (near[1] - expected[1]).abs() < 0.1,
        "{place:?}"
    );
}

#[test]
fn contents_within_contents_are_read() {
    let form = stream(
        "/Type/XObject/Subtype/Form/Matrix[1 0 0 1 10 0]/Resources<</Font<</G<</Type/Font/Subtype/Type1\
         /BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>>>",
        b"BT /G 10 Tf 0 0 Td (Folio) Tj ET",
    );
    let entries = "/Resources<</XObject<</X 4 0 R>>>>";
    let content = stream("", b"q 1 0 0 1 40 700 cm /X Do Q");
    let text = pdf(made::page(entries, content, &[form])).unwrap();
    let found = word(&text.pages[0], "Folio");
    assert!((found.place.x - 50.0).abs() < 0.01);
}

#[test]
fn objects_of_object_streams_and_revisions_are_read() {
    let catalog = "<</Type/Catalog/Pages<</Kids[2 0 R]/Count 1>>>>";
    let font = made::helvetica();
    let page = format!("<</Type/Page/MediaBox[0 0 600 800]/Contents 3 0 R{font}>>");
    let index = format!("1 0 2 {} ", catalog.len());
    let entries = format!("/Type/ObjStm/N 2/First {}", index.len());
    let packed = deflated(&entries, format!("{index}{catalog}{page}").as_bytes());
    let mut file = b"%PDF-1.5\n".to_vec();
    let content = |text: &str| stream("", format!("BT /F 9 Tf 9 9 Td ({text}) Tj ET").as_bytes());
    let parts = [(9, packed), (3, content("old")), (3, content("new"))];
    for (number, object) in parts {
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    file.extend(stream_of_trailer());
    assert_eq!(words(&pdf(file).unwrap()), ["new"]);
}

fn stream_of_trailer() -> Vec<u8> {
    let table = deflated("/Type/XRef/Root 1 0 R/W[1 1 1]/Size 1", b"\0\0\0");
    [b"10 0 obj\n", &table[..], b"\nendobj\n"].concat()
}

#[test]
fn an_empty_page_is_no_error() {
    let text = pdf(made::page("", stream("", b""), &[])).unwrap();
    assert_eq!(text.pages.len(), 1);
    assert_eq!(words(&text), [""; 0]);
}

#[test]
fn an_encrypted_file_needs_a_password() {
    let file = made::page("", stream("", b""), &[]);
    let file = String::from_utf8(file).unwrap();
    let file = file.replace("<</Root", "<</Encrypt<</Filter/Standard/V 4>>/Root");
    assert_eq!(pdf(file.into_bytes()), Err(ReceiptFileError::Encrypted));
}
