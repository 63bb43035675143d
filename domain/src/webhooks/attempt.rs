//! Attempts to deliver a webhook message.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::shown::shown;
use crate::variants::named_enum;

/// Number of bytes of a response body that are stored.
pub const MAX_ANSWER_BYTES: usize = 500;

named_enum! {
    /// Reason why a message got no HTTP response.
    pub enum SendFailure {
        /// The target's IP address isn't on the public internet.
        AddressRefused,
        /// The host name has no IP address.
        NameNotFound,
        /// The connection or the TLS handshake failed.
        Unreachable,
        /// No complete response before the timeout.
        TimedOut,
        /// The response isn't valid HTTP.
        InvalidAnswer,
        /// The message could not be signed, because the operator's secret of its generation is no
        /// longer listed.
        NotSigned,
    }
}

/// Result of an attempt to deliver a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver responded with this HTTP status.
    Answered(u16),
    /// There was no HTTP response.
    Failed(SendFailure),
}

impl AttemptResult {
    /// Returns `true` if the receiver accepted the message.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }

    /// Returns `true` if the attempt counts against the schedule. One that could not be signed doesn't,
    /// because the receiver isn't at fault.
    pub fn counts(self) -> bool {
        self != Self::Failed(SendFailure::NotSigned)
    }

    /// The HTTP status; `None` without a response.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Answered(status) => Some(status),
            Self::Failed(_) => None,
        }
    }

    /// The reason why there was no response; `None` if there was one.
    pub fn failure(self) -> Option<SendFailure> {
        match self {
            Self::Answered(_) => None,
            Self::Failed(failure) => Some(failure),
        }
    }
}

/// Start of a response body. It is untrusted text, so control characters and characters that change the
/// text direction are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerText(String);

impl AnswerText {
    /// Sanitises the first [`MAX_ANSWER_BYTES`] bytes of a body. Bytes and characters that can't be
    /// shown become `U+FFFD`.
    pub fn of(body: &[u8]) -> Self {
        let start = &body[..body.len().min(MAX_ANSWER_BYTES)];
        let mut text = String::with_capacity(start.len());
        for chunk in start.utf8_chunks() {
            text.extend(chunk.valid().chars().map(shown));
            // A character that is cut by the limit is dropped.
            let is_cut = body.len() > start.len()
                && std::ptr::eq(chunk.invalid().as_ptr_range().end, start.as_ptr_range().end);
            if !chunk.invalid().is_empty() && !is_cut {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self(text)
    }

    /// Wraps a stored text, which was sanitised before.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The sanitised text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One attempt to deliver a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// When the attempt ended.
    pub at: DateTime<Utc>,
    /// Duration of the attempt, in whole milliseconds.
    pub duration: Duration,
    /// HTTP status or failure.
    pub result: AttemptResult,
    /// Start of the response body; empty without one.
    pub answer: AnswerText,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_answer_is_kept_as_harmless_text() {
        let text = |body: &[u8]| AnswerText::of(body).as_str().to_owned();
        assert_eq!(text(b"ok\n"), "ok\n");
        assert_eq!(text("señal".as_bytes()), "señal");
        let shown = "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}c";
        assert_eq!(text(b"a\0b\x1b[31m\xFFc"), shown);
        let hidden = "\u{AD}\u{61C}\u{180E}\u{200B}\u{200D}\u{2028}\u{202E}\u{206F}\u{FEFF}\u{FFF9}\u{E0001}";
        for character in hidden.chars() {
            assert_eq!(text(format!("a{character}b").as_bytes()), "a\u{FFFD}b");
        }
    }

    #[test]
    fn no_character_is_cut_in_two() {
        let long = "ñ".repeat(400);
        assert_eq!(AnswerText::of(long.as_bytes()).as_str(), "ñ".repeat(250));
        let odd = format!("a{long}");
        let expected = format!("a{}", "ñ".repeat(249));
        assert_eq!(AnswerText::of(odd.as_bytes()).as_str(), expected);
    }

    #[test]
    fn only_2xx_is_a_success() {
        let is_success = |status: &u16| AttemptResult::Answered(*status).is_success();
        assert!((0..1_000).filter(is_success).eq(200..300));
        for failure in SendFailure::ALL {
            assert!(!AttemptResult::Failed(failure).is_success());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_become_text_without_controls(body: Vec<u8>) {
            let text = AnswerText::of(&body);
            let is_shown = |character: char| shown(character) == character;
            prop_assert!(text.as_str().chars().all(is_shown));
        }
    }
}
