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

/// Maximum nesting of fields. The deepest useful path has 6: `admin { keys { edges { node { month { used`.
pub(crate) const MAX_DEPTH: u64 = 8;
/// Maximum nesting of fields below `__schema` and `__type`. The query that tools send has 15.
pub(crate) const MAX_INTROSPECTION_DEPTH: u64 = 16;
/// Maximum cost of an operation: resolved fields, multiplied by list lengths, with the extra costs of
/// [`weights`]. The start query of `docs/graphql` has 7,250.
pub(crate) const MAX_COST: u64 = 10_000;
/// Maximum cost below `__schema` and `__type`. The query that tools send has about 200,000, since the list
/// lengths in [`weights`] are high estimates.
pub(crate) const MAX_INTROSPECTION_COST: u64 = 300_000;
/// Maximum selections of an operation (fields, aliases, fragments); those within a fragment count each time
/// it is spread. The query that tools send has about 250.
pub(crate) const MAX_SELECTIONS: u64 = 500;
/// Maximum directives of an operation; those within a fragment count each time it is spread.
pub(crate) const MAX_DIRECTIVES: u64 = 20;
/// Maximum fragments of a document.
pub(crate) const MAX_FRAGMENTS: u64 = 20;
/// Maximum operations of a document, of which only one is executed.
pub(crate) const MAX_OPERATIONS: u64 = 8;
/// Maximum root fields of a mutation.
pub(crate) const MAX_MUTATIONS: u64 = 3;
/// Maximum root fields of a subscription (GraphQL, October 2021, 5.2.3.1).
pub(crate) const MAX_SUBSCRIPTION_FIELDS: u64 = 1;
/// Maximum nesting of selection sets, those of fragments included. async-graphql's own limit is 32.
pub(crate) const MAX_LEVELS: u64 = 28;
/// Maximum nesting of brackets in a document's text.
pub(crate) const MAX_NESTING: u64 = 32;
/// Maximum tokens of a document's text. The query that tools send has about 400.
pub(crate) const MAX_TOKENS: u64 = 2_000;

/// A measured quantity with a limit.
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

    /// The largest value allowed.
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
    // async-graphql validates unused fragments too. Their depth and cost aren't checked here, since those
    // depend on where a fragment is spread: below `__schema`, or not.
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

/// Size of a part of a document, with fragments expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Nesting of fields.
    depth: u64,
    introspection_depth: u64,
    /// Fields to resolve, multiplied by list lengths.
    cost: u64,
    introspection_cost: u64,
    /// Fields and fragments in the text. Fragments count too, since fragments that only spread each other
    /// could also take 2ⁿ steps to validate.
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
    /// The combined size of two siblings.
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

    /// Checks the quantities that determine the time of async-graphql's validation.
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
        // This also limits the recursion of this function.
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
            depth: inner.depth + 1,
            cost: inner.cost.saturating_mul(items).saturating_add(own),
            ..outer
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
