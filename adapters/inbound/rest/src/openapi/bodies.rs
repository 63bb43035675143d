//! Texts that describe request bodies.

/// Bodies of proof requests.
pub(crate) const LENIENT: &str = "At most 16384 bytes of UTF-8, complete within 10 seconds. \
    Repeated members are refused, and misspelt ones: a member that is within two letters of a known one that is \
    absent, or is spelt with other capitals. Other unknown members are ignored.";

/// Bodies of requests with a session.
pub(crate) const STRICT: &str = "At most 16384 bytes of UTF-8, complete within 10 seconds. \
    Unknown members and repeated ones are refused.";

/// Receipts.
pub(crate) const RECEIPT: &str = "The text, the PDF or the picture, at most 8388608 bytes, complete within 10 \
    seconds. Its bytes tell the format, whatever type is declared; under a session a type is needed that no HTML form \
    can send, such as `application/octet-stream`.";

/// Files to check.
pub(crate) const FILE: &str = "The file as it was downloaded, or a ZIP of such files, at most 1048576 bytes, \
    complete within 10 seconds. Its bytes tell the format, whatever type is declared; under a session a type is needed \
    that no HTML form can send, such as `application/octet-stream`.";
