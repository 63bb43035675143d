//! Labels of receipts and their values: behind the label, right of it or below it.

use std::collections::HashMap;
use std::sync::LazyLock;

use strum::EnumString;

use super::lines::Segment;
use super::page::{Place, Word};
use crate::folding;

/// Maximum number of labels of a page that are read. A receipt has about 15.
const MAX_LABELS: usize = 200;
/// Maximum number of words of a label.
const LABEL_WORDS: usize = 6;
/// Fewest letters of a label that may have one wrong, and that may have two.
const LEAST_MISSPELT: [usize; 2] = [7, 14];
/// Distance of a value from the label above it, in heights of the label.
const BELOW: f32 = 2.2;

/// Words between a label and its value in a sentence.
const VERBS: [&str; 3] = ["ES", "ERA", "FUE"];

/// Meaning of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Meaning {
    TrackingKey,
    Reference,
    /// A number of the bank's own, which isn't a tracking key.
    Folio,
    Amount,
    /// An amount that may include charges.
    Total,
    /// A commission, a tax or a balance.
    Charge,
    Date,
    /// Date on which the payment was applied; the payment's own if there is no other.
    LaterDate,
    /// A date of something else, as a print.
    OtherDate,
    Time,
    Account,
    /// Account of either side.
    AnyAccount,
    PayerAccount,
    Receiver,
    Issuer,
    /// Bank of either side.
    Bank,
    Beneficiary,
    Payer,
    Concept,
    State,
    Other,
}

/// A label, and where its value may stand.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    pub(super) meaning: Meaning,
    /// Texts that may be its value, the likeliest first.
    pub(super) values: Vec<Value>,
    /// The label stands in the text of a concept, which the payer writes.
    pub(super) is_in_concept: bool,
    /// Index of its line on the page.
    pub(super) line: usize,
}

/// Words that may be a value, and those on the line below, on which it may go on.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub(super) words: Vec<Word>,
    pub(super) below: Vec<Word>,
    /// It stands below its label, on a page on which labels may stand below their values as well.
    pub(super) is_doubtful: bool,
}

impl Value {
    /// The words with a blank between each.
    pub(super) fn text(&self) -> String {
        text(&self.words)
    }
}

/// The words with a blank between each.
pub(super) fn text(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    words.join(" ")
}

/// The box around some words; `None` if there is none.
pub(super) fn place(words: &[Word]) -> Option<Place> {
    words.iter().map(|word| word.place).reduce(Place::with)
}

static LABELS: LazyLock<HashMap<String, Meaning>> = LazyLock::new(|| {
    from_csv(include_str!("../../data/receipt-labels.csv")).expect("the table is tested")
});

/// Parses rows of `label,meaning` after a header row; `None` if a row is malformed.
fn from_csv(csv: &str) -> Option<HashMap<String, Meaning>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.records().map(|row| {
        let row = row.ok()?;
        let label: String = row.get(0)?.split(' ').map(folded).collect();
        Some((label, row.get(1)?.parse().ok()?))
    });
    rows.collect()
}

/// A label in a segment: its meaning, and its words.
struct Found {
    meaning: Meaning,
    words: std::ops::Range<usize>,
}

/// All labels of a page, with their values.
pub(super) fn labelled(segments: &[Segment]) -> Vec<Labelled> {
    let found: Vec<Vec<Found>> = segments.iter().map(|it| found_in(&it.words)).collect();
    let begins = |index: usize| found[index].first().is_some_and(|it| it.words.start == 0);
    let mut labelled = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if labelled.len() >= MAX_LABELS {
            break;
        }
        let mut is_in_concept = false;
        for (number, label) in found[index].iter().enumerate() {
            let next = found[index].get(number + 1);
            let end = next.map_or(segment.words.len(), |next| next.words.start);
            let inline = without_signs(&segment.words[label.words.end..end]);
            let values = if inline.is_empty() {
                beside(segments, index, &begins)
            } else {
                let value = label.words.end..end;
                vec![Value {
                    words: inline.to_vec(),
                    below: below_value(segments, index, value, &begins),
                    is_doubtful: false,
                }]
            };
            labelled.push(Labelled {
                meaning: label.meaning,
                values,
                is_in_concept,
                line: segment.line,
            });
            is_in_concept |= label.meaning == Meaning::Concept;
        }
    }
    // Where a label has no value, the others may have those of their neighbours.
    let is_doubtful = labelled.iter().any(|it| it.values.is_empty());
    for value in labelled.iter_mut().flat_map(|it| &mut it.values) {
        value.is_doubtful &= is_doubtful;
    }
    labelled
}

/// The words after a colon or a dash that stands alone, or after a verb: *la clave de rastreo es …*.
fn without_signs(words: &[Word]) -> &[Word] {
    let is_sign = |word: &Word| {
        word.text
            .chars()
            .all(|c| matches!(c, ':' | '-' | '.' | '|' | '='))
    };
    let is_verb = |word: &Word| VERBS.contains(&&*folded(&word.text));
    let signs = words
        .iter()
        .take_while(|word| is_sign(word) || is_verb(word))
        .count();
    &words[signs..]
}

/// Segments that may be the value of the label that is a whole segment: the next on its line, and the one below.
fn beside(segments: &[Segment], index: usize, begins: &impl Fn(usize) -> bool) -> Vec<Value> {
    let label = &segments[index];
    let right = index + 1;
    let is_right = segments
        .get(right)
        .is_some_and(|next| next.line == label.line && !begins(right));
    let under = below(segments, index, label.place, begins);
    let places = is_right.then_some(right).into_iter().chain(under);
    let value = |place: usize| {
        let segment = &segments[place];
        Value {
            words: segment.words.clone(),
            below: below(segments, place, segment.place, begins)
                .map_or_else(Vec::new, |below| segments[below].words.clone()),
            is_doubtful: Some(place) == under,
        }
    };
    places.map(value).collect()
}

/// Words below a value that stands behind its label on the same segment.
fn below_value(
    segments: &[Segment],
    index: usize,
    words: std::ops::Range<usize>,
    begins: &impl Fn(usize) -> bool,
) -> Vec<Word> {
    let Some(place) = place(&segments[index].words[words]) else {
        return Vec::new();
    };
    // A long value goes on below itself, or at the beginning of the next line.
    let place = place.with(segments[index].place);
    below(segments, index, place, begins).map_or_else(Vec::new, |at| segments[at].words.clone())
}

/// The nearest segment below a place that begins with no label and overlaps it.
fn below(
    segments: &[Segment],
    index: usize,
    place: Place,
    begins: &impl Fn(usize) -> bool,
) -> Option<usize> {
    let line = segments[index].line;
    let rest = segments.iter().enumerate().skip(index + 1);
    let near = rest.filter(|(_, it)| it.line > line).take_while(|(_, it)| {
        it.place.middle() - place.middle() <= BELOW * place.height.max(it.place.height)
    });
    let mut overlapping = near.filter(|(_, it)| {
        it.place.x < place.right() && place.x < it.place.right()
            || (it.place.x - place.x).abs() < place.height
    });
    let (found, _) = overlapping.next()?;
    (!begins(found)).then_some(found)
}

/// The labels of a segment. One that isn't at its beginning needs a colon, or two words.
fn found_in(words: &[Word]) -> Vec<Found> {
    let folded: Vec<String> = words.iter().map(|word| folded(&word.text)).collect();
    let mut found = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let label = label_at(&folded, start).filter(|label| {
            let length = label.words.len();
            let has_colon = words[label.words.end - 1].text.ends_with(':')
                || words
                    .get(label.words.end)
                    .is_some_and(|next| next.text == ":");
            start == 0 || has_colon || length >= 2
        });
        start = label.as_ref().map_or(start + 1, |label| label.words.end);
        found.extend(label);
    }
    found
}

/// The longest label that begins with a word; one that is spelt right is preferred.
fn label_at(folded: &[String], start: usize) -> Option<Found> {
    if folded[start].is_empty() {
        return None;
    }
    let lengths = 1..=LABEL_WORDS.min(folded.len() - start);
    let find = |by: &dyn Fn(&str) -> Option<Meaning>| {
        lengths.clone().rev().find_map(|length| {
            let words = start..start + length;
            if folded[words.end - 1].is_empty() {
                return None;
            }
            let meaning = by(&folded[words.clone()].concat())?;
            Some(Found { meaning, words })
        })
    };
    let found = find(&|label| LABELS.get(label).copied());
    found.or_else(|| (start == 0).then(|| find(&misspelt))?)
}

/// The label that differs in a letter or two.
fn misspelt(text: &str) -> Option<Meaning> {
    let most = LEAST_MISSPELT
        .iter()
        .filter(|least| text.len() >= **least)
        .count();
    if most == 0 {
        return None;
    }
    let near = LABELS
        .iter()
        .filter(|(label, _)| label.len().abs_diff(text.len()) <= most);
    let near = near.map(|(label, meaning)| (strsim::osa_distance(label, text), label, meaning));
    let nearest = near
        .filter(|(distance, ..)| *distance <= most)
        .min_by_key(|it| (it.0, it.1));
    nearest.map(|(_, _, meaning)| *meaning)
}

/// Letters and digits of a word, in upper case without accents.
pub(super) fn folded(word: &str) -> String {
    folding::folded(word)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_no_label_stands_twice() {
        let rows = include_str!("../../data/receipt-labels.csv")
            .lines()
            .count()
            - 1;
        assert_eq!(LABELS.len(), rows);
    }
}
