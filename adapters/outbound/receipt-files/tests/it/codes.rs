//! QR codes.

use image::{GrayImage, Luma, imageops};
use qrcode::{Color, QrCode};

use super::*;

const LINK: &str = "https://www.banxico.org.mx/cep/go?i=40012&s=20261127&d=invented";

/// A picture of a code, with modules of so many pixels.
fn code(content: &str, module: u32) -> GrayImage {
    let code = QrCode::new(content).unwrap();
    let width = u32::try_from(code.width()).unwrap();
    let mut pixels = made::white((width + 8) * module, (width + 8) * module);
    for (place, colour) in (0_u32..).zip(code.to_colors()) {
        if colour == Color::Dark {
            let (x, y) = ((place % width + 4) * module, (place / width + 4) * module);
            let square = GrayImage::from_pixel(module, module, Luma([0]));
            imageops::replace(&mut pixels, &square, x.into(), y.into());
        }
    }
    pixels
}

/// Codes of a picture, without recognition: the error of the program that isn't there comes after them.
fn codes(pixels: &GrayImage) -> Vec<String> {
    let files = recognising(fakes::program("printf 'level\\t\\n'").1, Limits::default());
    wait(files.picture(made::png(pixels).into())).unwrap().codes
}

#[test]
fn contents_of_codes_are_read() {
    for module in [3, 6, 20] {
        assert_eq!(codes(&code(LINK, module)), [LINK], "{module}");
    }
}

#[test]
fn a_code_in_a_large_picture_is_read() {
    let mut pixels = made::white(2500, 3500);
    imageops::replace(&mut pixels, &code(LINK, 8), 1500, 2000);
    assert_eq!(codes(&pixels), [LINK]);
}

#[test]
fn several_codes_are_read_and_each_once() {
    let mut pixels = made::white(1200, 1200);
    for (content, x, y) in [("uno", 0, 0), ("dos", 600, 0), ("uno", 0, 600)] {
        imageops::replace(&mut pixels, &code(content, 8), x, y);
    }
    let mut found = codes(&pixels);
    found.sort();
    assert_eq!(found, ["dos", "uno"]);
}

/// Corners of codes without codes, on which the library's time would grow with the cube of their number.
pub(crate) fn corners(side: u32) -> GrayImage {
    let mut pixels = made::white(side, side);
    for x in 0..side {
        for y in 0..side {
            let (column, row) = (x % 9, y % 9);
            let is_of =
                |from: u32, to: u32| (from..=to).contains(&column) && (from..=to).contains(&row);
            if is_of(3, 5) || is_of(1, 7) && !is_of(2, 6) {
                pixels.put_pixel(x, y, Luma([0]));
            }
        }
    }
    pixels
}

#[test]
fn corners_without_codes_take_bounded_time() {
    let began = std::time::Instant::now();
    let before = panics::count();
    assert_eq!(codes(&corners(2000)), [""; 0]);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    assert_eq!(panics::count(), before);
}

#[test]
fn codes_of_pictures_in_pdfs_are_read() {
    let pixels = code(LINK, 5);
    let (width, height) = pixels.dimensions();
    let entries = format!(
        "/Subtype/Image/Width {width}/Height {height}/BitsPerComponent 8/ColorSpace/DeviceGray"
    );
    let image = made::deflated(&entries, pixels.as_raw());
    let entries =
        "/Resources<</XObject<</X 4 0 R>>/Font<</F<</Subtype/Type1/BaseFont/Courier>>>>>>";
    let content = made::stream(
        "",
        b"q 300 0 0 300 100 300 cm /X Do Q BT /F 9 Tf 9 9 Td (Folio) Tj ET",
    );
    let text = pdf(made::page(entries, content, &[image])).unwrap();
    assert_eq!(words(&text), ["Folio"]);
    assert_eq!(text.codes, [LINK]);
}
