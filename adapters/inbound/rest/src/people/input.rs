//! Parser of query strings and bodies into structs that derive `Deserialize` and `Validate`.
//!
//! Serde alone would stop at the first invalid member, and validation would then not run at all. So each
//! member is first deserialised separately, and all errors are reported at once. Unknown names are errors
//! too, since their sender expects them to have an effect.

use std::borrow::Cow;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use url::form_urlencoded;
use validator::Validate;
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use self::error::{Error, broken_rules};
use self::value::{Raw, Value};
use crate::json;
use crate::unknown_names::UnknownNames;

mod error;
mod names;
mod text;
mod value;

pub(crate) use self::error::rule_error;
pub(crate) use self::names::names;
pub(crate) use self::text::{After, Choice, Id, Instant, Name, Search, SearchText, Text, Word};

/// Members of a body, or parameters of a query string. Each struct removes its own members; those that are
/// left at the end are unknown.
pub(crate) struct Input<'a> {
    left: Vec<(Cow<'a, str>, Raw<'a>)>,
    /// Names of struct members that the input lacks.
    absent: Vec<&'static str>,
    faults: Vec<FieldFault>,
}

/// Parses a body into a struct that has all of its members.
pub(crate) fn body<T: DeserializeOwned + Validate>(body: &[u8]) -> Result<T, Problem> {
    let members = json::read_object(body, names::<T>())?.into_iter();
    let members = members.map(|(name, value)| (name, Raw::Member(value)));
    Input::new(members).only()
}

impl<'a> Input<'a> {
    fn new(members: impl Iterator<Item = (Cow<'a, str>, Raw<'a>)>) -> Self {
        Self {
            left: members.collect(),
            absent: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// The parameters of a query string.
    pub(crate) fn of_query(query: Option<&'a str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self::new(pairs.map(|(name, value)| (name, Raw::Parameter(value))))
    }

    fn take(&mut self, name: &str) -> Value<'a> {
        let taken = self.left.extract_if(.., |(given, _)| given == name);
        Value(taken.map(|(_, value)| value).collect())
    }

    /// Parses a struct; `None` if one of its members is invalid. Validation rules run when all required
    /// members are present; invalid members are treated as absent.
    ///
    /// Several structs with different names may be parsed from one input.
    pub(crate) fn part<T: DeserializeOwned + Validate>(&mut self) -> Option<T> {
        let names = names::<T>();
        let mut faults = Vec::new();
        let mut members = Vec::new();
        for name in names {
            let value = self.take(name);
            if value.0.is_empty() {
                self.absent.push(name);
                continue;
            }
            let alone = MapDeserializer::new([(*name, value.clone())].into_iter());
            match T::deserialize(alone) {
                Err(Error::Faulty(problem)) => faults.push(FieldFault::new(*name, problem)),
                Ok(_) | Err(Error::Missing(_)) => members.push((*name, value)),
            }
        }
        let read = T::deserialize(MapDeserializer::new(members.into_iter()));
        match &read {
            Ok(part) => faults.extend(broken_rules(part)),
            Err(Error::Missing(name)) if faults.iter().all(|fault| fault.field != *name) => {
                faults.push(FieldFault::new(*name, FieldProblem::Missing));
            }
            // The invalid member has already been reported.
            Err(_) => {}
        }
        faults.sort_by_key(|fault| names.iter().position(|name| fault.field == *name));
        let part = read.ok().filter(|_| faults.is_empty());
        self.faults.append(&mut faults);
        part
    }

    /// Records an error; `None` then.
    pub(crate) fn checked<T>(&mut self, value: Result<T, FieldFault>) -> Option<T> {
        value.map_err(|fault| self.faults.push(fault)).ok()
    }

    /// Parses a struct that has all members of the input.
    pub(crate) fn only<T: DeserializeOwned + Validate>(mut self) -> Result<T, Problem> {
        let part = self.part();
        self.end(part)
    }

    /// Parses a struct that has a part of the members of the input.
    pub(crate) fn among_others<T: DeserializeOwned + Validate>(mut self) -> Result<T, Problem> {
        let part = self.part();
        self.left.clear();
        self.end(part)
    }

    /// Returns the value, or all recorded errors. When `value` is `None`, an error must have been recorded.
    pub(crate) fn end<T>(mut self, value: Option<T>) -> Result<T, Problem> {
        let unknown = self.left.iter().map(|(name, _)| &**name);
        let unknown = UnknownNames::Refused.faults(unknown, &self.absent);
        self.faults.extend(unknown);
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(Problem::invalid_fields(self.faults)),
        }
    }
}

/// Deserialises an optional member for which `null` and absence differ.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests;
