//! PDFs: of programs, of pictures, and hostile ones.

use std::time::Instant;

use image::ImageFormat;
use proptest::prelude::*;
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
}

/// A sheet with the rows, as `LibreOffice` exports it; `None` if it isn't installed.
fn exported(filter: &str) -> Option<Vec<u8>> {
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
            filter,
            "--infilter=CSV:44,34,76",
            "--outdir",
        ])
        .args([folder.path(), &source])
        .output();
    if status.is_err() {
        browser::say("skipped: LibreOffice isn't installed");
        return None;
    }
    Some(std::fs::read(source.with_extension("pdf")).unwrap())
}

#[test]
fn a_sheet_that_libreoffice_exports_is_read() {
    let Some(file) = exported("pdf") else {
        return;
    };
    let text = pdf(file).unwrap();
    let page = &text.pages[0];
    let (label, value) = (
        word(page, "rastreo"),
        word(page, "MBAN01002611270000012345"),
    );
    assert!((label.place.y - value.place.y).abs() < 2.0);
    assert!(label.place.x < value.place.x);
    word(page, "operación");
}

#[test]
fn an_encrypted_file_needs_a_password() {
    let options = r#"{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"x"}}"#;
    let Some(file) = exported(&format!("pdf:calc_pdf_Export:{options}")) else {
        return;
    };
    assert_eq!(pdf(file), Err(ReceiptFileError::Encrypted));
}

#[test]
fn a_page_that_is_a_picture_is_recognised() {
    let drawn = browser::draw(&browser::page(""), "2").filter(|_| browser::can_recognise());
    let Some(drawn) = drawn else {
        return;
    };
    let pixels = image::load_from_memory(&drawn).unwrap().into_luma8();
    let (width, height) = pixels.dimensions();
    let size = format!("/Subtype/Image/Width {width}/Height {height}");
    let jpeg = made::file(&pixels, ImageFormat::Jpeg);
    let entries = format!("{size}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode");
    let content = stream("", b"q 600 0 0 800 0 0 cm /X Do Q");
    let file = made::page(
        "/Resources<</XObject<</X 4 0 R>>>>",
        content,
        &[stream(&entries, &jpeg)],
    );
    let text = pdf(file).unwrap();
    assert_eq!(text.source, TextSource::Recognition);
    for exact in ["27/11/2026", "14:35:07", "2711261"] {
        word(&text.pages[0], exact);
    }
}

#[test]
fn without_the_programs_no_pdf_is_read() {
    let nowhere = Programs {
        pdftotext: Some("/nowhere".into()),
        ..Programs::default()
    };
    let files = ReceiptFiles::new(nowhere, Limits::default());
    let file = made::page("", stream("", b""), &[]);
    assert_eq!(
        wait(files.pdf(file.into())),
        Err(ReceiptFileError::NoRecognition)
    );
}

/// A page with a content.
fn shown(content: Vec<u8>) -> Vec<u8> {
    made::page(&made::helvetica(), content, &[])
}

#[rstest]
#[case::bomb(shown(stream("/Filter/FlateDecode", &made::ZEROS)))]
#[case::nested_bomb(shown(stream("/Filter[/FlateDecode/FlateDecode]", &made::deflate(&made::ZEROS))))]
#[case::words(shown(deflated("", "BT /F 9 Tf 9 9 Td (a b c d e f g h) Tj ET ".repeat(90_000).as_bytes())))]
#[case::forms(made::page(
    "/Resources<</XObject<</X 4 0 R>>>>",
    stream("", b"/X Do"),
    &[stream("/Subtype/Form/Resources<</XObject<</X 4 0 R>>>>", b"/X Do /X Do")]
))]
#[case::pages(made::pdf(&[b"<</Type/Catalog/Pages<</Type/Pages/Kids[1 0 R 1 0 R]/Count 2>>>>".to_vec()]))]
#[case::nothing(b"%PDF-1.7".to_vec())]
#[case::large(vec![b' '; domain::receipts::MAX_FILE_BYTES + 1])]
fn a_hostile_pdf_ends_in_time(#[case] file: Vec<u8>) {
    let began = Instant::now();
    let read = pdf(file);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    assert!(read.is_err() || words(&read.unwrap()).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_file_that_is_cut_or_changed_is_read_or_refused(
        cut in 0..900_usize, place in 0..900_usize, byte in any::<u8>(),
    ) {
        let mut file = shown(stream("", b"BT /F 9 Tf 9 9 Td (Folio) Tj ET"));
        file.truncate(file.len().saturating_sub(cut));
        if let Some(changed) = file.get_mut(place) {
            *changed = byte;
        }
        let _ = pdf(file);
    }
}

#[test]
fn text_that_is_hidden_or_covered_is_not_certain() {
    let style = "<style>.hidden{color:#fff;font-size:8px}.cover{position:relative}\
        .cover i{position:absolute;left:0;top:0;width:200px;height:30px;background:#fff;font-style:normal}</style>";
    let rows = "<p>Cuenta destino: 7771234567</p><p class=hidden>014320567890123458</p>\
        <p class=cover>$9,999.00<i>$500.00</i></p>";
    let page = format!(
        "<!doctype html><meta charset=utf-8><body style=\"font:20px sans-serif\">{style}{rows}"
    );
    let file = browser::print(&page).filter(|_| browser::can_recognise());
    let Some(file) = file else {
        return;
    };
    let text = pdf(file).unwrap();
    let is_certain = |text_of: &str| word(&text.pages[0], text_of).is_certain;
    assert!(is_certain("7771234567") && is_certain("$500.00"));
    assert!(!is_certain("014320567890123458") && !is_certain("$9,999.00"));
}
