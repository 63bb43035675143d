//! Text of pictures.

use image::{ImageFormat, Luma, imageops};
use rstest::rstest;

use super::browser::{self, ROWS};
use super::*;

/// Words of a receipt without those that a small picture may spoil.
fn assert_is_read(text: &ReceiptText) {
    assert_eq!(text.source, TextSource::Recognition);
    let read = words(text);
    let expected = ROWS
        .iter()
        .flat_map(|(label, value)| label.split(' ').chain(value.split(' ')));
    let expected: Vec<_> = expected.collect();
    let found = expected.iter().filter(|word| read.contains(word)).count();
    assert!(
        found * 10 >= expected.len() * 8,
        "{found} of {}: {read:?}",
        expected.len()
    );
    for exact in ["27/11/2026", "14:35:07", "2711261"] {
        assert!(read.contains(&exact), "{exact} in {read:?}");
    }
}

#[rstest]
#[case::small("1", "")]
#[case::of_a_telephone("2", "")]
#[case::large("3", "")]
#[case::dark("2", "body{background:#111722;color:#eef}span{color:#9ab}")]
#[case::columns("2", "p{display:inline-block;width:45%}span,b{display:block}")]
#[case::tilted("2", "body{transform:rotate(2deg)}")]
fn screenshots_are_read(#[case] scale: &str, #[case] style: &str) {
    let Some(file) = browser::draw(&browser::page(style), scale) else {
        return;
    };
    if browser::can_recognise() {
        assert_is_read(&picture(file).unwrap());
    }
}

#[rstest]
#[case(ImageFormat::Jpeg)]
#[case(ImageFormat::WebP)]
fn other_formats_are_read(#[case] format: ImageFormat) {
    let Some(file) = browser::draw(&browser::page(""), "2") else {
        return;
    };
    let pixels = image::load_from_memory(&file).unwrap().into_luma8();
    if browser::can_recognise() {
        assert_is_read(&picture(made::file(&pixels, format)).unwrap());
    }
}

#[test]
fn places_are_those_of_the_picture_that_was_sent() {
    let Some(file) = browser::draw(&browser::page(""), "1") else {
        return;
    };
    if !browser::can_recognise() {
        return;
    }
    let text = picture(file).unwrap();
    let page = &text.pages[0];
    assert_eq!((page.width, page.height), (560.0, 900.0));
    let (label, value) = (word(page, "Hora"), word(page, "14:35:07"));
    assert!((label.place.x - 16.0).abs() < 4.0, "{label:?}");
    assert!(
        (value.place.x + value.place.width - 344.0).abs() < 4.0,
        "{value:?}"
    );
    assert!((label.place.y - value.place.y).abs() < 6.0);
}

#[test]
fn a_picture_on_its_side_is_turned_as_it_says() {
    let Some(file) = browser::draw(&browser::page(""), "2") else {
        return;
    };
    if !browser::can_recognise() {
        return;
    }
    let pixels = image::load_from_memory(&file).unwrap().into_luma8();
    let turned = made::file(&imageops::rotate270(&pixels), ImageFormat::Jpeg);
    // Orientation 6: to be turned clockwise by a quarter.
    let tags = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let length = u16::try_from(tags.len() + 2).unwrap().to_be_bytes();
    let segment = [&[0xff, 0xe1], &length[..], &tags[..]].concat();
    let file = [&turned[..2], &segment, &turned[2..]].concat();
    assert_is_read(&picture(file).unwrap());
}

#[test]
fn an_empty_picture_is_no_error() {
    if browser::can_recognise() {
        let text = picture(made::png(&made::white(300, 200))).unwrap();
        assert_eq!(words(&text), [""; 0]);
        assert_eq!(text.pages.len(), 1);
    }
}

#[test]
fn a_tiny_picture_is_no_error() {
    if browser::can_recognise() {
        for (width, height) in [(1, 1), (1, 2000), (2000, 1), (3, 3)] {
            let mut pixels = made::white(width, height);
            pixels.put_pixel(0, 0, Luma([0]));
            assert!(picture(made::png(&pixels)).is_ok(), "{width} x {height}");
        }
    }
}

#[test]
fn raised_cents_are_read_and_in_doubt() {
    if !browser::can_recognise() {
        return;
    }
    let page = "<!doctype html><meta charset=utf-8><style>\
        body{font:16px/1.5 'DejaVu Sans',sans-serif;color:#222}sup{font-size:60%}</style>\
        <p>Transferencia exitosa<p>Enviaste<p><b>$27,787<sup>78</sup></b><p>Para María López";
    for scale in ["1", "1.5", "3"] {
        let Some(drawing) = browser::draw(page, scale) else {
            return;
        };
        let read = picture(drawing).unwrap();
        let amount = word(&read.pages[0], "$27,787⁷⁸");
        assert!(!amount.is_certain, "{scale}");
    }
}
