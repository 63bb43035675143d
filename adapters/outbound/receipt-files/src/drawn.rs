//! Words of a PDF against the drawn page: a file may hold text that nobody sees, or that is covered.

use domain::receipts::{ReceiptPage, Word};

/// Marks the words that aren't seen at their places on the drawn page, or nothing of the page is.
pub(crate) fn mark_unseen(pages: &mut [ReceiptPage], first: Option<&ReceiptPage>) {
    for (number, page) in pages.iter_mut().enumerate() {
        let seen = first.filter(|_| number == 0);
        let scale = seen.map_or(1.0, |seen| seen.width / page.width);
        for word in &mut page.words {
            word.is_certain = seen.is_some_and(|seen| is_seen(word, seen, scale));
        }
    }
}

/// Returns `true` if a word is drawn at its place, with characters that look like its own.
fn is_seen(word: &Word, seen: &ReceiptPage, scale: f32) -> bool {
    let shape = shape(&word.text);
    let (x, y) = (
        (word.place.x + word.place.width / 2.0) * scale,
        (word.place.y + word.place.height / 2.0) * scale,
    );
    let margin = word.place.height * scale / 2.0;
    let is_here = |other: &Word| {
        let place = other.place;
        (place.x - margin..=place.x + place.width + margin).contains(&x)
            && (place.y - margin..=place.y + place.height + margin).contains(&y)
    };
    let mut others = seen.words.iter();
    shape.is_empty()
        || others.any(|other| is_here(other) && self::shape(&other.text).contains(&shape))
}

/// Letters and digits of a word, with those alike that recognition mixes up.
fn shape(text: &str) -> String {
    let alike = |letter: char| match letter {
        'O' | 'Q' | 'D' => '0',
        'I' | 'L' | 'J' => '1',
        'Z' => '2',
        'S' => '5',
        'G' => '6',
        'B' => '8',
        other => other,
    };
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters
        .map(|letter| alike(letter.to_ascii_uppercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::receipts::Place;

    fn page(width: f32, words: &[(&str, f32, f32)]) -> ReceiptPage {
        let unit = width / 100.0;
        let words = words.iter().map(|(text, x, y)| Word {
            text: (*text).to_owned(),
            place: Place {
                x: x * unit,
                y: y * unit,
                width: 10.0 * unit,
                height: 2.0 * unit,
            },
            is_certain: true,
        });
        ReceiptPage {
            width,
            height: width,
            words: words.collect(),
        }
    }

    #[test]
    fn a_word_is_certain_where_it_is_drawn() {
        let words = [
            ("MBAN01", 10.0, 10.0),
            ("$9,999.00", 10.0, 20.0),
            ("hidden", 10.0, 30.0),
            ("MBAN01", 50.0, 50.0),
        ];
        let mut pages = vec![page(600.0, &words), page(600.0, &words[..1])];
        let drawn = page(1200.0, &[("MBANOI", 10.5, 10.0), ("$500.00", 10.0, 20.0)]);
        mark_unseen(&mut pages, Some(&drawn));
        let certain: Vec<bool> = pages[0].words.iter().map(|word| word.is_certain).collect();
        assert_eq!(certain, [true, false, false, false]);
        assert!(!pages[1].words[0].is_certain, "the second page isn't drawn");
        mark_unseen(&mut pages, None);
        assert!(pages[0].words.iter().all(|word| !word.is_certain));
    }
}
