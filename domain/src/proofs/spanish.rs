//! Dates, times and amounts in the format of the portal's page.

use chrono::{Datelike as _, NaiveDate, NaiveTime};

use crate::amount::centavos_from_bank_spelling;
use crate::calendar::MONTHS;

/// Formats a date like the portal's page: `08 de noviembre de 2024`.
pub fn printed_date(date: NaiveDate) -> String {
    let month = MONTHS[date.month0() as usize];
    format!("{:02} de {month} de {}", date.day(), date.year())
}

/// Parses the format of [`printed_date`].
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

/// Parses `10:53:36 horas`, with or without a trailing footnote mark `*`.
pub(super) fn time(text: &str) -> Option<NaiveTime> {
    let text = text.trim().trim_end_matches('*');
    let text = text.strip_suffix("horas").unwrap_or(text);
    NaiveTime::parse_from_str(text.trim(), "%H:%M:%S").ok()
}

/// Formats an amount like the portal's page: `$ 1,234.56`.
pub(super) fn printed_amount(centavos: u64) -> String {
    let mut integer = (centavos / 100).to_string();
    let mut place = integer.len();
    while place > 3 {
        place -= 3;
        integer.insert(place, ',');
    }
    format!("$ {integer}.{:02}", centavos % 100)
}

/// Parses the format of [`printed_amount`], with or without a trailing `MXN`, to centavos.
pub(super) fn centavos(text: &str) -> Option<u64> {
    let text = text.trim().strip_suffix("MXN").unwrap_or(text);
    let text = text.trim().strip_prefix('$').unwrap_or(text);
    centavos_from_bank_spelling(&text.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_spelled_out_in_spanish() {
        let day = NaiveDate::from_ymd_opt(2024, 11, 8).unwrap();
        assert_eq!(printed_date(day), "08 de noviembre de 2024");
    }

    #[test]
    fn amounts_are_grouped_by_thousands() {
        let amounts = [1, 99_900, 123_456, 123_456_780].map(printed_amount);
        let expected = "$ 0.01|$ 999.00|$ 1,234.56|$ 1,234,567.80";
        assert_eq!(amounts.join("|"), expected);
    }

    proptest! {
        #[test]
        fn every_date_is_read_as_it_is_written(days in 730_000..750_000_i32) {
            let day = NaiveDate::from_num_days_from_ce_opt(days).unwrap();
            prop_assert_eq!(date(&printed_date(day)), Some(day));
        }
    }
}
