//! What a request was answered, made whole: its fields in the order in which they were asked for,
//! null for each that failed, and null for what can't be without it (GraphQL, October 2021, 6.4.4
//! and 7.2.2). The library leaves a field that failed out, and answers in the order in which it
//! got the others.

use std::collections::HashSet;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{
    BaseType, Directive, ExecutableDocument, OperationDefinition, Selection, SelectionSet, Type,
    TypeKind,
};
use async_graphql::{Name, Positioned, Value, Variables};

use crate::shape::{Shape, named};

/// What was asked.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) document: &'a ExecutableDocument,
    pub(crate) operation: &'a OperationDefinition,
    /// Settled ones.
    pub(crate) variables: &'a Variables,
    pub(crate) shape: &'a Shape,
}

/// What is asked of one field of an answer, which may stand in a document several times.
struct Field<'a> {
    name: &'a str,
    sets: Vec<&'a SelectionSet>,
}

type Fields<'a> = IndexMap<&'a Name, Field<'a>>;

/// The data of an answer, made whole.
pub(crate) fn complete(asked: Asked<'_>, data: Value) -> Value {
    let ty = Shape::root(asked.operation.ty);
    let set = &asked.operation.selection_set.node;
    asked.object(Some(ty), &[set], data).unwrap_or_default()
}

impl<'a> Asked<'a> {
    /// An object; `None` when it lacks a field that can't be null.
    fn object(self, ty: Option<&str>, sets: &[&'a SelectionSet], value: Value) -> Option<Value> {
        let fields = self.fields(sets);
        let mut given = match value {
            Value::Object(given) => given,
            // The library's way to say an object of which nothing is left, or nothing is asked.
            Value::Null => IndexMap::new(),
            value => return Some(value),
        };
        let mut whole = IndexMap::with_capacity(fields.len());
        for (key, field) in fields {
            let definition = ty.and_then(|ty| self.shape.field(ty, field.name));
            let value = match (definition, given.swap_remove(key)) {
                (Some(definition), Some(value)) => {
                    self.value(&definition.ty.node, &field.sets, value)?
                }
                (Some(definition), None) if definition.ty.node.nullable => Value::Null,
                (Some(_), None) => return None,
                // What describes the schema, and never fails.
                (None, Some(value)) => self.described(&field.sets, value),
                (None, None) => continue,
            };
            whole.insert(key.clone(), value);
        }
        Some(Value::Object(whole))
    }

    /// A value of a type; `None` when it is null, and can't be.
    fn value(self, ty: &Type, sets: &[&'a SelectionSet], value: Value) -> Option<Value> {
        let whole = match (&ty.base, value) {
            (_, Value::Null) if ty.nullable => Some(Value::Null),
            (BaseType::List(item), Value::List(items)) => {
                let items = items.into_iter();
                let items = items.map(|value| self.value(item, sets, value));
                items.collect::<Option<Vec<_>>>().map(Value::List)
            }
            (BaseType::Named(name), value) if self.is_object(name) => {
                self.object(Some(named(ty)), sets, value)
            }
            (_, Value::Null) => None,
            (_, value) => Some(value),
        };
        match whole {
            None if ty.nullable => Some(Value::Null),
            whole => whole,
        }
    }

    /// A value that describes the schema.
    fn described(self, sets: &[&'a SelectionSet], value: Value) -> Value {
        match value {
            Value::List(items) => {
                let items = items.into_iter();
                Value::List(items.map(|value| self.described(sets, value)).collect())
            }
            value @ Value::Object(_) => self.object(None, sets, value).unwrap_or_default(),
            value => value,
        }
    }

    fn is_object(self, ty: &str) -> bool {
        matches!(self.shape.kind(ty), Some(TypeKind::Object(_)))
    }

    /// The fields of selection sets, in order, those of the same key together. The schema has
    /// neither interfaces nor unions, so that every fragment that is valid applies.
    fn fields(self, sets: &[&'a SelectionSet]) -> Fields<'a> {
        let (mut fields, mut spread) = (Fields::new(), HashSet::new());
        for set in sets {
            self.collect(set, &mut fields, &mut spread);
        }
        fields
    }

    fn collect(
        self,
        set: &'a SelectionSet,
        fields: &mut Fields<'a>,
        spread: &mut HashSet<&'a Name>,
    ) {
        for selection in &set.items {
            if self.is_skipped(selection.node.directives()) {
                continue;
            }
            match &selection.node {
                Selection::Field(field) => {
                    let field = &field.node;
                    let begun = fields.entry(&field.response_key().node);
                    let begun = begun.or_insert_with(|| Field {
                        name: &field.name.node,
                        sets: Vec::new(),
                    });
                    begun.sets.push(&field.selection_set.node);
                }
                Selection::InlineFragment(inline) => {
                    self.collect(&inline.node.selection_set.node, fields, spread);
                }
                Selection::FragmentSpread(spreads) => {
                    let name = &spreads.node.fragment_name.node;
                    let fragment = self.document.fragments.get(name);
                    if let Some(fragment) = fragment.filter(|_| spread.insert(name)) {
                        self.collect(&fragment.node.selection_set.node, fields, spread);
                    }
                }
            }
        }
    }

    fn is_skipped(self, directives: &[Positioned<Directive>]) -> bool {
        directives.iter().any(|directive| {
            let directive = &directive.node;
            let wanted = match directive.name.node.as_str() {
                "skip" => false,
                "include" => true,
                _ => return false,
            };
            let condition = directive.get_argument("if").map(|value| {
                let value = value.node.clone();
                value.into_const_with(|name| self.variables.get(&name).cloned().ok_or(()))
            });
            let holds = matches!(condition, Some(Ok(Value::Boolean(true))));
            holds != wanted
        })
    }
}
