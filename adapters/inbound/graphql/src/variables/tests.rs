//! Tests of variables: what is left out is as if it had never been written, and nothing panics.

use std::sync::LazyLock;

use async_graphql::Value as Given;
use async_graphql::parser::parse_query;
use proptest::prelude::*;

use super::*;
use crate::arguments;

/// Read once: it is long.
static SHAPE: LazyLock<Shape> = LazyLock::new(|| Shape::of(&crate::schema_sdl()));

fn settled(query: &str) -> ExecutableDocument {
    let mut document = parse_query(query).unwrap();
    settle(&mut document, None, &mut Variables::default());
    document
}

/// The arguments of the only field of a document, and its variables.
fn arguments_of(document: &ExecutableDocument) -> (Vec<String>, Vec<String>) {
    let operation = operation(document, None).unwrap();
    let Selection::Field(field) = &operation.selection_set.node.items[0].node else {
        panic!("a field is asked for");
    };
    let arguments = field.node.arguments.iter();
    let definitions = operation.variable_definitions.iter();
    (
        arguments
            .map(|(name, value)| format!("{name}: {value}"))
            .collect(),
        definitions
            .map(|definition| definition.node.name.to_string())
            .collect(),
    )
}

proptest! {
    /// Members of an object, each a literal or a variable that has no value.
    #[test]
    fn what_has_no_value_is_as_if_it_were_never_written(
        absent in prop::collection::vec(any::<bool>(), 1..8),
    ) {
        let member = |place: usize| format!("m{place}: {place}");
        let with = absent.iter().enumerate().map(|(place, absent)| match absent {
            true => format!("m{place}: $v{place}"),
            false => member(place),
        });
        let with: Vec<_> = with.collect();
        let without = absent.iter().enumerate().filter(|(_, absent)| !**absent);
        let without: Vec<_> = without.map(|(place, _)| member(place)).collect();
        let declared: Vec<_> = (0..absent.len()).map(|place| format!("$v{place}: Int")).collect();
        let query = format!(
            "query({}) {{ f(a: {{ {} }}, {}) {{ x }} }}",
            declared.join(", "), with.join(", "), with.join(", ")
        );
        let given = if without.is_empty() { String::new() } else { format!(", {}", without.join(", ")) };
        let same = format!("{{ f(a: {{ {} }}{given}) {{ x }} }}", without.join(", "));
        let (arguments, definitions) = arguments_of(&settled(&query));
        prop_assert_eq!(arguments, arguments_of(&parse_query(same).unwrap()).0);
        // Those that were never used are still there, for the validation to refuse.
        let unused: Vec<_> = absent.iter().enumerate().filter(|(_, absent)| !**absent).collect();
        prop_assert_eq!(definitions.len(), unused.len());
    }

    #[test]
    fn no_document_and_no_value_makes_any_check_panic(
        ty in prop::sample::select(vec!["Int", "Int!", "[Int!]", "KeyFilter", "Nope", "ID", "Count"]),
        value in prop::sample::select(vec![
            "$v", "[$v]", "[[$v]]", "{ text: $v }", "{ statuses: [[], $v] }", "{ id: { id: $v } }", "1e99",
            "-9223372036854775808", "18446744073709551615", "null", "[]", "{}", "\"\"", "MOON", "true",
        ]),
        field in prop::sample::select(vec![
            "keys(first: @)", "keys(filter: @)", "x: usage(range: @, keyId: @)", "nope(a: @)",
            "__type(name: @) { name }", "admin { audit(filter: @, first: @) }", "viewer @skip(if: @)",
            "... on Key { keys(first: @) }", "...F", "...G", "revokeKey(input: @)",
        ]),
        given in prop::sample::select(vec!["null", "1", "4294967296", "\"x\"", "[null]", "{\"id\":[1]}"]),
        has_value in any::<bool>(),
        kind in prop::sample::select(vec!["query", "mutation", "subscription"]),
    ) {
        let query = format!("{kind}($v: {ty}) {{ {field} }} fragment F on Query {{ ...F keys(first: @) }}");
        let mut document = parse_query(query.replace("@skip", "#").replace('@', value).replace('#', "@skip")).unwrap();
        let mut variables = Variables::default();
        if has_value {
            let given: Given = serde_json::from_str(given).unwrap();
            variables.insert(Name::new("v"), given);
        }
        let shape = &*SHAPE;
        let _ = check(&document, shape);
        settle(&mut document, None, &mut variables);
        declare(&mut document, shape);
        let operation = operation(&document, None).unwrap();
        let _ = arguments::check(&document, operation, &variables, shape);
    }
}
