//! Values of the fields that labels and shapes tell.

use chrono::{NaiveDate, NaiveTime};

use super::sources::{Side, Source, Sources};
use crate::account::Account;
use crate::participants::{Catalogue, inference};
use crate::receipts::candidates::{Candidate, choose};
use crate::receipts::field::{MAX_VALUE_LENGTH, ReadConfidence, ReadField, ReceiptField};
use crate::receipts::labels::{Meaning, Value, text};
use crate::receipts::notice::ReceiptNotice;
use crate::receipts::page::Word;
use crate::receipts::shapes::account::{self, AccountText};
use crate::receipts::shapes::amount::{self, Purity};
use crate::receipts::shapes::{date, tracking_key};
use crate::tracking_key::TrackingKey;

/// Days after which receipts are seldom sent.
const USUAL_DAYS: i64 = 400;
/// Most digits of a numeric reference.
const REFERENCE_DIGITS: usize = 7;

/// The date of the transfer. A later one than today is in doubt, and one long ago may be a date of something else.
pub(super) fn date(sources: &Sources, today: NaiveDate) -> Option<ReadField> {
    let candidate = |date: NaiveDate, words: &[Word], page: usize, confidence| {
        let is_old = (today - date).num_days() > USUAL_DAYS;
        Candidate::new(date.to_string(), words, page, confidence)
            .at_most_if(is_old, ReadConfidence::Medium)
            .at_most_if(date > today, ReadConfidence::Low)
    };
    let of_labels = |meanings: &[Meaning], confidence| {
        let labelled = sources.labelled(meanings).into_iter();
        let candidates = labelled.filter_map(move |source| {
            let (date, is_alone, value) = source.first(|value| {
                let (date, is_alone) = date::of_value(&value.text())?;
                Some((date, is_alone, value))
            })?;
            let is_unsure = !is_alone || value.is_doubtful;
            let candidate = candidate(date, &value.words, source.page, confidence);
            let candidate = candidate.at_most_if(is_unsure, ReadConfidence::Medium);
            Some(candidate.at_most_if(source.labelled.is_in_concept, ReadConfidence::Low))
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
        dates.map(|date| candidate(date, words, *page, ReadConfidence::Medium))
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

fn of_time(time: NaiveTime, words: &[Word], page: usize, confidence: ReadConfidence) -> Candidate {
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
            (!keys.is_empty()).then_some((keys, value))
        });
        let Some((keys, value)) = keys else {
            continue;
        };
        for (rank, key) in keys.into_iter().enumerate() {
            // Words that are left over, or were taken from the line below, may be something else.
            let is_whole = key.words.len() == value.words.len() && !value.is_doubtful;
            let has_issuer = inference::infer_issuer(&key.key, date, catalogue).is_ok();
            let confidence = match (key.has_known_shape, rank) {
                (true, _) if is_whole && has_issuer => ReadConfidence::High,
                (true, _) | (false, 0) => ReadConfidence::Medium,
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
    if candidates.is_empty() {
        candidates.extend(labelled.iter().filter_map(|it| of_no_known_shape(*it)));
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

/// The single word behind the label of the tracking key, which no bank's key looks like, to be compared by a person.
fn of_no_known_shape(source: Source<'_>) -> Option<Candidate> {
    source.first(|value| {
        let [word] = &value.words[..] else {
            return None;
        };
        let key = TrackingKey::parse(&word.text).ok()?;
        let may_be = key.may_be_a_banks() && !key.looks_like_reference();
        let confidence = ReadConfidence::Low;
        may_be.then(|| Candidate::new(word.text.clone(), &value.words, source.page, confidence))
    })
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
            .map(|(account, words)| {
                let is_alone = account::is_alone(&text(&words)) && !value.is_doubtful;
                (account, words, is_alone)
            })
        });
        let Some((account, words, is_alone)) = found else {
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
            .at_most_if(names_no_side || !is_alone, ReadConfidence::Medium)
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
    (choose(ReceiptField::Account, unmasked(candidates)), notices)
}

/// Accounts without those that are the ending of another one. If a masked one is the ending of none, all are in doubt.
fn unmasked(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let (masked, whole): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .partition(|it| it.value.contains('*'));
    if whole.is_empty() {
        return masked;
    }
    let is_other = |masked: &Candidate| {
        let (beginning, ending) = masked.value.split_once("****").unwrap_or_default();
        let is_shown = |whole: &str| whole.starts_with(beginning) && whole.ends_with(ending);
        !whole.iter().any(|whole| is_shown(&whole.value))
    };
    let others: Vec<_> = masked.into_iter().filter(is_other).collect();
    let is_doubted = !others.is_empty();
    let whole = whole.into_iter();
    let whole = whole.map(|it| it.at_most_if(is_doubted, ReadConfidence::Low));
    whole
        .chain(others.into_iter().map(|it| it.at_most(ReadConfidence::Low)))
        .collect()
}

fn shown(account: &AccountText) -> String {
    match account {
        AccountText::Whole { account, .. } => account.as_str().to_owned(),
        AccountText::Masked(masked) => masked.to_string(),
    }
}

fn is_checked(account: &AccountText) -> bool {
    matches!(account, AccountText::Whole { account, .. }
        if account.has_valid_check_digit() && !matches!(account, Account::Phone(_)))
}

/// Confidence in an account behind a label.
fn confidence_of(account: &AccountText) -> ReadConfidence {
    match account {
        AccountText::Masked(_)
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
    let is_foreign = sources.has_foreign_currency();
    let of_labels = |meanings: &[Meaning], confidence| {
        let labelled = sources.labelled(meanings).into_iter();
        let found = labelled.filter_map(move |source| {
            let (found, purity, value) = source.first(|value| {
                let (found, purity) = amount::of_value(&value.text())?;
                Some((found, purity, value))
            })?;
            // Cents in a smaller font may have been missed.
            let is_certain = (found.has_cents || !sources.is_drawn)
                && purity == Purity::Alone
                && !value.is_doubtful
                && !goes_on(value);
            let is_one_of_several = purity == Purity::OneOfSeveral || is_foreign;
            let candidate = Candidate::new(
                found.amount.to_string(),
                &value.words,
                source.page,
                confidence,
            );
            let candidate = candidate
                .at_most_if(!is_certain, ReadConfidence::Medium)
                .at_most_if(is_one_of_several, ReadConfidence::Low);
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

/// Returns `true` if digits stand below an amount that could be a part of it.
fn goes_on(value: &Value) -> bool {
    let below = text(&value.below);
    !below.is_empty()
        && below
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' '))
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
        let text: String = value.text().chars().take(MAX_VALUE_LENGTH).collect();
        text.chars()
            .any(char::is_alphabetic)
            .then(|| Candidate::new(text, &value.words, source.page, ReadConfidence::Medium))
    });
    choose(field, candidates.collect())
}
