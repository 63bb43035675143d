//! Draws with the same PDF operators as the portal. The origin is at the bottom left, the unit is a
//! point.

use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content, Name, Str};

use super::helvetica::{width, win_ansi};

/// Red, green and blue, 0 to 1 each.
pub(super) type Colour = [f32; 3];

/// Resource name of the only font.
pub(super) const FONT: Name<'static> = Name(b"F1");
/// Colour of the labels.
pub(super) const BLACK: Colour = [0.0; 3];
/// Colour of the values, and of the headings of certificate, chain and seal.
pub(super) const BLUE: Colour = [0.0, 0.4, 0.8];
/// Font sizes of labels and values.
const LABEL: f32 = 8.0;
const VALUE: f32 = 9.0;
/// Font size of the chain, the seal and the notice.
const SMALL: f32 = 7.0;

/// A page being drawn.
pub(super) struct Canvas(Content);

impl Canvas {
    pub(super) fn new() -> Self {
        Self(Content::new())
    }

    /// Draws a grey box with a white border. `corners` are left, bottom, right and top.
    pub(super) fn frame(&mut self, corners: [f32; 4], grey: f32) {
        self.0
            .set_fill_rgb(grey, grey, grey)
            .set_line_width(1.0)
            .set_line_cap(LineCapStyle::ProjectingSquareCap)
            .set_stroke_rgb(1.0, 1.0, 1.0)
            .set_dash_pattern([], 0.0);
        self.edges(corners);
        self.0.fill_nonzero();
        self.edges(corners);
        self.0.stroke();
    }

    /// Draws a straight grey line.
    pub(super) fn line(&mut self, from: [f32; 2], to: [f32; 2], thickness: f32, grey: f32) {
        self.0
            .set_line_width(thickness)
            .set_line_cap(LineCapStyle::ButtCap)
            .set_stroke_rgb(grey, grey, grey)
            .set_dash_pattern([], 0.0)
            .move_to(from[0], from[1])
            .line_to(to[0], to[1])
            .stroke();
    }

    /// Draws a line of text that begins at a position.
    pub(super) fn text(&mut self, [x, y]: [f32; 2], size: f32, colour: Colour, text: &str) {
        let [red, green, blue] = colour;
        self.0
            .begin_text()
            .set_text_matrix([1.0, 0.0, 0.0, 1.0, x, y])
            .set_font(FONT, size)
            .set_fill_rgb(red, green, blue)
            .show(Str(&win_ansi(text)))
            .set_fill_gray(0.0)
            .end_text();
    }

    pub(super) fn label(&mut self, place: [f32; 2], text: &str) {
        self.text(place, LABEL, BLACK, text);
    }

    pub(super) fn value(&mut self, place: [f32; 2], text: &str) {
        self.text(place, VALUE, BLUE, text);
    }

    /// Draws a right-aligned value that ends at a position.
    pub(super) fn value_to(&mut self, [right, y]: [f32; 2], text: &str) {
        self.value([right - width(text, VALUE), y], text);
    }

    /// Draws the lines of a value, vertically centred on the position of one line.
    pub(super) fn value_lines(&mut self, [x, y]: [f32; 2], size: f32, step: f32, lines: &[String]) {
        let further = u16::try_from(lines.len().saturating_sub(1)).unwrap_or(0);
        let mut y = y + 0.5 * step * f32::from(further);
        for line in lines {
            self.text([x, y], size, BLUE, line);
            y -= step;
        }
    }

    /// Draws lines of small text below each other.
    pub(super) fn lines(&mut self, [x, mut y]: [f32; 2], step: f32, lines: &[String]) {
        for line in lines {
            self.text([x, y], SMALL, BLACK, line);
            y -= step;
        }
    }

    /// Returns the page's content stream.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0.finish().to_vec()
    }

    /// Draws the edges of a box. Like the portal, it adds corner curves of zero radius.
    fn edges(&mut self, [left, bottom, right, top]: [f32; 4]) {
        self.0.move_to(left, bottom);
        for [x, y] in [[right, bottom], [right, top], [left, top], [left, bottom]] {
            self.0.line_to(x, y).cubic_to(x, y, x, y, x, y);
        }
    }
}

/// Wraps a text into lines: at blanks, which are dropped, or within a word that is longer than a line.
pub(super) fn wrap(text: &str, size: f32, most: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(pieces(word, size, most)),
        }
    }
    lines
}

fn pieces(word: &str, size: f32, most: f32) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for character in word.chars() {
        if let Some(piece) = pieces.last_mut() {
            piece.push(character);
            if width(piece, size) > most && piece.pop().is_some() {
                pieces.push(character.to_string());
            }
        }
    }
    pieces
}
