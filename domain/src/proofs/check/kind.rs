//! Detects the type of a file from its bytes, because file names and declared types are often wrong.

use super::CheckReason;
use crate::proofs::file::Format;

/// Minimum number of objects in a PDF that shows a page: the content, and a stream of all others.
const OBJECTS_OF_A_PDF: usize = 2;
/// Number of bytes searched for the first element of an XML or the header of an e-mail.
const HEAD: usize = 4096;

/// Type of an uploaded file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An XML or a PDF, which may be a proof.
    Proof(Format),
    /// A ZIP, which may hold proofs.
    Zip,
    /// Neither, so not a proof.
    Other(CheckReason),
}

/// File signatures at offset 0.
const SIGNATURES: [(&[u8], CheckReason); 15] = [
    (b"\x89PNG\r\n\x1a\n", CheckReason::Picture),
    (b"\xff\xd8\xff", CheckReason::Picture),
    (b"GIF8", CheckReason::Picture),
    (b"II*\0", CheckReason::Picture),
    (b"MM\0*", CheckReason::Picture),
    // Microsoft Office documents up to 2003, and Outlook messages.
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        CheckReason::OfficeDocument,
    ),
    (b"{\\rtf", CheckReason::OfficeDocument),
    (b"Rar!\x1a\x07", CheckReason::OtherArchive),
    (b"7z\xbc\xaf\x27\x1c", CheckReason::OtherArchive),
    (b"\x1f\x8b", CheckReason::OtherArchive),
    (b"BZh", CheckReason::OtherArchive),
    (b"\xfd7zXZ\0", CheckReason::OtherArchive),
    (b"\x28\xb5\x2f\xfd", CheckReason::OtherArchive),
    // A Windows program; fraudsters send them as proofs.
    (b"MZ", CheckReason::UnknownFormat),
    (b"\x7fELF", CheckReason::UnknownFormat),
];
/// Signatures of a ZIP at offset 0: a file in it (APPNOTE.TXT, 4.3.7), or the end record of an empty
/// one (4.3.16).
const ZIP_SIGNATURES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// Brands of HEIC and AVIF pictures (ISO/IEC 23008-12), at offset 8.
const PICTURE_BRANDS: [&[u8]; 9] = [
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif", b"avis",
];
/// File in every Office document since 2007 (ECMA-376, part 2).
const OFFICE_PART: &[u8] = b"[Content_Types].xml";
/// Content of the first file in a `LibreOffice` document (`OpenDocument` 1.3, part 2).
const OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument";
/// Prefix of the XML namespaces of the tax authority's documents.
const TAX_AUTHORITY: &[u8] = b"http://www.sat.gob.mx/";
/// Root elements of the tax authority's invoices and withholding certificates.
const INVOICES: [&[u8]; 2] = [b"Comprobante", b"Retenciones"];
/// Headers at the start of e-mails, in lower case.
const MAIL_HEADERS: [&[u8]; 10] = [
    b"delivered-to:",
    b"return-path:",
    b"received:",
    b"mime-version:",
    b"message-id:",
    b"date:",
    b"from:",
    b"to:",
    b"subject:",
    b"x-",
];

impl FileKind {
    /// The type of a file. Whatever a PDF viewer opens counts as a PDF, even if it is also a picture or
    /// a web page. The exception is an HTML form that a program sent instead of the file.
    pub fn of(file: &[u8]) -> Self {
        match Self::of_beginning(file) {
            form @ Self::Other(CheckReason::Form) => form,
            Self::Other(_) | Self::Proof(Format::Xml) if may_be_pdf([file].into_iter()) => {
                Self::Proof(Format::Pdf)
            }
            kind => kind,
        }
    }

    fn of_beginning(file: &[u8]) -> Self {
        if is_zip(file) {
            return of_zip(file);
        }
        if let Some(reason) = of_signature(file) {
            return Self::Other(reason);
        }
        let text = without_mark(file).trim_ascii_start();
        if text.is_empty() {
            return Self::Other(CheckReason::Empty);
        }
        if text.starts_with(b"<") || is_utf_16(file) {
            return of_markup(text);
        }
        Self::Other(of_text(text))
    }
}

/// Returns `true` for a ZIP and for document formats based on ZIP.
pub fn is_zip(file: &[u8]) -> bool {
    ZIP_SIGNATURES.iter().any(|it| file.starts_with(it))
}

/// Returns `true` if a PDF viewer may open the file, whatever it begins with: viewers search for the
/// header, and some for the objects if there is none. Only the given parts of the file are searched.
pub(super) fn may_be_pdf<'a>(parts: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut objects = 0;
    parts.into_iter().any(|part| {
        objects += objects_in(part);
        objects >= OBJECTS_OF_A_PDF || contains(part, b"%PDF-")
    })
}

/// Number of PDF objects: `obj` after a number and a blank.
fn objects_in(part: &[u8]) -> usize {
    let begins_object = |place: &usize| {
        let before = part[..*place].trim_ascii_end();
        before.len() < *place && before.last().is_some_and(u8::is_ascii_digit)
    };
    let words = part.windows(3).enumerate();
    let words = words.filter_map(|(place, word)| (word == b"obj").then_some(place));
    words.filter(begins_object).count()
}

fn of_zip(file: &[u8]) -> FileKind {
    let head = &file[..file.len().min(HEAD)];
    if names_in(file).any(|name| name == OFFICE_PART) || contains(head, OPEN_DOCUMENT) {
        FileKind::Other(CheckReason::OfficeDocument)
    } else {
        FileKind::Zip
    }
}

/// Names of the files in a ZIP according to its directory (APPNOTE.TXT, 4.3.12 and 4.3.16).
fn names_in(zip: &[u8]) -> impl Iterator<Item = &[u8]> {
    let number = |place: usize| -> Option<usize> {
        let bytes = zip.get(place..place.checked_add(2)?)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?).into())
    };
    let ends = zip.windows(4).rposition(|window| window == b"PK\x05\x06");
    let directory = ends.and_then(|end| Some(number(end + 16)? | number(end + 18)? << 16));
    let mut place = directory.unwrap_or(zip.len());
    std::iter::from_fn(move || {
        if !zip.get(place..)?.starts_with(b"PK\x01\x02") {
            return None;
        }
        let (name, extra, comment) = (
            number(place + 28)?,
            number(place + 30)?,
            number(place + 32)?,
        );
        let begin = place + 46;
        place = begin + name + extra + comment;
        zip.get(begin..begin + name)
    })
}

fn of_signature(file: &[u8]) -> Option<CheckReason> {
    let mut signatures = SIGNATURES.iter();
    let signed = signatures.find(|(signature, _)| file.starts_with(signature));
    let is_picture = || {
        let is_heic = file.get(4..8) == Some(b"ftyp")
            && PICTURE_BRANDS
                .iter()
                .any(|brand| file.get(8..12) == Some(brand));
        let is_webp = file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP");
        // The header's size is at offset 14; these are the known ones.
        let is_bitmap = file.starts_with(b"BM")
            && matches!(
                file.get(14..18),
                Some([12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0])
            );
        is_heic || is_webp || is_bitmap
    };
    signed
        .map(|(_, reason)| *reason)
        .or_else(|| is_picture().then_some(CheckReason::Picture))
}

/// The type of an XML or HTML file, by the name of its first element.
fn of_markup(text: &[u8]) -> FileKind {
    let head = &text[..text.len().min(HEAD)];
    let Some(name) = first_element(head) else {
        let lower = head.to_ascii_lowercase();
        return if lower.starts_with(b"<!doctype html") {
            FileKind::Other(CheckReason::WebPage)
        } else {
            FileKind::Proof(Format::Xml)
        };
    };
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
    if local.eq_ignore_ascii_case(b"html") {
        FileKind::Other(CheckReason::WebPage)
    } else if local == b"svg" {
        FileKind::Other(CheckReason::Picture)
    } else if INVOICES.contains(&local) && contains(text, TAX_AUTHORITY) {
        FileKind::Other(CheckReason::Invoice)
    } else {
        FileKind::Proof(Format::Xml)
    }
}

/// Name of the first element, after a declaration, comments and a document type.
fn first_element(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = text.trim_ascii_start().strip_prefix(b"<")?;
        let end: &[u8] = match text {
            [b'?', ..] => b"?>",
            [b'!', b'-', b'-', ..] => b"-->",
            [b'!', ..] => b">",
            _ => break,
        };
        let place = text.windows(end.len()).position(|part| part == end)?;
        text = &text[place + end.len()..];
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    text.split(is_end).next().filter(|name| !name.is_empty())
}

/// The type of a file that is neither markup nor has a known signature.
fn of_text(text: &[u8]) -> CheckReason {
    let head = &text[..text.len().min(HEAD)];
    let lower = head.to_ascii_lowercase();
    if head.starts_with(b"--") && contains(&lower, b"content-disposition: form-data") {
        return CheckReason::Form;
    }
    if head.contains(&0) {
        return CheckReason::UnknownFormat;
    }
    let is_mail = MAIL_HEADERS.iter().any(|header| lower.starts_with(header))
        && contains(&lower, b"\nsubject:")
        || lower.starts_with(b"subject:") && contains(&lower, b"\nfrom:");
    if is_mail {
        return CheckReason::Email;
    }
    if head.starts_with(b"{") || head.starts_with(b"[") {
        return CheckReason::Json;
    }
    let is_shown = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    if head.iter().all(is_shown) {
        CheckReason::PlainText
    } else {
        CheckReason::UnknownFormat
    }
}

/// The file without a UTF-8 byte order mark.
fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

fn is_utf_16(file: &[u8]) -> bool {
    file.starts_with(b"\xff\xfe<\0") || file.starts_with(b"\xfe\xff\0<")
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
