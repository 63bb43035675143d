//! Reading of people's queries and bodies. Every fault is found, not the
//! first one only; what nobody asked for is a fault too, for its sender believes that it counts.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::query::Token;
use url::form_urlencoded;
use uuid::Uuid;
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use crate::json::{self, type_name};

/// Most unknown names that an answer repeats, and most characters of each.
const MAX_UNKNOWN: usize = 16;
const MAX_UNKNOWN_LENGTH: usize = 64;

/// Faulty fields, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<FieldFault>);

impl Faults {
    pub(crate) fn add(&mut self, field: &'static str, problem: impl Into<FieldProblem>) {
        self.0.push(FieldFault::new(field, problem));
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
        let unknown = names.take(MAX_UNKNOWN).map(|name| FieldFault {
            field: Cow::Owned(cut(name)),
            problem: FieldProblem::Unknown,
        });
        self.0.extend(unknown);
    }

    /// Returns true when a field is among them.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field == field)
    }

    /// The value, or everything that is wrong.
    fn end_with<T>(self, value: Option<T>) -> Result<T, Problem> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(Problem::invalid_fields(self.0)),
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
        read: impl FnOnce(&str) -> Result<T, FieldProblem>,
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
        read: impl Fn(&str) -> Result<T, FieldProblem>,
    ) -> Vec<T> {
        let values = self.take(name);
        let words = values.iter().flat_map(|value| value.split(','));
        let read: Result<_, _> = words.map(read).collect();
        self.faults.checked(name, read).unwrap_or_default()
    }

    /// Nothing, or everything that is wrong.
    pub(crate) fn end(self) -> Result<(), Problem> {
        self.end_with(Some(()))
    }

    /// Returns the value made of them, or all faults. Without a value there is a fault.
    pub(crate) fn end_with<T>(mut self, value: Option<T>) -> Result<T, Problem> {
        let names = self.left.iter().map(|(name, _)| name.as_str());
        self.faults.add_unknown(names);
        self.faults.end_with(value)
    }
}

/// The members of a body. Each is taken out by its name; what is left is unknown.
pub(crate) struct Members<'a> {
    left: Vec<(String, Token<'a>)>,
    pub(crate) faults: Faults,
}

impl<'a> Members<'a> {
    /// Reads a body whose members are `names`.
    pub(crate) fn read(body: &'a [u8], names: &[&'static str]) -> Result<Self, Problem> {
        let mut left = Vec::new();
        json::read_object(body, names, &mut |name, value| {
            left.push((name.to_owned(), value));
        })?;
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
        read: impl FnOnce(&str) -> Result<T, FieldProblem>,
    ) -> Option<T> {
        let read = match self.take(name)? {
            Token::Absent => return None,
            Token::Text(text) => read(&text),
            other => Err(wrong_type("string", &other)),
        };
        self.faults.checked(name, read)
    }

    /// A whole number from 1 on.
    pub(crate) fn whole(&mut self, name: &'static str, most: u64) -> Option<u64> {
        let read = match self.take(name)? {
            Token::Number(number) => whole(number, most),
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
    ) -> Result<T, Problem> {
        if value.is_none() && !self.faults.has(name) {
            self.faults.add(name, FieldProblem::Missing);
        }
        self.add_unknown();
        self.faults.end_with(value)
    }

    /// Nothing, or everything that is wrong.
    pub(crate) fn end(mut self) -> Result<(), Problem> {
        self.add_unknown();
        self.faults.end_with(Some(()))
    }

    fn add_unknown(&mut self) {
        let names = self.left.iter().map(|(name, _)| name.as_str());
        self.faults.add_unknown(names);
    }
}

fn wrong_type(expected: &'static str, found: &Token<'_>) -> FieldProblem {
    FieldProblem::WrongType {
        expected,
        found: type_name(found),
    }
}

/// Reads a whole number from 1 to `most`, in digits alone.
pub(crate) fn whole(text: &str, most: u64) -> Result<u64, FieldProblem> {
    let number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.then(|| text.parse().ok()).flatten();
    number
        .filter(|number| (1..=most).contains(number))
        .ok_or(FieldProblem::OutOfRange { least: 1, most })
}

/// Reads one of the words that `read` knows.
pub(crate) fn word<T>(
    words: &'static [&'static str],
    read: impl FnOnce(&str) -> Option<T>,
) -> impl FnOnce(&str) -> Result<T, FieldProblem> {
    move |text| read(text).ok_or(FieldProblem::NotOneOf { words })
}

/// Reads an instant, `2026-11-20T12:00:00Z`.
pub(crate) fn instant(text: &str) -> Result<DateTime<Utc>, FieldProblem> {
    let instant = DateTime::parse_from_rfc3339(text).map_err(|_| FieldProblem::MalformedInstant)?;
    Ok(instant.to_utc())
}

/// Reads an id.
pub(crate) fn id(text: &str) -> Result<Uuid, FieldProblem> {
    Uuid::try_parse(text).map_err(|_| FieldProblem::MalformedId)
}

/// Reads a text to search for; a blank one is none.
pub(crate) fn search(text: &str) -> Result<Option<String>, FieldProblem> {
    web::search_text(text).map_err(|_| FieldProblem::MalformedText)
}

#[cfg(test)]
mod tests;
