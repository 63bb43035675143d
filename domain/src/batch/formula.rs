//! CSV that a spreadsheet opens without running it.

use std::borrow::Cow;

/// A cell as a spreadsheet shows it, and doesn't compute it. One that begins with a sign of a formula gets
/// an apostrophe before it (OWASP, "CSV injection"); those that read such a file in this crate drop it.
pub fn escape(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        return format!("'{cell}").into();
    }
    cell.into()
}

/// Writes one row (RFC 4180, with CRLF), every cell of it escaped.
///
/// # Panics
/// Never: it is written to memory.
pub fn row<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> String {
    const INFALLIBLE: &str = "writing to memory can't fail";
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for cell in cells {
        let cell = escape(cell.as_ref()).into_owned();
        writer.write_field(cell).expect(INFALLIBLE);
    }
    // Ends the row.
    writer.write_record(None::<&[u8]>).expect(INFALLIBLE);
    let csv = writer.into_inner().expect(INFALLIBLE);
    String::from_utf8(csv).expect("it is made of strings")
}
