//! Values of a proof's fields, and their spellings in its XML, its original chain and its printed page.

use std::fmt;

use chrono::{NaiveDate, NaiveTime};

use super::field::{Kind, ProofField};
use super::spanish;
use crate::amount::{centavos_from_bank_spelling, pesos};
use crate::calendar;
use crate::participants::ParticipantCode;

/// Value of a field. `Display` writes it as in the JSON.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u16),
    Date(NaiveDate),
    Time(NaiveTime),
    Participant(ParticipantCode),
    Centavos(u64),
    Text(String),
}

/// Spelling of values, by where they stand.
#[derive(Clone, Copy)]
pub(crate) enum Spelling {
    Xml,
    Chain,
    Page,
}

impl Value {
    /// Parses a field's text; `None` if it can't be read, or if the proof marks the value as missing.
    pub(crate) fn read(field: ProofField, text: &str, spelling: Spelling) -> Option<Self> {
        let trimmed = text.trim();
        Some(match field.kind() {
            Kind::Number => Self::Number(trimmed.parse().ok()?),
            Kind::Date => Self::Date(match spelling {
                Spelling::Xml => calendar::parse_date(trimmed).ok()?,
                Spelling::Chain => day_month_year(trimmed)?,
                Spelling::Page => spanish::date(trimmed)?,
            }),
            Kind::Time => Self::Time(match spelling {
                Spelling::Xml => NaiveTime::parse_from_str(trimmed, "%H:%M:%S").ok()?,
                Spelling::Chain => NaiveTime::parse_from_str(trimmed, "%H%M%S").ok()?,
                Spelling::Page => spanish::time(trimmed)?,
            }),
            Kind::Participant => Self::Participant(ParticipantCode::parse(trimmed)?),
            Kind::Centavos => Self::Centavos(match spelling {
                Spelling::Xml | Spelling::Chain => centavos_from_bank_spelling(trimmed)?,
                Spelling::Page => spanish::centavos(trimmed)?,
            }),
            Kind::Text => Self::Text(given(trimmed)?.to_owned()),
            Kind::Verbatim if text.is_empty() => return None,
            Kind::Verbatim => Self::Text(text.to_owned()),
        })
    }

    /// Returns `true` if both are the same but for blanks, which a page loses at line breaks.
    pub(crate) fn is_same_but_for_blanks(one: Option<&Self>, other: Option<&Self>) -> bool {
        match (one, other) {
            (Some(Self::Text(one)), Some(Self::Text(other))) => {
                without_blanks(one) == without_blanks(other)
            }
            _ => one == other,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Date(date) => date.fmt(f),
            Self::Time(time) => time.format("%H:%M:%S").fmt(f),
            Self::Participant(code) => code.fmt(f),
            Self::Centavos(centavos) => pesos(*centavos).fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Values of all fields by one source. `Debug` shows none of them.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Values([Option<Value>; ProofField::ALL.len()]);

impl Values {
    pub(crate) fn get(&self, field: ProofField) -> Option<&Value> {
        self.0[field as usize].as_ref()
    }

    pub(crate) fn set(&mut self, field: ProofField, value: Option<Value>) {
        self.0[field as usize] = value;
    }

    /// The value of a field with text; `None` for other kinds.
    pub(crate) fn text(&self, field: ProofField) -> Option<&str> {
        match self.get(field)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a field with a number; `None` for other kinds.
    pub(crate) fn number(&self, field: ProofField) -> Option<u16> {
        match self.get(field)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a field with an amount; `None` for other kinds.
    pub(crate) fn centavos(&self, field: ProofField) -> Option<u64> {
        match self.get(field)? {
            Value::Centavos(centavos) => Some(*centavos),
            _ => None,
        }
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Values")
    }
}

/// A proof's text, trimmed; `None` if the proof marks it as missing.
pub(crate) fn given(text: &str) -> Option<&str> {
    let text = text.trim();
    (!matches!(text, "" | "NA" | "ND" | "-1")).then_some(text)
}

pub(crate) fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Parses `ddmmyyyy`.
fn day_month_year(text: &str) -> Option<NaiveDate> {
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().ok();
    let year = text[4..].parse().ok()?;
    NaiveDate::from_ymd_opt(year, number(2..4)?, number(0..2)?)
}
