//! Limits of a document, checked after parsing and before validation and execution.
//!
//! They close what async-graphql 7.2.1 leaves open: its validation expands every spread fragment, so
//! that a chain of fragments that each spread the next one twice costs 2ⁿ before its own
//! `limit_complexity` and `limit_depth` are checked; and it limits neither aliases, nor root fields
//! of a mutation, nor directives of a whole document.
//!
//! Each fragment is measured once, however often it is spread. A measurement goes by the names of
//! fields alone: a name that the schema doesn't have costs little, and fails validation afterwards.

use std::collections::HashMap;

use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, OperationDefinition, OperationType, Selection,
    SelectionSet,
};
use async_graphql::{Name, Positioned, Value, Variables};
use domain::page::MAX_PAGE;
use web::problem::GraphqlProblem;

use crate::introspection::Introspection;
use crate::text::shortened;

mod weights;

#[cfg(test)]
mod tests;

/// Deepest nesting of fields. The deepest useful path has 6:
/// `admin { keys { edges { node { month { used` .
pub(crate) const MAX_DEPTH: u64 = 8;
/// Deepest nesting of fields below `__schema` and `__type`. The query that tools send has 15.
pub(crate) const MAX_INTROSPECTION_DEPTH: u64 = 16;
/// Most fields that an operation may resolve, lists multiplied out, and access to the store and the
/// limiter counted as in [`weights`]. The start query of `docs/graphql` has 7,250.
pub(crate) const MAX_COST: u64 = 10_000;
/// The same below `__schema` and `__type`. The query that tools send has some 200,000 by the
/// generous multipliers here.
pub(crate) const MAX_INTROSPECTION_COST: u64 = 300_000;
/// Most selections of an operation: fields, aliases and fragments, those within a fragment counted
/// each time that it is spread. The query that tools send has about 250.
pub(crate) const MAX_SELECTIONS: u64 = 500;
/// Most directives of an operation, those of spread fragments counted each time.
pub(crate) const MAX_DIRECTIVES: u64 = 20;
/// Most fragments of a document.
pub(crate) const MAX_FRAGMENTS: u64 = 20;
/// Most operations of a document, of which one is executed.
pub(crate) const MAX_OPERATIONS: u64 = 8;
/// Most root fields of a mutation.
pub(crate) const MAX_MUTATIONS: u64 = 3;
/// Most root fields of a subscription (GraphQL, October 2021, 5.2.3.1): each is followed by itself.
pub(crate) const MAX_SUBSCRIPTION_FIELDS: u64 = 1;
/// Deepest nesting of selection sets, those of fragments included. The library's own limit is 32.
pub(crate) const MAX_LEVELS: u64 = 28;
/// Deepest nesting of brackets in a query's text.
pub(crate) const MAX_NESTING: u64 = 32;
/// Most tokens of a query's text. The query that tools send has about 400.
pub(crate) const MAX_TOKENS: u64 = 2_000;

/// A limited quantity of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Depth,
    IntrospectionDepth,
    Cost,
    IntrospectionCost,
    Selections,
    Directives,
    Fragments,
    Operations,
    Mutations,
    Subscriptions,
    Levels,
    Nesting,
    Tokens,
}

impl Limit {
    /// All limits.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 13] = [
        Self::Depth,
        Self::IntrospectionDepth,
        Self::Cost,
        Self::IntrospectionCost,
        Self::Selections,
        Self::Directives,
        Self::Fragments,
        Self::Operations,
        Self::Mutations,
        Self::Subscriptions,
        Self::Levels,
        Self::Nesting,
        Self::Tokens,
    ];

    /// The largest amount allowed.
    pub(crate) fn most(self) -> u64 {
        match self {
            Self::Depth => MAX_DEPTH,
            Self::IntrospectionDepth => MAX_INTROSPECTION_DEPTH,
            Self::Cost => MAX_COST,
            Self::IntrospectionCost => MAX_INTROSPECTION_COST,
            Self::Selections => MAX_SELECTIONS,
            Self::Directives => MAX_DIRECTIVES,
            Self::Fragments => MAX_FRAGMENTS,
            Self::Operations => MAX_OPERATIONS,
            Self::Mutations => MAX_MUTATIONS,
            Self::Subscriptions => MAX_SUBSCRIPTION_FIELDS,
            Self::Levels => MAX_LEVELS,
            Self::Nesting => MAX_NESTING,
            Self::Tokens => MAX_TOKENS,
        }
    }

    /// The problem of a document that exceeds the limit.
    pub(crate) fn problem(self) -> GraphqlProblem {
        let most = self.most();
        match self {
            Self::Depth => GraphqlProblem::Depth { most },
            Self::IntrospectionDepth => GraphqlProblem::IntrospectionDepth { most },
            Self::Cost => GraphqlProblem::Cost { most },
            Self::IntrospectionCost => GraphqlProblem::IntrospectionCost { most },
            Self::Selections => GraphqlProblem::Selections { most },
            Self::Directives => GraphqlProblem::Directives { most },
            Self::Fragments => GraphqlProblem::Fragments { most },
            Self::Operations => GraphqlProblem::Operations { most },
            Self::Mutations => GraphqlProblem::Mutations { most },
            Self::Subscriptions => GraphqlProblem::Subscriptions { most },
            Self::Levels => GraphqlProblem::Levels { most },
            Self::Nesting => GraphqlProblem::Nesting { most },
            Self::Tokens => GraphqlProblem::Tokens { most },
        }
    }

    fn check(self, amount: u64) -> Result<(), GraphqlProblem> {
        if amount > self.most() {
            return Err(self.problem());
        }
        Ok(())
    }
}

/// Checks a document against all limits.
pub(crate) fn check(
    document: &ExecutableDocument,
    variables: &Variables,
    introspection: Introspection,
) -> Result<(), GraphqlProblem> {
    Limit::Fragments.check(document.fragments.len() as u64)?;
    Limit::Operations.check(document.operations.iter().len() as u64)?;
    let mut measure = Measure::new(document, variables);
    // The library validates unused fragments too. Their depth and cost depend on where they are
    // spread: below `__schema`, or not.
    for name in document.fragments.keys() {
        measure.fragment(name, 0)?.check_text()?;
    }
    for (_, operation) in document.operations.iter() {
        let operation = &operation.node;
        let size = measure.operation(operation)?;
        size.check()?;
        match operation.ty {
            OperationType::Query => {}
            OperationType::Mutation => Limit::Mutations.check(size.roots)?,
            OperationType::Subscription => Limit::Subscriptions.check(size.roots)?,
        }
        if introspection == Introspection::Off && size.introspections > 0 {
            return Err(GraphqlProblem::IntrospectionDisabled);
        }
    }
    Ok(())
}

/// Size of a part of a document, fragments expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Nesting of fields.
    depth: u64,
    introspection_depth: u64,
    /// Fields to resolve, lists multiplied out.
    cost: u64,
    introspection_cost: u64,
    /// Fields and fragments as they are written. Fragments count as well: those that only spread
    /// each other would cost the library 2ⁿ too.
    selections: u64,
    directives: u64,
    /// Fields of the outermost selection set.
    roots: u64,
    /// Introspection fields.
    introspections: u64,
    /// Nesting of selection sets.
    levels: u64,
}

impl Size {
    /// The size of two siblings.
    fn beside(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            introspection_depth: self.introspection_depth.max(other.introspection_depth),
            cost: self.cost.saturating_add(other.cost),
            introspection_cost: self
                .introspection_cost
                .saturating_add(other.introspection_cost),
            selections: self.selections.saturating_add(other.selections),
            directives: self.directives.saturating_add(other.directives),
            roots: self.roots.saturating_add(other.roots),
            introspections: self.introspections.saturating_add(other.introspections),
            levels: self.levels.max(other.levels),
        }
    }

    fn with_directives(self, directives: &[Positioned<Directive>]) -> Self {
        Self {
            directives: self.directives.saturating_add(directives.len() as u64),
            ..self
        }
    }

    /// Checks the quantities that cost time in validation.
    fn check_text(self) -> Result<(), GraphqlProblem> {
        Limit::Levels.check(self.levels)?;
        Limit::Selections.check(self.selections)?;
        Limit::Directives.check(self.directives)
    }

    fn check(self) -> Result<(), GraphqlProblem> {
        self.check_text()?;
        Limit::Depth.check(self.depth)?;
        Limit::IntrospectionDepth.check(self.introspection_depth)?;
        Limit::Cost.check(self.cost)?;
        Limit::IntrospectionCost.check(self.introspection_cost)
    }
}

/// Progress of a fragment's measurement.
enum Progress {
    /// In progress: another visit is a cycle.
    Begun,
    /// Measured.
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
        // Validation refuses the spread of an unknown fragment.
        let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
            return Ok(Size::default());
        };
        match self.fragments.get(name.as_str()) {
            Some(Progress::Done(size)) => return Ok(*size),
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
        // This bounds the recursion too.
        Limit::Levels.check(level + 1)?;
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
            if size.selections > MAX_SELECTIONS {
                return Err(Limit::Selections.problem());
            }
        }
        size.levels += 1;
        Ok(size)
    }

    fn field(&mut self, field: &'a Field, level: u64) -> Result<Size, GraphqlProblem> {
        let inner = self.selections(&field.selection_set.node, level + 1)?;
        let name = field.name.node.as_str();
        let outer = Size { roots: 1, ..inner };
        if matches!(name, "__schema" | "__type") {
            return Ok(Size {
                depth: 1,
                introspection_depth: inner.depth.max(inner.introspection_depth) + 1,
                cost: 1,
                introspection_cost: inner.cost.saturating_add(inner.introspection_cost),
                introspections: inner.introspections + 1,
                ..outer
            });
        }
        let items = match field.get_argument("first") {
            // A variable is converted to its name.
            Some(first) => match first.node.clone().into_const_with(Err::<Value, Name>) {
                Ok(literal) => page_size(name, number(&literal).into_iter())?,
                Err(variable) => page_size(name, self.numbers(&variable).into_iter())?,
            },
            None => weights::items(name),
        };
        let own = if field.selection_set.node.items.is_empty() {
            weights::leaf(name)
        } else {
            weights::branch(name)
        };
        Ok(Size {
            depth: inner.depth + 1,
            cost: inner.cost.saturating_mul(items).saturating_add(own),
            ..outer
        })
    }

    /// Possible values of a variable: its own, or else its default in any of the operations.
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

/// A number of items; zero for a negative or fractional number, `None` for another type.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => Some(number.as_u64().unwrap_or(0)),
        _ => None,
    }
}

/// The number of items of a field whose `first` may be any of `sizes`. Without any, the schema's
/// default applies, or validation refuses the argument.
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
