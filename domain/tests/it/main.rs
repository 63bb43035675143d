//! Promises of many modules.

mod any_text;
mod names;
