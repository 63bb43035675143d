//! What people's requests say in their address and in their body. Every fault is found, not the
//! first one only; what nobody asked for is a fault too, for its sender believes that it counts.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::query::{FieldErrorKind, Token};
use domain::usage::{Granularity, PeriodError};
use url::form_urlencoded;
use uuid::Uuid;
use web::{Failure, Language};

use crate::details::{Fault, FieldProblem};
use crate::failure;
use crate::json::{self, type_name};

/// Most unknown names that an answer repeats, and most characters of each.
const MAX_UNKNOWN: usize = 16;
const MAX_UNKNOWN_LENGTH: usize = 64;

/// Longest text that a list is searched for: that of a key's name.
pub(crate) const MAX_SEARCH_LENGTH: usize = 100;

/// What can be wrong with a value of a person's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputProblem {
    /// Nobody knows the name.
    Unknown,
    /// None of the words that it may be.
    NotOneOf(&'static [&'static str]),
    /// Not a whole number of the range.
    NotWithin { least: u64, most: u64 },
    /// No name of a key.
    Name,
    /// No text to search for.
    Search,
    /// No instant.
    Instant,
    /// No id.
    Id,
    /// No place in this list.
    Cursor,
    /// It can't stand beside the other one.
    Beside(&'static str),
    /// It can't stand without the other one.
    Without(&'static str),
    /// It ends before it begins.
    Backwards,
    /// More slots than a chart has.
    TooLong(Granularity),
}

impl From<PeriodError> for InputProblem {
    fn from(error: PeriodError) -> Self {
        match error {
            PeriodError::Backwards => Self::Backwards,
            PeriodError::TooLong(granularity) => Self::TooLong(granularity),
        }
    }
}

/// Faulty fields, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, field: &'static str, problem: impl Into<FieldProblem>) {
        self.0.push(Fault::new(field, problem));
    }

    /// The value, unless it is a fault.
    pub(crate) fn checked<T>(
        &mut self,
        field: &'static str,
        value: Result<T, impl Into<FieldProblem>>,
    ) -> Option<T> {
        value.map_err(|problem| self.add(field, problem)).ok()
    }

    fn add_unknown<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let cut = |name: &str| name.chars().take(MAX_UNKNOWN_LENGTH).collect::<String>();
        let unknown = names.take(MAX_UNKNOWN).map(|name| Fault {
            field: Cow::Owned(cut(name)),
            problem: InputProblem::Unknown.into(),
        });
        self.0.extend(unknown);
    }

    /// Whether a field is among them.
    pub(crate) fn speak_of(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field == field)
    }

    /// The value, or everything that is wrong.
    fn end_with<T>(self, value: Option<T>, language: Language) -> Result<T, Failure> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(failure::of_faults(&self.0, language)),
        }
    }
}

/// The parameters of an address. Each is taken out by its name; what is left is unknown.
pub(crate) struct Parameters {
    left: Vec<(String, String)>,
    pub(crate) faults: Faults,
}

impl Parameters {
    pub(crate) fn read(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self {
            left: pairs.into_owned().collect(),
            faults: Faults::default(),
        }
    }

    fn take(&mut self, name: &str) -> Vec<String> {
        let taken = self.left.extract_if(.., |(given, _)| given == name);
        taken.map(|(_, value)| value).collect()
    }

    /// A parameter that may stand there once.
    pub(crate) fn one<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, InputProblem>,
    ) -> Option<T> {
        let values = self.take(name);
        if values.len() > 1 {
            self.faults.add(name, FieldProblem::Duplicate);
        }
        let [value] = &values[..] else {
            return None;
        };
        self.faults.checked(name, read(value))
    }

    /// A parameter that may stand there several times, or name several values with commas.
    pub(crate) fn many<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, InputProblem>,
    ) -> Vec<T> {
        let values = self.take(name);
        let words = values.iter().flat_map(|value| value.split(','));
        let read: Result<_, _> = words.map(read).collect();
        self.faults.checked(name, read).unwrap_or_default()
    }

    /// Nothing, or everything that is wrong.
    pub(crate) fn end(self, language: Language) -> Result<(), Failure> {
        self.end_with(Some(()), language)
    }

    /// What was made of them, or everything that is wrong. Without it there is a fault.
    pub(crate) fn end_with<T>(
        mut self,
        value: Option<T>,
        language: Language,
    ) -> Result<T, Failure> {
        let names = self.left.iter().map(|(name, _)| name.as_str());
        self.faults.add_unknown(names);
        self.faults.end_with(value, language)
    }
}

/// The members of a body. Each is taken out by its name; what is left is unknown.
pub(crate) struct Members<'a> {
    left: Vec<(String, Token<'a>)>,
    pub(crate) faults: Faults,
}

impl<'a> Members<'a> {
    /// Reads a body whose members are `names`.
    pub(crate) fn read(
        body: &'a [u8],
        names: &[&'static str],
        language: Language,
    ) -> Result<Self, Failure> {
        let mut left = Vec::new();
        let read = json::read_object(body, names, &mut |name, value| {
            left.push((name.to_owned(), value));
        });
        read.map_err(|fault| failure::of_json(fault, language))?;
        Ok(Self {
            left,
            faults: Faults::default(),
        })
    }

    fn take(&mut self, name: &str) -> Option<Token<'a>> {
        let place = self.left.iter().position(|(given, _)| given == name)?;
        Some(self.left.remove(place).1)
    }

    /// A text; `null` counts as none.
    pub(crate) fn text<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, InputProblem>,
    ) -> Option<T> {
        let read = match self.take(name)? {
            Token::Absent => return None,
            Token::Text(text) => read(&text).map_err(FieldProblem::from),
            other => Err(wrong_type("string", &other)),
        };
        self.faults.checked(name, read)
    }

    /// A whole number from 1 on.
    pub(crate) fn whole(&mut self, name: &'static str, most: u64) -> Option<u64> {
        let read = match self.take(name)? {
            Token::Number(number) => whole(number, most).map_err(FieldProblem::from),
            other => Err(wrong_type("number", &other)),
        };
        self.faults.checked(name, read)
    }

    /// A whole number from 1 on, or `null`.
    #[expect(
        clippy::option_option,
        reason = "the outer None is no member, the inner one is null"
    )]
    pub(crate) fn whole_or_null(&mut self, name: &'static str, most: u64) -> Option<Option<u64>> {
        let is_null =
            |(given, value): &(String, Token<'_>)| given == name && *value == Token::Absent;
        if self.left.iter().any(is_null) {
            self.take(name);
            return Some(None);
        }
        self.whole(name, most).map(Some)
    }

    /// The value of the one member that must be there, or everything that is wrong.
    pub(crate) fn end_with<T>(
        mut self,
        name: &'static str,
        value: Option<T>,
        language: Language,
    ) -> Result<T, Failure> {
        if value.is_none() && !self.faults.speak_of(name) {
            self.faults
                .add(name, FieldProblem::Value(FieldErrorKind::Missing));
        }
        self.add_unknown();
        self.faults.end_with(value, language)
    }

    /// Nothing, or everything that is wrong.
    pub(crate) fn end(mut self, language: Language) -> Result<(), Failure> {
        self.add_unknown();
        self.faults.end_with(Some(()), language)
    }

    fn add_unknown(&mut self) {
        let names = self.left.iter().map(|(name, _)| name.as_str());
        self.faults.add_unknown(names);
    }
}

fn wrong_type(expected: &'static str, found: &Token<'_>) -> FieldProblem {
    FieldProblem::Value(FieldErrorKind::WrongType {
        expected,
        found: type_name(found),
    })
}

/// Reads a whole number from 1 to `most`, in digits alone.
pub(crate) fn whole(text: &str, most: u64) -> Result<u64, InputProblem> {
    let number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.then(|| text.parse().ok()).flatten();
    number
        .filter(|number| (1..=most).contains(number))
        .ok_or(InputProblem::NotWithin { least: 1, most })
}

/// Reads one of the words that `read` knows.
pub(crate) fn word<T>(
    words: &'static [&'static str],
    read: impl FnOnce(&str) -> Option<T>,
) -> impl FnOnce(&str) -> Result<T, InputProblem> {
    move |text| read(text).ok_or(InputProblem::NotOneOf(words))
}

/// Reads an instant, `2026-11-20T12:00:00Z`.
pub(crate) fn instant(text: &str) -> Result<DateTime<Utc>, InputProblem> {
    let instant = DateTime::parse_from_rfc3339(text).map_err(|_| InputProblem::Instant)?;
    Ok(instant.to_utc())
}

/// Reads an id.
pub(crate) fn id(text: &str) -> Result<Uuid, InputProblem> {
    Uuid::try_parse(text).map_err(|_| InputProblem::Id)
}

/// Reads a text to search for; an empty one is none.
pub(crate) fn search(text: &str) -> Result<Option<String>, InputProblem> {
    let text = text.trim();
    let fits = text.chars().count() <= MAX_SEARCH_LENGTH && !text.chars().any(char::is_control);
    fits.then(|| (!text.is_empty()).then(|| text.to_owned()))
        .ok_or(InputProblem::Search)
}

#[cfg(test)]
mod tests;
