//! Pictures: from a file's bytes to pixels in gray, upright.

use std::io::Cursor;

use domain::receipts::ReceiptFileError;
use image::error::ImageError;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits};

mod codes;
mod prepare;

pub(crate) use codes::{MAX_CODES, codes};
pub(crate) use prepare::{Prepared, prepare};

/// Maximum number of pixels. Cameras of telephones have up to 12 million, and some 50, which they bin.
const MAX_PIXELS: usize = 40_000_000;
/// Longest side, in pixels: a screenshot of a long page.
const MAX_SIDE: u32 = 30_000;
/// Maximum memory of a decoder.
const MAX_MEMORY: u64 = 256 << 20;
/// Bytes of a pixel in a decoder that keeps all coefficients of a progressive JPEG: two of each of three components,
/// and the colours.
const PROGRESSIVE: u64 = 9;

/// A length in whole pixels, at least 1 and at most a million.
pub(crate) fn whole_pixels(length: f64) -> u32 {
    let length = length.clamp(1.0, 1e6);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and a million"
    )]
    let length = length as u32;
    length
}

/// Decodes a PNG, JPEG or WebP picture.
///
/// # Errors
/// [`ReceiptFileError::TooLarge`] for more pixels than are read; [`ReceiptFileError::Damaged`] for another kind of file.
pub(crate) fn decode(file: &[u8]) -> Result<GrayImage, ReceiptFileError> {
    let format = image::guess_format(file).map_err(|_| ReceiptFileError::Damaged)?;
    if !matches!(
        format,
        ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP
    ) {
        return Err(ReceiptFileError::Damaged);
    }
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| of_image(&error))?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let is_progressive = format == ImageFormat::Jpeg && is_progressive(file);
    let is_large = usize::try_from(pixels).is_ok_and(|pixels| pixels > MAX_PIXELS)
        || decoder.total_bytes() > MAX_MEMORY
        || is_progressive && pixels * PROGRESSIVE > MAX_MEMORY;
    if is_large {
        return Err(ReceiptFileError::TooLarge);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| of_image(&error))?;
    let mut gray = DynamicImage::ImageLuma8(to_gray(picture));
    gray.apply_orientation(orientation);
    Ok(gray.into_luma8())
}

/// Gray of colours; what is transparent is white.
fn to_gray(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let with_alpha = picture.into_luma_alpha8();
    let (width, height) = with_alpha.dimensions();
    let pixels = with_alpha.as_raw().chunks_exact(2);
    let pixels = pixels.map(|pixel| {
        let (gray, alpha) = (u32::from(pixel[0]), u32::from(pixel[1]));
        let blended = (gray * alpha + 255 * (255 - alpha)) / 255;
        u8::try_from(blended).unwrap_or(u8::MAX)
    });
    let pixels = pixels.collect();
    GrayImage::from_raw(width, height, pixels).expect("a pixel of each of the other picture")
}

/// Returns `true` for a JPEG whose frame is drawn in several scans.
fn is_progressive(file: &[u8]) -> bool {
    let mut rest = file.get(2..).unwrap_or_default();
    while let [0xff, marker, high, low, ..] = rest {
        match marker {
            0xc2 | 0xc6 | 0xca | 0xce => return true,
            0xc0 | 0xc1 | 0xc3 | 0xda => return false,
            // Filling.
            0xff => rest = &rest[1..],
            _ => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                rest = rest.get(2 + length..).unwrap_or_default();
            }
        }
    }
    // What isn't understood may be anything.
    true
}

fn of_image(error: &ImageError) -> ReceiptFileError {
    match error {
        ImageError::Limits(_) => ReceiptFileError::TooLarge,
        _ => ReceiptFileError::Damaged,
    }
}
