//! Parses amounts in the usual handwritten and spreadsheet formats.

use std::borrow::Cow;

use crate::amount::Amount;

use super::error::CellErrorKind;

/// Currency signs and words, which may precede or follow the number.
const CURRENCY: [&str; 6] = ["MXN", "MX$", "$", "M.N.", "MN", "pesos"];

/// Converts an amount to the API's format, with only a decimal point. Text that isn't an amount is
/// returned unchanged and refused later.
///
/// Commas, points and blanks may separate groups of three digits. An amount has at most two decimals,
/// so in `1,234` the comma separates groups, and in `1234,5` it is the decimal sign; `1.234` is
/// ambiguous and refused.
pub(super) fn spell(text: &str) -> Result<Cow<'_, str>, CellErrorKind> {
    let number = without_currency(text);
    let is_written = |c: char| c.is_ascii_digit() || is_separator(c);
    if !number.starts_with(|c: char| c.is_ascii_digit()) || !number.chars().all(is_written) {
        return Ok(number.into());
    }
    let (integer, fraction) = split(number).ok_or(CellErrorKind::AmbiguousAmount)?;
    let digits = ungrouped(integer).ok_or(CellErrorKind::AmbiguousAmount)?;
    Ok(match fraction {
        None => digits,
        Some(fraction) => format!("{digits}.{fraction}").into(),
    })
}

/// The amount of a text that is one alone, in the same formats.
pub(crate) fn amount_of_text(text: &str) -> Option<Amount> {
    Amount::parse(&spell(text).ok()?).ok()
}

/// The number without its currency and surrounding blanks.
fn without_currency(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let before = rest;
        for sign in CURRENCY {
            if let Some(start) = rest.get(..sign.len())
                && start.eq_ignore_ascii_case(sign)
            {
                rest = rest[sign.len()..].trim_start();
            }
            let end = rest.len().wrapping_sub(sign.len());
            if let Some(last) = rest.get(end..)
                && last.eq_ignore_ascii_case(sign)
            {
                rest = rest[..end].trim_end();
            }
        }
        if rest == before {
            return rest;
        }
    }
}

/// Splits a number at its decimal sign, if it has one; `None` if that is ambiguous.
fn split(number: &str) -> Option<(&str, Option<&str>)> {
    let Some(index) = number.rfind(['.', ',']) else {
        return Some((number, None));
    };
    let sign = &number[index..=index];
    let (integer, fraction) = (&number[..index], &number[index + 1..]);
    let decimal = Some((integer, Some(fraction)));
    let repeats = integer.contains(sign);
    let mixes = integer.contains(['.', ',']);
    match (sign, fraction.len()) {
        // Only groups: 1,234,567 or 1.234.567.
        (_, 3) if repeats => Some((number, None)),
        // A repeated sign mixed with the other: 1.234,567.890.
        _ if repeats => None,
        // It can't be the decimal sign, because there would be three decimals.
        (",", 3) if !mixes => Some((number, None)),
        (_, 3) if is_one_group(integer) => None,
        // A point is the decimal sign; too many decimals are refused later.
        (".", _) | (_, 1 | 2) => decimal,
        _ => None,
    }
}

/// Returns `true` if the digits could be the first group of a grouped number.
fn is_one_group(integer: &str) -> bool {
    integer.len() <= 3 && !integer.starts_with('0')
}

/// The digits of whole pesos without group separators; `None` if a group doesn't have three digits or
/// the separators differ.
fn ungrouped(integer: &str) -> Option<Cow<'_, str>> {
    let Some(separator) = integer.chars().find(|c| is_separator(*c)) else {
        return Some(integer.into());
    };
    let mut groups = integer.split(separator);
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let is_grouped = matches!(first.len(), 1..=3)
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && is_digits(group));
    is_grouped.then(|| integer.chars().filter(char::is_ascii_digit).collect())
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',') || c.is_whitespace()
}
