//! The page of what is kept names every table of the schema, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::ROOT;
use crate::servers::database;

#[test]
fn the_page_of_what_is_kept_names_every_table() {
    let Some(database) = database() else { return };
    let page = Path::new(ROOT).join("docs/privacy.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let mut named = BTreeSet::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [table, content, kept, readers, erased] = cells[..] else {
            panic!("five cells: {row}");
        };
        let empty = [content, kept, readers, erased].contains(&"");
        assert!(!empty, "an empty cell: {row}");
        let is_new = named.insert(table.trim_matches('`').to_owned());
        assert!(is_new, "{table} twice");
    }
    let tables = database.ask(
        "select table_name from information_schema.tables where table_schema = 'public' order by 1",
    );
    let tables: BTreeSet<_> = tables.lines().map(str::to_owned).collect();
    assert!(tables.contains("proof_archive"), "{tables:?}");
    assert_eq!(named, tables);
}
