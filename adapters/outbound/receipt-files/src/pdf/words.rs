//! Words, from glyphs with their places.

use domain::receipts::{MAX_WORDS, Place, ReceiptFileError, Word};

use super::encoding::push_plain;
use super::matrix::Matrix;

/// Greatest gap within a word, in type sizes. A blank is at least 0.2 wide.
const GAP: f32 = 0.18;
/// Greatest overlap of two glyphs of a word.
const OVERLAP: f32 = 0.5;
/// Greatest distance between the base lines of two glyphs of a word.
const SLIP: f32 = 0.2;
/// Heights of glyphs above and below the base line.
const ASCENT: f32 = 0.8;
const DESCENT: f32 = 0.2;
/// Number of the last words of which none comes twice at one place: bold type is drawn several times.
const REPEATED: usize = 64;
/// Maximum length of a word, in bytes.
const MAX_LENGTH: usize = 1024;

/// Words of a page that is `width` wide and `height` high.
pub(crate) struct Words {
    width: f32,
    height: f32,
    found: Vec<Word>,
    open: Option<Open>,
    /// Number of words that may still be found.
    room: usize,
}

/// A word whose end hasn't come yet.
struct Open {
    text: String,
    least: [f32; 2],
    most: [f32; 2],
    /// End of the last glyph on the base line.
    end: [f32; 2],
    /// Direction of the base line, of length 1.
    along: [f32; 2],
    size: f32,
}

impl Words {
    pub(crate) fn new(width: f32, height: f32, found: usize) -> Self {
        Self {
            width,
            height,
            found: Vec::new(),
            open: None,
            room: MAX_WORDS.saturating_sub(found),
        }
    }

    /// Adds a glyph that is `width` wide, in the unit of a matrix in which the type size is 1.
    ///
    /// # Errors
    /// [`ReceiptFileError::TooLarge`] for more words than are read.
    pub(crate) fn add(
        &mut self,
        text: &str,
        width: f32,
        matrix: Matrix,
    ) -> Result<(), ReceiptFileError> {
        let mut plain = String::new();
        push_plain(&mut plain, text);
        let (start, end) = (matrix.point(0.0, 0.0), matrix.point(width, 0.0));
        let corners = [
            matrix.point(0.0, ASCENT),
            matrix.point(width, ASCENT),
            matrix.point(0.0, -DESCENT),
            matrix.point(width, -DESCENT),
        ];
        let size = length(matrix.vector(0.0, 1.0));
        let is_placed = corners.iter().flatten().all(|it| it.is_finite()) && size > 0.0;
        if !is_placed || plain.is_empty() {
            return Ok(());
        }
        for (place, part) in plain.split(' ').enumerate() {
            if place > 0 {
                self.end()?;
            }
            if !part.is_empty() {
                self.extend(part, start, end, &corners, size)?;
            }
        }
        Ok(())
    }

    fn extend(
        &mut self,
        text: &str,
        start: [f32; 2],
        end: [f32; 2],
        corners: &[[f32; 2]; 4],
        size: f32,
    ) -> Result<(), ReceiptFileError> {
        if self
            .open
            .as_ref()
            .is_some_and(|it| !it.continues(start, size))
        {
            self.end()?;
        }
        let stride = [end[0] - start[0], end[1] - start[1]];
        let step = length(stride);
        let open = self.open.get_or_insert_with(|| Open {
            text: String::new(),
            least: [f32::MAX; 2],
            most: [f32::MIN; 2],
            end,
            along: [1.0, 0.0],
            size,
        });
        open.text.push_str(text);
        if step > 0.0 {
            open.along = stride.map(|it| it / step);
        }
        open.end = end;
        for corner in corners {
            for (axis, value) in corner.iter().enumerate() {
                open.least[axis] = open.least[axis].min(*value);
                open.most[axis] = open.most[axis].max(*value);
            }
        }
        if open.text.len() > MAX_LENGTH {
            self.end()?;
        }
        Ok(())
    }

    /// Ends the word that is open.
    fn end(&mut self) -> Result<(), ReceiptFileError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let place = Place {
            x: open.least[0],
            y: open.least[1],
            width: open.most[0] - open.least[0],
            height: open.most[1] - open.least[1],
        };
        let middle = [place.x + place.width / 2.0, place.y + place.height / 2.0];
        let is_on_page =
            (0.0..=self.width).contains(&middle[0]) && (0.0..=self.height).contains(&middle[1]);
        let slip = open.size * SLIP;
        let last = self.found.iter().rev().take(REPEATED);
        let is_repeated = last.into_iter().any(|word| {
            let (x, y) = (word.place.x - place.x, word.place.y - place.y);
            x.abs() < slip && y.abs() < slip && word.text == open.text
        });
        if !is_on_page || is_repeated {
            return Ok(());
        }
        if self.found.len() >= self.room {
            return Err(ReceiptFileError::TooLarge);
        }
        self.found.push(Word {
            text: open.text,
            place,
            is_certain: true,
        });
        Ok(())
    }

    /// The words.
    ///
    /// # Errors
    /// [`ReceiptFileError::TooLarge`] for more than are read.
    pub(crate) fn finish(mut self) -> Result<Vec<Word>, ReceiptFileError> {
        self.end()?;
        Ok(self.found)
    }
}

impl Open {
    /// Returns `true` if a glyph at this place belongs to the word.
    fn continues(&self, start: [f32; 2], size: f32) -> bool {
        let [x, y] = [start[0] - self.end[0], start[1] - self.end[1]];
        let gap = x * self.along[0] + y * self.along[1];
        let slip = (x * self.along[1] - y * self.along[0]).abs();
        let ratio = size / self.size;
        (-OVERLAP * self.size..GAP * self.size).contains(&gap)
            && slip < SLIP * self.size
            && (0.7..1.5).contains(&ratio)
    }
}

fn length([x, y]: [f32; 2]) -> f32 {
    x.hypot(y)
}
