//! Tests of the limits: the measurement, its duration, and its agreement with the schema's names.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use async_graphql::parser::types::{
    FieldDefinition, ServiceDocument, TypeKind, TypeSystemDefinition,
};
use async_graphql::parser::{parse_query, parse_schema};
use proptest::prelude::*;

use super::*;

fn checked(query: &str) -> Result<(), GraphqlProblem> {
    let document = parse_query(query).unwrap();
    check(&document, &Variables::default(), Introspection::On)
}

fn measured(query: &str) -> Size {
    let document = parse_query(query).unwrap();
    let variables = Variables::default();
    let mut measure = Measure::new(&document, &variables);
    let (_, operation) = document.operations.iter().next().unwrap();
    measure.operation(&operation.node).unwrap()
}

#[test]
fn a_list_costs_its_length_times_its_items() {
    let defaulted = "query($n: Int = 9) { keys(first: $n) { nodes { id } } }";
    for (query, cost) in [
        ("{ viewer { role } }", 2),
        (
            "{ keys(first: 7) { nodes { id name } } }",
            STORE_ACCESS + 7 * 3,
        ),
        ("{ keys { nodes { id name } } }", STORE_ACCESS + 20 * 3),
        (defaulted, STORE_ACCESS + 9 * 2),
        ("{ participants { code } }", 101),
        ("{ lookup(id: 1) { id } }", STORE_ACCESS + 1),
        (
            "{ batchRows(id: 1, first: 7) { nodes { row lookup { id } } } }",
            weights::ROWS + 7 * 4,
        ),
    ] {
        assert_eq!(measured(query).cost, cost, "{query}");
    }
}

const STORE_ACCESS: u64 = weights::STORE_ACCESS;

fn too_many_selections() -> GraphqlProblem {
    let most = MAX_SELECTIONS;
    GraphqlProblem::Selections { most }
}

/// The size of a document but for the quantities that differ when its fragments are expanded.
fn as_expanded(size: Size, expanded: Size) -> Size {
    Size {
        levels: expanded.levels,
        selections: expanded.selections,
        ..size
    }
}

#[test]
fn fragments_count_where_they_are_spread() {
    let plain = measured("{ keys { nodes { id month { used } } } viewer { role } }");
    let spread = measured(
        "{ ...A } fragment A on Query { keys { nodes { ...B } } ... on Query { viewer { role } } } \
         fragment B on Key { id ...C } fragment C on Key { month { used } }",
    );
    assert_eq!((spread.levels, plain.levels), (7, 4));
    // Each of the four fragments, one of them without a name, is a selection besides.
    assert_eq!(spread.selections, plain.selections + 4);
    assert_eq!(as_expanded(spread, plain), plain);
}

#[test]
fn introspection_is_asked_once_in_an_operation() {
    let introspection = include_str!("../../../../../docs/graphql/introspection.graphql");
    assert_eq!(checked(introspection), Ok(()));
    let size = measured(introspection);
    // Room for newer versions of that query, and none for two of them.
    assert!(size.cost > MAX_COST / 2, "{size:?}");
    assert!(size.cost < MAX_COST * 9 / 10, "{size:?}");
}

#[test]
fn the_start_query_of_a_dashboard_costs_less_than_three_quarters_of_the_limit() {
    let start = include_str!("../../../../../docs/graphql/start.graphql");
    assert_eq!(checked(start), Ok(()));
    let size = measured(start);
    assert!(size.cost < MAX_COST * 3 / 4, "{size:?}");
    assert!(size.selections < MAX_SELECTIONS / 2, "{size:?}");
}

#[test]
fn doubling_fragments_are_refused_within_a_millisecond() {
    let mut query = "{ viewer { ...f0 } }".to_owned();
    for number in 0..30 {
        let spreads = format!("...f{} ", number + 1).repeat(2);
        write!(query, " fragment f{number} on Viewer {{ {spreads} }}").unwrap();
    }
    query.push_str(" fragment f30 on Viewer { role }");
    let document = parse_query(&query).unwrap();
    let variables = Variables::default();
    // The quickest of several, for the machine may be busy.
    let once = || {
        let begun = Instant::now();
        let mut measure = Measure::new(&document, &variables);
        let size = measure.fragment("f3", 0);
        assert_eq!(size, Err(too_many_selections()));
        begun.elapsed()
    };
    let quickest = (0..20).map(|_| once()).min().unwrap();
    assert!(quickest < Duration::from_millis(1), "{quickest:?}");
}

/// The fields of the schema's objects, each with its type's name.
fn fields(schema: &ServiceDocument) -> Vec<(String, &FieldDefinition)> {
    let mut found = Vec::new();
    for definition in &schema.definitions {
        let TypeSystemDefinition::Type(ty) = definition else {
            continue;
        };
        if let TypeKind::Object(object) = &ty.node.kind {
            let name = ty.node.name.node.to_string();
            let fields = object.fields.iter();
            found.extend(fields.map(|field| (name.clone(), &field.node)));
        }
    }
    found
}

fn is_object(definition: &TypeSystemDefinition, name: &str) -> bool {
    matches!(definition, TypeSystemDefinition::Type(ty)
        if ty.node.name.node == name && matches!(ty.node.kind, TypeKind::Object(_)))
}

/// Returns `true` for a list whose items aren't counted at the page that they are of.
fn is_list(field: &FieldDefinition) -> bool {
    let name = field.name.node.as_str();
    field.ty.node.to_string().starts_with('[') && !matches!(name, "edges" | "nodes" | "rows")
}

#[test]
fn the_weights_cover_every_list_and_every_store_access_of_the_schema() {
    let sdl = crate::schema_sdl();
    let schema = parse_schema(&sdl).unwrap();
    let fields = fields(&schema);
    assert!(fields.len() > 100, "{}", fields.len());
    let is_leaf = |field: &FieldDefinition| {
        let result = field.ty.node.to_string();
        let bare = result.trim_matches(['[', ']', '!']);
        let mut definitions = schema.definitions.iter();
        definitions.all(|definition| !is_object(definition, bare))
    };
    let lists = fields.iter().map(|(_, field)| *field);
    let lists = lists.filter(|field| is_list(field) && !is_leaf(field));
    let lists: HashSet<_> = lists.map(|field| field.name.node.as_str()).collect();
    for (ty, field) in &fields {
        let name = field.name.node.as_str();
        let result = field.ty.node.to_string();
        let mut arguments = field.arguments.iter();
        let paged = arguments.any(|argument| argument.node.name.node == "first");
        let page = result.trim_end_matches('!');
        let is_page = page.ends_with("Connection") || page.ends_with("RowPage");
        assert_eq!(paged, is_page, "{ty}.{name}");
        if is_leaf(field) {
            let long = result.starts_with("[Count") || result.starts_with("[DateTime");
            assert_eq!(weights::leaf(name) > 1, long, "{ty}.{name}");
            continue;
        }
        // An object that shares its name with a list is counted as one.
        let several = lists.contains(name) || paged;
        assert_eq!(weights::items(name) > 1, several, "{ty}.{name}: {result}");
        let root = matches!(ty.as_str(), "Query" | "Admin" | "Mutation" | "Subscription");
        let in_memory = matches!(name, "viewer" | "participants" | "admin");
        let accesses_store = root && !in_memory || name == "account" && ty == "Viewer";
        // The key of a payload is loaded already, and shares its name with one that isn't.
        let is_loaded = ty.ends_with("Payload") || weights::is_also_a_member(name);
        if accesses_store || !is_loaded {
            let cost = match (accesses_store, name) {
                (true, _) if ty == "Mutation" => weights::MUTATION,
                (true, _) if ty == "Subscription" => weights::SUBSCRIPTION,
                (true, "usage") => weights::REPORT,
                (true, "batchRows") => weights::ROWS,
                (true, _) => STORE_ACCESS,
                (false, "window") => weights::LIMITER_ACCESS,
                (false, _) => 1,
            };
            assert_eq!(weights::branch(name), cost, "{ty}.{name}");
        }
    }
}

#[test]
fn an_amount_up_to_its_limit_is_allowed() {
    let most = |limit: u64| usize::try_from(limit).unwrap();
    let levels =
        |levels: usize| format!("{}a{}", "{a".repeat(levels - 1) + "{", "}".repeat(levels));
    let aliases = |count: usize| {
        let field = |number| format!("a{number}:a ");
        let fields: String = (0..count).map(field).collect();
        format!("{{ {fields} }}")
    };
    // Each of the hundred participants has one field, and the last field makes up the rest.
    let cost = |cost: usize| {
        format!(
            "{{ {} {} }}",
            "participants{a}".repeat(99),
            "a ".repeat(cost - 99 * 101)
        )
    };
    let (nested, selected, costly) = (most(MAX_LEVELS), most(MAX_SELECTIONS), most(MAX_COST));
    let refusals = [
        (
            levels(nested),
            levels(nested + 1),
            GraphqlProblem::Levels { most: MAX_LEVELS },
        ),
        (
            aliases(selected),
            aliases(selected + 1),
            too_many_selections(),
        ),
        (
            cost(costly),
            cost(costly + 1),
            GraphqlProblem::Cost { most: MAX_COST },
        ),
    ];
    for (allowed, refused, problem) in refusals {
        assert_eq!(checked(&allowed), Ok(()), "{allowed}");
        assert_eq!(checked(&refused), Err(problem), "{refused}");
    }
}

proptest! {
    /// Fragments that spread each other at random, without a cycle.
    #[test]
    fn a_document_with_fragments_measures_as_it_does_with_its_fragments_expanded(
        spreads in prop::collection::vec(prop::collection::vec(0_usize..6, 0..3), 1..6),
    ) {
        // A fragment spreads later ones only, so that there is no cycle.
        let count = spreads.len();
        let inner = |place: usize| -> Vec<usize> {
            spreads[place].iter().map(|step| place + 1 + step).filter(|next| *next < count).collect()
        };
        let mut spread_out = vec![String::new(); count];
        for place in (0..count).rev() {
            let inner: String = inner(place).iter().map(|next| spread_out[*next].clone()).collect();
            spread_out[place] = format!("role {inner}");
        }
        let mut query = "{ viewer { ...f0 } }".to_owned();
        for place in 0..count {
            write!(query, " fragment f{place} on Viewer {{ role").unwrap();
            for next in inner(place) {
                write!(query, " ...f{next}").unwrap();
            }
            query.push_str(" }");
        }
        let expanded = measured(&format!("{{ viewer {{ {} }} }}", spread_out[0]));
        let measured = measured(&query);
        prop_assert!(measured.selections > expanded.selections);
        prop_assert_eq!(as_expanded(measured, expanded), expanded);
    }
}
