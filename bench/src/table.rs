//! The table that is printed.

/// One line of it.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// What came out.
    pub(crate) measured: String,
    /// What was hoped for.
    pub(crate) goal: String,
}

/// A Markdown table.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut table = String::from("| what | measured | goal |\n|---|---|---|");
    for row in rows {
        table.extend([
            "\n| ",
            &row.what,
            " | ",
            &row.measured,
            " | ",
            &row.goal,
            " |",
        ]);
    }
    table
}
