//! Outbound adapter: an OpenID Connect provider (discovery, code flow, JWKS).
