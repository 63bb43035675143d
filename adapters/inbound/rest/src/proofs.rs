//! `/v1/cep`: proofs of transfers, and checks of their files.

pub(crate) mod check;
mod endpoints;
pub(crate) mod schemas;
pub(crate) mod views;

pub(crate) use endpoints::routes;
