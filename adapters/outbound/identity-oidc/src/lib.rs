//! Adapter of [`ports::outbound::IdentityProvider`] for an OpenID Connect provider: authorization code
//! flow with PKCE, access tokens that are JWTs.
//!
//! [`provider`] is the adapter. [`discovery`] and [`jwks`] fetch the provider's metadata and its
//! keys over [`http`]; [`cache`] keeps both, decides when they are fetched again, and keeps them
//! while the provider is down. [`token`] checks a token's header and signature, [`claims`] its
//! claims, [`admin_claim`] finds the admins. [`code_flow`] redeems a code. [`config`], [`address`]
//! and [`error`] are settings, addresses and errors.
//!
//! Standards: OpenID Connect Core 1.0 and Discovery 1.0, RFC 5861 (stale responses), RFC 6749 and 7636
//! (code flow, PKCE), RFC 7009 (revocation), RFC 7517 and 8725 (keys, best practice of JWTs), RFC 8707
//! (resource indicators), RFC 9068 (JWT access tokens).

mod address;
mod admin_claim;
mod cache;
mod claims;
mod code_flow;
mod config;
mod discovery;
mod error;
mod http;
mod jwks;
mod provider;
mod token;

pub use address::{AddressError, Issuer};
pub use admin_claim::{AdminClaim, AdminClaimError};
pub use config::{ClientSecret, OidcConfig};
pub use provider::{Oidc, OidcError};
