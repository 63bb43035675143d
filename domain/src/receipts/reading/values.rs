//! Values of the fields that labels and shapes tell.

use chrono::{NaiveDate, NaiveTime};

use super::sources::{Side, Source, Sources};
use crate::account::Account;
use crate::participants::Catalogue;
use crate::receipts::candidates::{Candidate, choose};
use crate::receipts::field::{ReadConfidence, ReadField, ReceiptField};
use crate::receipts::labels::{Meaning, text};
use crate::receipts::notice::ReceiptNotice;
use crate::receipts::shapes::account::{self, AccountText};
use crate::receipts::shapes::{amount, date, tracking_key};
use crate::tracking_key::TrackingKey;

/// Most digits of a numeric reference.
const REFERENCE_DIGITS: usize = 7;
/// Most characters of a name or a concept.
const MOST_TEXT: usize = 100;

/// The date of the transfer, not later than today.
pub(super) fn date(sources: &Sources, today: NaiveDate) -> Option<ReadField> {
    let of_labels = |meanings: &[Meaning], confidence| {
        let labelled = sources.labelled(meanings).into_iter();
        let candidates = labelled.filter_map(move |source| {
            let (date, words) = source.first(|value| {
                let dates = date::all(&value.text());
                dates.first().map(|date| (*date, &value.words))
            })?;
            let candidate = Candidate::new(date.to_string(), words, source.page, confidence);
            let is_doubtful = date > today || source.labelled.is_in_concept;
            Some(candidate.at_most_if(is_doubtful, ReadConfidence::Low))
        });
        candidates.collect::<Vec<_>>()
    };
    let labelled = of_labels(&[Meaning::Date, Meaning::Time], ReadConfidence::High);
    if !labelled.is_empty() {
        return choose(ReceiptField::Date, labelled);
    }
    let later = of_labels(&[Meaning::LaterDate], ReadConfidence::Medium);
    if !later.is_empty() {
        return choose(ReceiptField::Date, later);
    }
    let words = sources.words_but_of(&[Meaning::Concept, Meaning::OtherDate]);
    let candidates = words.iter().flat_map(|(page, words)| {
        let dates = date::all(&text(words)).into_iter();
        dates.map(|date| {
            let candidate = Candidate::new(date.to_string(), words, *page, ReadConfidence::Medium);
            candidate.at_most_if(date > today, ReadConfidence::Low)
        })
    });
    choose(ReceiptField::Date, candidates.collect())
}

/// The time of day.
pub(super) fn time(sources: &Sources) -> Option<ReadField> {
    let of_label = sources
        .labelled(&[Meaning::Time, Meaning::Date])
        .into_iter();
    let labelled = of_label.filter_map(|source| {
        source.first(|value| {
            // The time may stand below the date.
            let time = date::time(&value.text())?;
            Some(of_time(
                time,
                &value.words,
                source.page,
                ReadConfidence::High,
            ))
        })
    });
    let labelled: Vec<_> = labelled.collect();
    if !labelled.is_empty() {
        return choose(ReceiptField::Time, labelled);
    }
    let words = sources.words_but_of(&[Meaning::Concept, Meaning::OtherDate]);
    let found = words.iter().filter_map(|(page, words)| {
        let time = date::time(&text(words))?;
        Some(of_time(time, words, *page, ReadConfidence::Medium))
    });
    choose(ReceiptField::Time, found.collect())
}

fn of_time(
    time: NaiveTime,
    words: &[crate::receipts::Word],
    page: usize,
    confidence: ReadConfidence,
) -> Candidate {
    Candidate::new(time.format("%H:%M:%S").to_string(), words, page, confidence)
}

/// The tracking key, and notices about it.
pub(super) fn tracking_key(
    sources: &Sources,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> (Option<ReadField>, Vec<ReceiptNotice>) {
    let mut notices = Vec::new();
    let mut candidates = Vec::new();
    let labelled = sources.labelled(&[Meaning::TrackingKey]);
    for source in &labelled {
        let keys = source.first(|value| {
            let of = (&value.words[..], &value.below[..]);
            let keys = tracking_key::labelled(of, sources.is_recognised, (date, catalogue));
            (!keys.is_empty()).then_some(keys)
        });
        for (rank, key) in keys.into_iter().flatten().enumerate() {
            let confidence = match (key.has_known_shape, rank) {
                (true, _) => ReadConfidence::High,
                (false, 0) => ReadConfidence::Medium,
                (false, _) => ReadConfidence::Low,
            };
            let value = key.key.as_str().to_owned();
            let candidate = Candidate::new(value, &key.words, source.page, confidence);
            let candidate = candidate.corrected(key.is_corrected);
            let is_in_concept = source.labelled.is_in_concept;
            candidates.push(candidate.at_most_if(is_in_concept, ReadConfidence::Low));
        }
    }
    if candidates.is_empty() && labelled.iter().any(|it| is_reference(*it)) {
        notices.push(ReceiptNotice::KeyIsReference);
    }
    let words = sources.words_but_of(&[Meaning::Concept, Meaning::TrackingKey]);
    for (page, words) in &words {
        for key in tracking_key::shaped(words) {
            let value = key.key.as_str().to_owned();
            candidates.push(Candidate::new(
                value,
                &key.words,
                *page,
                ReadConfidence::Medium,
            ));
        }
    }
    let certain = |it: &&Candidate| it.confidence == ReadConfidence::High;
    let mut keys: Vec<&str> = candidates
        .iter()
        .filter(certain)
        .map(|it| &*it.value)
        .collect();
    keys.sort_unstable();
    keys.dedup();
    if keys.len() > 1 && labelled.len() > 1 {
        notices.push(ReceiptNotice::SeveralReceipts);
    }
    let has_folio = !sources.labelled(&[Meaning::Folio]).is_empty();
    if candidates.is_empty() && labelled.is_empty() && has_folio {
        notices.push(ReceiptNotice::FolioIsNoKey);
    }
    (choose(ReceiptField::TrackingKey, candidates), notices)
}

fn is_reference(source: Source<'_>) -> bool {
    let reads = |text: &str| TrackingKey::parse(text).is_ok_and(|key| key.looks_like_reference());
    source
        .first(|value| reads(&value.text()).then_some(()))
        .is_some()
}

/// The numeric reference.
pub(super) fn reference(sources: &Sources) -> Option<ReadField> {
    let labelled = sources.labelled(&[Meaning::Reference]).into_iter();
    let candidates = labelled
        .filter(|source| !source.labelled.is_in_concept)
        .filter_map(|source| {
            source.first(|value| {
                let word = value.words.first()?;
                let digits = word.text.trim_end_matches(['.', ',']);
                let is_reference = (1..=REFERENCE_DIGITS).contains(&digits.len())
                    && digits.bytes().all(|byte| byte.is_ascii_digit());
                let words = std::slice::from_ref(word);
                is_reference.then(|| {
                    Candidate::new(digits.to_owned(), words, source.page, ReadConfidence::High)
                })
            })
        });
    choose(ReceiptField::Reference, candidates.collect())
}

/// The beneficiary's account, and notices about it.
pub(super) fn account(sources: &Sources) -> (Option<ReadField>, Vec<ReceiptNotice>) {
    let mut candidates = Vec::new();
    let mut of_payer = Vec::new();
    let mut notices = Vec::new();
    let meanings = [Meaning::Account, Meaning::AnyAccount, Meaning::PayerAccount];
    for source in sources.labelled(&meanings) {
        let found = source.first(|value| {
            // An account may be broken over two lines.
            let whole = account::read(&value.text());
            let broken = || {
                let words = [&value.words[..], &value.below[..]].concat();
                let account = account::read(&text(&words))?;
                is_checked(&account).then_some((account, words))
            };
            let misread = || {
                let account = sources
                    .is_recognised
                    .then(|| account::read_misread_mask(&value.text()));
                Some((account.flatten()?, value.words.clone()))
            };
            match whole {
                Some(whole) => Some((whole, value.words.clone())),
                None => broken().or_else(misread),
            }
        });
        let Some((account, words)) = found else {
            continue;
        };
        let is_payers = source.labelled.meaning == Meaning::PayerAccount
            || source.labelled.meaning == Meaning::AnyAccount && source.side == Some(Side::Payer);
        if is_payers {
            of_payer.push(shown(&account));
            continue;
        }
        if let AccountText::Whole { account, .. } = &account
            && !account.has_valid_check_digit()
        {
            notices.push(ReceiptNotice::WrongCheckDigit);
        }
        let names_no_side = source.labelled.meaning == Meaning::AnyAccount && source.side.is_none();
        let is_corrected = matches!(
            &account,
            AccountText::Whole {
                is_corrected: true,
                ..
            }
        );
        let candidate = Candidate::new(
            shown(&account),
            &words,
            source.page,
            confidence_of(&account),
        );
        let candidate = candidate
            .corrected(is_corrected)
            .at_most_if(names_no_side, ReadConfidence::Medium)
            .at_most_if(source.labelled.is_in_concept, ReadConfidence::Low);
        candidates.push(candidate);
    }
    for (page, words) in sources.words_but_of(&[Meaning::Concept, Meaning::PayerAccount]) {
        for clabe in account::clabes(&text(&words)) {
            let value = clabe.as_str().to_owned();
            if !of_payer.contains(&value) {
                candidates.push(Candidate::new(value, &words, page, ReadConfidence::Medium));
            }
        }
    }
    (choose(ReceiptField::Account, candidates), notices)
}

fn shown(account: &AccountText) -> String {
    match account {
        AccountText::Whole { account, .. } => account.as_str().to_owned(),
        AccountText::Masked { ending } => format!("****{ending}"),
    }
}

fn is_checked(account: &AccountText) -> bool {
    matches!(account, AccountText::Whole { account, .. }
        if account.has_valid_check_digit() && !matches!(account, Account::Phone(_)))
}

/// Confidence in an account behind a label.
fn confidence_of(account: &AccountText) -> ReadConfidence {
    match account {
        AccountText::Masked { .. }
        | AccountText::Whole {
            account: Account::Phone(_),
            ..
        } => ReadConfidence::Medium,
        AccountText::Whole { account, .. } if account.has_valid_check_digit() => {
            ReadConfidence::High
        }
        AccountText::Whole { .. } => ReadConfidence::Low,
    }
}

/// The amount, which is none of the charges.
pub(super) fn amount(sources: &Sources) -> Option<ReadField> {
    let of_labels = |meanings: &[Meaning], confidence| {
        let labelled = sources.labelled(meanings).into_iter();
        let found = labelled.filter_map(move |source| {
            let (found, words) = source.first(|value| {
                let found = *amount::all(&value.text()).first()?;
                Some((found, &value.words))
            })?;
            // Cents in a smaller font may have been missed.
            let is_certain = found.has_cents || !sources.is_drawn;
            let candidate =
                Candidate::new(found.amount.to_string(), words, source.page, confidence);
            let candidate = candidate.at_most_if(!is_certain, ReadConfidence::Medium);
            Some(candidate.at_most_if(source.labelled.is_in_concept, ReadConfidence::Low))
        });
        found.collect::<Vec<_>>()
    };
    let labelled = of_labels(&[Meaning::Amount], ReadConfidence::High);
    if !labelled.is_empty() {
        return choose(ReceiptField::Amount, labelled);
    }
    let has_charges = !of_labels(&[Meaning::Charge], ReadConfidence::High).is_empty();
    let confidence = if has_charges {
        ReadConfidence::Low
    } else {
        ReadConfidence::Medium
    };
    let total = of_labels(&[Meaning::Total], confidence);
    if !total.is_empty() {
        return choose(ReceiptField::Amount, total);
    }
    let words = sources.words_but_of(&[
        Meaning::Concept,
        Meaning::Charge,
        Meaning::Folio,
        Meaning::Reference,
    ]);
    let candidates = words.iter().flat_map(|(page, words)| {
        let amounts = amount::all(&text(words))
            .into_iter()
            .filter(|it| it.has_currency);
        amounts
            .map(|it| Candidate::new(it.amount.to_string(), words, *page, ReadConfidence::Medium))
    });
    choose(ReceiptField::Amount, candidates.collect())
}

/// The beneficiary's name.
pub(super) fn beneficiary(sources: &Sources) -> Option<ReadField> {
    name(sources, ReceiptField::Beneficiary, &[Meaning::Beneficiary])
}

/// The concept.
pub(super) fn concept(sources: &Sources) -> Option<ReadField> {
    name(sources, ReceiptField::Concept, &[Meaning::Concept])
}

fn name(sources: &Sources, field: ReceiptField, meanings: &[Meaning]) -> Option<ReadField> {
    let labelled = sources.labelled(meanings).into_iter();
    let candidates = labelled.filter_map(|source| {
        let value = source.labelled.values.first()?;
        let text: String = value.text().chars().take(MOST_TEXT).collect();
        text.chars()
            .any(char::is_alphabetic)
            .then(|| Candidate::new(text, &value.words, source.page, ReadConfidence::Medium))
    });
    choose(field, candidates.collect())
}
