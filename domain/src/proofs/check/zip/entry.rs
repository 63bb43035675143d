//! Entries of a ZIP that all programs extract alike.

use std::collections::HashSet;
use std::ops::Range;

use super::records::{DEFLATED, Directory, Listed, STORED};
use super::{ZipBounds, ZipError};
use crate::proofs::check::{FileKind, kind};
use crate::proofs::file::EntryKind;

/// Unix file types, in the upper half of the external attributes.
const TYPE: u64 = 0o170_000;
const LINK: u64 = 0o120_000;
const FOLDER: u64 = 0o040_000;

/// Maximum number of compressed bytes of a folder; some writers deflate its empty content.
const DEFLATED_NOTHING: usize = 2;

/// Offset before which PDF viewers accept the start of a PDF.
const PDF_MAY_BEGIN: usize = 1024;

/// Characters of bytes 128–255 in names that aren't UTF-8: code page 850, used by Windows in Latin
/// America.
const CODE_PAGE: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤\
                         ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Compression method of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZipMethod {
    /// Not compressed.
    Stored,
    /// Compressed with Deflate.
    Deflated,
}

/// A file or folder of a ZIP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipEntry {
    /// Name from the directory, not to be used as a path.
    pub name: String,
    /// Its compression method, or the reason why its content can't be read.
    method: Result<ZipMethod, ZipError>,
    /// Byte range of its compressed content in the ZIP.
    pub data: Range<usize>,
    /// Uncompressed size in bytes.
    pub size: usize,
    /// CRC-32 of the uncompressed content.
    pub checksum: u64,
}

impl ZipEntry {
    /// The files of a ZIP in the order of its directory, including files that operating systems add,
    /// without folders. The ZIP must consist of its entries from the first byte on, one after the
    /// other, each listed once with the same name, sizes and checksum; then the directory; then the end
    /// record; and nothing else.
    ///
    /// # Errors
    /// [`ZipError::Damaged`] if programs may read the ZIP differently, and [`ZipError::TooManyFiles`].
    pub fn of(zip: &[u8], bounds: ZipBounds) -> Result<Vec<Self>, ZipError> {
        let directory = Directory::find(zip).ok_or(ZipError::Damaged)?;
        if directory.entries > bounds.entries {
            return Err(ZipError::TooManyFiles);
        }
        let entries = all(zip, &directory).ok_or(ZipError::Damaged)?;
        if have_one_name(&entries) || hides_a_pdf(zip, &entries) {
            return Err(ZipError::Damaged);
        }
        let files: Vec<_> = entries.into_iter().filter(|it| !it.is_folder()).collect();
        if files
            .iter()
            .filter(|file| !file.has_name_of_litter())
            .count()
            > bounds.files
        {
            return Err(ZipError::TooManyFiles);
        }
        Ok(files)
    }

    /// Returns `true` for a metadata file that an operating system added. A file whose content may be a
    /// proof never counts as one, whatever its name, because somebody may open it.
    pub fn is_litter(&self, content: &[u8]) -> bool {
        self.has_name_of_litter() && matches!(FileKind::of(content), FileKind::Other(_))
    }

    /// The file's compression method, if it is within the bounds. `inflated` is the total size of the
    /// files before it.
    ///
    /// # Errors
    /// The reason why the file isn't read.
    pub fn readable(&self, bounds: ZipBounds, inflated: usize) -> Result<ZipMethod, ZipError> {
        let method = self.method?;
        let ratio = self.size / bounds.ratio;
        if self.size > bounds.file_bytes {
            Err(ZipError::FileTooLarge)
        } else if self.size > ZipBounds::SMALL && ratio > self.data.len() {
            Err(ZipError::TooDeflated)
        } else if self.size > bounds.all_bytes.saturating_sub(inflated) {
            Err(ZipError::FilesTooLarge)
        } else {
            Ok(method)
        }
    }

    fn has_name_of_litter(&self) -> bool {
        EntryKind::of(&self.name) == EntryKind::Litter
    }

    fn is_folder(&self) -> bool {
        self.name.ends_with(['/', '\\'])
    }

    /// Reads the entry that the directory lists, which ends at `end`.
    fn read(zip: &[u8], listed: &Listed<'_>, end: usize) -> Option<Self> {
        let entry = Self {
            name: name(listed.name),
            method: method(listed),
            data: listed.data(zip, end)?,
            size: usize::try_from(listed.size).ok()?,
            checksum: listed.checksum,
        };
        let is_empty = entry.size == 0 && entry.data.len() <= DEFLATED_NOTHING;
        // A zero byte ends a name for some programs.
        let is_named = !entry.name.is_empty() && !entry.name.contains('\0');
        (is_named && (is_empty || !entry.is_folder())).then_some(entry)
    }
}

/// All entries in the order of the directory; `None` if there are other bytes before, between or after
/// them.
fn all(zip: &[u8], directory: &Directory) -> Option<Vec<ZipEntry>> {
    let listed = directory.listed(zip)?;
    let mut begins: Vec<_> = listed.iter().map(|entry| entry.begin).collect();
    begins.push(directory.place.start);
    begins.sort_unstable();
    (begins[0] == 0).then_some(())?;
    let entries = listed.iter().map(|entry| {
        // Two entries with the same start are ambiguous: neither has an end.
        let next = begins.partition_point(|begin| *begin <= entry.begin);
        ZipEntry::read(zip, entry, *begins.get(next)?)
    });
    entries.collect()
}

fn name(bytes: &[u8]) -> String {
    let of_code_page = |byte: &u8| match byte.checked_sub(128) {
        Some(place) => CODE_PAGE.chars().nth(place.into()),
        None => Some(char::from(*byte)),
    };
    // macOS writes UTF-8 without setting the UTF-8 flag.
    match str::from_utf8(bytes) {
        Ok(name) => name.to_owned(),
        Err(_) => bytes.iter().filter_map(of_code_page).collect(),
    }
}

fn method(listed: &Listed<'_>) -> Result<ZipMethod, ZipError> {
    if matches!(listed.attributes >> 16 & TYPE, LINK | FOLDER) {
        return Err(ZipError::NotAFile);
    }
    if listed.is_encrypted() {
        return Err(ZipError::Encrypted);
    }
    match listed.method {
        STORED => Ok(ZipMethod::Stored),
        DEFLATED => Ok(ZipMethod::Deflated),
        _ => Err(ZipError::Method),
    }
}

/// Returns `true` if two entries would be the same file on some operating system.
fn have_one_name(entries: &[ZipEntry]) -> bool {
    let names: HashSet<_> = entries.iter().map(|entry| place_of(&entry.name)).collect();
    names.len() < entries.len()
}

/// The path of a name on the operating systems that distinguish the fewest names: case is ignored, and
/// Windows drops dots and blanks at the end.
fn place_of(name: &str) -> Vec<String> {
    let mut place = Vec::new();
    for part in name.to_lowercase().split(['/', '\\']) {
        match part {
            ".." => drop(place.pop()),
            _ => match part.trim_end_matches(['.', ' ']) {
                "" => {}
                part => place.push(part.to_owned()),
            },
        }
    }
    place
}

/// Returns `true` if programs may open the ZIP itself as a PDF: one that begins outside the stored
/// files, or is hidden in names, extra fields or compressed data.
fn hides_a_pdf(zip: &[u8], entries: &[ZipEntry]) -> bool {
    let stored = entries
        .iter()
        .filter(|entry| entry.method == Ok(ZipMethod::Stored));
    let mut stored: Vec<_> = stored.map(|entry| entry.data.clone()).collect();
    stored.sort_unstable_by_key(|data| data.start);
    let begins = std::iter::once(0).chain(stored.iter().map(|data| data.end));
    let ends = stored.iter().map(|data| data.start).chain([zip.len()]);
    let beside = begins
        .zip(ends)
        .filter_map(|(begin, end)| zip.get(begin..end));
    if kind::may_be_pdf(beside) {
        return true;
    }
    let head = &zip[..zip.len().min(PDF_MAY_BEGIN)];
    let is_a_file = |place: usize| {
        let mut stored = entries
            .iter()
            .filter(|entry| entry.method == Ok(ZipMethod::Stored));
        stored.any(|entry| entry.data.start == place)
    };
    (0..head.len()).any(|place| head[place..].starts_with(b"%PDF-") && !is_a_file(place))
}

#[cfg(test)]
mod tests;
