//! Files that are made by hand.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::LazyLock;

use flate2::write::ZlibEncoder;
use flate2::{Compress, Compression, FlushCompress};
use image::{DynamicImage, GrayImage, ImageFormat, Luma};

/// A PDF of these objects, numbered from 1; the first is the catalog, and the last its pages.
pub(crate) fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let size = objects.len() + 1;
    let end = format!("{table}trailer\n<</Root 1 0 R/Size {size}>>\nstartxref\n{start}\n%%EOF\n");
    file.extend(end.bytes());
    file
}

/// A stream with these entries.
pub(crate) fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<<{entries}/Length {}>>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// A stream of deflated bytes.
pub(crate) fn deflated(entries: &str, bytes: &[u8]) -> Vec<u8> {
    stream(&format!("{entries}/Filter/FlateDecode"), &deflate(bytes))
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A gibibyte of zeros, deflated.
pub(crate) static ZEROS: LazyLock<Vec<u8>> = LazyLock::new(|| zeros(1024));

/// So many mebibytes of zeros, deflated: the bytes of one of them, again and again, without a checksum.
pub(crate) fn zeros(mebibytes: usize) -> Vec<u8> {
    let zeros = vec![0; 1 << 20];
    let mut compress = Compress::new(Compression::best(), true);
    let mut chunk = || {
        let mut chunk = Vec::with_capacity(1 << 20);
        let flush = FlushCompress::Full;
        compress.compress_vec(&zeros, &mut chunk, flush).unwrap();
        chunk
    };
    let (first, next) = (chunk(), chunk());
    let mut deflated = first;
    for _ in 1..mebibytes {
        deflated.extend(&next);
    }
    // An empty last block.
    deflated.extend([3, 0]);
    deflated
}

/// A page of 600 × 800 with a content, entries of the page, and the objects that they name, from 4 on.
pub(crate) fn page(entries: &str, content: Vec<u8>, others: &[Vec<u8>]) -> Vec<u8> {
    let pages = 4 + others.len();
    let page =
        format!("<</Type/Page/Parent {pages} 0 R/MediaBox[0 0 600 800]/Contents 3 0 R{entries}>>");
    let catalog = format!("<</Type/Catalog/Pages {pages} 0 R>>");
    let mut objects = vec![catalog.into_bytes(), page.into_bytes(), content];
    objects.extend_from_slice(others);
    objects.push(b"<</Type/Pages/Kids[2 0 R]/Count 1>>".to_vec());
    pdf(&objects)
}

/// Entries of a page with a font `F`.
pub(crate) fn font(font: &str) -> String {
    format!("/Resources<</Font<</F<</Type/Font{font}>>>>>>")
}

/// Helvetica in `WinAnsi`.
pub(crate) fn helvetica() -> String {
    font("/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding")
}

/// A PNG of pixels.
pub(crate) fn png(pixels: &GrayImage) -> Vec<u8> {
    file(pixels, ImageFormat::Png)
}

/// A picture of pixels in a format.
pub(crate) fn file(pixels: &GrayImage, format: ImageFormat) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let picture = DynamicImage::ImageLuma8(pixels.clone());
    // WebP is written in colours.
    let picture = DynamicImage::ImageRgb8(picture.into_rgb8());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// A white picture.
pub(crate) fn white(width: u32, height: u32) -> GrayImage {
    GrayImage::from_pixel(width, height, Luma([255]))
}
