//! Serial numbers of certificates.

use std::fmt;

/// Serial number of an institution's certificate: 20 decimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CertificateNumber(String);

impl CertificateNumber {
    /// Number of digits in a serial number.
    pub const DIGITS: usize = 20;

    /// Parses the 20 digits; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_number =
            text.len() == Self::DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Self(text.to_owned()))
    }

    /// The 20 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CertificateNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CertificateNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
