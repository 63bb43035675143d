//! The pages: their content, inflated, and their resources.

use domain::proofs::check::PdfError;
use sha2::{Digest as _, Sha256};

use crate::file::File;
use crate::filters;
use crate::grammar::{EMBLEM, EMBLEM_SIZE, SHEET};
use crate::lexer::{Dictionary, Object};

/// Maximum size of the inflated content of a page; the portal's has 11,000 bytes.
const MAX_CONTENT: usize = 256 * 1024;
/// Maximum number of streams of the content.
const MAX_STREAMS: usize = 64;
/// Maximum depth of the page tree; the portal's, of one page, is 1.
const MAX_TREE: usize = 8;
/// Maximum number of nodes of that tree.
const MAX_NODES: usize = 256;
/// Maximum number of pages that are read; a proof has one.
pub(crate) const MAX_PAGES: usize = 12;

/// Standard fonts, whose glyphs every viewer has: text in them looks as it is encoded.
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

pub(crate) struct Page<'a> {
    file: &'a File<'a>,
    pub(crate) content: Vec<u8>,
    resources: Option<&'a Dictionary>,
    /// The file and the page have the portal's entries and no others, so viewers draw nothing but
    /// the content, on the portal's sheet.
    pub(crate) is_portals: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Font {
    /// The portal's: Helvetica, encoded in `WinAnsi`, with nothing that may change it.
    Helvetica,
    /// Another font whose glyphs match its codes: a standard one, encoded in `WinAnsi`.
    Standard,
    /// A font whose glyphs may differ from its codes.
    Unknown,
}

/// A leaf of the page tree, with what it inherits.
#[derive(Clone, Copy)]
pub(crate) struct Leaf<'a> {
    page: &'a Dictionary,
    resources: Option<&'a Dictionary>,
    /// All nodes above have the portal's entries and no others.
    is_portals: bool,
}

/// The first pages of a file, in their order.
pub(crate) fn leaves<'a>(file: &'a File<'a>) -> Result<Vec<Leaf<'a>>, PdfError> {
    let root = file
        .dictionary(file.trailer(), "Root")
        .ok_or(PdfError::Damaged)?;
    let pages = root.get("Pages").ok_or(PdfError::Damaged)?;
    let is_portals =
        file.is_of_one_revision() && is_portals_catalog(file, root) && is_portals_information(file);
    let parent = Some(pages);
    let mut waiting = vec![(pages, 0, None, is_portals)];
    let mut leaves = Vec::new();
    let mut nodes = 0;
    while let Some((node, depth, resources, is_portals)) = waiting.pop() {
        nodes += 1;
        if nodes > MAX_NODES || depth > MAX_TREE {
            return Err(PdfError::TooComplex);
        }
        let Some(Object::Dictionary(node)) = file.resolve(node) else {
            return Err(PdfError::Damaged);
        };
        let resources = file.dictionary(node, "Resources").or(resources);
        if node.get("Type").is_some_and(|kind| kind.is_name("Page")) {
            // Viewers look up inherited entries in the parent that the page names.
            let is_portals = is_portals && depth == 1 && node.get("Parent") == parent;
            leaves.push(Leaf {
                page: node,
                resources,
                is_portals,
            });
            if leaves.len() == MAX_PAGES {
                break;
            }
            continue;
        }
        let kids = node.get("Kids").and_then(|kids| file.resolve(kids));
        let Some(Object::Array(kids)) = kids else {
            return Err(PdfError::Damaged);
        };
        let is_portals = is_portals && kids.len() == 1 && node.has_only(&["Type", "Kids", "Count"]);
        if kids.len() > MAX_NODES {
            return Err(PdfError::TooComplex);
        }
        let kids = kids.iter().rev();
        waiting.extend(kids.map(|kid| (kid, depth + 1, resources, is_portals)));
    }
    Ok(leaves)
}

impl<'a> Page<'a> {
    /// Reads a page and inflates its content.
    pub(crate) fn of(file: &'a File<'a>, leaf: Leaf<'a>) -> Result<Self, PdfError> {
        let Leaf {
            page,
            resources,
            is_portals,
        } = leaf;
        Ok(Self {
            file,
            content: content(file, page)?,
            resources,
            is_portals: is_portals && is_portals_page(file, page),
        })
    }

    /// Font with this resource name.
    pub(crate) fn font(&self, name: &[u8]) -> Font {
        let Some(Object::Dictionary(font)) = self.resource("Font", name) else {
            return Font::Unknown;
        };
        let is = |entry: &str, value: &str| font.get(entry).is_some_and(|it| it.is_name(value));
        let is_plain = is("Encoding", "WinAnsiEncoding")
            && STANDARD_FONTS
                .iter()
                .any(|standard| is("BaseFont", standard))
            && !font.has("FontDescriptor")
            && !font.has("ToUnicode");
        let is_portals = is("BaseFont", "Helvetica")
            && is("Type", "Font")
            && is("Subtype", "Type1")
            && font.has_only(&["Type", "Subtype", "BaseFont", "Encoding"]);
        match (is_plain, is_portals) {
            (true, true) => Font::Helvetica,
            (true, false) => Font::Standard,
            (false, _) => Font::Unknown,
        }
    }

    /// Returns `true` if an external object is the emblem. For a page that [is the
    /// portal's](Self::is_portals) only: each stream of its file is the emblem or the content,
    /// which has no subtype.
    pub(crate) fn is_emblem(&self, name: &[u8]) -> bool {
        let named = |resources| self.file.dictionary(resources, "XObject");
        self.resources
            .and_then(named)
            .and_then(|named| self.file.stream(named.get_bytes(name)?))
            .is_some_and(|(picture, _)| picture.has("Subtype"))
    }

    fn resource(&self, category: &str, name: &[u8]) -> Option<&Object> {
        let named = self.file.dictionary(self.resources?, category)?;
        self.file.resolve(named.get_bytes(name)?)
    }
}

/// Returns `true` if the picture is the emblem.
fn is_emblem(picture: &Dictionary, bytes: &[u8]) -> bool {
    let is = |entry: &str, value: &str| picture.get(entry).is_some_and(|it| it.is_name(value));
    let measures = |entry: &str| picture.get(entry).and_then(Object::as_index);
    let [width, height] = EMBLEM_SIZE;
    let is_alike = is("Subtype", "Image")
        && is("ColorSpace", "DeviceRGB")
        && is("Filter", "FlateDecode")
        && measures("BitsPerComponent") == Some(8)
        && measures("Width") == Some(width)
        && measures("Height") == Some(height)
        && picture.has_only(&[
            "Type",
            "Subtype",
            "ColorSpace",
            "Filter",
            "BitsPerComponent",
            "Width",
            "Height",
            "Length",
        ]);
    let size = 3 * width * height;
    let pixels = is_alike.then(|| filters::inflate_whole(bytes, size));
    matches!(pixels, Some(Ok(pixels)) if pixels.len() == size && Sha256::digest(&pixels)[..] == EMBLEM)
}

/// Returns `true` for a catalog that names the pages and, at most, destinations in them: no forms,
/// optional content, scripts or actions.
fn is_portals_catalog(file: &File<'_>, root: &Dictionary) -> bool {
    let names = file.dictionary(root, "Names");
    let preferences = file.dictionary(root, "ViewerPreferences");
    root.has_only(&["Type", "Pages", "Names", "ViewerPreferences", "Lang"])
        && root.has("Names") == names.is_some()
        && names.is_none_or(|names| names.has_only(&["Dests"]))
        && root.has("ViewerPreferences") == preferences.is_some()
        && preferences.is_none_or(|preferences| preferences.has_only(&["PrintScaling"]))
}

/// Returns `true` if the file's information names only its generator and its times, as the portal's
/// does: viewers show a title in the window's bar, and all other entries among the properties.
fn is_portals_information(file: &File<'_>) -> bool {
    const MAX_VALUE: usize = 80;
    let trailer = file.trailer();
    let Some(information) = file.dictionary(trailer, "Info") else {
        return !trailer.has("Info");
    };
    let has = |entry: &str, start: &str, rest: &[u8]| match information.get(entry) {
        None => true,
        Some(Object::Text(value)) if value.len() <= MAX_VALUE => value
            .strip_prefix(start.as_bytes())
            .is_some_and(|value| value.iter().all(|byte| rest.contains(byte))),
        Some(_) => false,
    };
    let (version, time) = (b"0123456789abcdef.-", b"0123456789+-'Z");
    information.has_only(&["Creator", "Producer", "CreationDate", "ModDate"])
        && has("Creator", "JasperReports Library version ", version)
        && has("Producer", "OpenPDF ", version)
        && has("CreationDate", "D:", time)
        && has("ModDate", "D:", time)
}

/// Returns `true` for a page whose sheet is the portal's, upright and in points, and whose content is
/// one stream; nothing is drawn beside it.
fn is_portals_page(file: &File<'_>, page: &Dictionary) -> bool {
    let sheet = [0.0, 0.0, SHEET[0], SHEET[1]].map(Object::Number);
    let is_sheet = |entry: &Object| matches!(entry, Object::Array(edges) if edges[..] == sheet);
    let group = file.dictionary(page, "Group");
    let resources = file.dictionary(page, "Resources");
    let spaces = resources.and_then(|it| file.dictionary(it, "ColorSpace"));
    let content = page
        .get("Contents")
        .and_then(|content| file.stream(content));
    page.has_only(&[
        "Type", "Parent", "MediaBox", "Contents", "Resources", "Tabs", "Group",
    ]) && page.get("MediaBox").is_some_and(is_sheet)
        // A group without effects of its own: nothing in the content is transparent.
        && page.has("Group") == group.is_some()
        && group.is_none_or(|group| {
            let is = |entry: &str, value: &str| group.get(entry).is_some_and(|it| it.is_name(value));
            group.has_only(&["Type", "S", "CS"]) && is("S", "Transparency") && is("CS", "DeviceRGB")
        })
        // Other names of colour spaces may replace the device's.
        && resources.is_some_and(|it| it.has_only(&["Font", "XObject", "ColorSpace"]))
        && resources.is_some_and(|it| it.has("ColorSpace")) == spaces.is_some()
        && spaces.is_none_or(|spaces| spaces.has_only(&["CS"]))
        && content.is_some_and(|(content, bytes)| {
            content.has_only(&["Length", "Filter"])
                && match content.get("Filter") {
                    None => !content.has("Filter"),
                    Some(filter) => {
                        filter.is_name("FlateDecode")
                            && filters::inflate_whole(bytes, MAX_CONTENT).is_ok()
                    }
                }
        })
        && file.has_only_streams(|dictionary, bytes| {
            content == Some((dictionary, bytes)) || is_emblem(dictionary, bytes)
        })
}

/// Inflated content of a page; several streams are joined with blanks.
fn content(file: &File<'_>, page: &Dictionary) -> Result<Vec<u8>, PdfError> {
    let Some(contents) = page.get("Contents") else {
        return Ok(Vec::new());
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
        let room = MAX_CONTENT.saturating_sub(content.len());
        content.extend(filters::decode(dictionary, bytes, room)?);
        content.push(b'\n');
    }
    Ok(content)
}
