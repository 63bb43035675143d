//! Parses dates in the usual formats of people and spreadsheets.

use std::borrow::Cow;

use super::error::CellErrorKind;

/// Converts a date to the API's format. The day comes before the month unless the year comes first.
/// Text that isn't a date is returned unchanged and refused later.
pub(super) fn spell(text: &str) -> Result<Cow<'_, str>, CellErrorKind> {
    let Some(separator) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return Ok(text.into());
    };
    let parts: Vec<_> = text.splitn(4, separator).collect();
    let [day, month, year] = parts[..] else {
        return Ok(text.into());
    };
    let is_short = |part: &str| matches!(part.len(), 1 | 2) && is_digits(part);
    let is_date = matches!(separator, '/' | '-' | '.')
        && is_short(day)
        && is_short(month)
        && year.len() == 4
        && is_digits(year);
    if !is_date {
        return Ok(text.into());
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or(0);
    if number(month) > 12 && (1..=12).contains(&number(day)) {
        return Err(CellErrorKind::MonthFirst);
    }
    Ok(format!("{year}-{month:0>2}-{day:0>2}").into())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
