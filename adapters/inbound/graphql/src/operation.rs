//! The operation of a document that is executed.

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, VariableDefinition,
};
use async_graphql::{Positioned, Value, Variables};
use web::problem::GraphqlProblem;

use crate::text::shortened;

/// Selects the operation of a document. Returns its name too, which the library must be given
/// exactly when the operation has one.
pub(crate) fn select<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Result<(Option<&'a str>, &'a OperationDefinition), GraphqlProblem> {
    // Some clients send an empty name instead of none.
    let name = name.filter(|name| !name.is_empty());
    match (&document.operations, name) {
        (DocumentOperations::Single(operation), None) => Ok((None, &operation.node)),
        (DocumentOperations::Single(_), Some(_)) => Err(GraphqlProblem::UnknownOperation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations
            .get_key_value(name)
            .map(|(name, operation)| (Some(name.as_str()), &operation.node))
            .ok_or(GraphqlProblem::UnknownOperation),
        (DocumentOperations::Multiple(operations), None) => {
            let mut operations = operations.iter();
            match (operations.next(), operations.next()) {
                (Some((name, operation)), None) => Ok((Some(name.as_str()), &operation.node)),
                _ => Err(GraphqlProblem::OperationNameRequired),
            }
        }
    }
}

/// Checks that every variable that must have a value has one (GraphQL, October 2021, 6.1.2). The
/// library finds out field by field, after earlier mutations have been executed.
///
/// In a mutation a nullable variable must be given too: the library takes an absent one for null, and
/// null lifts a key's monthly quota where an absent member would leave it as it is.
pub(crate) fn check_variables(
    operation: &OperationDefinition,
    variables: &Variables,
) -> Result<(), GraphqlProblem> {
    let is_mutation = operation.ty == OperationType::Mutation;
    let lacks_value = |definition: &&Positioned<VariableDefinition>| {
        let definition = &definition.node;
        let nullable = definition.var_type.node.nullable;
        match variables.get(&definition.name.node) {
            Some(Value::Null) => !nullable,
            Some(_) => false,
            None => (!nullable || is_mutation) && definition.default_value.is_none(),
        }
    };
    let definitions = &operation.variable_definitions;
    match definitions.iter().find(lacks_value) {
        Some(definition) => {
            let name = shortened(&definition.node.name.node);
            Err(GraphqlProblem::VariableRequired { name })
        }
        None => Ok(()),
    }
}

/// Gives every variable that has no value its default, or else null, as execution does. The library
/// validates an argument that holds a variable only when the variable has a value (an unknown member
/// beside it would pass), and takes no default in `@skip` and `@include`.
pub(crate) fn fill_in_defaults(operation: &OperationDefinition, variables: &mut Variables) {
    for definition in &operation.variable_definitions {
        let definition = &definition.node;
        let default = definition.default_value.as_ref();
        variables
            .entry(definition.name.node.clone())
            .or_insert_with(|| default.map_or(Value::Null, |default| default.node.clone()));
    }
}
