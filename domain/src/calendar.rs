//! Dates in SPEI: Mexico City's calendar, banking days and the operation date.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
use chrono_tz::America::Mexico_City;

/// A transfer accepted at or after this time belongs to the next banking day.
pub const OPERATION_DAY_ENDS: NaiveTime = NaiveTime::from_hms_opt(18, 0, 0).expect("a time of day");

/// Earliest accepted date of a transfer; SPEI began on 13 August 2004.
pub const EARLIEST: NaiveDate = NaiveDate::from_ymd_opt(2004, 1, 1).expect("a day");

/// Error of parsing a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DateError {
    /// The text isn't of the form `YYYY-MM-DD`.
    #[error("must be written YYYY-MM-DD, for example 2025-02-03")]
    Malformed,
    /// The form is right, but the day doesn't exist, for example `2025-02-30`.
    #[error("no such day in the calendar")]
    NoSuchDay,
    /// The date is before [`EARLIEST`].
    #[error("must not be before {EARLIEST}")]
    TooEarly,
    /// The date is after today in Mexico City.
    #[error("must not be after today in Mexico City ({today})")]
    InFuture {
        /// Today in Mexico City.
        today: NaiveDate,
    },
}

/// Parses `YYYY-MM-DD`, zero-padded; no other form is accepted.
///
/// # Errors
/// [`DateError::Malformed`] or [`DateError::NoSuchDay`].
pub fn parse_date(text: &str) -> Result<NaiveDate, DateError> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !shaped {
        return Err(DateError::Malformed);
    }
    NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| DateError::NoSuchDay)
}

/// The months' names in Spanish.
pub(crate) const MONTHS: [&str; 12] = [
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

/// Parses `YYYY-MM-DD`, from [`EARLIEST`] to `today` in Mexico City.
///
/// # Errors
/// See [`DateError`].
pub fn parse_past_date(text: &str, today: NaiveDate) -> Result<NaiveDate, DateError> {
    let date = parse_date(text)?;
    if date < EARLIEST {
        return Err(DateError::TooEarly);
    }
    if date > today {
        return Err(DateError::InFuture { today });
    }
    Ok(date)
}

/// The local time in Mexico City at an instant.
pub fn mexico_city(instant: DateTime<Utc>) -> NaiveDateTime {
    instant.with_timezone(&Mexico_City).naive_local()
}

/// Today in Mexico City.
pub fn today(now: DateTime<Utc>) -> NaiveDate {
    mexico_city(now).date()
}

/// The operation date of a transfer made at a local time in Mexico City: the same day before 18:00 on a
/// banking day, otherwise the next banking day.
pub fn operation_date(local: NaiveDateTime) -> NaiveDate {
    let date = local.date();
    if is_banking_day(date) && local.time() < OPERATION_DAY_ENDS {
        return date;
    }
    next_banking_day(date)
}

/// The first banking day after `date`.
pub fn next_banking_day(date: NaiveDate) -> NaiveDate {
    date.iter_days()
        .skip(1)
        .find(|day| is_banking_day(*day))
        .unwrap_or(date)
}

/// Returns `true` if banks in Mexico are open on `date`: neither a weekend nor one of the
/// [`HOLIDAYS`].
pub fn is_banking_day(date: NaiveDate) -> bool {
    !matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
        && !HOLIDAYS.iter().any(|(_, rule)| rule.falls_on(date))
}

/// Returns `true` if fewer than `days` banking days have begun after `date`, up to and including `today`. Also
/// for a `date` after `today`.
pub fn is_younger_than(date: NaiveDate, days: usize, today: NaiveDate) -> bool {
    let later = date.iter_days().skip(1).take_while(|day| *day <= today);
    later.filter(|day| is_banking_day(*day)).take(days).count() < days
}

/// Rule for the date of a holiday in a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolidayRule {
    /// The same month and day each year.
    Fixed(u32, u32),
    /// The n-th Monday (n from 1) of a month.
    Monday {
        /// Month, 1–12.
        month: u32,
        /// Index of the Monday in the month, from 1.
        nth: u8,
    },
    /// A number of days before Easter Sunday.
    BeforeEaster(u64),
    /// The same month and day in every sixth year.
    EverySixYears {
        /// The first year in which it is a holiday.
        from: i32,
        /// Month, 1–12.
        month: u32,
        /// Day of the month.
        day: u32,
    },
}

/// Holidays on which financial institutions close. The banking commission (CNBV) sets them each year in
/// its *Disposiciones de carácter general que señalan los días del año en que las entidades financieras
/// … deberán cerrar sus puertas y suspender operaciones* (Diario Oficial de la Federación); SPEI's
/// banking days follow it. The inauguration day moved from 1 December to 1 October in 2024 (Ley Federal
/// del Trabajo, article 74).
pub const HOLIDAYS: [(&str, HolidayRule); 12] = [
    ("Año Nuevo", HolidayRule::Fixed(1, 1)),
    (
        "Día de la Constitución",
        HolidayRule::Monday { month: 2, nth: 1 },
    ),
    (
        "Natalicio de Benito Juárez",
        HolidayRule::Monday { month: 3, nth: 3 },
    ),
    ("Jueves Santo", HolidayRule::BeforeEaster(3)),
    ("Viernes Santo", HolidayRule::BeforeEaster(2)),
    ("Día del Trabajo", HolidayRule::Fixed(5, 1)),
    ("Independencia", HolidayRule::Fixed(9, 16)),
    (
        "Transmisión del Poder Ejecutivo",
        HolidayRule::EverySixYears {
            from: 2024,
            month: 10,
            day: 1,
        },
    ),
    ("Día de Muertos", HolidayRule::Fixed(11, 2)),
    ("Revolución", HolidayRule::Monday { month: 11, nth: 3 }),
    ("Día del Empleado Bancario", HolidayRule::Fixed(12, 12)),
    ("Navidad", HolidayRule::Fixed(12, 25)),
];

impl HolidayRule {
    /// Returns `true` if the holiday is on `date`.
    pub fn falls_on(self, date: NaiveDate) -> bool {
        match self {
            Self::Fixed(month, day) => (date.month(), date.day()) == (month, day),
            Self::Monday { month, nth } => {
                NaiveDate::from_weekday_of_month_opt(date.year(), month, Weekday::Mon, nth)
                    == Some(date)
            }
            Self::BeforeEaster(days) => {
                date.checked_add_days(Days::new(days)) == easter(date.year())
            }
            Self::EverySixYears { from, month, day } => {
                date.year() >= from
                    && (date.year() - from) % 6 == 0
                    && (date.month(), date.day()) == (month, day)
            }
        }
    }
}

/// Easter Sunday of a Gregorian year (the anonymous algorithm of Meeus, Jones and Butcher).
fn easter(year: i32) -> Option<NaiveDate> {
    let golden = year % 19;
    let (century, rest) = (year / 100, year % 100);
    let moon =
        (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7;
    let shift = (golden + 11 * moon + 22 * weekday) / 451;
    let day_of_march = moon + weekday - 7 * shift + 22;
    let march_first = NaiveDate::from_ymd_opt(year, 3, 1)?;
    march_first.checked_add_days(Days::new(u64::try_from(day_of_march - 1).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn day(text: &str) -> NaiveDate {
        parse_date(text).unwrap()
    }

    #[rstest]
    #[case(DateError::Malformed, &["2025-2-3", "03-02-2025", "2025-02-3x", "２０２５-02", ""])]
    #[case(DateError::NoSuchDay, &["2025-02-30", "2025-13-01"])]
    fn an_invalid_date_is_refused(#[case] reason: DateError, #[case] texts: &[&str]) {
        for text in texts {
            assert_eq!(parse_date(text), Err(reason), "{text}");
        }
    }

    #[rstest]
    #[case("0001-01-01", Err(DateError::TooEarly))]
    #[case("2003-12-31", Err(DateError::TooEarly))]
    #[case("2004-01-01", Ok(()))]
    #[case("2026-11-20", Ok(()))]
    #[case("2026-11-21", Err(DateError::InFuture { today: day("2026-11-20") }))]
    fn a_date_to_ask_for_is_of_spei_and_not_in_the_future(
        #[case] text: &str,
        #[case] expected: Result<(), DateError>,
    ) {
        let read = parse_past_date(text, day("2026-11-20"));
        assert_eq!(read, expected.map(|()| day(text)));
    }

    #[test]
    fn today_is_mexico_citys() {
        let late_in_utc = DateTime::from_timestamp(1_763_700_000, 0).unwrap(); // 2025-11-21T04:40Z
        assert_eq!(today(late_in_utc), day("2025-11-20"));
    }

    #[rstest]
    #[case("2026-11-20T17:59:59", "2026-11-20")]
    #[case("2026-11-20T18:00:00", "2026-11-23")] // a Friday evening
    #[case("2026-11-21T09:00:00", "2026-11-23")] // a Saturday
    #[case("2024-11-07T18:02:30", "2024-11-08")]
    #[case("2026-11-13T20:00:00", "2026-11-17")] // the Monday is Revolution Day
    #[case("2026-04-01T18:30:00", "2026-04-06")] // before Holy Thursday
    #[case("2025-12-31T23:00:00", "2026-01-02")]
    #[case("2024-10-01T10:00:00", "2024-10-02")] // inauguration
    #[case("2018-10-01T10:00:00", "2018-10-01")]
    fn the_operation_date_follows_the_banking_calendar(#[case] made: &str, #[case] expected: &str) {
        let made = NaiveDateTime::parse_from_str(made, "%Y-%m-%dT%H:%M:%S").unwrap();
        assert_eq!(operation_date(made), day(expected));
    }

    #[rstest]
    #[case("2026-11-20", true)]
    #[case("2026-11-24", true)] // the payment of an evening belongs to a later day
    #[case("2026-11-18", true)]
    #[case("2026-11-17", false)] // Wednesday, Thursday and Friday are three
    #[case("2026-11-13", false)]
    #[case("2004-01-01", false)]
    fn age_is_counted_in_banking_days(#[case] date: &str, #[case] is_younger: bool) {
        assert_eq!(is_younger_than(day(date), 3, day("2026-11-20")), is_younger);
    }

    #[test]
    fn neither_a_weekend_nor_a_holiday_makes_anything_older() {
        // Monday 16 November is Revolution Day: Friday to Tuesday is one banking day.
        assert!(is_younger_than(day("2026-11-13"), 2, day("2026-11-17")));
        assert!(!is_younger_than(day("2026-11-13"), 1, day("2026-11-17")));
        assert!(is_younger_than(day("2026-11-13"), 1, day("2026-11-16")));
    }

    #[test]
    fn easter_is_where_the_almanac_has_it() {
        let sundays = [
            "2019-04-21",
            "2024-03-31",
            "2025-04-20",
            "2026-04-05",
            "2038-04-25",
        ];
        for sunday in sundays.map(day) {
            assert_eq!(easter(sunday.year()), Some(sunday));
        }
    }

    proptest! {
        #[test]
        fn an_operation_date_is_a_banking_day_not_before_the_transfer(
            days in 0_u64..20_000, seconds in 0_u32..86_400,
        ) {
            let date = day("2004-08-13").checked_add_days(Days::new(days)).unwrap();
            let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0).unwrap();
            let operation = operation_date(date.and_time(time));
            prop_assert!(is_banking_day(operation));
            prop_assert!(operation >= date);
            prop_assert!((operation - date).num_days() <= 6);
        }
    }
}
