//! The sandbox portal, tested over HTTP.

mod connections;
mod late_proofs;
mod pages;
mod proofs;
mod sessions;
mod support;
