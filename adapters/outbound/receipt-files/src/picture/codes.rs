//! QR codes of pictures.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use image::imageops;
use image::{GenericImage, GenericImageView, GrayImage, Luma};
use rqrr::PreparedImage;

use super::whole_pixels;

/// Maximum number of codes of a picture.
pub(crate) const MAX_CODES: usize = 8;
/// Maximum length of a code's content, in bytes. Those of QR codes have up to 2,953.
const MAX_CONTENT: usize = 4_096;
/// Numbers of pixels in which codes are searched for, one after another: small modules need many, and noise hides large
/// ones.
const PIXELS: [f64; 2] = [4_000_000.0, 700_000.0];
/// Maximum number of squares that look like the corners of codes.
const MAX_CORNERS: usize = 96;
/// Maximum time of a search.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Number of the library's looks at a pixel between two at the clock.
const INTERVAL: u32 = 1 << 16;
/// Values of pixels by which the library marks a corner: before its own mark, another one.
const CORNER: u8 = 2;

/// Contents of the QR codes of a picture.
pub(crate) fn codes(picture: &GrayImage) -> Vec<String> {
    let (width, height) = picture.dimensions();
    let pixels = f64::from(width) * f64::from(height);
    let mut found: Vec<String> = Vec::new();
    for most in PIXELS {
        let times = (most / pixels.max(1.0)).sqrt();
        let read = if times >= 1.0 {
            search(picture)
        } else {
            let scale = |side: u32| scaled(side, times);
            search(&imageops::thumbnail(picture, scale(width), scale(height)))
        };
        for code in read {
            if !found.contains(&code) && found.len() < MAX_CODES {
                found.push(code);
            }
        }
        if times >= 1.0 || !found.is_empty() {
            break;
        }
    }
    found
}

fn scaled(side: u32, times: f64) -> u32 {
    whole_pixels(f64::from(side) * times)
}

/// Searches a picture. A search that takes too long is unwound, as is one in which the library panics.
fn search(picture: &GrayImage) -> Vec<String> {
    let pixels = Pixels::of(picture);
    let searched = catch_unwind(AssertUnwindSafe(|| {
        let mut prepared = PreparedImage::prepare(pixels);
        let grids = prepared.detect_grids();
        let grids = grids.into_iter().take(2 * MAX_CODES);
        let contents = grids.filter_map(|grid| Some(grid.decode().ok()?.1));
        let contents = contents.filter(|content| content.len() <= MAX_CONTENT);
        contents.collect()
    }));
    searched.unwrap_or_default()
}

/// Pixels for the library, which bound its search: its time grows with the cube of the number of corners.
#[derive(Clone)]
struct Pixels {
    picture: GrayImage,
    last: u8,
    corners: usize,
    looks: Rc<Cell<u32>>,
    deadline: Instant,
}

/// Payload of the unwinding that ends a search.
struct SearchEnded;

impl Pixels {
    fn of(picture: &GrayImage) -> Self {
        Self {
            picture: picture.clone(),
            last: 0,
            corners: 0,
            looks: Rc::default(),
            deadline: Instant::now() + MAX_TIME,
        }
    }
}

impl GenericImageView for Pixels {
    type Pixel = Luma<u8>;

    fn dimensions(&self) -> (u32, u32) {
        self.picture.dimensions()
    }

    fn get_pixel(&self, x: u32, y: u32) -> Luma<u8> {
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        if looks.is_multiple_of(INTERVAL) && Instant::now() > self.deadline {
            resume_unwind(Box::new(SearchEnded));
        }
        *self.picture.get_pixel(x, y)
    }
}

impl GenericImage for Pixels {
    fn get_pixel_mut(&mut self, x: u32, y: u32) -> &mut Luma<u8> {
        self.picture.get_pixel_mut(x, y)
    }

    fn put_pixel(&mut self, x: u32, y: u32, pixel: Luma<u8>) {
        let Luma([value]) = pixel;
        self.corners += usize::from(value == CORNER && self.last != CORNER);
        if self.corners > MAX_CORNERS {
            resume_unwind(Box::new(SearchEnded));
        }
        self.last = value;
        self.picture.put_pixel(x, y, pixel);
    }

    fn blend_pixel(&mut self, x: u32, y: u32, pixel: Luma<u8>) {
        self.put_pixel(x, y, pixel);
    }
}
