//! The table that is printed.

/// One line of it.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What came out.
    pub measured: String,
    /// What was hoped for.
    pub goal: String,
}

/// A Markdown table.
pub fn render(rows: &[Row]) -> String {
    let mut table = String::from("| what | measured | goal |\n|---|---|---|");
    for row in rows {
        table.push_str(&format!(
            "\n| {} | {} | {} |",
            row.what, row.measured, row.goal
        ));
    }
    table
}
