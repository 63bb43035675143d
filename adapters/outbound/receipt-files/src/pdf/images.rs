//! Pictures of pages (ISO 32000-1, 8.9).

use domain::receipts::ReceiptFileError;
use image::GrayImage;

use super::file::{File, Stream};
use super::filters;
use super::object::{Dictionary, Object};
use super::pages::Page;
use crate::picture::{self, MAX_PIXELS};

/// Maximum depth of contents within contents.
const MAX_DEPTH: usize = 4;
/// Maximum number of pictures, and of contents, of a page that are looked at.
const MAX_LOOKED_AT: usize = 500;
/// Shortest side of a picture that may have text or a code, in pixels.
const SHORTEST: usize = 40;

/// A picture of a page.
pub(crate) enum Picture {
    /// The bytes of a JPEG file.
    Jpeg(Vec<u8>),
    /// Pixels.
    Gray(GrayImage),
}

impl Picture {
    /// Its pixels.
    ///
    /// # Errors
    /// As [`picture::decode`].
    pub(crate) fn pixels(self) -> Result<GrayImage, ReceiptFileError> {
        match self {
            Self::Jpeg(bytes) => picture::decode(&bytes),
            Self::Gray(pixels) => Ok(pixels),
        }
    }
}

/// A picture that hasn't been decoded.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    stream: Stream<'a>,
    width: usize,
    height: usize,
}

/// Pictures of a page, the largest first.
pub(crate) fn of_page<'a>(file: &'a File<'a>, page: &Page<'a>) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    let mut left = MAX_LOOKED_AT;
    if let Some(resources) = page.resources {
        collect(file, resources, 0, &mut left, &mut found);
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.width * it.height));
    found
}

fn collect<'a>(
    file: &'a File<'a>,
    resources: &'a Dictionary,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<Found<'a>>,
) {
    let Some(named) = file.dictionary(resources, "XObject") else {
        return;
    };
    for stream in named.values().filter_map(|object| file.stream(object)) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let entries = stream.dictionary;
        let is = |kind| {
            file.get(entries, "Subtype")
                .is_some_and(|it| it.is_name(kind))
        };
        let side = |name| file.get(entries, name).and_then(Object::as_index);
        if is("Form") && depth < MAX_DEPTH {
            if let Some(resources) = file.dictionary(entries, "Resources") {
                collect(file, resources, depth + 1, left, found);
            }
        } else if is("Image")
            && let (Some(width), Some(height)) = (side("Width"), side("Height"))
            && width.min(height) >= SHORTEST
            && width.checked_mul(height).is_some()
        {
            found.push(Found {
                stream,
                width,
                height,
            });
        }
    }
}

impl Found<'_> {
    /// Decodes the picture; `None` for a format that isn't read.
    ///
    /// # Errors
    /// Bounds of [`super::work::Work`].
    pub(crate) fn decode(self, file: &File<'_>) -> Result<Option<Picture>, ReceiptFileError> {
        let decoded = match filters::decode_picture(file, self.stream) {
            Ok(decoded) => decoded,
            Err(ReceiptFileError::Damaged) => return Ok(None),
            Err(error) => return Err(error),
        };
        match decoded.picture.as_deref() {
            Some(b"DCTDecode" | b"DCT") => Ok(Some(Picture::Jpeg(decoded.bytes))),
            Some(_) => Ok(None),
            None if self.width * self.height > MAX_PIXELS => Err(ReceiptFileError::TooLarge),
            None => Ok(self.gray(file, &decoded.bytes).map(Picture::Gray)),
        }
    }

    /// Pixels of a picture in gray or colours, with one or eight bits each.
    fn gray(self, file: &File<'_>, bytes: &[u8]) -> Option<GrayImage> {
        let entries = self.stream.dictionary;
        let bits = file
            .get(entries, "BitsPerComponent")
            .and_then(Object::as_index);
        let is_mask = !entries.contains_key(&b"ColorSpace"[..]);
        let colours = if is_mask { 1 } else { colours(file, entries)? };
        let row = match (bits.unwrap_or(1), colours) {
            (1, 1) => self.width.div_ceil(8),
            (8, colours) => self.width.checked_mul(colours)?,
            _ => return None,
        };
        let mut pixels = Vec::with_capacity(self.width * self.height);
        for row in bytes.chunks_exact(row).take(self.height) {
            match (bits, colours) {
                (Some(8), 1) => pixels.extend(row),
                (Some(8), 3) => pixels.extend(row.chunks_exact(3).map(luma)),
                (Some(8), _) => return None,
                _ => pixels.extend((0..self.width).map(|x| {
                    let is_set = row[x / 8] >> (7 - x % 8) & 1 == 1;
                    if is_set { 255 } else { 0 }
                })),
            }
        }
        // The end may be lost.
        pixels.resize(self.width * self.height, 255);
        let (width, height) = (u32::try_from(self.width), u32::try_from(self.height));
        GrayImage::from_raw(width.ok()?, height.ok()?, pixels)
    }
}

/// Number of components of a colour; `None` for a space that isn't read.
fn colours(file: &File<'_>, entries: &Dictionary) -> Option<usize> {
    match file.get(entries, "ColorSpace")? {
        Object::Name(name) => of_name(name),
        Object::Array(space) => match &space[..] {
            [Object::Name(name), profile, ..] if name == b"ICCBased" => {
                let profile = file.stream(profile)?;
                file.get(profile.dictionary, "N")?.as_index()
            }
            [Object::Name(name), ..] => of_name(name),
            _ => None,
        },
        _ => None,
    }
}

fn of_name(name: &[u8]) -> Option<usize> {
    match name {
        b"DeviceGray" | b"G" | b"CalGray" => Some(1),
        b"DeviceRGB" | b"RGB" | b"CalRGB" => Some(3),
        _ => None,
    }
}

/// Brightness of a colour.
fn luma(colour: &[u8]) -> u8 {
    let [red, green, blue] = [0, 1, 2].map(|part| u32::from(colour[part]));
    let sum = (299 * red + 587 * green + 114 * blue) / 1000;
    u8::try_from(sum).unwrap_or(u8::MAX)
}
