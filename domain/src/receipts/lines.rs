//! Lines of a page, and their segments: words that stand together, as a label with its value or a cell of a column.

use super::page::{Place, ReceiptPage, Word, length};
use super::raised_cents;

/// Gap between two words of different segments, in heights of the line. A blank is at most half as wide.
const SEGMENT_GAP: f32 = 0.95;
/// Distance of the middles of two words of a line, in the height of the lower one.
const SAME_LINE: f32 = 0.5;
/// Words that are at most this far apart, in heights, tell how the page is tilted.
const NEAR: f32 = 2.0;
/// Fewest pairs of words from which a tilt is computed.
const LEAST_PAIRS: usize = 8;

/// Words that stand together on a line.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Words, split after a colon.
    pub(super) words: Vec<Word>,
    /// Box of all words, with the page's tilt undone.
    pub(super) place: Place,
    /// Index of its line on the page.
    pub(super) line: usize,
}

/// Segments of a page, from top to bottom and from left to right.
pub(super) fn segments(page: &ReceiptPage) -> Vec<Segment> {
    let words = raised_cents::joined(&page.words);
    let words: Vec<Word> = words.iter().flat_map(split_at_colon).collect();
    let mut lines = lines(levelled(&words));
    lines.sort_by(|one, other| top(one).total_cmp(&top(other)));
    let segments = lines.into_iter().enumerate();
    segments
        .flat_map(|(index, words)| split(index, words))
        .collect()
}

/// The word, or both parts of a label that is glued to its value: `Monto:$10.00`. Times and addresses are kept.
fn split_at_colon(word: &Word) -> Vec<Word> {
    let is_label = |label: &str, value: &str| {
        label.ends_with(char::is_alphabetic) && !value.is_empty() && !value.starts_with("//")
    };
    let parts = word.text.split_once(':');
    let Some((label, _)) = parts.filter(|(label, value)| is_label(label, value)) else {
        return vec![word.clone()];
    };
    let (label, value) = word.text.split_at(label.len() + 1);
    let width = word.place.width * length(label) / length(&word.text);
    let part = |text: &str, x: f32, width: f32| Word {
        text: text.to_owned(),
        place: Place {
            x,
            width,
            ..word.place
        },
        is_certain: word.is_certain,
    };
    vec![
        part(label, word.place.x, width),
        part(value, word.place.x + width, word.place.width - width),
    ]
}

/// A word, and its box with the page's tilt undone.
type Levelled<'a> = (&'a Word, Place);

fn top(line: &[Levelled<'_>]) -> f32 {
    line.first().map_or(0.0, |(_, place)| place.middle())
}

/// Undoes the tilt of a photographed page: the median slope between neighbours.
fn levelled(words: &[Word]) -> Vec<Levelled<'_>> {
    let mut sorted: Vec<&Word> = words.iter().collect();
    sorted.sort_by(|one, other| one.place.x.total_cmp(&other.place.x));
    let slope = slope(&sorted);
    let level = |word: &Word| Place {
        y: word.place.y - slope * word.place.x,
        ..word.place
    };
    sorted.into_iter().map(|word| (word, level(word))).collect()
}

fn slope(sorted: &[&Word]) -> f32 {
    let mut slopes = Vec::new();
    for (index, word) in sorted.iter().enumerate() {
        let place = word.place;
        let next = sorted[index + 1..].iter().take(64).find(|next| {
            let gap = next.place.x - place.right();
            let apart = (next.place.middle() - place.middle()).abs();
            (0.0..NEAR * place.height).contains(&gap) && apart < SAME_LINE * place.height
        });
        if let Some(next) = next {
            let run = (next.place.x + next.place.width / 2.0) - (place.x + place.width / 2.0);
            slopes.push((next.place.middle() - place.middle()) / run);
        }
    }
    if slopes.len() < LEAST_PAIRS {
        return 0.0;
    }
    slopes.sort_by(f32::total_cmp);
    slopes[slopes.len() / 2]
}

/// Groups words, sorted by their left edges, into lines.
fn lines(words: Vec<Levelled<'_>>) -> Vec<Vec<Levelled<'_>>> {
    let mut lines: Vec<Vec<Levelled<'_>>> = Vec::new();
    for word in words {
        let distance = |line: &Vec<Levelled<'_>>| {
            let (_, last) = line.last().expect("no line is empty");
            let apart = (last.middle() - word.1.middle()).abs();
            (apart <= SAME_LINE * last.height.min(word.1.height).max(f32::EPSILON)).then_some(apart)
        };
        let nearest = lines
            .iter_mut()
            .filter_map(|line| Some((distance(line)?, line)))
            .min_by(|(one, _), (other, _)| one.total_cmp(other));
        match nearest {
            Some((_, line)) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    lines
}

/// Signs of a quoted line of an e-mail, or of an item of a list.
fn is_quotation(word: &str) -> bool {
    word.chars().all(|c| c == '>') || matches!(word, "-" | "*" | "•" | "·" | "▪" | "–")
}

/// Splits a line where a gap is wider than a blank.
fn split(line: usize, words: Vec<Levelled<'_>>) -> Vec<Segment> {
    let mut heights: Vec<f32> = words.iter().map(|(_, place)| place.height).collect();
    heights.sort_by(f32::total_cmp);
    let height = heights[heights.len() / 2];
    let mut segments: Vec<Segment> = Vec::new();
    let words = words
        .into_iter()
        .skip_while(|(word, _)| is_quotation(&word.text));
    for (word, place) in words {
        match segments.last_mut() {
            Some(last) if place.x - last.place.right() < SEGMENT_GAP * height => {
                last.words.push(word.clone());
                last.place = last.place.with(place);
            }
            _ => segments.push(Segment {
                words: vec![word.clone()],
                place,
                line,
            }),
        }
    }
    segments
}
