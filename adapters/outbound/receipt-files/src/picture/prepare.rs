//! Prepares pictures for recognition: dark text on a light ground, large enough.

use image::GrayImage;
use image::imageops::{self, FilterType};

use super::whole_pixels;

/// Mean brightness below which a picture is light text on a dark ground.
const DARK: u64 = 110;
/// Width to which small pictures are enlarged: that of screenshots of telephones, whose text is of a good size.
const WIDTH: u32 = 1_000;
/// Greatest enlargement.
const MOST_TIMES: u32 = 3;
/// Maximum number of pixels to which large pictures are reduced.
const PIXELS: f64 = 6_000_000.0;

/// A picture that is prepared for recognition.
pub(crate) struct Prepared {
    pub(crate) picture: GrayImage,
    /// Size of the picture that it was.
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Prepares a picture.
pub(crate) fn prepare(picture: GrayImage) -> Prepared {
    let (width, height) = picture.dimensions();
    let (new_width, new_height) = size(width, height);
    let mut picture = if (new_width, new_height) == (width, height) {
        picture
    } else if new_width > width {
        imageops::resize(&picture, new_width, new_height, FilterType::CatmullRom)
    } else {
        imageops::thumbnail(&picture, new_width, new_height)
    };
    if is_dark(&picture) {
        imageops::invert(&mut picture);
    }
    Prepared {
        picture,
        width,
        height,
    }
}

/// Size to which a picture is scaled.
fn size(width: u32, height: u32) -> (u32, u32) {
    let pixels = f64::from(width) * f64::from(height);
    let shorter = width.min(height).max(1);
    let times = (1..=MOST_TIMES).find(|times| shorter * times >= WIDTH);
    let times = f64::from(times.unwrap_or(MOST_TIMES));
    let times = times.min((PIXELS / pixels.max(1.0)).sqrt());
    let scale = |side: u32| whole_pixels((f64::from(side) * times).round());
    (scale(width), scale(height))
}

fn is_dark(picture: &GrayImage) -> bool {
    let pixels = picture.as_raw();
    let sum: u64 = pixels.iter().map(|pixel| u64::from(*pixel)).sum();
    let count = u64::try_from(pixels.len()).unwrap_or(u64::MAX);
    sum < DARK * count
}
