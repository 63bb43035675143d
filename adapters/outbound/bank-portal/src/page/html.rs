//! The portal's HTML as tags and text, tokenised as a browser does (WHATWG HTML, section 13.2.5).
//! Comments, scripts and other content that no browser shows are left out, because the portal
//! repeats its messages in comments.
//!
//! Time is linear in the size of the page; only one token at a time is in memory.

use std::borrow::Cow;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// Elements whose content a browser doesn't show. The tokenizer reads each as one text without
/// tags, so the next end tag is the element's own.
const HIDDEN: [&str; 5] = ["iframe", "noembed", "noscript", "script", "style"];

/// The attributes that are kept. A hostile tag may have a million others.
const KEPT_ATTRIBUTES: [&str; 6] = ["checked", "disabled", "href", "id", "onclick", "type"];

/// A token of a page; names are in lower case, character references are resolved.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Text between tags.
    Text(String),
    /// `<name …>`.
    Start(StartTag),
    /// `</name>`.
    End(String),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StartTag {
    pub(super) name: String,
    attributes: Vec<(&'static str, String)>,
}

impl StartTag {
    /// The value of one of [`KEPT_ATTRIBUTES`], empty without one; of a repeated attribute the first counts.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(known, _)| *known == name)?;
        Some(value)
    }
}

/// The tokens of a page, in order.
pub(super) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let mut emitter = CallbackEmitter::new(Collector::default());
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).map(|Ok(token)| token)
}

/// Converts the tokenizer's events to tokens.
#[derive(Default)]
struct Collector {
    tag: StartTag,
    /// The last attribute of the tag, if it is kept and its value comes next.
    attribute: Option<&'static str>,
    is_hidden: bool,
}

impl Callback<Token, ()> for Collector {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Token> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = StartTag {
                    name: text(name),
                    attributes: Vec::new(),
                };
                None
            }
            CallbackEvent::AttributeName { name } => {
                let mut kept = KEPT_ATTRIBUTES.into_iter();
                let kept = kept.find(|kept| kept.as_bytes() == name);
                self.attribute = kept.filter(|name| self.tag.attribute(name).is_none());
                let attribute = self.attribute.map(|name| (name, String::new()));
                self.tag.attributes.extend(attribute);
                None
            }
            CallbackEvent::AttributeValue { value } => {
                if self.attribute.take().is_some()
                    && let Some((_, kept)) = self.tag.attributes.last_mut()
                {
                    *kept = text(value);
                }
                None
            }
            CallbackEvent::CloseStartTag { .. } => {
                self.is_hidden = HIDDEN.contains(&self.tag.name.as_str());
                Some(Token::Start(std::mem::take(&mut self.tag)))
            }
            CallbackEvent::EndTag { name } => {
                self.is_hidden = false;
                Some(Token::End(text(name)))
            }
            CallbackEvent::String { value } if !self.is_hidden => Some(Token::Text(text(value))),
            CallbackEvent::String { .. }
            | CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => None,
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
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
