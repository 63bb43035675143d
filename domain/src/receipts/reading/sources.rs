//! Labels, values and segments of all pages of a receipt.

use std::collections::HashSet;

use crate::receipts::labels::{self, Labelled, Meaning, Value};
use crate::receipts::lines::{self, Segment};
use crate::receipts::notice::ReceiptNotice;
use crate::receipts::page::{ReceiptText, TextSource, Word};
use crate::receipts::phrases;

/// Lines at the top of a page in which a title stands.
const TITLE_LINES: usize = 6;

/// Pages of a receipt.
pub(super) struct Sources {
    pages: Vec<Page>,
    /// Words may be missed, or stand elsewhere than they seem to.
    pub(super) is_drawn: bool,
    /// Characters may be misread.
    pub(super) is_recognised: bool,
}

struct Page {
    segments: Vec<Segment>,
    labelled: Vec<Labelled>,
}

/// Side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Payer,
    Beneficiary,
}

/// A label with its values.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) page: usize,
    pub(super) labelled: &'a Labelled,
    /// The side that the labels before it are about.
    pub(super) side: Option<Side>,
}

impl<'a> Source<'a> {
    /// The first value from which something can be read.
    pub(super) fn first<T>(self, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        self.labelled.values.iter().find_map(read)
    }
}

impl Sources {
    pub(super) fn of(text: &ReceiptText) -> Self {
        let pages = text.pages.iter().map(|page| {
            let segments = lines::segments(page);
            let labelled = labels::labelled(&segments);
            Page { segments, labelled }
        });
        Self {
            pages: pages.collect(),
            is_drawn: text.source != TextSource::Plain,
            is_recognised: text.source == TextSource::Recognition,
        }
    }

    /// All text, for phrases.
    pub(super) fn text(&self) -> String {
        let segments = self
            .segments()
            .map(|(_, segment)| labels::text(&segment.words));
        segments.collect::<Vec<_>>().join("\n")
    }

    /// All segments, each with the index of its page.
    pub(super) fn segments(&self) -> impl Iterator<Item = (usize, &Segment)> {
        let pages = self.pages.iter().enumerate();
        pages.flat_map(|(index, page)| page.segments.iter().map(move |segment| (index, segment)))
    }

    /// Segments of titles at the top of pages.
    pub(super) fn titles(&self) -> impl Iterator<Item = (usize, &Segment)> {
        self.segments()
            .filter(|(_, segment)| segment.line < TITLE_LINES)
    }

    /// Labels of some meanings.
    pub(super) fn labelled(&self, meanings: &[Meaning]) -> Vec<Source<'_>> {
        let mut found = Vec::new();
        for (page, it) in self.pages.iter().enumerate() {
            let (mut side, mut told_on) = (None, None);
            for labelled in &it.labelled {
                if meanings.contains(&labelled.meaning) {
                    found.push(Source {
                        page,
                        labelled,
                        side,
                    });
                }
                if let Some(told) = side_of(labelled.meaning) {
                    // Both on one line are heads of columns.
                    let is_column = told_on == Some(labelled.line) && side != Some(told);
                    side = (!is_column).then_some(told);
                    told_on = Some(labelled.line);
                }
            }
        }
        found
    }

    /// Words that aren't the value of a label with one of these meanings.
    pub(super) fn words_but_of(&self, meanings: &[Meaning]) -> Vec<(usize, Vec<Word>)> {
        let place =
            |page: usize, word: &Word| (page, word.place.x.to_bits(), word.place.y.to_bits());
        let without_concept = meanings.contains(&Meaning::Concept);
        let is_excluded = |labelled: &&Labelled| {
            meanings.contains(&labelled.meaning) || without_concept && labelled.is_in_concept
        };
        let pages = self.pages.iter().enumerate();
        let excluded: HashSet<_> = pages
            .flat_map(|(page, it)| {
                let labelled = it.labelled.iter().filter(is_excluded);
                let values = labelled.filter_map(|labelled| labelled.values.first());
                let words = values.flat_map(|value| value.words.iter());
                words.map(move |word| place(page, word))
            })
            .collect();
        let segments = self.segments().map(|(page, segment)| {
            let words = segment.words.iter();
            let words = words.filter(|word| !excluded.contains(&place(page, word)));
            (page, words.cloned().collect())
        });
        segments.collect()
    }

    /// Returns `true` if an amount is told in another currency.
    pub(super) fn has_foreign_currency(&self) -> bool {
        self.segments()
            .any(|(_, segment)| phrases::is_foreign(&labels::text(&segment.words)))
    }

    /// The state that the receipt tells, if it isn't that of a payment that was made.
    pub(super) fn state(&self) -> Option<ReceiptNotice> {
        let labelled = self.labelled(&[Meaning::State]);
        let of_label = labelled
            .iter()
            .find_map(|source| source.first(|value| phrases::state(&value.text())));
        of_label.or_else(|| {
            let of_payer = self.words_but_of(&[Meaning::Concept, Meaning::Beneficiary]);
            let mut texts = of_payer.iter().map(|(_, words)| labels::text(words));
            texts.find_map(|text| phrases::state_of_title(&text))
        })
    }

    pub(super) fn is_within_one_bank(&self) -> bool {
        self.segments()
            .any(|(_, segment)| phrases::is_within_one_bank(&labels::text(&segment.words)))
    }
}

fn side_of(meaning: Meaning) -> Option<Side> {
    match meaning {
        Meaning::Payer => Some(Side::Payer),
        Meaning::Beneficiary => Some(Side::Beneficiary),
        _ => None,
    }
}
