//! The page: its content, inflated, and its resources.

use std::io::Read as _;

use domain::check::PdfError;
use flate2::read::ZlibDecoder;

use crate::file::File;
use crate::lexer::{Dictionary, Object};

/// Maximum size of the inflated content; the portal's has 11,000 bytes.
const MAX_CONTENT: usize = 256 * 1024;
/// Maximum number of streams of the content.
const MAX_STREAMS: usize = 8;
/// Maximum depth of the tree of pages; with one page, the portal's has 1.
const MAX_TREE: usize = 4;

/// The fonts whose glyphs every viewer has: text in them looks as it is encoded.
const STANDARD_FONTS: [&str; 12] = [
    "Helvetica",
    "Helvetica-Bold",
    "Helvetica-Oblique",
    "Helvetica-BoldOblique",
    "Courier",
    "Courier-Bold",
    "Courier-Oblique",
    "Courier-BoldOblique",
    "Times-Roman",
    "Times-Bold",
    "Times-Italic",
    "Times-BoldItalic",
];

/// The only page of a file.
pub(crate) struct Page<'a> {
    file: &'a File<'a>,
    pub(crate) content: Vec<u8>,
    resources: Option<&'a Dictionary>,
    /// Annotations are drawn above the page.
    pub(crate) has_annotations: bool,
}

/// Object that the name of an external object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum External {
    Image,
    /// A form, or something unknown: it may draw text.
    Other,
}

impl<'a> Page<'a> {
    /// Finds the page, and inflates its content.
    pub(crate) fn of(file: &'a File<'a>) -> Result<Self, PdfError> {
        let root = file.dictionary(file.trailer(), "Root");
        let mut node = root
            .and_then(|root| file.dictionary(root, "Pages"))
            .ok_or(PdfError::Damaged)?;
        let mut resources = file.dictionary(node, "Resources");
        let mut depth = 0;
        while node.get("Type").is_some_and(|kind| kind.is_name("Pages")) {
            depth += 1;
            let kids = node.get("Kids").and_then(|kids| file.resolve(kids));
            let Some(Object::Array(kids)) = kids else {
                return Err(PdfError::Damaged);
            };
            let [kid] = &kids[..] else {
                return Err(PdfError::TooComplex);
            };
            if depth > MAX_TREE {
                return Err(PdfError::TooComplex);
            }
            let Some(Object::Dictionary(page)) = file.resolve(kid) else {
                return Err(PdfError::Damaged);
            };
            node = page;
            resources = file.dictionary(node, "Resources").or(resources);
        }
        if !node.get("Type").is_some_and(|kind| kind.is_name("Page")) {
            return Err(PdfError::Damaged);
        }
        Ok(Self {
            file,
            content: content(file, node)?,
            resources,
            has_annotations: node.has("Annots"),
        })
    }

    /// Returns `true` if a font draws what its codes say: a standard one, encoded in `WinAnsi`.
    pub(crate) fn is_standard_font(&self, name: &[u8]) -> bool {
        let font = self.resource("Font", name);
        let Some(Object::Dictionary(font)) = font else {
            return false;
        };
        let base = font.get("BaseFont");
        font.get("Encoding")
            .is_some_and(|encoding| encoding.is_name("WinAnsiEncoding"))
            && STANDARD_FONTS
                .iter()
                .any(|standard| base.is_some_and(|base| base.is_name(standard)))
            && !font.has("FontDescriptor")
            && !font.has("ToUnicode")
    }

    /// The kind of an external object.
    pub(crate) fn external(&self, name: &[u8]) -> External {
        let object = self
            .resources
            .and_then(|resources| self.file.dictionary(resources, "XObject"))
            .and_then(|named| named.get_bytes(name));
        let kind = object
            .and_then(|object| self.file.stream(object))
            .and_then(|(dictionary, _)| dictionary.get("Subtype"));
        if kind.is_some_and(|kind| kind.is_name("Image")) {
            External::Image
        } else {
            External::Other
        }
    }

    fn resource(&self, category: &str, name: &[u8]) -> Option<&Object> {
        let named = self.file.dictionary(self.resources?, category)?;
        self.file.resolve(named.get_bytes(name)?)
    }
}

/// The inflated content of a page; its streams are one, with blanks between them.
fn content(file: &File<'_>, page: &Dictionary) -> Result<Vec<u8>, PdfError> {
    let Some(contents) = page.get("Contents") else {
        return Err(PdfError::NoText);
    };
    let single = [contents.clone()];
    let streams = match file.resolve(contents) {
        Some(Object::Array(streams)) => &streams[..],
        _ => &single,
    };
    if streams.len() > MAX_STREAMS {
        return Err(PdfError::TooComplex);
    }
    let mut content = Vec::new();
    for stream in streams {
        let (dictionary, bytes) = file.stream(stream).ok_or(PdfError::Damaged)?;
        append(&mut content, dictionary, bytes)?;
        content.push(b'\n');
    }
    Ok(content)
}

fn append(content: &mut Vec<u8>, dictionary: &Dictionary, bytes: &[u8]) -> Result<(), PdfError> {
    let is_flate = match dictionary.get("Filter") {
        None if dictionary.has("Filter") => return Err(PdfError::Damaged),
        None => false,
        Some(Object::Array(filters)) => match &filters[..] {
            [] => false,
            [filter] if filter.is_name("FlateDecode") => true,
            _ => return Err(PdfError::Damaged),
        },
        Some(filter) if filter.is_name("FlateDecode") => true,
        Some(_) => return Err(PdfError::Damaged),
    };
    if dictionary.has("DecodeParms") || dictionary.has("F") {
        return Err(PdfError::Damaged);
    }
    let room = MAX_CONTENT.saturating_sub(content.len());
    let limit = u64::try_from(room).unwrap_or(u64::MAX).saturating_add(1);
    let before = content.len();
    let read = if is_flate {
        ZlibDecoder::new(bytes).take(limit).read_to_end(content)
    } else {
        bytes.take(limit).read_to_end(content)
    };
    read.map_err(|_| PdfError::Damaged)?;
    if content.len() - before > room {
        return Err(PdfError::TooComplex);
    }
    Ok(())
}
