//! Values that a receipt may mean for one field, and the choice between them.

use super::field::{MAX_ALTERNATIVES, ReadConfidence, ReadField, ReceiptField};
use super::labels::{place, text};
use super::page::Word;

/// A value that a field may have.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) value: String,
    pub(super) words: Vec<Word>,
    /// Index of its page.
    pub(super) page: usize,
    pub(super) confidence: ReadConfidence,
    pub(super) is_corrected: bool,
}

impl Candidate {
    pub(super) fn new(
        value: String,
        words: &[Word],
        page: usize,
        confidence: ReadConfidence,
    ) -> Self {
        Self {
            value,
            words: words.to_vec(),
            page,
            confidence,
            is_corrected: false,
        }
    }

    /// Lowers the confidence to at most this.
    #[must_use]
    pub(super) fn at_most(mut self, confidence: ReadConfidence) -> Self {
        self.confidence = self.confidence.min(confidence);
        self
    }

    /// Lowers the confidence if a condition holds.
    #[must_use]
    pub(super) fn at_most_if(self, holds: bool, confidence: ReadConfidence) -> Self {
        if holds {
            self.at_most(confidence)
        } else {
            self
        }
    }

    #[must_use]
    pub(super) fn corrected(mut self, is_corrected: bool) -> Self {
        self.is_corrected = is_corrected;
        self.at_most_if(is_corrected, ReadConfidence::Medium)
    }
}

/// Chooses the value of the highest confidence. If another one is as likely, the confidence is low. Words in which a
/// character is in doubt give no high one.
pub(super) fn choose(field: ReceiptField, candidates: Vec<Candidate>) -> Option<ReadField> {
    let doubted = candidates.into_iter().map(|candidate| {
        let is_certain = candidate.words.iter().all(|word| word.is_certain);
        candidate.at_most_if(!is_certain, ReadConfidence::Medium)
    });
    let mut candidates: Vec<Candidate> = doubted.collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.confidence));
    let best = candidates.first()?.clone();
    let others = candidates.iter().filter(|other| other.value != best.value);
    let rival = others.clone().map(|other| other.confidence).max();
    let is_rivalled = rival == Some(best.confidence);
    let is_doubted = rival == Some(ReadConfidence::Medium);
    let mut alternatives: Vec<String> = Vec::new();
    for other in others {
        if !alternatives.contains(&other.value) && alternatives.len() < MAX_ALTERNATIVES {
            alternatives.push(other.value.clone());
        }
    }
    Some(ReadField {
        field,
        confidence: if is_rivalled {
            ReadConfidence::Low
        } else if is_doubted {
            ReadConfidence::Medium
        } else {
            best.confidence
        },
        text: text(&best.words),
        place: place(&best.words).map(|place| (best.page + 1, place)),
        alternatives,
        is_corrected: best.is_corrected,
        value: best.value,
    })
}
