//! Dates inside tracking keys.

use chrono::{Datelike, NaiveDate};

/// Date format in a tracking key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateForm {
    /// Year, month and day: `20261120`.
    YearMonthDay,
    /// Two-digit year, month and day: `261120`.
    ShortYearMonthDay,
    /// Day, month and year: `20112026`, also with separators.
    DayMonthYear,
    /// Day of the year, without the year: `324`.
    DayOfYear,
}

impl DateForm {
    /// Names of the capture groups of dates in shapes, and their formats.
    pub(super) const GROUPS: [(&str, Self); 5] = [
        ("d8", Self::YearMonthDay),
        ("d6", Self::ShortYearMonthDay),
        ("dmy", Self::DayMonthYear),
        ("dmy8", Self::DayMonthYear),
        ("doy", Self::DayOfYear),
    ];

    /// Parses `text`. Without a year, the date nearest to `near` is used. `None` if there is no such
    /// date.
    pub(super) fn read(self, text: &str, near: NaiveDate) -> Option<NaiveDate> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let number = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
        let year = |from, to| i32::try_from(number(from, to)?).ok();
        match self {
            Self::YearMonthDay => {
                NaiveDate::from_ymd_opt(year(0, 4)?, number(4, 6)?, number(6, 8)?)
            }
            Self::ShortYearMonthDay => {
                NaiveDate::from_ymd_opt(2000 + year(0, 2)?, number(2, 4)?, number(4, 6)?)
            }
            Self::DayMonthYear => {
                NaiveDate::from_ymd_opt(year(4, 8)?, number(2, 4)?, number(0, 2)?)
            }
            Self::DayOfYear => {
                let ordinal = number(0, 3)?;
                (near.year() - 1..=near.year() + 1)
                    .filter_map(|year| NaiveDate::from_yo_opt(year, ordinal))
                    .min_by_key(|date| days_apart(*date, near))
            }
        }
    }
}

/// All dates with a four-digit year at any position in `text`, from left to right.
pub(super) fn scan(text: &str, near: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    let windows = (0..text.len()).filter_map(|from| text.get(from..from + 8));
    windows
        .filter(|window| window.bytes().all(|b| b.is_ascii_digit()))
        .flat_map(move |window| {
            [DateForm::YearMonthDay, DateForm::DayMonthYear]
                .into_iter()
                .filter_map(move |form| form.read(window, near))
        })
}

/// Days between two dates, in either order.
pub(super) fn days_apart(one: NaiveDate, other: NaiveDate) -> u64 {
    (one - other).num_days().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::day;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(DateForm::YearMonthDay, &["20261120"], Some("2026-11-20"))]
    #[case(DateForm::YearMonthDay, &["20261320", ""], None)]
    #[case(DateForm::ShortYearMonthDay, &["261120"], Some("2026-11-20"))]
    #[case(DateForm::ShortYearMonthDay, &["269999"], None)]
    #[case(DateForm::DayMonthYear, &["20112026", "20/11/2026"], Some("2026-11-20"))]
    #[case(DateForm::DayMonthYear, &["31/11/2026"], None)]
    #[case(DateForm::DayOfYear, &["324"], Some("2026-11-20"))]
    #[case(DateForm::DayOfYear, &["002"], Some("2027-01-02"))]
    #[case(DateForm::DayOfYear, &["000", "367"], None)]
    fn each_form_is_read(
        #[case] form: DateForm,
        #[case] texts: &[&str],
        #[case] expected: Option<&str>,
    ) {
        for text in texts {
            let read = form.read(text, day("2026-11-25"));
            assert_eq!(read, expected.map(day), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_date_is_found_wherever_it_stands(
            before in "[A-Z]{0,10}", after in "[A-Z]{0,10}", days in 0_u64..9_000,
        ) {
            let date = day("2004-08-13") + chrono::Days::new(days);
            for form in ["%Y%m%d", "%d%m%Y"] {
                let key = format!("{before}{}{after}", date.format(form));
                prop_assert!(scan(&key, date).any(|found| found == date));
            }
        }

        #[test]
        fn any_text_is_scanned_without_panic(text in "\\PC*") {
            let _ = scan(&text, day("2026-11-20")).count();
        }
    }
}
