//! The sandbox's identity provider, tested over HTTP.

mod authorization;
mod exchange;
mod keys;
mod sessions;
mod support;
