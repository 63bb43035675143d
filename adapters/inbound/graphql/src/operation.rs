//! Selection of the operation to execute, and checks of its variables.

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, VariableDefinition,
};
use async_graphql::{Positioned, Value, Variables};
use web::problem::GraphqlProblem;

use crate::text::shortened;

/// Selects the operation to execute. Also returns its name, which async-graphql requires exactly when the
/// operation has one.
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

/// Checks that all required variables have values (GraphQL, October 2021, 6.1.2). async-graphql checks this
/// field by field, when earlier mutations of the request have already been executed.
///
/// In a mutation nullable variables must be given too: async-graphql replaces an absent one with null, and
/// null removes a key's monthly quota, while an absent member keeps it.
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

/// Sets every variable without a value to its default, or else null, as execution does. async-graphql
/// validates an argument that contains a variable only when the variable has a value (so unknown members of
/// the same argument would pass), and ignores defaults in `@skip` and `@include`.
pub(crate) fn fill_in_defaults(operation: &OperationDefinition, variables: &mut Variables) {
    for definition in &operation.variable_definitions {
        let definition = &definition.node;
        let default = definition.default_value.as_ref();
        variables
            .entry(definition.name.node.clone())
            .or_insert_with(|| default.map_or(Value::Null, |default| default.node.clone()));
    }
}
