//! ZIP files that people send in place of a proof: their bounds, and the files in them that nobody means.

use super::{CheckReason, MAX_FILE_BYTES};

/// Bounds of a ZIP and of the files in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZipBounds {
    /// Most files that aren't litter.
    pub files: usize,
    /// Most bytes of a file, inflated.
    pub file_bytes: usize,
    /// Most bytes of all files together, inflated.
    pub all_bytes: usize,
    /// Most inflated bytes for each deflated one, of files of more than [`Self::SMALL`] bytes.
    pub ratio: usize,
}

impl ZipBounds {
    /// Bytes up to which a file may have any ratio.
    pub const SMALL: usize = 64 * 1024;

    /// Bounds of a ZIP whose proofs are checked. A proof has some 30 KiB as PDF, and is deflated to half or a
    /// fifth.
    pub const OF_CHECKS: Self = Self {
        files: 50,
        file_bytes: MAX_FILE_BYTES,
        all_bytes: 8 * MAX_FILE_BYTES,
        ratio: 100,
    };
}

/// Reason why a ZIP, or a file in it, isn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ZipError {
    /// Cut off, or damaged.
    #[error("a damaged ZIP")]
    Damaged,
    /// More files than [`ZipBounds::files`].
    #[error("a ZIP of too many files")]
    TooManyFiles,
    /// More bytes than [`ZipBounds::file_bytes`].
    #[error("a file of too many bytes")]
    FileTooLarge,
    /// With the files before it, more bytes than [`ZipBounds::all_bytes`].
    #[error("files of too many bytes together")]
    FilesTooLarge,
    /// Deflated more than [`ZipBounds::ratio`] times.
    #[error("a file that is deflated more than any proof")]
    TooDeflated,
    /// Encrypted.
    #[error("an encrypted file")]
    Encrypted,
    /// Damaged, or compressed by another method than Deflate.
    #[error("a file that can't be inflated")]
    Unreadable,
}

impl ZipError {
    /// The reason, as it is told.
    pub fn reason(self) -> CheckReason {
        match self {
            Self::Damaged => CheckReason::DamagedZip,
            Self::TooManyFiles | Self::FilesTooLarge => CheckReason::ZipTooLarge,
            Self::FileTooLarge => CheckReason::TooLarge,
            Self::TooDeflated => CheckReason::TooDeflated,
            Self::Encrypted => CheckReason::EncryptedEntry,
            Self::Unreadable => CheckReason::UnreadableEntry,
        }
    }
}

/// Returns `true` for an entry that systems add by themselves: folders, and what macOS and Windows keep beside
/// files.
pub fn is_litter(name: &str) -> bool {
    if name.ends_with(['/', '\\']) {
        return true;
    }
    let mut parts = name.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    let is_of_system = matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini");
    is_of_system || file.starts_with("._") || parts.any(|folder| folder == "__MACOSX")
}

/// Longest name of a file that is told, in characters.
const MAX_NAME: usize = 200;

/// The name of an entry as it is told: without characters that a reader can't see, or that turn a line around.
pub fn shown_name(name: &str) -> String {
    let is_shown = |c: &char| {
        let turns = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !c.is_control() && !turns && *c != '\u{feff}'
    };
    name.chars().filter(is_shown).take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("__MACOSX/._CEP.xml", true)]
    #[case("folder/__MACOSX/x", true)]
    #[case("._CEP.xml", true)]
    #[case("folder/.DS_Store", true)]
    #[case("folder/", true)]
    #[case("folder\\", true)]
    #[case("Thumbs.db", true)]
    #[case("CEP.xml", false)]
    #[case("folder/CEP.xml", false)]
    #[case("../CEP.xml", false)]
    #[case("__MACOSX", false)]
    #[case("", false)]
    fn what_systems_add_is_litter(#[case] name: &str, #[case] litter: bool) {
        assert_eq!(is_litter(name), litter);
    }

    #[test]
    fn a_name_is_told_as_it_is_read() {
        assert_eq!(shown_name("pago \u{202e}fdp.lmx\r\n\0.xml"), "pago fdp.lmx.xml");
        assert_eq!(shown_name("Año/ñ.pdf"), "Año/ñ.pdf");
        assert_eq!(shown_name(&"a".repeat(1000)).len(), MAX_NAME);
    }
}
