//! The sender, and deliveries over real sockets.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod inner_addresses;
mod receiver;
mod verified;

fn install_tls() {
    // Another test of this process may have installed it.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
