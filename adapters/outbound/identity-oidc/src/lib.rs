//! An OpenID Connect provider, as an adapter of [`ports::outbound::IdentityProvider`]: code flow with
//! PKCE, access tokens that are JWTs.
//!
//! [`discovery`] says where the provider's endpoints are, [`keys`] holds what it signs with; both are
//! kept by [`refreshing`], which decides when they are fetched again (an [`errand`]), over [`wire`].
//! Keys go through [`shared_keys`]: what one process fetches, all have. [`token`] checks
//! a signature and the header it stands under, [`claims`] what is signed, [`admin_claim`] who is an
//! admin by it. [`sign_in`] redeems a code. [`provider`] ties this together; [`address`], [`config`]
//! and [`fault`] say where, with what, and what went wrong.
//!
//! Standards: OpenID Connect Core 1.0 and Discovery 1.0, RFC 6749 and 7636 (code flow, PKCE), RFC
//! 7009 (revocation), RFC 7517 and 8725 (keys, best practice of JWTs), RFC 8707 (resource), RFC 9068
//! (JWT access tokens).

mod address;
mod admin_claim;
mod claims;
mod config;
mod discovery;
mod errand;
mod fault;
mod keys;
mod provider;
mod refreshing;
mod shared_keys;
mod sign_in;
mod token;
mod wire;

pub use address::{AddressError, Issuer};
pub use admin_claim::{AdminClaim, AdminClaimError};
pub use config::{ClientSecret, OidcConfig};
pub use provider::{Oidc, OidcError};
