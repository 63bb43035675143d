//! The printed table.

/// A row.
pub(crate) struct Row {
    /// Name of the measurement.
    pub(crate) what: String,
    /// Measured value.
    pub(crate) measured: String,
    /// Goal.
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
