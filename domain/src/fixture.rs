//! Values shared by the tests of many modules.

use chrono::NaiveDate;

use crate::calendar::parse_date;
use crate::keys::HashGeneration;
use crate::participants::ParticipantCode;

pub(crate) fn day(text: &str) -> NaiveDate {
    parse_date(text).expect("a day of the calendar")
}

pub(crate) fn code(text: &str) -> ParticipantCode {
    ParticipantCode::parse(text).expect("a code of five digits")
}

/// Secrets of the given generations; each one repeats its generation number as a byte.
pub(crate) fn secrets(generations: &[u8]) -> Vec<(HashGeneration, Vec<u8>)> {
    let secret = |byte: &u8| (HashGeneration(u16::from(*byte)), vec![*byte; 32]);
    generations.iter().map(secret).collect()
}
