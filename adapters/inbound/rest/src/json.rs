//! Strict parser of JSON bodies, which keeps the text of numbers.
//!
//! Members stay raw until the whole body is known to be JSON. Deserialising into a struct would keep the
//! last of two equal keys (while another parser of the same body may keep the first), convert `monto` to a
//! float, and stop at the first value of a wrong type instead of reporting all invalid fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use domain::query::{Field, RawBeneficiary, RawQuery, Token};
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use crate::unknown_names::UnknownNames;

/// Maximum nesting of a body. Bodies of the API need only 1.
pub(crate) const MAX_DEPTH: usize = 8;

/// The members of a proof request.
const FIELDS: [Field; 9] = [
    Field::Date,
    Field::TrackingKey,
    Field::Reference,
    Field::Account,
    Field::Amount,
    Field::Issuer,
    Field::Receiver,
    Field::BeneficiaryName,
    Field::BeneficiaryTaxId,
];

/// Name and value of a member.
pub(crate) type Member<'a> = (Cow<'a, str>, Token<'a>);

/// Unvalidated fields of a proof request.
#[derive(Debug, PartialEq)]
pub(crate) struct ReadQuery<'a> {
    /// Data of the transfer.
    pub(crate) query: RawQuery<'a>,
    /// Beneficiary to compare with the proof's.
    pub(crate) beneficiary: RawBeneficiary<'a>,
    /// Errors of unknown members.
    pub(crate) unknown: Vec<FieldFault>,
}

/// Parses the body of a proof request. `null` counts as absent. Unknown members are ignored unless they
/// seem to be misspelt known ones.
pub(crate) fn read_query(body: &[u8]) -> Result<ReadQuery<'_>, Problem> {
    let names = FIELDS.map(Field::name);
    let members = read_object(body, &names)?;
    let unknown = unknown_members(&members, &names, UnknownNames::Ignored);
    let (query, beneficiary) = fields(members);
    Ok(ReadQuery {
        query,
        beneficiary,
        unknown,
    })
}

/// Selects the fields of a proof request from the members.
pub(crate) fn fields(members: Vec<Member<'_>>) -> (RawQuery<'_>, RawBeneficiary<'_>) {
    let (mut query, mut beneficiary) = (RawQuery::default(), RawBeneficiary::default());
    for (key, value) in members {
        let place = match FIELDS.into_iter().find(|field| field.name() == key) {
            Some(Field::Date) => &mut query.date,
            Some(Field::TrackingKey) => &mut query.tracking_key,
            Some(Field::Reference) => &mut query.reference,
            Some(Field::Account) => &mut query.account,
            Some(Field::Amount) => &mut query.amount,
            Some(Field::Issuer) => &mut query.issuer,
            Some(Field::Receiver) => &mut query.receiver,
            Some(Field::BeneficiaryName) => &mut beneficiary.name,
            Some(Field::BeneficiaryTaxId) => &mut beneficiary.tax_id,
            None => continue,
        };
        *place = value;
    }
    (query, beneficiary)
}

/// The errors of members that aren't `known`.
pub(crate) fn unknown_members(
    members: &[Member<'_>],
    known: &[&'static str],
    unknown_names: UnknownNames,
) -> Vec<FieldFault> {
    let is_given = |known: &str| {
        let mut given = members.iter();
        given.any(|(name, value)| name == known && *value != Token::Absent)
    };
    let absent: Vec<_> = known.iter().copied().filter(|it| !is_given(it)).collect();
    let names = members.iter().map(|(name, _)| &**name);
    unknown_names.faults(names.filter(|name| !known.contains(name)), &absent)
}

/// The canonical form of a body, to compare bodies: without whitespace, and with sorted members. Numbers
/// keep their text, because parsing could lose digits. `None` for a body that isn't a valid object.
pub(crate) fn canonical(body: &[u8]) -> Option<Vec<u8>> {
    // Checks the nesting limit and that no member is repeated.
    read_object(body, &[]).ok()?;
    let value: &RawValue = serde_json::from_slice(body).ok()?;
    let mut written = Vec::with_capacity(body.len());
    write_canonical(value.get(), &mut written)?;
    Some(written)
}

fn write_canonical(text: &str, written: &mut Vec<u8>) -> Option<()> {
    match text.as_bytes().first()? {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            written.push(b'{');
            for (name, value) in members {
                serde_json::to_writer(&mut *written, &name).ok()?;
                written.push(b':');
                write_canonical(value.get(), written)?;
                written.push(b',');
            }
            written.push(b'}');
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            written.push(b'[');
            for item in items {
                write_canonical(item.get(), written)?;
                written.push(b',');
            }
            written.push(b']');
        }
        b'"' => {
            let string: String = serde_json::from_str(text).ok()?;
            serde_json::to_writer(written, &string).ok()?;
        }
        _ => written.extend_from_slice(text.as_bytes()),
    }
    Some(())
}

/// Parses a body that must be an object. Errors name a member only if it is one of `names`, so that they
/// don't echo the caller's text.
pub(crate) fn read_object<'a>(
    body: &'a [u8],
    names: &[&'static str],
) -> Result<Vec<Member<'a>>, Problem> {
    let text = utf_8(body)?;
    let document = Document { text, names };
    match text
        .trim_start_matches([' ', '\t', '\n', '\r'])
        .chars()
        .next()
    {
        None => return Err(Problem::EmptyBody),
        Some('{') => return document.members(text, 1),
        Some(_) => {}
    }
    let value = document.parse(text, serde_json::from_str::<&RawValue>(text))?;
    let value = document.token(value.get(), 0)?;
    Err(Problem::NotAnObject {
        found: type_name(&value),
    })
}

/// An item of a JSON array.
pub(crate) enum Item<'a> {
    Object(Vec<Member<'a>>),
    /// A value of another JSON type, by its name.
    Other(&'static str),
}

/// Reason why a text isn't an array.
pub(crate) enum ListError {
    /// It isn't JSON, or repeats a member.
    Document(Problem),
    /// It is JSON of another type, by its name.
    Other(&'static str),
}

impl From<Problem> for ListError {
    fn from(problem: Problem) -> Self {
        Self::Document(problem)
    }
}

/// Parses a text that must be an array. Each object in it is nested as the body of a request.
pub(crate) fn read_list(text: &[u8]) -> Result<Vec<Item<'_>>, ListError> {
    let text = utf_8(text)?;
    let document = Document { text, names: &[] };
    let list: &RawValue = document.parse(text, serde_json::from_str(text))?;
    if !list.get().starts_with('[') {
        let value = document.token(list.get(), 0)?;
        return Err(ListError::Other(type_name(&value)));
    }
    let items: Vec<&RawValue> = document.parse(list.get(), serde_json::from_str(list.get()))?;
    let items = items.into_iter().map(|item| {
        if item.get().starts_with('{') {
            return Ok(Item::Object(document.members(item.get(), 1)?));
        }
        let value = document.token(item.get(), 0)?;
        Ok(Item::Other(type_name(&value)))
    });
    items.collect()
}

fn utf_8(body: &[u8]) -> Result<&str, Problem> {
    let text = std::str::from_utf8(body).map_err(|error| Problem::NotUtf8 {
        position: error.valid_up_to() + 1,
    })?;
    if text.starts_with('\u{feff}') {
        return Err(Problem::ByteOrderMark);
    }
    Ok(text)
}

/// The JSON type of a raw JSON value.
pub(crate) fn type_of_spelt(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// The problem of a raw JSON value that isn't an array of strings.
pub(crate) fn not_a_list(json: &str, items: &'static str) -> FieldProblem {
    match type_of_spelt(json) {
        "array" => FieldProblem::NotTexts,
        found => FieldProblem::NotListOf { items, found },
    }
}

/// The JSON type of a parsed value.
pub(crate) fn type_name(value: &Token<'_>) -> &'static str {
    match value {
        Token::Absent => "null",
        Token::Text(_) => "string",
        Token::Number(_) => "number",
        Token::Other(name) => name,
    }
}

/// The text of a body. All parts are slices of it, from which the positions of errors are computed.
struct Document<'a, 'n> {
    text: &'a str,
    names: &'n [&'static str],
}

impl<'a> Document<'a, '_> {
    /// The position of a part in the body, in bytes from 1.
    fn position(&self, part: &'a str) -> usize {
        part.as_ptr().addr() - self.text.as_ptr().addr() + 1
    }

    /// Converts an error in a part to a problem with its position in the body.
    fn parse<T>(&self, part: &'a str, result: serde_json::Result<T>) -> Result<T, Problem> {
        result.map_err(|error| {
            let lines_before = part.split_inclusive('\n').take(error.line() - 1);
            let line = self.position(part) + lines_before.map(str::len).sum::<usize>();
            let column = error.column();
            // At the end of the body, serde's column is that of the last byte; the error is after it.
            let position = line + column.saturating_sub(usize::from(!error.is_eof()));
            Problem::MalformedJson { position }
        })
    }

    /// Parses a value nested in `depth` objects and arrays, and checks everything inside it.
    fn token(&self, value: &'a str, depth: usize) -> Result<Token<'a>, Problem> {
        Ok(match value.as_bytes().first() {
            Some(b'"') => Token::Text(self.string(value)?),
            Some(b'{' | b'[') if depth == MAX_DEPTH => {
                return Err(Problem::TooDeep {
                    position: self.position(value),
                    levels: MAX_DEPTH,
                });
            }
            Some(b'{') => {
                self.members(value, depth + 1)?;
                Token::Other("object")
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = self.parse(value, serde_json::from_str(value))?;
                for item in items {
                    self.token(item.get(), depth + 1)?;
                }
                Token::Other("array")
            }
            Some(b't' | b'f') => Token::Other("boolean"),
            Some(b'n') => Token::Absent,
            _ => Token::Number(value),
        })
    }

    /// Parses an object at nesting `depth`. Around it, only whitespace is allowed.
    fn members(&self, object: &'a str, depth: usize) -> Result<Vec<Member<'a>>, Problem> {
        let mut deserializer = serde_json::Deserializer::from_str(object);
        let raw = deserializer.deserialize_map(RawMembers);
        let raw = raw.and_then(|raw| deserializer.end().map(|()| raw));
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        for (key, value) in self.parse(object, raw)? {
            let name = self.string(key.get())?;
            let value = self.token(value.get(), depth)?;
            if !seen.insert(name.clone()) {
                let position = self.position(key.get());
                let mut names = self.names.iter().filter(|_| depth == 1);
                return Err(match names.find(|known| **known == name) {
                    Some(field) => Problem::DuplicateKey { field, position },
                    None => Problem::DuplicateUnknownKey { position },
                });
            }
            members.push((name, value));
        }
        Ok(members)
    }

    /// Parses a string, which is copied only when it has escapes.
    fn string(&self, raw: &'a str) -> Result<Cow<'a, str>, Problem> {
        if raw.contains('\\') {
            return self.parse(raw, serde_json::from_str(raw).map(Cow::Owned));
        }
        Ok(Cow::Borrowed(raw.trim_matches('"')))
    }
}

/// Deserialises an object to a list of raw members, repeated ones included.
struct RawMembers;

impl<'de> Visitor<'de> for RawMembers {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests;
