//! Signatures of webhook messages (Standard Webhooks 1.0.0).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{DeliveryId, EndpointSecret};

/// Header with the message's id.
pub const HEADER_ID: &str = "webhook-id";
/// Header with the time of the attempt, in unix seconds.
pub const HEADER_TIMESTAMP: &str = "webhook-timestamp";
/// Header with the signatures.
pub const HEADER_SIGNATURE: &str = "webhook-signature";

/// Signatures of a message with each secret, separated by spaces. Each is `v1,` followed by the base64
/// HMAC-SHA256 of id, time in unix seconds and body, joined with dots.
pub fn signature<'a>(
    secrets: impl IntoIterator<Item = &'a EndpointSecret>,
    id: DeliveryId,
    at: DateTime<Utc>,
    body: &str,
) -> String {
    let head = format!("{id}.{}.", at.timestamp());
    let signatures = secrets.into_iter().map(|secret| {
        let mac = Hmac::<Sha256>::new_from_slice(secret.reveal());
        let mut mac = mac.expect("HMAC takes keys of any length");
        mac.update(head.as_bytes());
        mac.update(body.as_bytes());
        let code: [u8; 32] = mac.finalize().into_bytes().into();
        format!("v1,{}", STANDARD.encode(code))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    // Computed with Python's hmac module.
    const FIRST: &str = "v1,AWyt+dV5xnR/h/3+MHWyqY2aSCrorDmtRC0BqTV1F2c=";
    const SECOND: &str = "v1,NG1GvQc4qDLMLpp/1dxhjbpnJqIxe2QuvYrCCpt94i0=";

    #[test]
    fn each_secret_signs_id_time_and_body() {
        let id = DeliveryId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));
        let at = DateTime::from_timestamp_millis(1_795_262_400_999).unwrap();
        let secrets = [1, 2].map(|byte| EndpointSecret::new([byte; 32]));
        let body = "{\"type\":\"webhook.test\"}";
        assert_eq!(signature(&secrets[..1], id, at, body), FIRST);
        let both = format!("{FIRST} {SECOND}");
        assert_eq!(signature(&secrets, id, at, body), both);
    }
}
