//! Dates and times of day in a text.

use std::ops::Range;
use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, NaiveTime};
use regex::{Captures, Regex};

use crate::batches::sheet::date_of_text;
use crate::calendar;

/// Months whose letters are read as digits.
const MISREAD_MONTHS: [(&str, &str); 5] = [
    ("0ct", "oct"),
    ("n0v", "nov"),
    ("ag0", "ago"),
    ("ju1", "jul"),
    ("d1c", "dic"),
];

static DATES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?:^|[^0-9/.-])(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[^0-9/-]|$)",
        r"(?:^|[^0-9/.-])(?P<date>[0-9]{4}/[0-9]{1,2}/[0-9]{1,2})(?:[^0-9/-]|$)",
        r"(?:^|[^0-9/.-])(?P<date>[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2}))(?:[^0-9/-]|$)",
        r"(?:^|[^0-9/.-])(?P<date>[0-9]{1,2}-[0-9]{1,2}-(?:[0-9]{4}|[0-9]{2}))(?:[^0-9/-]|$)",
        r"(?:^|[^0-9/.-])(?P<date>[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4})(?:[^0-9/.-]|$)",
        r"(?:^|[^A-Za-zÁÉÍÓÚáéíóúÑñ0-9])(?P<date>[0-9]{1,2}(?: +de +| *[/. -] *)[A-Za-zÁÉÍÓÚáéíóúÑñ]{3,10}\.?,?(?: +del? +| *[/., -] *)(?:[0-9]{4}|[0-9]{2}))(?:[^0-9:]|$)",
        r"(?:^|[^A-Za-zÁÉÍÓÚáéíóúÑñ0-9])(?P<date>[A-Za-zÁÉÍÓÚáéíóúÑñ]{3,10}\.? +[0-9]{1,2},? +[0-9]{4})(?:[^0-9]|$)",
    ];
    let compiled = forms.map(|form| Regex::new(form).expect("a constant"));
    compiled.into()
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?:^|[^0-9:])(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?(?:\.[0-9]+)? *(?P<half>[AaPp][.]? ?[Mm])?",
    )
    .expect("a constant")
});
static INSTANT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})")
        .expect("a constant")
});

/// Words that stand beside a date without changing it.
const BESIDE: [&str; 29] = [
    "a", "las", "de", "del", "el", "h", "hr", "hrs", "hora", "horas", "am", "pm", "m", "p", "t",
    "lun", "lunes", "mar", "martes", "mie", "mié", "jue", "jueves", "vie", "viernes", "sab", "sáb",
    "dom", "domingo",
];

/// The first date of the value of a label, and whether the value is a date with a time of day and nothing else.
pub(in crate::receipts) fn of_value(text: &str) -> Option<(NaiveDate, bool)> {
    if let Some(instant) = INSTANT.find(text) {
        let date = all(text).first().copied()?;
        return Some((date, instant.as_str() == text.trim()));
    }
    let text = without_misread_months(text);
    let spans = spans(&text);
    let (span, date) = spans.first()?;
    let rest = format!("{} {}", &text[..span.start], &text[span.end..]);
    let rest = TIME.replace_all(&rest, " ");
    let mut words = rest
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    Some((*date, words.all(|word| BESIDE.contains(&word))))
}

/// All dates of a text, from left to right.
pub(in crate::receipts) fn all(text: &str) -> Vec<NaiveDate> {
    if let Some(instant) = instant(text) {
        return vec![calendar::mexico_city(instant).date()];
    }
    let text = without_misread_months(text);
    spans(&text).into_iter().map(|(_, date)| date).collect()
}

/// The text in lower case, with the letters of months.
fn without_misread_months(text: &str) -> String {
    let months = MISREAD_MONTHS.iter();
    months.fold(text.to_lowercase(), |text, (misread, month)| {
        text.replace(misread, month)
    })
}

/// All dates of a text with their places, from left to right.
fn spans(text: &str) -> Vec<(Range<usize>, NaiveDate)> {
    let mut found: Vec<(Range<usize>, NaiveDate)> = Vec::new();
    for form in &*DATES {
        let mut start = 0;
        // Matches overlap at the signs around them.
        while let Some(groups) = form.captures_at(text, start) {
            let Some(matched) = groups.name("date") else {
                break;
            };
            start = matched.end();
            let written = matched.as_str().replace([',', '.'], " ");
            let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
            let date = date_of_text(matched.as_str()).or_else(|| date_of_text(&written));
            found.extend(date.map(|date| (matched.range(), date)));
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found.dedup_by_key(|(span, _)| span.start);
    found
}

/// The first time of day of a text.
pub(in crate::receipts) fn time(text: &str) -> Option<NaiveTime> {
    if let Some(instant) = instant(text) {
        return Some(calendar::mexico_city(instant).time());
    }
    let groups = TIME.captures(text)?;
    let number = |name: &str| {
        groups
            .name(name)
            .map_or(Some(0), |it| it.as_str().parse().ok())
    };
    let hour = hour(number("hour")?, &groups);
    NaiveTime::from_hms_opt(hour, number("minute")?, number("second")?)
}

/// The hour of the day, where `a. m.` and `p. m.` tell the half.
fn hour(hour: u32, groups: &Captures<'_>) -> u32 {
    let half = groups
        .name("half")
        .map(|half| half.as_str().to_ascii_lowercase());
    match half {
        Some(half) if hour <= 12 && half.starts_with('p') => hour % 12 + 12,
        Some(_) if hour <= 12 => hour % 12,
        _ => hour,
    }
}

fn instant(text: &str) -> Option<DateTime<chrono::Utc>> {
    let instant = INSTANT.find(text)?;
    Some(
        DateTime::parse_from_rfc3339(instant.as_str())
            .ok()?
            .to_utc(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("20/nov/2026", &["2026-11-20"], None)]
    #[case("20 de noviembre de 2026, 10:53:36 h", &["2026-11-20"], Some("10:53:36"))]
    #[case("2026-11-20T10:53:36", &["2026-11-20"], Some("10:53:36"))]
    #[case("2026-11-21T02:53:36Z", &["2026-11-20"], Some("20:53:36"))]
    #[case("20/11/2026 10:53 a.m.", &["2026-11-20"], Some("10:53:00"))]
    #[case("20/11/26 12:05 p. m.", &["2026-11-20"], Some("12:05:00"))]
    #[case("viernes 20 nov. 2026 - 04:05 PM", &["2026-11-20"], Some("16:05:00"))]
    #[case("Nov 20, 2026", &["2026-11-20"], None)]
    #[case("20-nov-26", &["2026-11-20"], None)]
    #[case("20.11.2026", &["2026-11-20"], None)]
    #[case("20/11/2026 al 21/11/2026", &["2026-11-20", "2026-11-21"], None)]
    #[case("13/0ct/2026", &["2026-10-13"], None)]
    #[case("31/11/2026", &[], None)]
    #[case("002-20/11/2026/10-1234567890", &[], None)]
    #[case("12 345 2026", &[], None)]
    #[case("$1,234.56", &[], None)]
    fn dates_and_times_are_read(
        #[case] text: &str,
        #[case] dates: &[&str],
        #[case] hour: Option<&str>,
    ) {
        let found: Vec<_> = all(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, dates);
        assert_eq!(time(text).map(|it| it.to_string()).as_deref(), hour);
    }

    #[rstest]
    #[case("20/nov/2026, 10:53:36 h", true)]
    #[case("viernes 20 de noviembre de 2026 a las 10:53 a. m.", true)]
    #[case("2026-11-20T10:53:36", true)]
    #[case("2026-11-20T16:53:36Z", true)]
    #[case("de impresión: 20/11/2026", false)]
    #[case("20/11/2026 al 21/11/2026", false)]
    #[case("1 20/11/2026", false)]
    fn a_value_is_a_date_alone_or_with_more(#[case] text: &str, #[case] is_alone: bool) {
        let date = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        assert_eq!(of_value(text), Some((date, is_alone)));
    }

    #[rstest]
    #[case("vie 20 nov, 10:53")]
    #[case("20 nov 18:05")]
    fn an_hour_is_no_year(#[case] text: &str) {
        assert_eq!(of_value(text), None);
    }
}
