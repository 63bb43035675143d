//! Limits of a document, checked after parsing and before validation and execution.
//!
//! They are needed because async-graphql 7.2.1 expands every spread fragment during validation: a chain of n
//! fragments that each spread the next one twice costs 2ⁿ steps before its `limit_complexity` and
//! `limit_depth` are checked. It also limits neither aliases, nor root fields of a mutation, nor the
//! directives of a whole document.
//!
//! Each fragment is measured once, however often it is spread. Costs depend on field names alone; a name
//! that the schema doesn't have gets a low cost, and fails validation afterwards.

use std::collections::HashMap;

use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Value, Variables};
use domain::page::MAX_PAGE;
use web::problem::GraphqlProblem;

use crate::introspection::Introspection;
use crate::text::shortened;

mod weights;

#[cfg(test)]
mod tests;

/// Maximum nesting of selection sets, those of fragments included. The query that tools send has 15, and the
/// deepest useful path of data 6; async-graphql's own limit is 32.
pub(crate) const MAX_LEVELS: u64 = 28;
/// Maximum cost of an operation: resolved fields, multiplied by list lengths, with the extra costs of
/// [`weights`]. The start query of `docs/graphql` has 7,250.
pub(crate) const MAX_COST: u64 = 10_000;
/// Fields below `__schema` and `__type`, which are in memory, that cost as much as one of data. The query that
/// tools send costs about 200,000 of them, since the list lengths in [`weights`] are high estimates.
const INTROSPECTION_PER_FIELD: u64 = 30;
/// Maximum selections of a document: fields, aliases, fragments and directives, those within a fragment
/// counted each time it is spread. The query that tools send has about 250.
pub(crate) const MAX_SELECTIONS: u64 = 1_000;
/// Maximum nesting of brackets in a document's text.
pub(crate) const MAX_NESTING: u64 = 32;
/// Maximum tokens of a document's text. The query that tools send has about 400.
pub(crate) const MAX_TOKENS: u64 = 2_000;

/// Checks a document against the limits on what it selects.
pub(crate) fn check(
    document: &ExecutableDocument,
    variables: &Variables,
    introspection: Introspection,
) -> Result<(), GraphqlProblem> {
    let mut measure = Measure::new(document, variables);
    let mut selections = Size::default();
    // async-graphql validates unused fragments too. Their cost isn't checked here, since it depends on where
    // a fragment is spread: below `__schema`, or not.
    for name in document.fragments.keys() {
        selections = selections.beside(measure.fragment(name, 0)?);
        selections.check_selections()?;
    }
    for (_, operation) in document.operations.iter() {
        let size = measure.operation(&operation.node)?;
        if size.cost > MAX_COST {
            return Err(GraphqlProblem::Cost { most: MAX_COST });
        }
        if introspection == Introspection::Off && size.introspects {
            return Err(GraphqlProblem::IntrospectionDisabled);
        }
        selections = selections.beside(size);
        selections.check_selections()?;
    }
    Ok(())
}

/// Size of a part of a document, with fragments expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Fields to resolve, multiplied by list lengths.
    cost: u64,
    /// Fields, fragments and directives in the text. Fragments count too, since fragments that only spread each
    /// other could also take 2ⁿ steps to validate.
    selections: u64,
    /// Nesting of selection sets.
    levels: u64,
    introspects: bool,
}

impl Size {
    /// The combined size of two siblings.
    fn beside(self, other: Self) -> Self {
        Self {
            cost: self.cost.saturating_add(other.cost),
            selections: self.selections.saturating_add(other.selections),
            levels: self.levels.max(other.levels),
            introspects: self.introspects || other.introspects,
        }
    }

    fn with_directives(self, directives: &[Positioned<Directive>]) -> Self {
        Self {
            selections: self.selections.saturating_add(directives.len() as u64),
            ..self
        }
    }

    fn check_selections(self) -> Result<(), GraphqlProblem> {
        if self.selections > MAX_SELECTIONS {
            return Err(GraphqlProblem::Selections {
                most: MAX_SELECTIONS,
            });
        }
        Ok(())
    }
}

/// Checks the nesting of selection sets, which also limits the recursion of a measurement.
fn check_levels(levels: u64) -> Result<(), GraphqlProblem> {
    if levels > MAX_LEVELS {
        return Err(GraphqlProblem::Levels { most: MAX_LEVELS });
    }
    Ok(())
}

/// State of a fragment's measurement.
enum Progress {
    /// Measurement in progress: if the fragment is reached again, it spreads itself.
    Begun,
    Done(Size),
}

struct Measure<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    fragments: HashMap<&'a str, Progress>,
}

impl<'a> Measure<'a> {
    fn new(document: &'a ExecutableDocument, variables: &'a Variables) -> Self {
        Self {
            document,
            variables,
            fragments: HashMap::new(),
        }
    }

    fn operation(&mut self, operation: &'a OperationDefinition) -> Result<Size, GraphqlProblem> {
        let mut size = self.selections(&operation.selection_set.node, 0)?;
        for variable in &operation.variable_definitions {
            size = size.with_directives(&variable.node.directives);
        }
        Ok(size.with_directives(&operation.directives))
    }

    fn fragment(&mut self, name: &str, level: u64) -> Result<Size, GraphqlProblem> {
        // Validation later refuses the spread of an unknown fragment.
        let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
            return Ok(Size::default());
        };
        match self.fragments.get(name.as_str()) {
            Some(Progress::Done(size)) => {
                check_levels(level + size.levels)?;
                return Ok(*size);
            }
            Some(Progress::Begun) => return Err(GraphqlProblem::FragmentCycle),
            None => {}
        }
        self.fragments.insert(name, Progress::Begun);
        let fragment = &fragment.node;
        let size = self.selections(&fragment.selection_set.node, level)?;
        let size = size.with_directives(&fragment.directives);
        self.fragments.insert(name, Progress::Done(size));
        Ok(size)
    }

    /// The size of a selection set that is nested in `level` others.
    fn selections(&mut self, set: &'a SelectionSet, level: u64) -> Result<Size, GraphqlProblem> {
        if set.items.is_empty() {
            return Ok(Size::default());
        }
        check_levels(level + 1)?;
        let mut size = Size::default();
        for selection in &set.items {
            let one = match &selection.node {
                Selection::Field(field) => self.field(&field.node, level)?,
                Selection::FragmentSpread(spread) => {
                    self.fragment(&spread.node.fragment_name.node, level + 1)?
                }
                Selection::InlineFragment(inline) => {
                    self.selections(&inline.node.selection_set.node, level + 1)?
                }
            };
            let selections = one.selections.saturating_add(1);
            let one = Size { selections, ..one };
            size = size.beside(one.with_directives(selection.node.directives()));
            size.check_selections()?;
        }
        size.levels += 1;
        Ok(size)
    }

    fn field(&mut self, field: &'a Field, level: u64) -> Result<Size, GraphqlProblem> {
        let inner = self.selections(&field.selection_set.node, level + 1)?;
        let name = field.name.node.as_str();
        if matches!(name, "__schema" | "__type") {
            return Ok(Size {
                cost: 1 + inner.cost / INTROSPECTION_PER_FIELD,
                introspects: true,
                ..inner
            });
        }
        let items = match field.get_argument("first") {
            // For a variable, the conversion fails with its name.
            Some(first) => match first.node.clone().into_const_with(Err::<Value, Name>) {
                Ok(literal) => page_size(name, number(&literal).into_iter())?,
                Err(variable) => page_size(name, self.numbers(&variable).into_iter())?,
            },
            None => weights::items(name),
        };
        let own = if field.selection_set.node.items.is_empty() {
            weights::leaf(name)
        } else if field.arguments.is_empty() && weights::is_also_a_member(name) {
            1
        } else {
            weights::branch(name)
        };
        Ok(Size {
            cost: inner.cost.saturating_mul(items).saturating_add(own),
            ..inner
        })
    }

    /// Possible values of a variable: the one given, or else its defaults in all operations.
    fn numbers(&self, name: &Name) -> Vec<u64> {
        if let Some(value) = self.variables.get(name) {
            return number(value).into_iter().collect();
        }
        let operations = self.document.operations.iter();
        operations
            .flat_map(|(_, operation)| &operation.node.variable_definitions)
            .filter(|variable| variable.node.name.node == *name)
            .filter_map(|variable| number(&variable.node.default_value.as_ref()?.node))
            .collect()
    }
}

/// The number in a value; 0 for a negative or fractional one, `None` for another type.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => Some(number.as_u64().unwrap_or(0)),
        _ => None,
    }
}

/// The number of items of a field whose `first` may be any of `sizes`. When `sizes` is empty, the maximum
/// is assumed: the schema's default is smaller, and validation refuses other types.
fn page_size(field: &str, sizes: impl Iterator<Item = u64> + Clone) -> Result<u64, GraphqlProblem> {
    let most = u64::from(MAX_PAGE);
    if sizes.clone().any(|size| !(1..=most).contains(&size)) {
        let field = shortened(field);
        return Err(GraphqlProblem::PageSize {
            field,
            most: MAX_PAGE,
        });
    }
    Ok(sizes.max().unwrap_or(most))
}
