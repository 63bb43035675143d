//! Cents in superscript, which stand as a word of their own beside the pesos.

use super::page::Word;

/// Greatest height of raised cents, in heights of the pesos.
const RAISED: f32 = 0.8;
/// Greatest gap between pesos and cents, and how far they may overlap, in heights of the pesos.
const GAP: f32 = 0.4;

/// Joins pesos with their raised cents: `$1,234` and `56` become `$1,234.56`.
pub(super) fn joined(words: &[Word]) -> Vec<Word> {
    let mut taken = Vec::new();
    let mut joined = Vec::new();
    for pesos in words {
        let cents = is_pesos(pesos).then(|| {
            let mut others = words.iter();
            others.position(|cents| is_raised(cents, pesos) && is_cents(cents))
        });
        let cents = cents.flatten();
        let mut pesos = pesos.clone();
        if let Some(place) = cents {
            let cents = &words[place];
            pesos.text = format!("{}.{}", pesos.text, cents.text);
            pesos.place = pesos.place.with(cents.place);
            pesos.is_certain &= cents.is_certain;
            taken.push(place);
        }
        joined.push(pesos);
    }
    let kept = joined.into_iter().enumerate();
    let kept = kept.filter(|(place, _)| !taken.contains(place));
    kept.map(|(_, word)| word).collect()
}

fn is_pesos(word: &Word) -> bool {
    let digits = word.text.trim_start_matches(['$', ' ']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == ',')
}

fn is_cents(word: &Word) -> bool {
    word.text.len() == 2 && word.text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_raised(cents: &Word, pesos: &Word) -> bool {
    let (cents, pesos) = (cents.place, pesos.place);
    let gap = (cents.x - pesos.right()) / pesos.height.max(f32::EPSILON);
    (-GAP..=GAP).contains(&gap)
        && cents.height < RAISED * pesos.height
        && cents.y < pesos.middle()
        && pesos.y < cents.bottom()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipts::page::Place;
    use rstest::rstest;

    fn word(text: &str, [x, y, width, height]: [f32; 4]) -> Word {
        Word {
            text: text.to_owned(),
            place: Place {
                x,
                y,
                width,
                height,
            },
            is_certain: true,
        }
    }

    #[rstest]
    #[case::raised("56", [60.0, 8.0, 12.0, 12.0], &["$1,234.56"])]
    #[case::as_large("56", [60.0, 10.0, 20.0, 20.0], &["$1,234", "56"])]
    #[case::far("56", [80.0, 8.0, 12.0, 12.0], &["$1,234", "56"])]
    #[case::below("56", [60.0, 28.0, 12.0, 12.0], &["$1,234", "56"])]
    #[case::three_digits("567", [60.0, 8.0, 12.0, 12.0], &["$1,234", "567"])]
    fn small_digits_behind_pesos_are_cents(
        #[case] cents: &str,
        #[case] place: [f32; 4],
        #[case] expected: &[&str],
    ) {
        let words = [word("$1,234", [0.0, 10.0, 58.0, 20.0]), word(cents, place)];
        let joined = joined(&words);
        let texts: Vec<&str> = joined.iter().map(|word| &*word.text).collect();
        assert_eq!(texts, expected);
    }
}
