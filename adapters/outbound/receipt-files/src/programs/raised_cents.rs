//! Cents that a receipt raises in a smaller font, which the recognition of a whole page takes for signs: `$27,787”?`.

use std::time::Duration;

use domain::receipts::Word;
use image::GrayImage;
use image::imageops::{self, FilterType};
use tokio::time::timeout;

use super::{MAX_TABLE, Program, pgm, run};
use crate::picture::whole_pixels;

/// Arguments of the program: one line of digits from its input.
const DIGITS: [&str; 8] = [
    "stdin",
    "stdout",
    "-l",
    "eng",
    "--psm",
    "7",
    "-c",
    "tessedit_char_whitelist=0123456789",
];
/// Maximum number of amounts of a page that are read again.
const MOST: usize = 2;
/// Most signs that are taken for cents.
const MOST_SIGNS: usize = 3;
/// Parts of a word in which the cents are: behind this part of its width, and above this part of its height. Both have
/// to tell the same cents.
const PARTS: [(f32, f32); 2] = [(0.75, 0.75), (0.8, 0.9)];
/// Most digits that are read in a part: the cents, and what is seen of the last pesos.
const MOST_DIGITS: usize = 4;
/// Margin around the part, in pixels.
const MARGIN: f32 = 10.0;
/// Enlargement of the part.
const TIMES: u32 = 2;
/// Raised digits, in their order.
const RAISED_DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Reads the cents of such amounts again, alone, for `most` in all. `scale` is that of the picture to the words' places.
/// A word of which they can't be read stays as it is.
pub(super) async fn complete(
    program: &Program,
    (picture, scale): (&GrayImage, f32),
    words: &mut [Word],
    most: Duration,
) {
    for word in words.iter_mut() {
        if let Some(whole) = joined(&word.text) {
            word.text = whole;
            word.is_certain = false;
        }
    }
    // What was read until then is kept.
    let _ = timeout(most, read_again(program, (picture, scale), words, most)).await;
}

async fn read_again(
    program: &Program,
    (picture, scale): (&GrayImage, f32),
    words: &mut [Word],
    most: Duration,
) {
    let damaged = words.iter_mut().filter(|word| is_damaged(&word.text));
    for word in damaged.take(MOST) {
        let mut read = Vec::new();
        for shares in PARTS {
            let part = part(picture, word, (scale, shares));
            let output = run(program, &DIGITS, &pgm(&part), (most, MAX_TABLE)).await;
            let digits = output.ok().flatten().unwrap_or_default();
            read.push(String::from_utf8_lossy(&digits).trim().to_owned());
        }
        let pesos = pesos(&word.text).unwrap_or_default();
        if let Some(whole) = whole(pesos, &read) {
            word.text = whole;
            word.is_certain = false;
        }
    }
}

/// Returns `true` for an amount whose cents were taken for signs, in which the program has little confidence.
pub(super) fn is_damaged(text: &str) -> bool {
    pesos(text).is_some()
}

/// The pesos of an amount whose cents were taken for signs; `None` for any other word.
fn pesos(text: &str) -> Option<&str> {
    let number = text.strip_prefix('$')?;
    let is_part = |c: char| c.is_ascii_digit() || c == ',';
    let signs = number.trim_start_matches(is_part);
    let pesos = &number[..number.len() - signs.len()];
    let are_signs = (1..=MOST_SIGNS).contains(&signs.chars().count())
        && !signs.contains(|c: char| c.is_alphanumeric() || c == '.');
    (are_signs && is_grouped(pesos)).then_some(pesos)
}

/// The amount whose cents were read without a mark between: five digits behind a comma. `None` for any other word.
fn joined(text: &str) -> Option<String> {
    let (pesos, cents) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let number = pesos.strip_prefix('$')?;
    let cents = raised(cents).filter(|_| is_grouped(number))?;
    Some(format!("{pesos}{cents}"))
}

/// Returns `true` for digits in groups of three with commas between, of which there is one at least.
fn is_grouped(pesos: &str) -> bool {
    let mut groups = pesos.split(',');
    let begins = groups.next().is_some_and(|it| (1..=3).contains(&it.len()));
    let are_digits = pesos.chars().all(|c| c.is_ascii_digit() || c == ',');
    begins && are_digits && pesos.contains(',') && groups.all(|group| group.len() == 3)
}

/// Digits as raised ones.
fn raised(digits: &str) -> Option<String> {
    let raised = digits.chars().map(|digit| {
        let value = usize::try_from(digit.to_digit(10)?).ok()?;
        RAISED_DIGITS.get(value)
    });
    raised.collect()
}

/// The amount with raised cents, if all parts tell the same.
fn whole(pesos: &str, read: &[String]) -> Option<String> {
    let mut cents = read.iter().map(|digits| {
        let is_short = digits.len() <= MOST_DIGITS;
        let cents = digits.split_at_checked(digits.len().checked_sub(2)?)?.1;
        raised(cents).filter(|_| is_short)
    });
    let first = cents.next()??;
    let is_told = cents.all(|other| other.as_deref() == Some(&*first));
    is_told.then(|| format!("${pesos}{first}"))
}

/// The part of a picture in which a word's cents are, enlarged.
fn part(
    picture: &GrayImage,
    word: &Word,
    (scale, (before, height)): (f32, (f32, f32)),
) -> GrayImage {
    let place = word.place;
    let pixel = |length: f32| whole_pixels(f64::from(length * scale));
    let margin = MARGIN / scale;
    let (left, top) = (
        pixel(place.x + place.width * before),
        pixel(place.y - margin),
    );
    let width = pixel(place.width * (1.0 - before) + margin);
    let height = pixel(place.height * height + margin);
    let part = imageops::crop_imm(picture, left, top, width, height).to_image();
    let (width, height) = part.dimensions();
    let filter = FilterType::Lanczos3;
    imageops::resize(&part, width * TIMES, height * TIMES, filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pesos_before_signs_are_recognised() {
        for (text, expected) in [
            ("$27,787”?", Some("27,787")),
            ("$1,022,726\\\"", Some("1,022,726")),
            ("$58,898%", Some("58,898")),
            ("$58,898", None),
            ("$58,898.00", None),
            ("$58,8981", None),
            ("$898%", None),
            ("$58,898a", None),
            ("58,898%", None),
            ("$5,89%", None),
            ("$27,787????", None),
        ] {
            assert_eq!(pesos(text), expected, "{text}");
        }
    }

    #[test]
    fn five_digits_behind_a_comma_are_pesos_and_cents() {
        assert_eq!(joined("$27,78778").as_deref(), Some("$27,787⁷⁸"));
        assert_eq!(joined("$1,027,78778").as_deref(), Some("$1,027,787⁷⁸"));
        for other in [
            "$27,787",
            "$27,787.78",
            "$2778778",
            "27,78778",
            "$27,7877",
            "$",
            "",
        ] {
            assert_eq!(joined(other), None, "{other}");
        }
    }

    #[test]
    fn cents_are_those_that_both_parts_tell() {
        for (read, expected) in [
            (["778", "78"], Some("$27,787⁷⁸")),
            (["178", "8778"], Some("$27,787⁷⁸")),
            (["778", "73"], None),
            (["78", ""], None),
            (["8", "8"], None),
            (["27778", "78"], None),
            (["7a8", "7a8"], None),
            (["ñ8", "ñ8"], None),
        ] {
            let read = read.map(str::to_owned);
            assert_eq!(whole("27,787", &read).as_deref(), expected, "{read:?}");
        }
    }
}
