//! Parses dates in the usual formats of people, spreadsheets and banks.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use chrono::{Days, NaiveDate};

use crate::calendar::MONTHS;

use super::error::CellErrorKind;

/// The months' names in English.
const ENGLISH: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 9] = [
    "lunes",
    "martes",
    "miercoles",
    "miércoles",
    "jueves",
    "viernes",
    "sabado",
    "sábado",
    "domingo",
];
/// Day of which spreadsheets count the days, but for Excel's before March 1900 (`OpenDocument` 1.3, part 4, 4.3.3).
const EPOCH: NaiveDate = NaiveDate::from_ymd_opt(1899, 12, 30).expect("a day");
/// Serial numbers that are taken for dates: 2000-01-01 to 2099-12-31.
const SERIALS: RangeInclusive<u64> = 36_526..=73_050;

/// Converts a date to the API's format. The day comes before the month unless the year comes first or the month
/// is a name; a year of two digits is of this century; a time of day is dropped. A number of five digits is the day
/// that a spreadsheet stores as this number. Text that isn't a date is returned unchanged and refused later.
pub(super) fn spell(text: &str) -> Result<Cow<'_, str>, CellErrorKind> {
    if let Some(day) = of_serial(text) {
        return Ok(day.to_string().into());
    }
    let date = without_time(text);
    let Some(Parts { year, month, day }) = numeric(date).or_else(|| worded(date)) else {
        return Ok(text.into());
    };
    if month > 12 && (1..=12).contains(&day) {
        return Err(CellErrorKind::MonthFirst);
    }
    Ok(format!("{year}-{month:02}-{day:02}").into())
}

/// The day of a text that is a date alone, in the same formats, but for numbers of days.
pub(crate) fn date_of_text(text: &str) -> Option<NaiveDate> {
    let Parts { year, month, day } = numeric(text).or_else(|| worded(text))?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
}

/// The day of a serial number, whose fraction is a time of day: `46346`, `46346.0` or `46346,5`.
pub(super) fn of_serial(text: &str) -> Option<NaiveDate> {
    let (days, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    if days.len() != 5 || !is_digits(days) || !is_digits(fraction) {
        return None;
    }
    let days = days.parse().ok().filter(|days| SERIALS.contains(days))?;
    EPOCH.checked_add_days(Days::new(days))
}

/// Serial number of a day, as which spreadsheets store it.
pub fn serial_number(day: NaiveDate) -> i64 {
    day.signed_duration_since(EPOCH).num_days()
}

/// A date that may not exist.
struct Parts {
    year: u32,
    month: u32,
    day: u32,
}

/// The text without a time of day after it, such as `10:53`, `T00:00:00.000` or `, 10:53:36 a. m.`. A time with
/// an offset is kept, for its date may be another one in Mexico.
fn without_time(text: &str) -> &str {
    let Some(colon) = text.find(':') else {
        return text;
    };
    let hour = text[..colon].trim_end_matches(|c: char| c.is_ascii_digit());
    let hour_digits = colon - hour.len();
    let date = hour.strip_suffix('T').unwrap_or(hour).trim_end();
    let is_apart = date.len() < hour.len();
    let date = date.strip_suffix([',', '-']).unwrap_or(date).trim_end();
    let is_time = is_apart && matches!(hour_digits, 1 | 2) && is_minutes(&text[colon + 1..]);
    if is_time { date } else { text }
}

/// Returns `true` for what follows the hour and its colon: minutes, seconds, and half of the day or unit.
fn is_minutes(text: &str) -> bool {
    let numbers = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit: String = text[numbers.len()..]
        .chars()
        .filter(|c| c.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    let is_unit = matches!(
        &*unit,
        "" | "am" | "pm" | "h" | "hr" | "hrs" | "hora" | "horas"
    );
    let is_written = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.');
    is_unit && !numbers.is_empty() && numbers.chars().all(is_written)
}

/// Reads `20/11/2026`, `20-11-26` or `2026/11/20`.
fn numeric(text: &str) -> Option<Parts> {
    let separator = text.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<_> = text.split(separator).collect();
    let [first, month, last] = parts[..] else {
        return None;
    };
    if !matches!(separator, '/' | '-' | '.') {
        return None;
    }
    let (day, year) = match first.len() {
        4 => (last, first),
        _ => (first, last),
    };
    Some(Parts {
        year: full_year(year)?,
        month: short(month)?,
        day: short(day)?,
    })
}

/// Reads a date with the month's name or its first letters: `03-nov-26`, `20 de noviembre de 2026`,
/// `Nov 20, 2026`.
fn worded(text: &str) -> Option<Parts> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '-' | '.' | ','));
    let words = words.map(str::to_lowercase);
    let words = words.filter(|word| !matches!(&**word, "" | "de" | "del") && !is_weekday(word));
    let words: Vec<_> = words.take(4).collect();
    let [first, second, year] = &words[..] else {
        return None;
    };
    let (day, month) = match month(second) {
        Some(month) => (first, month),
        None => (second, month(first)?),
    };
    Some(Parts {
        year: full_year(year)?,
        month,
        day: short(day)?,
    })
}

fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// The month whose name begins with at least three letters of the text.
fn month(word: &str) -> Option<u32> {
    let is_name = |name: &&str| word.len() >= 3 && name.starts_with(word);
    let position = |names: [&str; 12]| names.iter().position(is_name);
    let place = position(MONTHS).or_else(|| position(ENGLISH))?;
    u32::try_from(place + 1).ok()
}

/// A number of one or two digits.
fn short(text: &str) -> Option<u32> {
    (text.len() <= 2 && is_digits(text)).then(|| text.parse().ok())?
}

/// A year of four digits, or of the two of this century.
fn full_year(text: &str) -> Option<u32> {
    let year: u32 = is_digits(text).then(|| text.parse().ok())??;
    match text.len() {
        4 => Some(year),
        2 => Some(2000 + year),
        _ => None,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
