//! Validation of downloads. The portal sends its error pages with status 200, so a client that
//! trusts the status stores HTML as a proof.

use domain::proofs::file::Format;
use domain::tracking_key::TrackingKey;

/// Result of inspecting a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Download {
    /// A file of the requested format.
    File,
    /// An XML with a document type declaration: no proof has one, but entity expansion attacks do.
    DocumentType,
    /// Anything else, usually an HTML page.
    NotAFile,
}

/// Inspects a download's bytes. `Content-Type` isn't trusted.
pub(crate) fn inspect(format: Format, body: &[u8]) -> Download {
    match format {
        Format::Pdf if body.starts_with(b"%PDF-") => Download::File,
        Format::Xml if begins_as_proof(body) => {
            if declares_document_type(body) {
                Download::DocumentType
            } else {
                Download::File
            }
        }
        Format::Pdf | Format::Xml => Download::NotAFile,
    }
}

fn begins_as_proof(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let body = body.trim_ascii_start();
    body.starts_with(b"<?xml") || body.starts_with(b"<SPEI_Tercero")
}

/// Returns whether there is a document type declaration anywhere, in any case: text of a proof
/// can't hold a bare `<`.
fn declares_document_type(body: &[u8]) -> bool {
    const DECLARATION: &[u8] = b"<!DOCTYPE";
    body.windows(DECLARATION.len())
        .any(|bytes| bytes.eq_ignore_ascii_case(DECLARATION))
}

/// Returns whether a `Content-Disposition` names another transfer's file. The portal writes
/// `attachment; filename=CEP-<yyyymmdd>-<clave>.pdf`, unquoted whatever is in the key, so only
/// the characters that need no quoting are compared. Without a file name there is no contradiction.
pub(crate) fn names_another_transfer(disposition: &str, key: &TrackingKey) -> bool {
    let Some(at) = disposition.to_ascii_lowercase().find("filename=") else {
        return false;
    };
    let name = &disposition[at + "filename=".len()..];
    // A `;` may be part of the key, or begin a parameter: both are tried.
    let up_to_parameter = name.split(';').next().unwrap_or(name);
    ![name, up_to_parameter]
        .into_iter()
        .any(|name| names(name, key))
}

fn names(name: &str, key: &TrackingKey) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        .collect();
    let of_key = || {
        let (stem, _extension) = plain.rsplit_once('.')?;
        let (date, named) = stem.strip_prefix("CEP-")?.split_once('-')?;
        let is_date = date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit());
        // A key of special characters alone leaves nothing to compare.
        let expected = key.file_name_part();
        Some(is_date && (named == expected || (named.is_empty() && expected == "_")))
    };
    of_key().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(Format::Xml, "<?xml version=\"1.0\"?><SPEI_Tercero/>", Download::File)]
    #[case(Format::Xml, "\u{feff}\r\n <SPEI_Tercero/>", Download::File)]
    #[case(Format::Xml, "<html></html>", Download::NotAFile)]
    #[case(Format::Xml, "", Download::NotAFile)]
    #[case(Format::Xml, "%PDF-1.4", Download::NotAFile)]
    #[case(Format::Xml, "<!DOCTYPE html><html>", Download::NotAFile)]
    #[case(
        Format::Xml,
        "<?xml version=\"1.0\"?><!DOCTYPE a [",
        Download::DocumentType
    )]
    #[case(Format::Xml, "<SPEI_Tercero/><!doctype a>", Download::DocumentType)]
    #[case(Format::Pdf, "%PDF-1.4\n...", Download::File)]
    #[case(Format::Pdf, "<?xml version=\"1.0\"?>", Download::NotAFile)]
    #[case(Format::Pdf, " %PDF-1.4", Download::NotAFile)]
    fn a_file_is_recognised_by_its_first_bytes(
        #[case] format: Format,
        #[case] body: &str,
        #[case] download: Download,
    ) {
        assert_eq!(inspect(format, body.as_bytes()), download);
    }

    #[rstest]
    #[case("attachment; filename=CEP-20261120-KEY01.pdf", false)]
    #[case("attachment; filename=\"CEP-20261120-KEY01.pdf\"", false)]
    #[case("attachment; FileName=CEP-20261120-KEY01.pdf; size=1", false)]
    #[case("attachment", false)]
    #[case("attachment; filename=CEP-20261120-KEY02.pdf", true)]
    #[case("attachment; filename=CEP-20261120-key01.pdf", true)]
    #[case("attachment; filename=CEP-2026112-KEY01.pdf", true)]
    #[case("attachment; filename=KEY01.pdf", true)]
    #[case("attachment; filename=", true)]
    #[case("attachment; filename=CEP-2026112x-KEY01.pdf", true)]
    #[case("attachment; filename=CEP-20261120-.pdf", true)]
    fn a_file_named_after_another_transfer_is_detected(
        #[case] disposition: &str,
        #[case] another: bool,
    ) {
        let key = TrackingKey::parse("KEY01").unwrap();
        assert_eq!(names_another_transfer(disposition, &key), another);
    }

    #[test]
    fn a_key_of_special_characters_leaves_an_empty_name() {
        let key = TrackingKey::parse("&&").unwrap();
        let named = |name: &str| names_another_transfer(&format!("filename={name}"), &key);
        assert!(!named("CEP-20261120-.pdf"));
        assert!(named("CEP-20261120-KEY01.pdf"));
        assert!(named("CEP-2026112-.pdf"));
    }

    proptest! {
        #[test]
        fn the_portals_own_name_is_never_taken_for_another_transfers(text in "[ -~]{1,30}") {
            if let Ok(key) = TrackingKey::parse(&text) {
                let name = format!("attachment; filename=CEP-20261120-{key}.pdf");
                prop_assert!(!names_another_transfer(&name, &key));
            }
        }

        #[test]
        fn any_bytes_are_inspected_without_panic(body: Vec<u8>, disposition in "\\PC{0,60}") {
            inspect(Format::Xml, &body);
            inspect(Format::Pdf, &body);
            names_another_transfer(&disposition, &TrackingKey::parse("KEY01").unwrap());
        }
    }
}
