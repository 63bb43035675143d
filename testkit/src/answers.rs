//! Header fields of answers, as snapshots keep them.

/// Header fields of every answer of the APIs.
const COMMON: [(&str, &str); 3] = [
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
];

/// A line for each field, in the order of names. Of those that every answer has (no storing, nothing that a page
/// may load, no guessing of types) only what differs, or is missing.
pub fn header_lines<'f>(fields: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let mut fields: Vec<_> = fields.into_iter().collect();
    fields.sort_unstable();
    let has = |name: &str| fields.iter().any(|(found, _)| *found == name);
    let missing = COMMON.iter().filter(|(name, _)| !has(name));
    let missing = missing.map(|(name, _)| format!("({name} is missing)"));
    let told = fields.iter().filter(|field| !COMMON.contains(field));
    let told = told.map(|(name, value)| format!("{name}: {value}"));
    told.chain(missing).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_common_fields_only_those_are_told_that_differ_or_are_missing() {
        assert_eq!(header_lines(COMMON), "");
        let fields = [("x-seal", "1"), COMMON[1], ("cache-control", "public")];
        let told = "cache-control: public\nx-seal: 1\n(x-content-type-options is missing)";
        assert_eq!(header_lines(fields), told);
    }
}
