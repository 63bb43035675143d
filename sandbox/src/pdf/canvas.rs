//! Drawing of text and boxes, with the origin at the bottom left and points as the unit.

use pdf_writer::{Content, Name, Str};

use super::typeface::{Typeface, win_ansi};

/// Red, green and blue, 0 to 1 each.
pub(super) type Colour = [f32; 3];

/// The graphics state for translucent text.
pub(super) const TRANSLUCENT: Name<'static> = Name(b"T");

/// Style of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) typeface: Typeface,
    pub(super) size: f32,
    pub(super) colour: Colour,
}

/// A page being drawn.
pub(super) struct Canvas(Content);

impl Canvas {
    pub(super) fn new() -> Self {
        Self(Content::new())
    }

    /// Draws a filled box; `x` and `y` are its lower left corner.
    pub(super) fn fill(&mut self, [x, y, width, height]: [f32; 4], [red, green, blue]: Colour) {
        self.0
            .set_fill_rgb(red, green, blue)
            .rect(x, y, width, height)
            .fill_nonzero();
    }

    /// Draws a line of text that begins at `x`.
    pub(super) fn text(&mut self, style: Style, x: f32, y: f32, text: &str) {
        self.matrix_text(style, [1.0, 0.0, 0.0, 1.0, x, y], text);
    }

    /// Draws a line of text that ends at `right`.
    pub(super) fn text_to(&mut self, style: Style, right: f32, y: f32, text: &str) {
        let width = style.typeface.width(text, style.size);
        self.text(style, right - width, y, text);
    }

    /// Draws a line of text, in a smaller size if it would be wider than `width`.
    pub(super) fn fitted(&mut self, style: Style, [x, y, width]: [f32; 3], text: &str) {
        let natural_width = style.typeface.width(text, style.size);
        let size = style.size * (width / natural_width).min(1.0);
        self.text(Style { size, ..style }, x, y, text);
    }

    /// Draws a translucent line of text at 45 degrees.
    pub(super) fn climbing(&mut self, style: Style, x: f32, y: f32, text: &str) {
        let slope = std::f32::consts::FRAC_1_SQRT_2;
        self.0.save_state().set_parameters(TRANSLUCENT);
        self.matrix_text(style, [slope, slope, -slope, slope, x, y], text);
        self.0.restore_state();
    }

    /// Draws lines of text below each other; returns the position of the next line.
    pub(super) fn lines(&mut self, style: Style, x: f32, top: f32, lines: &[String]) -> f32 {
        let leading = style.size * 1.3;
        lines.iter().fold(top, |y, line| {
            self.text(style, x, y, line);
            y - leading
        })
    }

    /// Returns the page's content stream.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0.finish().to_vec()
    }

    fn matrix_text(&mut self, style: Style, matrix: [f32; 6], text: &str) {
        let [red, green, blue] = style.colour;
        self.0
            .begin_text()
            .set_fill_rgb(red, green, blue)
            .set_font(style.typeface.resource(), style.size)
            .set_text_matrix(matrix)
            .show(Str(&win_ansi(text)))
            .end_text();
    }
}

/// Breaks prose between words.
pub(super) fn wrap_words(style: Style, width: f32, text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if style.typeface.width(&format!("{line} {word}"), style.size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Breaks a chain or a seal where the line is full: there are no words in it.
pub(super) fn wrap_characters(style: Style, width: f32, text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0.0;
    for character in text.chars() {
        let advance = style
            .typeface
            .width(character.encode_utf8(&mut [0; 4]), style.size);
        if used + advance > width {
            lines.push(String::new());
            used = 0.0;
        }
        used += advance;
        if let Some(line) = lines.last_mut() {
            line.push(character);
        }
    }
    lines
}
