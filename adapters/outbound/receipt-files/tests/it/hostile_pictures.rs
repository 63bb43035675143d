//! Pictures that are damaged, or made to cost time and memory.

use std::time::Instant;

use domain::receipts::MAX_FILE_BYTES;
use image::ImageFormat;
use proptest::prelude::*;

use super::made::{ZEROS, deflate, zeros};
use super::*;

/// Bytes of a PNG: its size, and its data.
fn png(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    // Eight bits of colours.
    let head = [
        &width.to_be_bytes()[..],
        &height.to_be_bytes(),
        &[8, 2, 0, 0, 0],
    ]
    .concat();
    for (kind, content) in [(b"IHDR", &head[..]), (b"IDAT", data), (b"IEND", &[])] {
        file.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        let chunk = [&kind[..], content].concat();
        file.extend(&chunk);
        file.extend(checksum(&chunk).to_be_bytes());
    }
    file
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Files that are refused, with their names.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>, ReceiptFileError)> {
    use ReceiptFileError::{Damaged, TooLarge};
    let jpeg = made::file(&made::white(200, 200), ImageFormat::Jpeg);
    let pdf = made::page("", made::stream("", b""), &[]);
    vec![
        (
            "many pixels",
            png(100_000, 100_000, &deflate(&[0; 100])),
            TooLarge,
        ),
        ("most pixels", png(6_400, 6_400, &zeros(118)), TooLarge),
        ("wide", png(1_000_000, 1, &deflate(&[0; 100])), TooLarge),
        ("large JPEG", resized(&jpeg, 65_000, 65_000), TooLarge),
        ("no pixels", png(0, 0, &deflate(&[0; 100])), Damaged),
        ("cut", jpeg[..200].to_vec(), Damaged),
        ("PDF", pdf, Damaged),
        ("GIF", b"GIF89a\x01\0\x01\0\0\0\0;".to_vec(), Damaged),
        (
            "SVG",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            Damaged,
        ),
        ("nothing", Vec::new(), Damaged),
        ("long", vec![0; MAX_FILE_BYTES + 1], TooLarge),
    ]
}

/// A JPEG whose frame has another size.
pub(crate) fn resized(file: &[u8], width: u16, height: u16) -> Vec<u8> {
    let mut file = file.to_vec();
    let frame = file
        .windows(2)
        .position(|it| matches!(it, [0xff, 0xc0..=0xc2]))
        .unwrap();
    file[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    file[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    file
}

/// Files that are read, or refused, at some cost.
pub(crate) fn costly() -> Vec<(&'static str, Vec<u8>)> {
    let jpeg = made::file(&made::white(200, 200), ImageFormat::Jpeg);
    let mut progressive = resized(&jpeg, 5_400, 5_400);
    let frame = progressive
        .windows(2)
        .position(|it| it == [0xff, 0xc0])
        .unwrap();
    progressive[frame + 1] = 0xc2;
    vec![
        // More data than the pixels need.
        ("deflate bomb", png(100, 100, &ZEROS)),
        ("black", png(6_300, 6_300, &zeros(114))),
        ("large JPEG", resized(&jpeg, 6_300, 6_300)),
        ("progressive JPEG", progressive),
    ]
}

#[test]
fn hostile_files_are_refused_in_time() {
    for (name, file, expected) in files() {
        let began = Instant::now();
        assert_eq!(file.len() > MAX_FILE_BYTES, name == "long", "{name}");
        assert_eq!(picture(file), Err(expected), "{name}");
        assert!(
            began.elapsed().as_secs() < 5,
            "{name}: {:?}",
            began.elapsed()
        );
    }
}

#[test]
fn costly_files_take_bounded_time() {
    for (name, file) in costly() {
        assert!(file.len() <= MAX_FILE_BYTES, "{name}");
        let began = Instant::now();
        let read = picture(file);
        assert!(
            began.elapsed().as_secs() < 60,
            "{name}: {:?}, {read:?}",
            began.elapsed()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn damaged_pictures_never_panic(
        format in prop::sample::select(&[ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP][..]),
        place in 0_usize..2000,
        bytes in prop::collection::vec(any::<u8>(), 1..9),
    ) {
        let mut file = made::file(&made::white(20, 20), format);
        let place = place % file.len();
        let end = (place + bytes.len()).min(file.len());
        file.splice(place..end, bytes);
        let files = recognising("/nowhere", Limits::default());
        let before = panics::count();
        drop(wait(files.picture(file.into())));
        prop_assert_eq!(panics::count(), before);
    }
}
