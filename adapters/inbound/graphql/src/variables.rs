//! The variables of a document, before the library sees it: their defaults are put in, what has no
//! value is left out, and each must fit the place where it is used. (GraphQL, October 2021, 5.8.5
//! and 6.4.1; the library has rules of its own there, and takes none of these defaults.)

use std::collections::HashSet;

use async_graphql::parser::types::{
    BaseType, DocumentOperations, ExecutableDocument, OperationDefinition, Selection, SelectionSet,
    Type, VariableDefinition,
};
use async_graphql::{Name, Pos, Variables};
use async_graphql_value::{ConstValue, Value};

use crate::refusal::Refusal;
use crate::shape::Shape;

type Names = HashSet<Name>;

/// Settles the variables of the operation that is to be executed: afterwards each that is used in
/// an argument has a value.
pub(crate) fn settle(
    document: &mut ExecutableDocument,
    chosen: Option<&str>,
    variables: &mut Variables,
) {
    let Some(operation) = operation(document, chosen) else {
        return;
    };
    let mut absent = Names::new();
    for definition in &operation.variable_definitions {
        let definition = &definition.node;
        let name = &definition.name.node;
        if variables.contains_key(name) {
            continue;
        }
        match &definition.default_value {
            Some(default) => {
                variables.insert(name.clone(), default.node.clone());
            }
            None => {
                absent.insert(name.clone());
            }
        }
    }
    if !absent.is_empty() {
        leave_out(document, chosen, &absent);
    }
}

fn leave_out(document: &mut ExecutableDocument, chosen: Option<&str>, absent: &Names) {
    let Some(operation) = operation(document, chosen) else {
        return;
    };
    let (reached, _) = mentions(document, operation);
    let before: Vec<Names> = operations(document)
        .map(|operation| mentions(document, operation).1)
        .collect();
    for (name, fragment) in &mut document.fragments {
        if reached.contains(name) {
            strip(&mut fragment.node.selection_set.node, absent);
        }
    }
    if let Some(operation) = operation_mut(document, chosen) {
        strip(&mut operation.selection_set.node, absent);
    }
    // A variable that is used nowhere any more would be refused as one that never was.
    let after: Vec<Names> = operations(document)
        .map(|operation| mentions(document, operation).1)
        .collect();
    let used = before.iter().zip(&after);
    for (operation, (before, after)) in operations_mut(document).into_iter().zip(used) {
        operation.variable_definitions.retain(|definition| {
            let name = &definition.node.name.node;
            after.contains(name) || !before.contains(name)
        });
    }
}

/// Leaves out arguments, and members of objects, that are variables without a value.
fn strip(set: &mut SelectionSet, absent: &Names) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => {
                let field = &mut field.node;
                field
                    .arguments
                    .retain(|(_, value)| !is_absent(&value.node, absent));
                for (_, value) in &mut field.arguments {
                    strip_value(&mut value.node, absent);
                }
                strip(&mut field.selection_set.node, absent);
            }
            Selection::InlineFragment(inline) => {
                strip(&mut inline.node.selection_set.node, absent);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn strip_value(value: &mut Value, absent: &Names) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !is_absent(member, absent));
            for member in members.values_mut() {
                strip_value(member, absent);
            }
        }
        Value::List(items) => {
            for item in items {
                strip_value(item, absent);
            }
        }
        _ => {}
    }
}

fn is_absent(value: &Value, absent: &Names) -> bool {
    matches!(value, Value::Variable(name) if absent.contains(name))
}

/// The fragments that an operation reaches, and the variables that it uses, there too.
fn mentions(document: &ExecutableDocument, operation: &OperationDefinition) -> (Names, Names) {
    let (mut reached, mut used) = (Names::new(), Names::new());
    let mut sets = vec![&operation.selection_set.node];
    while let Some(set) = sets.pop() {
        for selection in &set.items {
            for directive in selection.node.directives() {
                for (_, value) in &directive.node.arguments {
                    collect(&value.node, &mut used);
                }
            }
            match &selection.node {
                Selection::Field(field) => {
                    for (_, value) in &field.node.arguments {
                        collect(&value.node, &mut used);
                    }
                    sets.push(&field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => sets.push(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if let Some(fragment) = document.fragments.get(name)
                        && reached.insert(name.clone())
                    {
                        sets.push(&fragment.node.selection_set.node);
                    }
                }
            }
        }
    }
    (reached, used)
}

fn collect(value: &Value, used: &mut Names) {
    match value {
        Value::Variable(name) => {
            used.insert(name.clone());
        }
        Value::List(items) => items.iter().for_each(|item| collect(item, used)),
        Value::Object(members) => members.values().for_each(|member| collect(member, used)),
        _ => {}
    }
}

/// A variable where it is used.
struct Usage<'a> {
    name: &'a Name,
    at: Pos,
    /// The type that is wanted there.
    wanted: &'a Type,
    /// Whether the place has a value of its own for when none is given.
    defaults: bool,
}

/// Whether every variable is of a type that fits where it is used.
pub(crate) fn check(document: &ExecutableDocument, shape: &Shape) -> Result<(), Refusal> {
    for operation in operations(document) {
        let definitions = &operation.variable_definitions;
        for usage in usages(document, operation, shape) {
            let mut definitions = definitions.iter().map(|definition| &definition.node);
            let definition = definitions.find(|known| known.name.node == *usage.name);
            // One that isn't declared is the validation's to refuse.
            if let Some(definition) = definition
                && !usage.allows(definition)
            {
                return Err(Refusal::VariableType {
                    name: usage.name.to_string(),
                    has: definition.var_type.node.to_string(),
                    wanted: usage.wanted.to_string(),
                    at: usage.at,
                });
            }
        }
    }
    Ok(())
}

/// Declares as never null what may be used where a default stands for what isn't given. The library
/// refuses any other there; a null is still refused as the value that it is.
pub(crate) fn declare(document: &mut ExecutableDocument, shape: &Shape) {
    let declared: Vec<Names> = operations(document)
        .map(|operation| {
            let usages = usages(document, operation, shape).into_iter();
            let usages = usages.filter(|usage| usage.defaults && !usage.wanted.nullable);
            usages.map(|usage| usage.name.clone()).collect()
        })
        .collect();
    for (operation, declared) in operations_mut(document).into_iter().zip(&declared) {
        for definition in &mut operation.variable_definitions {
            let definition = &mut definition.node;
            if declared.contains(&definition.name.node) {
                definition.var_type.node.nullable = false;
            }
        }
    }
}

fn usages<'a>(
    document: &'a ExecutableDocument,
    operation: &'a OperationDefinition,
    shape: &'a Shape,
) -> Vec<Usage<'a>> {
    let mut usages = Vec::new();
    for given in shape.given(document, operation) {
        let place = Place {
            at: given.name.pos,
            wanted: &given.definition.ty.node,
            defaults: given.definition.default_value.is_some(),
        };
        place.usages(given.value, shape, &mut usages);
    }
    usages
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: Pos,
    wanted: &'a Type,
    defaults: bool,
}

impl<'a> Place<'a> {
    fn usages(self, value: &'a Value, shape: &'a Shape, usages: &mut Vec<Usage<'a>>) {
        match (value, &self.wanted.base) {
            (Value::Variable(name), _) => usages.push(Usage {
                name,
                at: self.at,
                wanted: self.wanted,
                defaults: self.defaults,
            }),
            (Value::List(items), BaseType::List(wanted)) => {
                for item in items {
                    self.inner(wanted, false).usages(item, shape, usages);
                }
            }
            // A single item stands for a list of it.
            (value, BaseType::List(wanted)) => {
                self.inner(wanted, false).usages(value, shape, usages);
            }
            (Value::Object(given), BaseType::Named(_)) => {
                for member in shape.members(self.wanted) {
                    let member = &member.node;
                    if let Some(value) = given.get(&member.name.node) {
                        let defaults = member.default_value.is_some();
                        let place = self.inner(&member.ty.node, defaults);
                        place.usages(value, shape, usages);
                    }
                }
            }
            _ => {}
        }
    }

    fn inner(self, wanted: &'a Type, defaults: bool) -> Self {
        Self {
            at: self.at,
            wanted,
            defaults,
        }
    }
}

impl Usage<'_> {
    fn allows(&self, definition: &VariableDefinition) -> bool {
        let has = &definition.var_type.node;
        let default = definition.default_value.as_ref().map(|value| &value.node);
        let has_default = default.is_some_and(|value| *value != ConstValue::Null);
        let may_be_null = has.nullable && !has_default && !self.defaults;
        (self.wanted.nullable || !may_be_null) && fits(&has.base, &self.wanted.base)
    }
}

fn fits(has: &BaseType, wanted: &BaseType) -> bool {
    match (has, wanted) {
        (BaseType::Named(has), BaseType::Named(wanted)) => has == wanted,
        (BaseType::List(has), BaseType::List(wanted)) => {
            (wanted.nullable || !has.nullable) && fits(&has.base, &wanted.base)
        }
        _ => false,
    }
}

fn operation<'a>(
    document: &'a ExecutableDocument,
    chosen: Option<&str>,
) -> Option<&'a OperationDefinition> {
    match (&document.operations, chosen) {
        (DocumentOperations::Single(operation), _) => Some(&operation.node),
        (DocumentOperations::Multiple(operations), chosen) => {
            operations.get(chosen?).map(|operation| &operation.node)
        }
    }
}

fn operation_mut<'a>(
    document: &'a mut ExecutableDocument,
    chosen: Option<&str>,
) -> Option<&'a mut OperationDefinition> {
    match (&mut document.operations, chosen) {
        (DocumentOperations::Single(operation), _) => Some(&mut operation.node),
        (DocumentOperations::Multiple(operations), chosen) => operations
            .get_mut(chosen?)
            .map(|operation| &mut operation.node),
    }
}

fn operations(document: &ExecutableDocument) -> impl Iterator<Item = &OperationDefinition> {
    document
        .operations
        .iter()
        .map(|(_, operation)| &operation.node)
}

/// In the order of [`operations`].
fn operations_mut(document: &mut ExecutableDocument) -> Vec<&mut OperationDefinition> {
    match &mut document.operations {
        DocumentOperations::Single(operation) => vec![&mut operation.node],
        DocumentOperations::Multiple(operations) => operations
            .values_mut()
            .map(|operation| &mut operation.node)
            .collect(),
    }
}

#[cfg(test)]
mod tests;
