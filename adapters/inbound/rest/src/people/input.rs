//! Reader of people's queries and bodies, into structs that derive `Deserialize` and `Validate`.
//!
//! Serde and validator would each stop early: serde at the first faulty member, validator when
//! there was one. The reader deserialises each member on its own first, so that all faults are
//! reported at once. An unknown name is a fault too, for its sender believes that it counts.

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

/// Members of a body, or parameters of an address. Those that a struct has are taken out; what is
/// left at the end is unknown.
pub(crate) struct Input<'a> {
    left: Vec<(Cow<'a, str>, Raw<'a>)>,
    /// Names that a struct has and the input hasn't.
    absent: Vec<&'static str>,
    faults: Vec<FieldFault>,
}

/// Reads a body.
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

    /// The parameters of a query.
    pub(crate) fn of_query(query: Option<&'a str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self::new(pairs.map(|(name, value)| (name, Raw::Parameter(value))))
    }

    fn take(&mut self, name: &str) -> Value<'a> {
        let taken = self.left.extract_if(.., |(given, _)| given == name);
        Value(taken.map(|(_, value)| value).collect())
    }

    /// Reads the members of a struct, unless one of them is faulty. Its rules are applied once every
    /// required member is there; a faulty one is absent to them.
    ///
    /// Several structs may be read from one input; each has names of its own.
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
            // The member is reported already.
            Err(_) => {}
        }
        faults.sort_by_key(|fault| names.iter().position(|name| fault.field == *name));
        let part = read.ok().filter(|_| faults.is_empty());
        self.faults.append(&mut faults);
        part
    }

    /// The value, unless it is a fault.
    pub(crate) fn checked<T>(&mut self, value: Result<T, FieldFault>) -> Option<T> {
        value.map_err(|fault| self.faults.push(fault)).ok()
    }

    /// Reads the struct that has all members.
    pub(crate) fn only<T: DeserializeOwned + Validate>(mut self) -> Result<T, Problem> {
        let part = self.part();
        self.end(part)
    }

    /// Returns the value made of the parts, or all faults. Without a value there is a fault.
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

/// Deserialises an optional member for which `null` isn't the same as its absence.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests;
