//! The schema as data: which fields, arguments and input objects there are, and of which types.

use std::collections::{HashMap, HashSet};

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, ExecutableDocument, FieldDefinition, InputValueDefinition, OperationDefinition,
    OperationType, Selection, Type, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Name, Positioned};
use async_graphql_value::Value;

/// The types of the schema by their names, and the arguments of its directives. The types that
/// describe the schema itself aren't among them.
pub(crate) struct Shape {
    types: HashMap<Name, TypeKind>,
    directives: HashMap<Name, Vec<Positioned<InputValueDefinition>>>,
}

/// An argument as a document gives it.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) definition: &'a InputValueDefinition,
    pub(crate) name: &'a Positioned<Name>,
    pub(crate) value: &'a Value,
}

impl Shape {
    /// The shape of a schema in its own language.
    pub(crate) fn of(sdl: &str) -> Self {
        let schema = parse_schema(sdl).expect("the library reads the schema that it wrote");
        let (mut types, mut directives) = (HashMap::new(), HashMap::new());
        for definition in schema.definitions {
            match definition {
                TypeSystemDefinition::Type(ty) => {
                    types.insert(ty.node.name.node, ty.node.kind);
                }
                TypeSystemDefinition::Directive(directive) => {
                    let directive = directive.node;
                    directives.insert(directive.name.node, directive.arguments);
                }
                TypeSystemDefinition::Schema(_) => {}
            }
        }
        Self { types, directives }
    }

    /// The type whose fields an operation of this kind asks for.
    pub(crate) fn root(kind: OperationType) -> &'static str {
        match kind {
            OperationType::Query => "Query",
            OperationType::Mutation => "Mutation",
            OperationType::Subscription => "Subscription",
        }
    }

    pub(crate) fn kind(&self, ty: &str) -> Option<&TypeKind> {
        self.types.get(ty)
    }

    pub(crate) fn field(&self, ty: &str, name: &str) -> Option<&FieldDefinition> {
        let Some(TypeKind::Object(object)) = self.kind(ty) else {
            return None;
        };
        let mut fields = object.fields.iter().map(|field| &field.node);
        fields.find(|field| field.name.node == name)
    }

    /// The members of an input object.
    pub(crate) fn members(&self, ty: &Type) -> &[Positioned<InputValueDefinition>] {
        match self.kind(named(ty)) {
            Some(TypeKind::InputObject(object)) => &object.fields,
            _ => &[],
        }
    }

    /// The arguments of an operation and of what it spreads, directives included, in no order. Those that the schema
    /// doesn't have are the validation's to refuse.
    pub(crate) fn given<'a>(
        &'a self,
        document: &'a ExecutableDocument,
        operation: &'a OperationDefinition,
    ) -> Vec<Given<'a>> {
        let mut given = Vec::new();
        let mut spread = HashSet::new();
        let mut sets = vec![(Self::root(operation.ty), &operation.selection_set.node)];
        while let Some((ty, set)) = sets.pop() {
            for selection in &set.items {
                for directive in selection.node.directives() {
                    let directive = &directive.node;
                    if let Some(known) = self.directives.get(&directive.name.node) {
                        add(known, &directive.arguments, &mut given);
                    }
                }
                match &selection.node {
                    Selection::Field(field) => {
                        let field = &field.node;
                        let Some(definition) = self.field(ty, &field.name.node) else {
                            continue;
                        };
                        add(&definition.arguments, &field.arguments, &mut given);
                        sets.push((named(&definition.ty.node), &field.selection_set.node));
                    }
                    Selection::InlineFragment(inline) => {
                        sets.push((ty, &inline.node.selection_set.node));
                    }
                    Selection::FragmentSpread(spreads) => {
                        let name = &spreads.node.fragment_name.node;
                        let fragment = document.fragments.get(name);
                        if let Some(fragment) = fragment.filter(|_| spread.insert(name)) {
                            let fragment = &fragment.node;
                            let ty = fragment.type_condition.node.on.node.as_str();
                            sets.push((ty, &fragment.selection_set.node));
                        }
                    }
                }
            }
        }
        given
    }
}

/// Adds the arguments that are known.
fn add<'a>(
    known: &'a [Positioned<InputValueDefinition>],
    arguments: &'a [(Positioned<Name>, Positioned<Value>)],
    given: &mut Vec<Given<'a>>,
) {
    given.extend(arguments.iter().filter_map(|(name, value)| {
        let mut known = known.iter().map(|known| &known.node);
        Some(Given {
            definition: known.find(|known| known.name.node == name.node)?,
            name,
            value: &value.node,
        })
    }));
}

/// The name of the type of which a type is made: `Key` of `[Key!]!`.
pub(crate) fn named(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => named(inner),
    }
}
