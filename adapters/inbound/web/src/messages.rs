//! What the errors that all inbound adapters share say to people. Each language implements one
//! trait, so that none can lack a sentence.
//!
//! A message says what was wrong with which input and what to do next. It never repeats a secret.

use crate::language::Language;

mod en;
mod es;

/// The sentences of one language.
pub(crate) trait Messages: Sync {
    fn interrupted_body(&self) -> &'static str;
    fn media_type(&self) -> &'static str;
    fn too_large(&self, max_bytes: usize) -> String;
    fn request_timeout(&self, seconds: u64) -> String;
    fn unauthenticated(&self) -> &'static str;
    fn cross_site(&self) -> &'static str;
    fn service_unavailable(&self, seconds: u64) -> String;
    fn internal_error(&self) -> &'static str;
    fn route_not_found(&self) -> &'static str;
    fn method_not_allowed(&self) -> &'static str;
}

impl Language {
    pub(crate) fn messages(self) -> &'static dyn Messages {
        match self {
            Self::Spanish => &es::Spanish,
            Self::English => &en::English,
        }
    }
}
