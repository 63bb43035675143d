//! Whether the values of arguments can be what the schema wants, looked at before anything is
//! executed. The library looks at numbers beyond 32 bits only when it executes their field, when
//! earlier mutations are done already.

use async_graphql::parser::types::{
    BaseType, EnumType, ExecutableDocument, OperationDefinition, Type, TypeKind,
};
use async_graphql::{Pos, ScalarType as _, Value, Variables};
use domain::key::MAX_GRACE_HOURS;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use domain::page::MAX_PAGE;

use crate::refusal::Refusal;
use crate::schema::{Count, DateTime};
use crate::shape::Shape;

/// An argument whose value can't be.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// The argument, as a path.
    pub(crate) argument: String,
    /// What fits.
    pub(crate) wanted: Wanted,
    /// Where the argument stands.
    pub(crate) at: Pos,
}

/// What fits an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A whole number in this range.
    Whole { least: i64, most: u64 },
    /// An instant.
    Instant,
    /// A text.
    Text,
    /// An id.
    Id,
    /// True or false.
    Truth,
    /// One of these words.
    Word(Vec<String>),
    /// An object.
    Object,
    /// Anything but null.
    Something,
}

/// Checks all arguments of an operation, whose variables have been settled. Members of objects that
/// lack, or that the schema doesn't have, are the validation's to refuse.
pub(crate) fn check(
    document: &ExecutableDocument,
    operation: &OperationDefinition,
    variables: &Variables,
    shape: &Shape,
) -> Result<(), Refusal> {
    let mut unfit = Vec::new();
    for given in shape.given(document, operation) {
        let value = given.value.clone();
        let value = value.into_const_with(|name| variables.get(&name).cloned().ok_or(()));
        // A variable that isn't declared is the validation's to refuse.
        let Ok(value) = value else {
            continue;
        };
        let name = given.name.node.as_str();
        let fit = shape.fit(name, name, &given.definition.ty.node, &value);
        unfit.extend(fit.err().map(|(argument, wanted)| Unfit {
            argument,
            wanted,
            at: given.name.pos,
        }));
    }
    if unfit.is_empty() {
        return Ok(());
    }
    unfit.sort_by_key(|unfit| unfit.at);
    Err(Refusal::Arguments(unfit))
}

impl Shape {
    fn fit(
        &self,
        path: &str,
        name: &str,
        wanted: &Type,
        value: &Value,
    ) -> Result<(), (String, Wanted)> {
        match (&wanted.base, value) {
            (_, Value::Null) if wanted.nullable => Ok(()),
            (_, Value::Null) => Err((path.to_owned(), Wanted::Something)),
            (BaseType::List(wanted), Value::List(items)) => {
                items.iter().enumerate().try_for_each(|(place, item)| {
                    self.fit(&format!("{path}.{place}"), name, wanted, item)
                })
            }
            // A single item stands for a list of it.
            (BaseType::List(wanted), value) => self.fit(path, name, wanted, value),
            (BaseType::Named(ty), value) => self.fit_named(path, name, ty, wanted, value),
        }
    }

    fn fit_named(
        &self,
        path: &str,
        name: &str,
        ty: &str,
        wanted: &Type,
        value: &Value,
    ) -> Result<(), (String, Wanted)> {
        let (fits, wanted) = match (self.kind(ty), ty) {
            (Some(TypeKind::InputObject(_)), _) => {
                let Value::Object(given) = value else {
                    return Err((path.to_owned(), Wanted::Object));
                };
                return self.members(wanted).iter().try_for_each(|member| {
                    let (name, ty) = (&member.node.name.node, &member.node.ty.node);
                    given.get(name).map_or(Ok(()), |value| {
                        self.fit(&format!("{path}.{name}"), name, ty, value)
                    })
                });
            }
            (Some(TypeKind::Enum(words)), _) => (is_word(words, value), word(words)),
            (_, "Int") => (is_int(value), whole(name)),
            (_, "Count") => (Count::is_valid(value), whole(name)),
            (_, "DateTime") => (DateTime::is_valid(value), Wanted::Instant),
            (_, "String") => (matches!(value, Value::String(_)), Wanted::Text),
            (_, "ID") => (is_id(value), Wanted::Id),
            (_, "Boolean") => (matches!(value, Value::Boolean(_)), Wanted::Truth),
            _ => return Ok(()),
        };
        if fits {
            return Ok(());
        }
        Err((path.to_owned(), wanted))
    }
}

fn is_int(value: &Value) -> bool {
    let Value::Number(number) = value else {
        return false;
    };
    number
        .as_i64()
        .is_some_and(|number| i32::try_from(number).is_ok())
}

fn is_id(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Number(number) => number.is_i64(),
        _ => false,
    }
}

fn is_word(words: &EnumType, value: &Value) -> bool {
    // JSON has texts alone, so that a variable's word is one.
    let given = match value {
        Value::Enum(given) => given.as_str(),
        Value::String(given) => given,
        _ => return false,
    };
    words
        .values
        .iter()
        .any(|word| word.node.value.node == given)
}

fn word(words: &EnumType) -> Wanted {
    let words = words.values.iter();
    Wanted::Word(words.map(|word| word.node.value.node.to_string()).collect())
}

/// Which numbers an argument may be, by its name: the schema's types have no ranges of their own.
fn whole(name: &str) -> Wanted {
    let (least, most) = match name {
        "first" => (1, MAX_PAGE.into()),
        "graceHours" => (0, MAX_GRACE_HOURS.into()),
        "perMinute" => (1, MAX_PER_MINUTE.into()),
        "monthlyQuota" => (1, MAX_MONTHLY_QUOTA),
        "newest" => (1, domain::usage::Granularity::Hour.most_slots() as u64),
        _ => (i32::MIN.into(), i32::MAX.unsigned_abs().into()),
    };
    Wanted::Whole { least, most }
}
