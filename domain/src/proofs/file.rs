//! File formats of a proof, and file names.

use chrono::NaiveDate;

use crate::tracking_key::TrackingKey;

mod entry_name;

pub use entry_name::{EntryKind, EntryName};

/// A file format in which the bank provides a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The sealed document. Its bytes never change.
    Xml,
    /// The printable page. It contains the time of the query, so its bytes change.
    Pdf,
}

impl Format {
    /// The format according to a file's extension, which may differ from its content.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let mut formats = [Self::Xml, Self::Pdf].into_iter();
        formats.find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }

    /// The media type of the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Xml => "application/xml",
            Self::Pdf => "application/pdf",
        }
    }

    /// The extension of the file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Pdf => "pdf",
        }
    }
}

/// The files of a proof that are downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestedFiles {
    /// Only the XML.
    Xml,
    /// Only the PDF.
    Pdf,
    /// Both files, from the same portal session.
    Both,
}

impl RequestedFiles {
    /// Returns `true` if the PDF is downloaded.
    pub fn includes_pdf(self) -> bool {
        matches!(self, Self::Pdf | Self::Both)
    }
}

/// Base name shared by a proof's files: `CEP-<yyyymmdd>-<tracking key>`, where the date is the
/// operation date and the tracking key is reduced to `[A-Za-z0-9._-]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStem(String);

impl FileStem {
    /// Builds the base name of a proof's files.
    pub fn new(operation_date: NaiveDate, tracking_key: &TrackingKey) -> Self {
        let date = operation_date.format("%Y%m%d");
        Self(format!("CEP-{date}-{}", tracking_key.file_name_part()))
    }

    /// Returns the file name with an extension (`xml`, `pdf`, `zip`).
    pub fn with_extension(&self, extension: &str) -> String {
        format!("{}.{extension}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("pagos/CEP.PDF", Some(Format::Pdf))]
    #[case("CEP.pdf.xml", Some(Format::Xml))]
    #[case("CEP.zip", None)]
    #[case("pdf", None)]
    fn a_name_says_a_format(#[case] name: &str, #[case] format: Option<Format>) {
        assert_eq!(Format::of_name(name), format);
    }

    proptest! {
        #[test]
        fn a_file_name_never_needs_quoting_and_never_climbs(text in "[ -~]{1,30}") {
            if let Ok(key) = TrackingKey::parse(&text) {
                let date = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
                let name = FileStem::new(date, &key).with_extension("xml");
                prop_assert!(name.starts_with("CEP-20261120-"));
                prop_assert_eq!(name.rsplit_once('.').map(|(_, extension)| extension), Some("xml"));
                prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)));
            }
        }
    }
}
