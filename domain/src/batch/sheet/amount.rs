//! Amounts as people write them.

use std::borrow::Cow;

use super::error::CellErrorKind;

/// Signs and words of the currency, which may stand before or after the number.
const CURRENCY: [&str; 6] = ["MXN", "MX$", "$", "M.N.", "MN", "pesos"];

/// Spells an amount as the API wants it, with a decimal point alone. What is no amount stays as it is, and
/// is refused later.
///
/// Commas, points and blanks may separate groups of three digits. Since an amount has two decimals at most,
/// `1,234` has none and `1234,5` has one; `1.234` may be either, and is refused.
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

/// The number without its currency and the blanks around it.
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

/// Splits a number at its decimal sign, if it has one; `None` if that can't be told.
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
        // Groups alone: 1,234,567 or 1.234.567.
        (_, 3) if repeats => Some((number, None)),
        // Signs of both kinds, repeated: 1.234,567.890.
        _ if repeats => None,
        // As a decimal sign it would leave three decimals.
        (",", 3) if !mixes => Some((number, None)),
        (_, 3) if is_one_group(integer) => None,
        // Too many decimals are refused later, with the point as the sign.
        (".", _) | (_, 1 | 2) => decimal,
        _ => None,
    }
}

/// Returns `true` if the digits before the sign could be the first group of a number.
fn is_one_group(integer: &str) -> bool {
    integer.len() <= 3 && !integer.starts_with('0')
}

/// The digits of whole pesos without the separators of groups; `None` if the groups aren't all of three
/// digits, or are separated by different signs.
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
