//! PDFs whose pages are pictures.

use image::ImageFormat;
use rstest::rstest;

use super::made::{self, deflated, stream};
use super::*;
use crate::fakes::{HEAD, program};

/// A program that says the size of the picture.
fn files() -> ReceiptFiles {
    let said = "read -r _; read -r width height; cat >/dev/null";
    let row = r"printf '5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t99\t%sx%s\n' $width $height";
    ReceiptFiles::new(Some(program(&format!("{said}\n{HEAD}\n{row}")).1))
}

fn scan(image: Vec<u8>, others: &[Vec<u8>]) -> Vec<u8> {
    let content = stream("", b"q 600 0 0 800 0 0 cm /X Do Q");
    let objects = [&[image], others].concat();
    made::page("/Resources<</XObject<</X 4 0 R>>>>", content, &objects)
}

const SIZE: &str = "/Subtype/Image/Width 1200/Height 1600";

#[rstest]
#[case::gray("/ColorSpace/DeviceGray/BitsPerComponent 8", 1200 * 1600)]
#[case::colours("/ColorSpace/DeviceRGB/BitsPerComponent 8", 1200 * 1600 * 3)]
#[case::profile("/ColorSpace[/ICCBased 5 0 R]/BitsPerComponent 8", 1200 * 1600 * 3)]
#[case::bits("/ColorSpace/DeviceGray/BitsPerComponent 1", 150 * 1600)]
#[case::cut("/ColorSpace/DeviceGray/BitsPerComponent 8", 1200 * 100)]
fn pixels_of_a_page_are_recognised(#[case] entries: &str, #[case] bytes: usize) {
    let image = deflated(&format!("{SIZE}{entries}"), &vec![255; bytes]);
    let file = scan(image, &[stream("/N 3", b"")]);
    let text = wait(files().pdf(file.into())).unwrap();
    assert_eq!(text.source, TextSource::Recognition);
    assert_eq!(words(&text), ["1200x1600"]);
    assert_eq!(
        (text.pages[0].width, text.pages[0].height),
        (1200.0, 1600.0)
    );
}

#[test]
fn predicted_pixels_are_recognised() {
    let entries = format!(
        "{SIZE}/ColorSpace/DeviceGray/BitsPerComponent 8/DecodeParms<</Predictor 15/Columns 1200>>"
    );
    let rows: Vec<u8> = (0..1600)
        .flat_map(|row: usize| {
            let kind = u8::try_from(row % 5).unwrap();
            [vec![kind], vec![0; 1200]].concat()
        })
        .collect();
    let text = wait(files().pdf(scan(deflated(&entries, &rows), &[]).into())).unwrap();
    assert_eq!(words(&text), ["1200x1600"]);
}

#[test]
fn a_photograph_of_a_page_is_recognised() {
    let jpeg = made::file(&made::white(1200, 1600), ImageFormat::Jpeg);
    let entries = format!("{SIZE}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode");
    let text = wait(files().pdf(scan(stream(&entries, &jpeg), &[]).into())).unwrap();
    assert_eq!(words(&text), ["1200x1600"]);
}

#[test]
fn a_page_of_a_format_that_is_not_read_has_no_words() {
    let entries = format!("{SIZE}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/JPXDecode");
    let text = wait(files().pdf(scan(stream(&entries, b"JPX"), &[]).into())).unwrap();
    assert_eq!(words(&text), [""; 0]);
    assert_eq!(text.source, TextSource::Characters);
}

#[test]
fn a_scan_needs_recognition() {
    let image = deflated(
        &format!("{SIZE}/ColorSpace/DeviceGray/BitsPerComponent 8"),
        &vec![255; 1200 * 1600],
    );
    let files = ReceiptFiles::new(Some("/nowhere".into()));
    let read = wait(files.pdf(scan(image, &[]).into()));
    assert_eq!(read, Err(ReceiptFileError::NoRecognition));
}

#[test]
fn pixels_beyond_the_bound_are_refused() {
    let entries =
        "/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceGray/BitsPerComponent 8";
    let file = scan(deflated(entries, &[0; 100]), &[]);
    assert_eq!(
        wait(files().pdf(file.into())),
        Err(ReceiptFileError::TooLarge)
    );
}
