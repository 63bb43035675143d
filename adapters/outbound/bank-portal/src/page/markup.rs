//! The portal's HTML, cut into tags and text. Comments, scripts and styles are left out, because
//! the portal repeats its messages in comments.
//!
//! Each byte is looked at a bounded number of times: whatever has no end (a comment, a tag, a
//! script) swallows the rest of the page, as it does in a browser.

use std::borrow::Cow;

/// Elements whose content isn't part of the page.
const HIDDEN: [&str; 2] = ["script", "style"];

/// One piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text between tags, entities still escaped.
    Text(&'a str),
    /// `<name …>`.
    Open(Tag<'a>),
    /// `</name>`.
    Close(&'a str),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value of an attribute, entities still escaped.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest
                .find(|c: char| c.is_whitespace() || c == '=' || c == '/')
                .unwrap_or(rest.len());
            // An attribute that begins with `=` has no name; step over the sign.
            let (found, after) = rest.split_at(end.max(usize::from(end == 0)));
            let Some(value) = after.trim_start().strip_prefix('=') else {
                rest = after;
                continue;
            };
            let (value, after) = split_value(value.trim_start());
            if found.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// An attribute's value, and what follows it.
fn split_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

/// Reads a page as UTF-8; bytes that aren't are read as Latin-1, in which older pages of the
/// central bank were written.
pub(super) fn decode(body: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(body) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(body.len());
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    Cow::Owned(text)
}

/// The pieces of a page, in order.
pub(super) fn pieces(page: &str) -> Pieces<'_> {
    Pieces { rest: page }
}

pub(super) struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if !begins_markup(self.rest) {
                return Some(Piece::Text(self.take_text()));
            }
            if self.rest.starts_with("<!--") {
                // From its dashes on, because `<!-->` is a whole comment.
                self.skip_past(2, "-->");
                continue;
            }
            let inside = &self.rest[1..];
            if inside.starts_with(['!', '?']) {
                self.skip_past(2, ">");
                continue;
            }
            let Some(end) = tag_end(inside) else {
                self.rest = "";
                return None;
            };
            let tag = &inside[..end];
            self.rest = &inside[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                return Some(Piece::Close(tag_name(name)));
            }
            let name = tag_name(tag);
            if let Some(hidden) = HIDDEN
                .iter()
                .find(|hidden| name.eq_ignore_ascii_case(hidden))
            {
                self.skip_hidden(hidden);
                continue;
            }
            let attributes = &tag[name.len()..];
            return Some(Piece::Open(Tag { name, attributes }));
        }
    }
}

impl<'a> Pieces<'a> {
    /// Text up to the next markup; a `<` that begins none is text.
    fn take_text(&mut self) -> &'a str {
        let end = self
            .rest
            .match_indices('<')
            .map(|(at, _)| at)
            .find(|at| begins_markup(&self.rest[*at..]))
            .unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn skip_past(&mut self, from: usize, end: &str) {
        self.rest = self.rest[from..]
            .split_once(end)
            .map_or("", |(_, after)| after);
    }

    /// Skips to the end tag of a hidden element, which stays.
    fn skip_hidden(&mut self, name: &str) {
        let is_end = |at: usize| {
            let after = &self.rest.as_bytes()[at + 2..];
            after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        };
        let end = self
            .rest
            .match_indices("</")
            .map(|(at, _)| at)
            .find(|at| is_end(*at));
        self.rest = end.map_or("", |at| &self.rest[at..]);
    }
}

/// Whether a text that begins with `<` begins with a tag, a comment or a declaration.
fn begins_markup(text: &str) -> bool {
    match text.as_bytes() {
        [b'<', b'/', next, ..] => next.is_ascii_alphabetic(),
        [b'<', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'!' | b'?'),
        _ => false,
    }
}

/// Where a tag's `>` stands, quoted ones left out.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn tag_name(tag: &str) -> &str {
    let end = tag
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(tag.len());
    &tag[..end]
}
