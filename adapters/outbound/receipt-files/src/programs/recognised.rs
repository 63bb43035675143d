//! Words of the table that the program writes.

use super::raised_cents;
use domain::receipts::{MAX_WORDS, Place, ReceiptFileError, Word};

/// Least confidence of a word that is kept, in percent. What the program sees in emblems and frames has less.
const LEAST: f32 = 20.0;
/// Least confidence of a word of which no character is in doubt, in percent.
const CERTAIN: f32 = 90.0;
/// Level of the rows that are words.
const WORD: &str = "5";

/// Reads the words; each length is divided by `scale`.
///
/// # Errors
/// [`ReceiptFileError::NoRecognition`] for what isn't such a table; [`ReceiptFileError::TooLarge`] for more words than
/// are read.
pub(crate) fn words(table: &[u8], scale: f32) -> Result<Vec<Word>, ReceiptFileError> {
    let table = String::from_utf8_lossy(table);
    let mut lines = table.lines();
    if !lines.next().is_some_and(|line| line.starts_with("level\t")) {
        return Err(ReceiptFileError::NoRecognition);
    }
    let mut words = Vec::new();
    for line in lines {
        words.extend(word(line, scale));
        if words.len() > MAX_WORDS {
            return Err(ReceiptFileError::TooLarge);
        }
    }
    Ok(words)
}

fn word(line: &str, scale: f32) -> Option<Word> {
    let cells: Vec<_> = line.splitn(12, '\t').collect();
    let [level, _, _, _, _, _, x, y, width, height, confidence, text] = cells[..] else {
        return None;
    };
    let number = |cell: &str| {
        let number: f32 = cell.parse().ok()?;
        number.is_finite().then_some(number)
    };
    let length = |cell: &str| number(cell).map(|length| length / scale);
    let text = text.trim();
    let confidence = number(confidence)?;
    let is_kept = confidence >= LEAST || raised_cents::is_damaged(text);
    let is_word = level == WORD && is_kept;
    let is_one = !text.is_empty() && !text.contains(char::is_whitespace);
    (is_word && is_one).then_some(())?;
    Some(Word {
        text: text.to_owned(),
        place: Place {
            x: length(x)?,
            y: length(y)?,
            width: length(width)?,
            height: length(height)?,
        },
        is_certain: confidence >= CERTAIN,
    })
}
