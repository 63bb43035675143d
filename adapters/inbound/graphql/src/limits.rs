//! What one request may ask for, decided on the parsed document before anything of it is
//! validated or executed.
//!
//! Each fragment is measured once, however often it is spread, so that a chain of fragments that
//! each spread the next one twice costs a line each, and not 2ⁿ. Measuring goes by the names of
//! fields alone: a name that the schema doesn't have costs little, and is refused afterwards.

use std::collections::HashMap;

use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, OperationDefinition, OperationType, Selection,
    SelectionSet,
};
use async_graphql::{Name, Positioned, Value, Variables};
use domain::page::MAX_PAGE;

use crate::introspection::Introspection;

mod weights;

#[cfg(test)]
mod tests;

/// Deepest nesting of fields. The deepest useful path has 6:
/// `admin { keys { edges { node { month { used` .
pub(crate) const MAX_DEPTH: u64 = 8;
/// Deepest nesting of fields below `__schema` and `__type`. The query that tools send has 15.
pub(crate) const MAX_INTROSPECTION_DEPTH: u64 = 16;
/// Most fields that an operation may resolve, lists multiplied out, and a visit to the store
/// counted as [`weights::VISIT`] or [`weights::REPORT`]. The start query of `docs/graphql` has 4,600.
pub(crate) const MAX_COST: u64 = 10_000;
/// The same below `__schema` and `__type`. The query that tools send has some 200,000 by our
/// generous multipliers.
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
/// Deepest nesting of selection sets, those of fragments included. The library's own limit is 32.
pub(crate) const MAX_LEVELS: u64 = 28;
/// Deepest nesting of brackets in a query's text.
pub(crate) const MAX_NESTING: u64 = 32;
/// Most tokens of a query's text. The query that tools send has about 400.
pub(crate) const MAX_TOKENS: u64 = 2_000;

/// Something that a request may have so much of.
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
    Levels,
    Nesting,
    Tokens,
}

impl Limit {
    /// All limits.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Depth,
        Self::IntrospectionDepth,
        Self::Cost,
        Self::IntrospectionCost,
        Self::Selections,
        Self::Directives,
        Self::Fragments,
        Self::Operations,
        Self::Mutations,
        Self::Levels,
        Self::Nesting,
        Self::Tokens,
    ];

    /// How much.
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
            Self::Levels => MAX_LEVELS,
            Self::Nesting => MAX_NESTING,
            Self::Tokens => MAX_TOKENS,
        }
    }

    fn check(self, amount: u64) -> Result<(), LimitError> {
        if amount > self.most() {
            return Err(LimitError::Exceeded(self));
        }
        Ok(())
    }
}

/// Why a document isn't executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LimitError {
    /// It asks for more than it may.
    Exceeded(Limit),
    /// A fragment holds itself.
    FragmentCycle,
    /// The `first` of a field isn't 1 to 100.
    PageSize {
        /// The field.
        field: String,
    },
    /// It asks for the schema, which isn't told here.
    IntrospectionOff,
}

/// Checks a document against all limits.
pub(crate) fn check(
    document: &ExecutableDocument,
    variables: &Variables,
    introspection: Introspection,
) -> Result<(), LimitError> {
    Limit::Fragments.check(document.fragments.len() as u64)?;
    Limit::Operations.check(document.operations.iter().len() as u64)?;
    let mut measure = Measure::new(document, variables);
    // Fragments that nobody spreads are validated too. How deep and how costly one is depends on
    // where it is spread: below `__schema`, or not.
    for name in document.fragments.keys() {
        measure.fragment(name, 0)?.check_text()?;
    }
    for (_, operation) in document.operations.iter() {
        let operation = &operation.node;
        let size = measure.operation(operation)?;
        size.check()?;
        if operation.ty == OperationType::Mutation {
            Limit::Mutations.check(size.roots)?;
        }
        if introspection == Introspection::Off && size.introspections > 0 {
            return Err(LimitError::IntrospectionOff);
        }
    }
    Ok(())
}

/// How much of everything a part of a document has, fragments spread out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Nesting of fields.
    depth: u64,
    introspection_depth: u64,
    /// Fields to resolve, lists multiplied out.
    cost: u64,
    introspection_cost: u64,
    /// Fields and fragments as they are written. Fragments count as well: spreading nothing but
    /// each other they would cost the library 2ⁿ too.
    selections: u64,
    directives: u64,
    /// Fields of the outermost selection set.
    roots: u64,
    /// Fields that ask for the schema.
    introspections: u64,
    /// Nesting of selection sets.
    levels: u64,
}

impl Size {
    /// Both, side by side.
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

    /// Checks what costs time before anything is executed.
    fn check_text(self) -> Result<(), LimitError> {
        Limit::Levels.check(self.levels)?;
        Limit::Selections.check(self.selections)?;
        Limit::Directives.check(self.directives)
    }

    fn check(self) -> Result<(), LimitError> {
        self.check_text()?;
        Limit::Depth.check(self.depth)?;
        Limit::IntrospectionDepth.check(self.introspection_depth)?;
        Limit::Cost.check(self.cost)?;
        Limit::IntrospectionCost.check(self.introspection_cost)
    }
}

/// What is known of a fragment.
enum Progress {
    /// It is being measured.
    Begun,
    /// It was.
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

    fn operation(&mut self, operation: &'a OperationDefinition) -> Result<Size, LimitError> {
        let mut size = self.selections(&operation.selection_set.node, 0)?;
        for variable in &operation.variable_definitions {
            size = size.with_directives(&variable.node.directives);
        }
        Ok(size.with_directives(&operation.directives))
    }

    fn fragment(&mut self, name: &str, level: u64) -> Result<Size, LimitError> {
        // A fragment that isn't there is the validation's to refuse.
        let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
            return Ok(Size::default());
        };
        match self.fragments.get(name.as_str()) {
            Some(Progress::Done(size)) => return Ok(*size),
            Some(Progress::Begun) => return Err(LimitError::FragmentCycle),
            None => {}
        }
        self.fragments.insert(name, Progress::Begun);
        let fragment = &fragment.node;
        let size = self.selections(&fragment.selection_set.node, level)?;
        let size = size.with_directives(&fragment.directives);
        self.fragments.insert(name, Progress::Done(size));
        Ok(size)
    }

    /// The size of a selection set that stands `level` sets deep.
    fn selections(&mut self, set: &'a SelectionSet, level: u64) -> Result<Size, LimitError> {
        if set.items.is_empty() {
            return Ok(Size::default());
        }
        // Also what keeps this recursion short.
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
                return Err(LimitError::Exceeded(Limit::Selections));
            }
        }
        size.levels += 1;
        Ok(size)
    }

    fn field(&mut self, field: &'a Field, level: u64) -> Result<Size, LimitError> {
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
            // A literal is its own value; of a variable only the name is known here.
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

    /// What a variable may stand for: its value, or else its default in any of the operations.
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

/// A number of items; zero for one that is no whole number of at least that, `None` for what is no
/// number at all.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => Some(number.as_u64().unwrap_or(0)),
        _ => None,
    }
}

/// How many items a field has whose `first` may be any of `sizes`. Where there is none the schema's
/// default applies, or the validation refuses it.
fn page_size(field: &str, sizes: impl Iterator<Item = u64> + Clone) -> Result<u64, LimitError> {
    let most = u64::from(MAX_PAGE);
    if sizes.clone().any(|size| !(1..=most).contains(&size)) {
        let field = field.to_owned();
        return Err(LimitError::PageSize { field });
    }
    Ok(sizes.max().unwrap_or(most))
}
