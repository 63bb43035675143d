//! Corrections of a table, as JSON.

use std::borrow::Cow;
use std::sync::LazyLock;

use domain::batches::sheet::{
    Column, CorrectedRows, Correction, CorrectionError, Corrector, MAX_CORRECTION_LENGTH,
    MAX_CORRECTIONS,
};
use domain::misspelling;
use domain::query::Token;
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use super::form::CORRECTIONS;
use crate::json::{self, Item, ListError, Member};
use crate::unknown_names::UnknownNames;

/// The members of a correction.
const LINE: &str = "line";
const FROM: &str = "from";
const FIELD: &str = "field";
const VALUE: &str = "value";

/// The fields that can be corrected.
static FIELDS: LazyLock<[&str; 8]> = LazyLock::new(|| Column::ALL.map(Column::name));

/// Greatest number of a line.
const MAX_LINE: u64 = u32::MAX as u64;
/// Maximum number of errors in a response.
const MAX_FAULTS: usize = 20;

/// Parses the corrections of a table; none if the part wasn't sent.
pub(super) fn read(part: Option<&[u8]>) -> Result<Vec<Correction>, Problem> {
    let Some(part) = part else {
        return Ok(Vec::new());
    };
    let items = json::read_list(part).map_err(|error| {
        let problem = of_list(&error);
        Problem::invalid_field(CORRECTIONS, problem)
    })?;
    if items.len() > MAX_CORRECTIONS {
        let most = MAX_CORRECTIONS;
        let problem = FieldProblem::TooManyCorrections { most };
        return Err(Problem::invalid_field(CORRECTIONS, problem));
    }
    let mut corrections = Vec::with_capacity(items.len());
    let mut faults = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match correction(item) {
            Ok(correction) => corrections.push(correction),
            Err(found) => faults.extend(found.into_iter().map(|fault| fault.of(index))),
        }
    }
    refused(faults).map_or(Ok(corrections), Err)
}

/// The problem of corrections that had no effect once all rows were read.
pub(super) fn check(corrector: &Corrector<'_>) -> Result<(), Problem> {
    let faults = corrector.faults().map(|fault| {
        let (member, problem) = match fault.problem {
            CorrectionError::Repeated => (None, FieldProblem::CorrectedTwice),
            CorrectionError::NoSuchLine => (Some(LINE), FieldProblem::NoSuchLine),
            CorrectionError::NoSuchValue => (Some(FROM), FieldProblem::NoSuchValue),
        };
        let member = member.map(Cow::Borrowed);
        Fault { member, problem }.of(fault.index)
    });
    refused(faults).map_or(Ok(()), Err)
}

/// The problem of the first faults; `None` without any.
fn refused(faults: impl IntoIterator<Item = FieldFault>) -> Option<Problem> {
    let faults: Vec<_> = faults.into_iter().take(MAX_FAULTS).collect();
    (!faults.is_empty()).then(|| Problem::invalid_fields(faults))
}

/// Error of a correction.
struct Fault {
    /// The member that it is about; `None` for the whole correction.
    member: Option<Cow<'static, str>>,
    problem: FieldProblem,
}

impl Fault {
    fn new(member: &'static str, problem: FieldProblem) -> Self {
        Self {
            member: Some(member.into()),
            problem,
        }
    }

    /// The error of the correction at this index.
    fn of(self, index: usize) -> FieldFault {
        let name = match self.member {
            Some(member) => format!("{CORRECTIONS}[{index}].{member}"),
            None => format!("{CORRECTIONS}[{index}]"),
        };
        FieldFault::new(name, self.problem)
    }
}

fn of_list(error: &ListError) -> FieldProblem {
    match error {
        ListError::Other(found) => FieldProblem::NotListOf {
            items: CORRECTIONS,
            found,
        },
        ListError::Document(problem) => match *problem {
            Problem::DuplicateKey { position, .. } | Problem::DuplicateUnknownKey { position } => {
                FieldProblem::RepeatedKey { position }
            }
            Problem::MalformedJson { position }
            | Problem::NotUtf8 { position }
            | Problem::TooDeep { position, .. } => FieldProblem::NotJson { position },
            _ => FieldProblem::NotJson { position: 1 },
        },
    }
}

/// Parses one correction, or returns all of its errors.
fn correction(item: Item<'_>) -> Result<Correction, Vec<Fault>> {
    let members = match item {
        Item::Object(members) => members,
        Item::Other(found) => {
            let expected = "object";
            return Err(vec![Fault {
                member: None,
                problem: FieldProblem::WrongType { expected, found },
            }]);
        }
    };
    let names = [LINE, FROM, FIELD, VALUE];
    let unknown = json::unknown_members(&members, &names, UnknownNames::Refused);
    let unknown = unknown.into_iter().map(|fault| Fault {
        member: Some(fault.field),
        problem: fault.problem,
    });
    let mut faults: Vec<_> = unknown.collect();
    let mut kept = |fault: Fault| faults.push(fault);
    let rows = rows(&members).map_err(&mut kept).ok();
    let column = required(&members, FIELD).and_then(|name| column(&name));
    let column = column.map_err(&mut kept).ok();
    let value = required(&members, VALUE).map_err(&mut kept).ok();
    match (rows, column, value) {
        (Some(rows), Some(column), Some(value)) if faults.is_empty() => Ok(Correction {
            rows,
            column,
            value,
        }),
        _ => Err(faults),
    }
}

fn rows(members: &[Member<'_>]) -> Result<CorrectedRows, Fault> {
    match (member(members, LINE), text(members, FROM)?) {
        (Token::Absent, Some(value)) => Ok(CorrectedRows::WithValue(value)),
        (Token::Absent, None) => Err(Fault::new(LINE, FieldProblem::NoCorrectedRows)),
        (_, Some(_)) => Err(Fault::new(LINE, FieldProblem::Excluded { other: FROM })),
        (Token::Number(number), None) => {
            let (least, most) = (1, MAX_LINE);
            let line = number.parse().ok();
            let line = line.filter(|line| (least..=most).contains(line));
            let problem = FieldProblem::OutOfRange { least, most };
            line.map(CorrectedRows::OnLine)
                .ok_or(Fault::new(LINE, problem))
        }
        (other, None) => {
            let (expected, found) = ("number", json::type_name(other));
            Err(Fault::new(
                LINE,
                FieldProblem::WrongType { expected, found },
            ))
        }
    }
}

fn column(name: &str) -> Result<Column, Fault> {
    let known = Column::ALL.into_iter().find(|it| it.name() == name);
    let fields: &'static [&'static str] = &*FIELDS;
    let problem = match misspelling::meant(name, fields) {
        Some(meant) => FieldProblem::Misspelt { meant },
        None => FieldProblem::NotOneOf { words: fields },
    };
    known.ok_or(Fault::new(FIELD, problem))
}

fn required(members: &[Member<'_>], name: &'static str) -> Result<String, Fault> {
    text(members, name)?.ok_or(Fault::new(name, FieldProblem::Missing))
}

/// The text of a member; `None` if it is absent.
fn text(members: &[Member<'_>], name: &'static str) -> Result<Option<String>, Fault> {
    let text = match member(members, name) {
        Token::Absent => return Ok(None),
        Token::Text(text) => text,
        other => {
            let (expected, found) = ("string", json::type_name(other));
            return Err(Fault::new(
                name,
                FieldProblem::WrongType { expected, found },
            ));
        }
    };
    match text.chars().count() {
        length if length > MAX_CORRECTION_LENGTH => {
            let most = MAX_CORRECTION_LENGTH;
            Err(Fault::new(name, FieldProblem::TextTooLong { length, most }))
        }
        _ => Ok(Some(text.to_string())),
    }
}

fn member<'m, 'a>(members: &'m [Member<'a>], name: &str) -> &'m Token<'a> {
    let mut members = members.iter();
    let found = members.find(|(known, _)| known == name);
    found.map_or(&Token::Absent, |(_, value)| value)
}

#[cfg(test)]
mod tests;
