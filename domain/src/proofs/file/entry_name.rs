//! Names of files in an uploaded archive.

use std::fmt;

use crate::shown::shown;

/// Maximum number of characters in a shown name.
const MAX_CHARACTERS: usize = 120;

/// Metadata files that operating systems add to archives, in any folder.
const LITTER: [&str; 3] = [".ds_store", "thumbs.db", "desktop.ini"];
/// Folder in which macOS stores file metadata.
const LITTER_FOLDER: &str = "__MACOSX";
/// Files that list all payments: the bank's and this gateway's.
const SUMMARIES: [&str; 3] = ["resumen.txt", "resumen.csv", "resumen.xlsx"];

/// Name of a file in an archive, for display: without control characters and of limited length. It must
/// not be used as a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryName(String);

/// Kind of a file in an archive, judged by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A metadata file of an operating system: `__MACOSX`, `.DS_Store`, `Thumbs.db`, `desktop.ini`.
    Litter,
    /// A list of all payments: `resumen.txt`, `resumen.csv`, `resumen.xlsx`.
    Summary,
    /// Any other file.
    Other,
}

impl EntryName {
    /// Sanitises a file name; a long one is shortened to its end.
    pub fn of(name: &str) -> Self {
        let length = name.chars().count();
        if length <= MAX_CHARACTERS {
            return Self::of_path(name);
        }
        let end = name.chars().skip(length + 1 - MAX_CHARACTERS);
        Self(std::iter::once('…').chain(end.map(one_line)).collect())
    }

    /// Sanitises a path without shortening it; the caller limits its length.
    pub fn of_path(path: &str) -> Self {
        Self(path.chars().map(one_line).collect())
    }

    /// The sanitised name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn one_line(character: char) -> char {
    match shown(character) {
        '\n' | '\t' => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl EntryKind {
    /// The kind of a file with this name.
    pub fn of(name: &str) -> Self {
        let mut folders = name.split(['/', '\\']);
        let file = folders.next_back().unwrap_or_default();
        let is_one_of = |names: &[&str]| names.iter().any(|it| file.eq_ignore_ascii_case(it));
        if folders.any(|folder| folder == LITTER_FOLDER)
            || file.starts_with("._")
            || is_one_of(&LITTER)
        {
            return Self::Litter;
        }
        if is_one_of(&SUMMARIES) {
            return Self::Summary;
        }
        Self::Other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(EntryKind::Litter, &["__MACOSX/._[2026-11-20]MBAN01.xml", "lote/__MACOSX/x.xml"])]
    #[case(EntryKind::Litter, &["lote/.DS_Store", "Thumbs.db", "lote\\Desktop.ini"])]
    #[case(EntryKind::Summary, &["Resumen.TXT", "noviembre/resumen.csv", "resumen.xlsx"])]
    #[case(EntryKind::Other, &["[2026-11-20]MBAN01.xml", "resumen.txt/MBAN01.xml", "__MACOSX", ""])]
    fn litter_and_summaries_are_known_by_their_names(
        #[case] kind: EntryKind,
        #[case] names: &[&str],
    ) {
        for name in names {
            assert_eq!(EntryKind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn of_a_long_name_the_end_is_kept_and_a_character_that_is_no_text_is_replaced() {
        let end = "/[2026-11-20]MBAN01.xml";
        let name = format!("{}{end}", "x".repeat(500));
        let short = EntryName::of(&name);
        assert_eq!(short.as_str().chars().count(), MAX_CHARACTERS);
        assert!(short.as_str().starts_with("…x"), "{short}");
        assert!(short.as_str().ends_with(end), "{short}");

        let name = EntryName::of("a\nb\u{202E}lmx.exe\0");
        assert_eq!(name.as_str(), "a\u{FFFD}b\u{FFFD}lmx.exe\u{FFFD}");
        let path = format!("{}/\u{1b}.xml", "a".repeat(MAX_CHARACTERS));
        let shown = EntryName::of_path(&path);
        assert_eq!(shown.as_str(), path.replace('\u{1b}', "\u{FFFD}"));
    }

    proptest! {
        #[test]
        fn any_name_is_short_and_can_be_shown(name: String) {
            let shown = EntryName::of(&name);
            prop_assert!(shown.as_str().chars().count() <= MAX_CHARACTERS);
            prop_assert!(!shown.as_str().chars().any(char::is_control));
            let _ = EntryKind::of(&name);
        }
    }
}
