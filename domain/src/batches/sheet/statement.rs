//! Payments in bank statements, which tell tracking key and account in a text and the amount in one of two columns;
//! and results of a batch.

use crate::account::Account;
use crate::folding;
use crate::participants::inference;
use crate::query::Token;
use crate::shown::is_hidden;
use crate::tracking_key::TrackingKey;

use super::row::RawCells;

/// Code of the state of a row whose proof was delivered.
const DELIVERED: &str = "delivered";
/// Code of the verdict on a valid seal.
const VALID: &str = "valid";
/// Words before a tracking key, without accents.
const LABELS: [&str; 2] = ["RASTREO", "RAST"];
/// Fewest characters of a tracking key that is known by its label alone: shorter ones are references.
const LEAST_KEY: usize = 8;
/// Fewest digits of an account, which is a phone number then.
const LEAST_DIGITS: usize = 10;
/// Digits of a CLABE.
const CLABE: usize = 18;

/// Returns `true` for a row of results whose proof was delivered with a valid seal, as the file says.
pub(super) fn is_answered(cells: &RawCells<'_>) -> bool {
    let says = |cell: &Token<'_>, word: &str| matches!(cell, Token::Text(it) if it.trim() == word);
    says(&cells.state, DELIVERED) && says(&cells.seal, VALID)
}

/// Takes an absent tracking key and account from the text. Returns `false` if neither is there, and the text has
/// nothing that could be one: then the row is no payment. A payment whose text is unclear stays a faulty row.
pub(super) fn fill(cells: &mut RawCells<'_>) -> bool {
    let Token::Text(text) = std::mem::take(&mut cells.text) else {
        return true;
    };
    let tracking_key = tracking_key(&text);
    let query = &mut cells.query;
    if is_absent(&query.account) {
        query.account = token(account(&text, tracking_key));
    }
    if is_absent(&query.tracking_key) {
        query.tracking_key = token(tracking_key);
    }
    !is_absent(&query.account) || !is_absent(&query.tracking_key) || may_hold_payment(&text)
}

/// Returns `true` for a text with the label of a tracking key, or with as many digits as a key or an account has.
pub(super) fn may_hold_payment(text: &str) -> bool {
    let digits = text.chars().filter(|c| c.is_numeric()).count();
    digits >= LEAST_DIGITS || words(text).any(is_label)
}

/// Takes an absent amount from the one of charge and credit that isn't empty.
pub(super) fn fill_amount(cells: &mut RawCells<'_>) {
    if !is_absent(&cells.query.amount) {
        return;
    }
    let [charge, credit] = [&mut cells.charge, &mut cells.credit].map(std::mem::take);
    cells.query.amount = match (is_nothing(&charge), is_nothing(&credit)) {
        (false, false) => match (charge, credit) {
            // No amount: the row says so.
            (Token::Text(charge), Token::Text(credit)) => {
                Token::Text(format!("{} / {}", charge.trim(), credit.trim()).into())
            }
            (charge, _) => charge,
        },
        (false, true) => charge,
        (true, _) => credit,
    };
}

fn token(text: Option<&str>) -> Token<'static> {
    text.map_or(Token::Absent, |text| Token::Text(text.to_owned().into()))
}

fn is_absent(token: &Token<'_>) -> bool {
    match token {
        Token::Absent => true,
        Token::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Returns `true` for an empty cell, a dash or zero.
fn is_nothing(token: &Token<'_>) -> bool {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '0' | '.' | ',' | '-' | '$');
    match token {
        Token::Absent => true,
        Token::Text(text) => text.chars().all(is_mark),
        _ => false,
    }
}

/// The words of a text: letters, digits and hyphens.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| !word.is_empty())
}

/// The tracking key of a text: the only word that stands after a label or has the shape of a bank's keys. The payer
/// writes a part of the text, so a second key, labelled or not, leaves none certain.
fn tracking_key(text: &str) -> Option<&str> {
    if text.contains(is_hidden) {
        return None;
    }
    let mut is_labelled = false;
    let keys = words(text).filter(|word| {
        let follows_label = std::mem::replace(&mut is_labelled, is_label(word));
        let key = TrackingKey::parse(word)
            .ok()
            .filter(|_| word.len() >= LEAST_KEY && word.bytes().any(|byte| byte.is_ascii_digit()));
        let key = key.filter(|_| !is_clabe(word));
        key.is_some_and(|key| follows_label || inference::has_known_shape(&key))
    });
    only(keys)
}

/// The CLABE of a text: its only one with a valid check digit, if nothing else but the tracking key could be an
/// account. Otherwise a CLABE that the payer wrote would be taken for one that the bank wrote in another way.
fn account<'a>(text: &'a str, tracking_key: Option<&str>) -> Option<&'a str> {
    let clabe = only(words(text).filter(|word| is_clabe(word)))?;
    let is_taken = |word: &str| word == clabe || Some(word) == tracking_key;
    let is_mask = |c: char| matches!(c, '*' | '•' | '…');
    // Digits of an account may be apart, and glued to a word.
    let mut digits = 0;
    for word in text.split(|c: char| c.is_whitespace() || c == '-') {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        if is_taken(word) {
            digits = 0;
            continue;
        }
        let own = word.chars().filter(|c| c.is_numeric()).count();
        let is_number = word.chars().all(|c| c.is_numeric() || c == '.');
        digits = if is_number { digits + own } else { own };
        if digits >= LEAST_DIGITS {
            return None;
        }
    }
    (!text.contains(is_mask) && !text.contains(is_hidden)).then_some(clabe)
}

fn is_label(word: &str) -> bool {
    LABELS.contains(&&*folding::folded(word).collect::<String>())
}

fn is_clabe(word: &str) -> bool {
    let account = (word.len() == CLABE)
        .then(|| Account::parse(word).ok())
        .flatten();
    account.is_some_and(|account| account.has_valid_check_digit())
}

/// The first of some words if all are equal, whatever their case.
fn only<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = words.next()?;
    let is_first = |word: &str| word.eq_ignore_ascii_case(first);
    words.all(is_first).then_some(first)
}
