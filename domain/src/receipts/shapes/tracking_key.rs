//! Tracking keys in a text, which may be broken over lines or have blanks in them.

use chrono::NaiveDate;

use crate::participants::{Catalogue, inference};
use crate::receipts::page::Word;
use crate::tracking_key::{MAX_LENGTH, TrackingKey};

/// Fewest characters of a key that has no known shape: shorter ones are references.
const LEAST_KEY: usize = 8;
/// Most words that a key is broken into.
const MOST_PARTS: usize = 8;

/// A tracking key in a text.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::receipts) struct KeyText {
    pub(in crate::receipts) key: TrackingKey,
    /// A bank is known to make keys of this shape.
    pub(in crate::receipts) has_known_shape: bool,
    /// Characters were replaced by those that look like them, which the shape confirms.
    pub(in crate::receipts) is_corrected: bool,
    /// Words of the text that it was taken from.
    pub(in crate::receipts) words: Vec<Word>,
}

/// Keys that a labelled value may be, the likeliest first. `below` has the words of the line under it. A text that was
/// recognised may have other characters that look alike.
pub(in crate::receipts) fn labelled(
    (words, below): (&[Word], &[Word]),
    is_recognised: bool,
    (date, catalogue): (NaiveDate, &Catalogue),
) -> Vec<KeyText> {
    let all: Vec<&Word> = words.iter().chain(below).take(MOST_PARTS).collect();
    let here = words.len().min(MOST_PARTS);
    let mut keys = Vec::new();
    // The whole value first, then what goes on below it, then its beginning alone.
    let lengths = (here..=all.len()).chain((1..here).rev());
    for length in lengths {
        let parts = &all[..length];
        for separator in ["", " "] {
            let text = joined(parts, separator);
            let read = read(&text, parts, (date, catalogue));
            keys.extend(read.filter(|key| key.has_known_shape || length == here || length == 1));
            if is_recognised {
                keys.extend(misread(&text, parts).or_else(|| doubled(&text, parts)));
            }
        }
    }
    // A sentence may go on around the key.
    keys.extend(shaped(words));
    keys.dedup_by(|one, other| one.key == other.key);
    // A shape tells more than the length.
    keys.sort_by_key(|key| (!key.has_known_shape, key.is_corrected));
    keys
}

/// A key whose last letter was read as a digit or a sign: the I of some banks.
fn misread(text: &str, words: &[&Word]) -> Option<KeyText> {
    let text = trimmed(text);
    let head = text.strip_suffix(['1', '!', '|', 'l', ']', '/'])?;
    let key = TrackingKey::parse(&format!("{head}I")).ok()?;
    inference::has_known_shape(&key).then(|| KeyText {
        key,
        has_known_shape: true,
        is_corrected: true,
        words: words.iter().copied().cloned().collect(),
    })
}

/// A key of which a zero was read as a letter and a zero: `O0`.
fn doubled(text: &str, words: &[&Word]) -> Option<KeyText> {
    let text = trimmed(text);
    let mut found = ["O0", "0O"].into_iter().filter_map(|pair| {
        let key = TrackingKey::parse(&text.replacen(pair, "0", 1)).ok()?;
        let is_other = key.as_str() != text;
        (is_other && inference::has_known_shape(&key)).then_some(key)
    });
    found.next().map(|key| KeyText {
        key,
        has_known_shape: true,
        is_corrected: true,
        words: words.iter().copied().cloned().collect(),
    })
}

/// The words of a text that have the shape of a bank's keys.
pub(in crate::receipts) fn shaped(words: &[Word]) -> Vec<KeyText> {
    let keys = words.iter().filter_map(|word| {
        let key = TrackingKey::parse(trimmed(&word.text)).ok()?;
        inference::has_known_shape(&key).then(|| KeyText {
            key,
            has_known_shape: true,
            is_corrected: false,
            words: vec![word.clone()],
        })
    });
    keys.collect()
}

fn joined(words: &[&Word], separator: &str) -> String {
    let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    words.join(separator)
}

/// Without the signs of a sentence around it.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '(' | ')' | '*' | '#')
    })
}

fn read(
    text: &str,
    words: &[&Word],
    (date, catalogue): (NaiveDate, &Catalogue),
) -> Option<KeyText> {
    let text = trimmed(text);
    if text.len() > MAX_LENGTH {
        return None;
    }
    let key = TrackingKey::parse(text).ok()?;
    let of = |key: TrackingKey, has_known_shape: bool, is_corrected: bool| KeyText {
        key,
        has_known_shape,
        is_corrected,
        words: words.iter().copied().cloned().collect(),
    };
    if inference::has_known_shape(&key) {
        return Some(of(key, true, false));
    }
    if let Some(likely) = inference::likely_key(&key, date, catalogue) {
        return Some(of(likely, true, true));
    }
    let may_be = key.as_str().len() >= LEAST_KEY
        && key.may_be_a_banks()
        && !key.as_str().contains(' ')
        && !key.looks_like_reference()
        && !key.as_str().contains('/');
    may_be.then(|| of(key, false, false))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::fixture::day;

    /// The likeliest key of a text that was recognised.
    fn recognised(text: &str) -> Option<(String, bool)> {
        let word = Word {
            text: text.to_owned(),
            place: crate::receipts::Place {
                x: 0.0,
                y: 0.0,
                width: 1.0,
                height: 1.0,
            },
            is_certain: true,
        };
        let context = (day("2026-11-20"), Catalogue::embedded());
        let keys = labelled((&[word], &[]), true, context);
        let first = keys.into_iter().next()?;
        Some((first.key.as_str().to_owned(), first.is_corrected))
    }

    #[rstest]
    #[case("HSBC000017", "HSBC000017", false)]
    #[case("HSBCO000017", "HSBC000017", true)]
    #[case("HSBC0O00017", "HSBC000017", true)]
    #[case("HSBCO00017", "HSBC000017", true)]
    #[case("OTRA0O00000017", "OTRA0O00000017", false)]
    fn a_zero_that_was_read_twice_is_read_once_if_the_shape_says_so(
        #[case] text: &str,
        #[case] key: &str,
        #[case] is_corrected: bool,
    ) {
        assert_eq!(recognised(text), Some((key.to_owned(), is_corrected)));
    }
}
