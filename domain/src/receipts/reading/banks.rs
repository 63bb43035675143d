//! Institutions that a receipt names, compared with those that account and tracking key tell.

use chrono::NaiveDate;

use super::sources::{Side, Sources};
use crate::participants::inference::{Confidence, Inferred};
use crate::participants::{Catalogue, ParticipantCode};
use crate::receipts::candidates::{Candidate, choose};
use crate::receipts::field::{ReadConfidence, ReadField, ReceiptField};
use crate::receipts::labels::{Meaning, text};
use crate::receipts::page::Word;

/// Most words of an institution's name.
const MOST_WORDS: usize = 8;

/// An institution that the account or the tracking key tells.
pub(super) struct Told {
    code: ParticipantCode,
    confidence: ReadConfidence,
}

impl Told {
    /// As certain as the inference, and as the datum that it was made from.
    pub(super) fn new(inferred: &Inferred, datum: ReadConfidence) -> Self {
        let inference = match inferred.evidence.confidence() {
            Confidence::High => ReadConfidence::High,
            Confidence::Medium => ReadConfidence::Medium,
        };
        Self {
            code: inferred.code,
            confidence: inference.min(datum),
        }
    }
}

/// The receiving institution that the receipt names.
pub(super) fn receiver(
    sources: &Sources,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<ReadField> {
    let mut candidates = named(
        sources,
        Meaning::Receiver,
        Side::Beneficiary,
        date,
        catalogue,
    );
    if candidates.is_empty() {
        // Beside the account: *BBVA •••• 1234*.
        let labelled = sources.labelled(&[Meaning::Account]).into_iter();
        candidates.extend(labelled.filter_map(|source| {
            let words = &source.labelled.values.first()?.words;
            let (code, words) = name_in(words, date, catalogue)?;
            Some(Candidate::new(
                code.to_string(),
                words,
                source.page,
                ReadConfidence::Medium,
            ))
        }));
    }
    choose(ReceiptField::Receiver, candidates)
}

/// The issuing institution that the receipt names, or whose name is its title.
pub(super) fn issuer(
    sources: &Sources,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<ReadField> {
    let mut candidates = named(sources, Meaning::Issuer, Side::Payer, date, catalogue);
    if candidates.is_empty() {
        candidates.extend(sources.titles().filter_map(|(page, title)| {
            let participant = catalogue.by_name(&text(&title.words), date)?;
            let code = participant.code.to_string();
            Some(Candidate::new(
                code,
                &title.words,
                page,
                ReadConfidence::Low,
            ))
        }));
    }
    choose(ReceiptField::Issuer, candidates)
}

/// Names behind the label of one side, or behind the label of either among those of the side.
fn named(
    sources: &Sources,
    meaning: Meaning,
    side: Side,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Vec<Candidate> {
    let labelled = sources.labelled(&[meaning, Meaning::Bank]).into_iter();
    let of_side = labelled.filter(|source| {
        !source.labelled.is_in_concept
            && (source.labelled.meaning == meaning || source.side == Some(side))
    });
    let candidates = of_side.filter_map(|source| {
        let (code, words, is_whole) = source.first(|value| {
            let (code, words) = name_in(&value.words, date, catalogue)?;
            let is_whole = words.len() == value.words.len() && !value.is_doubtful;
            Some((code, words, is_whole))
        })?;
        let confidence = if source.labelled.meaning == meaning && is_whole {
            ReadConfidence::High
        } else {
            ReadConfidence::Medium
        };
        Some(Candidate::new(
            code.to_string(),
            words,
            source.page,
            confidence,
        ))
    });
    candidates.collect()
}

/// The institution with whose name some words begin, and these words.
fn name_in<'a>(
    words: &'a [Word],
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<(ParticipantCode, &'a [Word])> {
    let lengths = (1..=MOST_WORDS.min(words.len())).rev();
    lengths.into_iter().find_map(|length| {
        let name = &words[..length];
        let participant = catalogue.by_name(&text(name), date)?;
        Some((participant.code, name))
    })
}

/// The institution of one side, and whether the receipt names another one than its data tell: then it isn't clear.
pub(super) fn combined(
    field: ReceiptField,
    named: Option<ReadField>,
    told: Option<Told>,
    catalogue: &Catalogue,
) -> (Option<ReadField>, bool) {
    let institution = |code: &str| Some(catalogue.institution(ParticipantCode::parse(code)?));
    match (named, told) {
        (Some(mut named), Some(told)) => {
            if institution(&named.value) == Some(catalogue.institution(told.code)) {
                named.confidence = named.confidence.max(told.confidence);
                named.value = told.code.to_string();
                return (Some(named), false);
            }
            // A title may be the name of anybody.
            if named.confidence == ReadConfidence::Low {
                let confidence = told.confidence.min(ReadConfidence::Medium);
                return (
                    Some(ReadField::told(field, told.code.to_string(), confidence)),
                    false,
                );
            }
            named.alternatives.push(told.code.to_string());
            named.confidence = ReadConfidence::Low;
            (Some(named), true)
        }
        (Some(named), None) => (Some(named), false),
        (None, Some(told)) => (
            Some(ReadField::told(
                field,
                told.code.to_string(),
                told.confidence,
            )),
            false,
        ),
        (None, None) => (None, false),
    }
}
