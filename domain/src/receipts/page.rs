//! Text of a receipt with its positions.

/// Maximum number of pages that are read.
pub const MAX_PAGES: usize = 5;
/// Maximum number of words of a receipt. One page has about 100, and a page full of terms 2,000.
pub const MAX_WORDS: usize = 4_000;

/// Width of a character of a plain text, in heights of a line.
const CHARACTER_WIDTH: f32 = 0.5;
/// Width of a tab: that of a gap between columns.
const TAB_WIDTH: f32 = 2.0;

/// Text of a receipt, and links of QR codes in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReceiptText {
    /// Its pages, of which there may be none.
    pub pages: Vec<ReceiptPage>,
    /// Contents of the QR codes, in their order.
    pub codes: Vec<String>,
    /// Origin of the words, which tells how certain each character is.
    pub source: TextSource,
}

/// Origin of a receipt's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextSource {
    /// Characters of a text without positions.
    #[default]
    Plain,
    /// Characters with their positions.
    Characters,
    /// Optical recognition, which mixes up characters that look alike.
    Recognition,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptPage {
    /// Width in the unit of the places of its words.
    pub width: f32,
    /// Height in the same unit.
    pub height: f32,
    /// Words, in any order.
    pub words: Vec<Word>,
}

/// A word: characters without a blank.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The characters.
    pub text: String,
    /// Its box.
    pub place: Place,
    /// No character of it is in doubt; `false` for words that recognition may have misread.
    pub is_certain: bool,
}

/// Box on a page, from its upper left corner. The unit is the page's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Distance from the left edge.
    pub x: f32,
    /// Distance of the upper edge from the top.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Place {
    pub(super) fn right(self) -> f32 {
        self.x + self.width
    }

    pub(super) fn bottom(self) -> f32 {
        self.y + self.height
    }

    pub(super) fn middle(self) -> f32 {
        self.y + self.height / 2.0
    }

    /// The box in fractions of a page of this size, in ten-thousandths.
    pub(super) fn scaled(self, width: f32, height: f32) -> Self {
        let part = |length: f32, whole: f32| {
            let part = length / whole.max(f32::EPSILON);
            (part.clamp(0.0, 1.0) * 1e4).round() / 1e4
        };
        Self {
            x: part(self.x, width),
            y: part(self.y, height),
            width: part(self.width, width),
            height: part(self.height, height),
        }
    }

    /// The smallest box around both.
    pub(super) fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            x,
            y,
            width: self.right().max(other.right()) - x,
            height: self.bottom().max(other.bottom()) - y,
        }
    }
}

impl ReceiptText {
    /// A text without positions, as people paste it: the unit is a line's height, and a character is half as wide.
    /// At most [`MAX_WORDS`] words count.
    pub fn of_plain(text: &str) -> Self {
        let mut words = Vec::new();
        let mut height: u16 = 0;
        let mut widest: f32 = 0.0;
        for line in text.lines() {
            let mut column: f32 = 0.0;
            for part in line.split_inclusive(char::is_whitespace) {
                let word = without_emphasis(part.trim_end());
                if !word.is_empty() && words.len() < MAX_WORDS {
                    words.push(Word {
                        text: word.to_owned(),
                        place: Place {
                            x: column,
                            y: f32::from(height),
                            width: length(word) * CHARACTER_WIDTH,
                            height: 1.0,
                        },
                        is_certain: true,
                    });
                }
                let tab = if part.ends_with('\t') { TAB_WIDTH } else { 0.0 };
                column += length(part) * CHARACTER_WIDTH + tab;
                widest = widest.max(column);
            }
            height = height.saturating_add(1);
        }
        Self {
            pages: vec![ReceiptPage {
                width: widest,
                height: f32::from(height),
                words,
            }],
            codes: Vec::new(),
            source: TextSource::Plain,
        }
    }
}

/// Number of characters of a word, at most that of a `u16`.
pub(super) fn length(text: &str) -> f32 {
    u16::try_from(text.chars().count())
        .unwrap_or(u16::MAX)
        .into()
}

/// A word without the signs of bold, italic and struck text of messengers, one on either side.
fn without_emphasis(word: &str) -> &str {
    let inner = word.strip_prefix(['*', '_']).unwrap_or(word);
    let inner = inner.strip_suffix(['*', '_']).unwrap_or(inner);
    let is_mask = inner.starts_with('*') || inner.ends_with('*');
    if is_mask || !inner.contains(char::is_alphanumeric) {
        word
    } else {
        inner
    }
}

/// Reason why the text of a receipt's file can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptFileError {
    /// The file is damaged, or of another kind than it seems.
    #[error("the file can't be read")]
    Damaged,
    /// The PDF needs a password.
    #[error("the PDF is encrypted")]
    Encrypted,
    /// The file has more pages, pixels, text or uncompressed bytes than are read.
    #[error("the file has more pages, pixels or text than are read")]
    TooLarge,
    /// Reading took longer, or more memory, than allowed.
    #[error("the file took too long to read")]
    TooSlow,
    /// A program of the system that reads such files isn't installed.
    #[error("a program that reads such files isn't installed")]
    NoRecognition,
    /// Recognition is busy with the pictures of others.
    #[error("too many pictures are being read")]
    Busy,
}
