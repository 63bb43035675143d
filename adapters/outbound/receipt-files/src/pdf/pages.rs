//! Pages of a file (ISO 32000-1, 7.7.3).

use std::collections::BTreeSet;

use domain::receipts::{MAX_PAGES, ReceiptFileError};

use super::file::File;
use super::filters;
use super::matrix::Matrix;
use super::object::{Dictionary, Object};

/// Maximum number of nodes of the page tree.
const MAX_NODES: usize = 10_000;
/// Maximum number of streams of a page's content.
const MAX_STREAMS: usize = 1_000;
/// Size of a page that doesn't tell: a letter's.
const LETTER: [f32; 4] = [0.0, 0.0, 612.0, 792.0];
/// Greatest size of a page, as in viewers.
const MAX_SIDE: f32 = 14_400.0;

/// A page.
pub(crate) struct Page<'a> {
    contents: Option<&'a Object>,
    pub(crate) resources: Option<&'a Dictionary>,
    pub(crate) width: f32,
    pub(crate) height: f32,
    /// From the page's coordinates to those from the upper left corner of the upright page.
    pub(crate) matrix: Matrix,
}

/// A node of the page tree, with what it inherits.
#[derive(Clone, Copy)]
struct Node<'a> {
    resources: Option<&'a Dictionary>,
    media: Option<[f32; 4]>,
    crop: Option<[f32; 4]>,
    turns: usize,
}

/// The pages of a file, in their order.
///
/// # Errors
/// [`ReceiptFileError::TooLarge`] for more than are read; [`ReceiptFileError::Damaged`] without any.
pub(crate) fn pages<'a>(file: &'a File<'a>) -> Result<Vec<Page<'a>>, ReceiptFileError> {
    let root = Node {
        resources: None,
        media: None,
        crop: None,
        turns: 0,
    };
    let tree = file
        .catalog()
        .and_then(|catalog| catalog.get(&b"Pages"[..]));
    let mut waiting: Vec<_> = tree.into_iter().map(|tree| (tree, root)).collect();
    let mut pages = Vec::new();
    let mut seen = BTreeSet::new();
    let mut nodes = 0;
    while let Some((object, inherited)) = waiting.pop() {
        nodes += 1;
        if nodes > MAX_NODES {
            return Err(ReceiptFileError::TooLarge);
        }
        // A node within itself would have no end.
        let is_again = matches!(object, Object::Reference(number) if !seen.insert(*number));
        let Some(Object::Dictionary(entries)) = file.resolve(object).filter(|_| !is_again) else {
            continue;
        };
        let node = inherited.with(file, entries);
        if let Some(kids) = file.array(entries, "Kids") {
            let kids = kids.iter().take(MAX_NODES + 1 - nodes);
            let kids: Vec<_> = kids.map(|kid| (kid, node)).collect();
            waiting.extend(kids.into_iter().rev());
            if waiting.len() > MAX_NODES {
                return Err(ReceiptFileError::TooLarge);
            }
        } else {
            pages.push(node.page(entries));
        }
        if pages.len() > MAX_PAGES {
            return Err(ReceiptFileError::TooLarge);
        }
    }
    if pages.is_empty() {
        // The tree is lost.
        let lost = file.of_type("Page").take(MAX_PAGES + 1);
        pages.extend(lost.map(|page| root.with(file, page).page(page)));
    }
    match pages.len() {
        0 => Err(ReceiptFileError::Damaged),
        1..=MAX_PAGES => Ok(pages),
        _ => Err(ReceiptFileError::TooLarge),
    }
}

impl<'a> Node<'a> {
    fn with(self, file: &'a File<'a>, entries: &'a Dictionary) -> Self {
        let turns = file.get(entries, "Rotate").and_then(Object::as_number);
        Self {
            resources: file.dictionary(entries, "Resources").or(self.resources),
            media: edges(file, entries, "MediaBox").or(self.media),
            crop: edges(file, entries, "CropBox").or(self.crop),
            turns: turns.map_or(self.turns, quarter_turns),
        }
    }

    fn page(self, entries: &'a Dictionary) -> Page<'a> {
        let [left, bottom, right, top] = self.crop.or(self.media).unwrap_or(LETTER);
        let (width, height) = (right - left, top - bottom);
        // The page is turned clockwise; the vertical axis points downwards.
        let (matrix, is_turned) = match self.turns {
            1 => ([0.0, 1.0, 1.0, 0.0, -bottom, -left], true),
            2 => ([-1.0, 0.0, 0.0, 1.0, right, -bottom], false),
            3 => ([0.0, -1.0, -1.0, 0.0, top, right], true),
            _ => ([1.0, 0.0, 0.0, -1.0, -left, top], false),
        };
        Page {
            contents: entries.get(&b"Contents"[..]),
            resources: self.resources,
            width: if is_turned { height } else { width },
            height: if is_turned { width } else { height },
            matrix: Matrix(matrix),
        }
    }
}

impl Page<'_> {
    /// Inflated content; several streams are joined with blanks. Damaged ones are left out.
    ///
    /// # Errors
    /// Bounds of [`super::work::Work`].
    pub(crate) fn content(&self, file: &File<'_>) -> Result<Vec<u8>, ReceiptFileError> {
        let Some(contents) = self.contents else {
            return Ok(Vec::new());
        };
        let single = std::slice::from_ref(contents);
        let streams = match file.resolve(contents) {
            Some(Object::Array(streams)) => streams,
            _ => single,
        };
        if streams.len() > MAX_STREAMS {
            return Err(ReceiptFileError::TooLarge);
        }
        let mut content = Vec::new();
        for stream in streams.iter().filter_map(|stream| file.stream(stream)) {
            match filters::decode(file, stream) {
                Ok(bytes) => content.extend(bytes),
                Err(ReceiptFileError::Damaged) => {}
                Err(error) => return Err(error),
            }
            content.push(b'\n');
        }
        Ok(content)
    }
}

/// Edges of a box: left, bottom, right, top.
fn edges(file: &File<'_>, entries: &Dictionary, name: &str) -> Option<[f32; 4]> {
    let edges = file.array(entries, name)?;
    let number = |edge: &Object| file.resolve(edge)?.as_number();
    let [one, two, three, four] = edges else {
        return None;
    };
    let [x, y, other_x, other_y] = [number(one)?, number(two)?, number(three)?, number(four)?];
    let edges = [
        x.min(other_x),
        y.min(other_y),
        x.max(other_x),
        y.max(other_y),
    ];
    let is_size = |size: f32| size > 0.0 && size <= MAX_SIDE;
    (is_size(edges[2] - edges[0]) && is_size(edges[3] - edges[1])).then_some(edges)
}

/// Number of quarter turns in degrees, from 0 to 3.
fn quarter_turns(degrees: f32) -> usize {
    let turned = degrees.rem_euclid(360.0);
    [0.0, 90.0, 180.0, 270.0]
        .iter()
        .position(|turn| (turn - turned).abs() < 1.0)
        .unwrap_or_default()
}
