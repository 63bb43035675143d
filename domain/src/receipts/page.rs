//! Text of a receipt with its positions.

/// Maximum size of a receipt's file, in bytes. A photograph has up to 4 MiB, a PDF rarely more than 1.
pub const MAX_FILE_BYTES: usize = 5 << 20;
/// Maximum number of pages that are read.
pub const MAX_PAGES: usize = 5;
/// Maximum number of words of a receipt. One page has about 100, and a page full of terms 2,000.
pub const MAX_WORDS: usize = 10_000;

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
    /// Characters of a text or a PDF.
    #[default]
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
    /// The program that recognises text in pictures isn't installed.
    #[error("the program that recognises text isn't installed")]
    NoRecognition,
    /// Recognition is busy with the pictures of others.
    #[error("too many pictures are being read")]
    Busy,
}
