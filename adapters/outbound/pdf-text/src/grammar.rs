//! Layout of the portal's page: its boxes, lines and picture, measured on a recorded page, and the
//! way in which texts are written. A page on which anything else is drawn isn't the portal's.

use crate::matrix::Bounds;

/// Red, green and blue, 0 to 1 each.
pub(crate) type Colour = [f32; 3];

/// Width and height of the portal's page, in points.
pub(crate) const SHEET: [f32; 2] = [595.0, 850.0];
/// SHA-256 of the pixels of the page's picture, the emblem of SPEI: 720 by 234, 8-bit RGB.
pub(crate) const EMBLEM: [u8; 32] = [
    0x59, 0x8d, 0x1a, 0xe7, 0xb2, 0xff, 0x4d, 0xa2, 0x9d, 0x0b, 0xc0, 0x78, 0x1d, 0x7f, 0x40, 0xc9,
    0x00, 0x4c, 0x95, 0x7f, 0x29, 0xf3, 0xe0, 0x0d, 0x0a, 0xdb, 0x48, 0x26, 0x98, 0xb3, 0x57, 0xe5,
];
/// Width and height of the emblem, in pixels.
pub(crate) const EMBLEM_SIZE: [usize; 2] = [720, 234];

/// Edges (left, bottom, right, top) and grey level of the filled boxes, each framed in white.
const BOXES: [([f32; 4], f32); 6] = [
    ([22.0, 782.0, 574.0, 800.0], 0.8),
    ([22.0, 692.0, 397.0, 780.0], 0.933),
    ([333.0, 692.0, 574.0, 780.0], 0.8),
    ([304.0, 556.0, 574.0, 686.0], 0.8),
    ([22.0, 556.0, 302.0, 686.0], 0.933),
    ([21.0, 35.0, 575.0, 165.0], 0.8),
];
/// End points, width and grey level of the lines.
const LINES: [([[f32; 2]; 2], f32, f32); 2] = [
    ([[23.0, 693.5], [573.0, 693.5]], 4.25, 0.4),
    ([[20.0, 525.0], [572.0, 523.0]], 3.0, 0.0),
];
/// Corners of the picture.
const PICTURE: [[f32; 2]; 2] = [[23.0, 800.0], [146.08, 840.0]];

/// Font sizes of the portal's texts, and of the sandbox's marks, in points.
pub(crate) const SIZES: std::ops::RangeInclusive<f32> = 6.9..=72.1;
/// Height of Helvetica's glyphs above and below the base line, accents included, in multiples of
/// the font size.
const ASCENT: f32 = 0.94;
const DESCENT: f32 = 0.22;
/// Word spacing in a justified line, in points, and the font size of such a line.
pub(crate) const WORD_SPACING: std::ops::RangeInclusive<f32> = 0.0..=6.0;
pub(crate) const JUSTIFIED: f32 = 7.0;
/// Highest relative luminance (WCAG 2.2) of a text: it has a contrast of 3 to the darkest box.
const DARK: f32 = 0.17;
/// Maximum number of texts on a page; the portal's has about 60.
const MAX_TEXTS: usize = 200;
/// Maximum number of points of a path; the portal's have 17.
const MAX_POINTS: usize = 20;
/// Tolerance of coordinates (in points) and colour components against the recorded page.
const TOLERANCE: f32 = 0.01;

/// A path of the segments that the portal draws.
#[derive(Default)]
pub(crate) struct Path {
    points: Vec<[f32; 2]>,
    /// It has a segment of a kind that the portal never draws.
    is_other: bool,
}

/// Compares a drawing step by step with the portal's layout.
pub(crate) struct Judge {
    is_portals: bool,
    texts: Vec<Bounds>,
    /// Bounds of lines and pictures, which no text may overlap.
    marks: Vec<Bounds>,
    boxes: [Step; BOXES.len()],
    lines: [bool; LINES.len()],
    has_picture: bool,
}

/// Progress of drawing a box: it is filled, then framed, once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Missing,
    Filled,
    Framed,
}

impl Path {
    pub(crate) fn begin(&mut self, point: [f32; 2]) {
        self.is_other |= !self.points.is_empty();
        self.push(point);
    }

    /// Adds a line, or a curve by all its points.
    pub(crate) fn extend(&mut self, points: &[[f32; 2]]) {
        self.is_other |= self.points.is_empty();
        for point in points {
            self.push(*point);
        }
    }

    /// Adds a segment of a kind that the portal never draws.
    pub(crate) fn add_other(&mut self) {
        self.is_other = true;
    }

    fn push(&mut self, point: [f32; 2]) {
        if self.points.len() < MAX_POINTS {
            self.points.push(point);
        } else {
            self.is_other = true;
        }
    }

    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for point in &self.points {
            bounds.include(*point);
        }
        bounds
    }

    /// Index in [`BOXES`] of the box that the path outlines.
    fn as_box(&self) -> Option<usize> {
        let bounds = self.bounds();
        let is_along_an_edge = |pair: &[[f32; 2]]| {
            let same = |axis: usize| (pair[0][axis] - pair[1][axis]).abs() < TOLERANCE;
            same(0) || same(1)
        };
        let is_around = self.points.len() >= 5
            && self.points.first() == self.points.last()
            && self.points.iter().all(|point| bounds.has_corner(*point))
            && self.points.windows(2).all(is_along_an_edge);
        if self.is_other || !is_around {
            return None;
        }
        BOXES.iter().position(|(edges, _)| {
            let [left, bottom, right, top] = *edges;
            bounds.is_near(Bounds::of([[left, bottom], [right, top]]), TOLERANCE)
        })
    }

    /// End points, if the path is one straight line.
    fn as_line(&self) -> Option<[[f32; 2]; 2]> {
        match self.points[..] {
            [from, to] if !self.is_other => Some([from, to]),
            _ => None,
        }
    }
}

impl Judge {
    pub(crate) fn new() -> Self {
        Self {
            is_portals: true,
            texts: Vec::new(),
            marks: Vec::new(),
            boxes: [Step::Missing; BOXES.len()],
            lines: [false; LINES.len()],
            has_picture: false,
        }
    }

    /// Returns `true` if everything drawn so far matches the portal's layout.
    pub(crate) fn is_portals(&self) -> bool {
        self.is_portals
    }

    /// Requires that all boxes and lines were drawn.
    pub(crate) fn finish(&mut self) {
        let has_boxes = self.boxes.iter().all(|step| *step == Step::Framed);
        self.require(has_boxes && self.lines.iter().all(|drawn| *drawn));
    }

    /// Rejects the drawing unless `holds`.
    pub(crate) fn require(&mut self, holds: bool) {
        self.is_portals &= holds;
    }

    /// Checks an upright text: it is on the sheet, dark, and overlaps no other text, line or
    /// picture.
    pub(crate) fn text(&mut self, [x, y]: [f32; 2], width: f32, size: f32, colour: Option<Colour>) {
        if !self.is_portals {
            return;
        }
        let bounds = Bounds::of([[x, y - DESCENT * size], [x + width, y + ASCENT * size]]);
        let sheet = Bounds::of([[0.0, 0.0], SHEET]);
        let is_alone = !self
            .texts
            .iter()
            .chain(&self.marks)
            .any(|it| it.meets(bounds));
        let is_dark = colour.is_some_and(|colour| luminance(colour) <= DARK);
        self.require(is_alone && is_dark && sheet.holds(bounds) && self.texts.len() < MAX_TEXTS);
        self.texts.push(bounds);
    }

    /// Checks a filled path: it must be a box that isn't filled yet, in its grey.
    pub(crate) fn fill(&mut self, path: &Path, colour: Option<Colour>) {
        let place = path.as_box().filter(|place| {
            let grey = BOXES[*place].1;
            self.boxes[*place] == Step::Missing && is_grey(colour, grey)
        });
        self.require(place.is_some() && !self.covers_text(path.bounds()));
        if let Some(place) = place {
            self.boxes[place] = Step::Filled;
        }
    }

    /// Checks a stroked path: it must frame a filled box, or be one of the lines.
    pub(crate) fn stroke(&mut self, path: &Path, colour: Option<Colour>, width: f32) {
        let bounds = path.bounds().outset(0.5 * width);
        self.require(!self.covers_text(bounds));
        if let Some(place) = path.as_box() {
            let is_next = self.boxes[place] == Step::Filled;
            self.require(is_next && is_grey(colour, 1.0) && (width - 1.0).abs() < TOLERANCE);
            self.boxes[place] = Step::Framed;
            return;
        }
        let line = path.as_line().and_then(|ends| {
            LINES.iter().position(|(line, line_width, grey)| {
                let near = |one: f32, other: f32| (one - other).abs() < TOLERANCE;
                let mut places = line.iter().flatten().zip(ends.iter().flatten());
                places.all(|(one, other)| near(*one, *other))
                    && near(width, *line_width)
                    && is_grey(colour, *grey)
            })
        });
        self.require(line.is_some_and(|place| !self.lines[place]));
        if let Some(place) = line {
            self.lines[place] = true;
            self.marks.push(bounds);
        }
    }

    /// Checks a picture drawn in these bounds: it must be the emblem, in its place, once.
    pub(crate) fn picture(&mut self, bounds: Bounds, is_emblem: bool) {
        let is_in_place = bounds.is_near(Bounds::of(PICTURE), TOLERANCE);
        self.require(is_emblem && is_in_place && !self.has_picture && !self.covers_text(bounds));
        self.has_picture = true;
        self.marks.push(bounds);
    }

    fn covers_text(&self, bounds: Bounds) -> bool {
        self.texts.iter().any(|text| text.meets(bounds))
    }
}

fn is_grey(colour: Option<Colour>, grey: f32) -> bool {
    let is_it = |part: f32| (part - grey).abs() < TOLERANCE;
    colour.is_some_and(|colour| colour.into_iter().all(is_it))
}

/// Relative luminance of a colour in sRGB.
fn luminance(colour: Colour) -> f32 {
    let [red, green, blue] = colour.map(|part| {
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}
