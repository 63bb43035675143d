//! Dates and times as the portal's page spells them.

use super::{NaiveDate, NaiveTime};

const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Reads `08 de noviembre de 2024`.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [day, "de", month, "de", year] = words[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let digits = |text: &str, length| {
        let is_number = text.len() <= length && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u32>().ok()).flatten()
    };
    let year = i32::try_from(digits(year, 4)?).ok()?;
    NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()? + 1, digits(day, 2)?)
}

/// Reads `10:53:36 horas`, with or without the mark of a footnote.
pub(super) fn time(text: &str) -> Option<NaiveTime> {
    let text = text.trim().trim_end_matches('*');
    let text = text.strip_suffix("horas").unwrap_or(text);
    NaiveTime::parse_from_str(text.trim(), "%H:%M:%S").ok()
}
