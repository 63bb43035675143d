//! Idempotency keys: a repeated request gets the first response again and isn't charged again
//! (draft-ietf-httpapi-idempotency-key-header-07).

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use zeroize::Zeroizing;

use crate::batches::BatchId;
use crate::hex;
use crate::keys::{CounterId, HashGeneration, KeyHasher, SecretError};
use crate::lookups::LookupId;
use crate::outcome::{Endpoint, Outcome};
use crate::proofs::seen::EarlierDeliveries;

/// Longest idempotency key, in characters.
pub const MAX_LENGTH: usize = 255;
/// Time during which a repeated request gets the first response.
pub const RETENTION: Duration = Duration::from_hours(24);
/// Time for which a request reserves its idempotency key while it is running. It is longer than any
/// request takes, so afterwards the request is considered failed.
pub const CLAIM: Duration = Duration::from_mins(2);

/// Prefix of the message whose MAC is a scope.
const SCOPE_LABEL: &str = "cep-gateway: the scope of an idempotency key, 1";
/// Prefix of the message whose MAC is a fingerprint.
const FINGERPRINT_LABEL: &str = "cep-gateway: the fingerprint of a repeatable request, 1";

/// The value of an `Idempotency-Key` header: 1 to [`MAX_LENGTH`] letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// Error of parsing an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {MAX_LENGTH} letters, digits, - and _, in quotes or without")]
pub struct IdempotencyKeyError;

impl IdempotencyKey {
    /// Parses the value of a header, in quotes (a string of RFC 8941) or without.
    ///
    /// # Errors
    /// [`IdempotencyKeyError`].
    pub fn parse(value: &str) -> Result<Self, IdempotencyKeyError> {
        let value = value.trim_matches([' ', '\t']);
        let quoted = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let key = quoted.unwrap_or(value);
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(is_allowed) {
            Ok(Self(key.to_owned()))
        } else {
            Err(IdempotencyKeyError)
        }
    }
}

impl fmt::Debug for IdempotencyKey {
    /// Redacted, because callers may use tracking keys as idempotency keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(redacted)")
    }
}

/// Keyed hash of a counter id, an endpoint and an idempotency key; it reveals none of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyScope(pub [u8; 32]);

/// Keyed hash of a request's method, path and body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestFingerprint(pub [u8; 32]);

/// Scope and fingerprint of a request under one secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatableRequest {
    /// Identifies the use of an idempotency key.
    pub scope: IdempotencyScope,
    /// Identifies the request's content.
    pub fingerprint: RequestFingerprint,
}

macro_rules! hexadecimal {
    ($name:ident) => {
        impl $name {
            /// The hash in 64 hexadecimal digits.
            pub fn hex(&self) -> String {
                hex::encode(&self.0)
            }

            /// Reads 64 hexadecimal digits; `None` for any other text.
            pub fn from_hex(text: &str) -> Option<Self> {
                Some(Self(hex::decode(text)?.try_into().ok()?))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

hexadecimal!(IdempotencyScope);
hexadecimal!(RequestFingerprint);

/// The operator's secrets for hashing idempotency keys, by generation. New requests are recorded with
/// the first secret and looked up with all.
pub struct IdempotencySecrets(KeyHasher);

impl IdempotencySecrets {
    /// Takes the secrets in configuration order.
    ///
    /// # Errors
    /// See [`SecretError`].
    pub fn new(secrets: Vec<(HashGeneration, Vec<u8>)>) -> Result<Self, SecretError> {
        KeyHasher::new(secrets).map(Self)
    }

    /// Scope and fingerprint of a request with each secret, in configuration order. API keys that share
    /// counters share idempotency keys, so a request may be repeated with a rotated key's successor.
    /// `content` is the request's method, path and body in a canonical form.
    pub fn requests(
        &self,
        counters: CounterId,
        endpoint: Endpoint,
        key: &IdempotencyKey,
        content: &[u8],
    ) -> Vec<RepeatableRequest> {
        let scope = format!("{SCOPE_LABEL}\n{counters}\n{}\n{}", endpoint.name(), key.0);
        let scope = Zeroizing::new(scope);
        let content = Zeroizing::new([FINGERPRINT_LABEL.as_bytes(), b"\n", content].concat());
        let scopes = self.0.macs(scope.as_bytes()).map(IdempotencyScope);
        let fingerprints = self.0.macs(&content).map(RequestFingerprint);
        let both = scopes.zip(fingerprints);
        both.map(|(scope, fingerprint)| RepeatableRequest { scope, fingerprint })
            .collect()
    }
}

impl fmt::Debug for IdempotencySecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencySecrets(redacted)")
    }
}

/// Data from which the first response is rebuilt. None of it is personal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstAnswer {
    /// A lookup was created; its id is that of the request.
    Lookup(LookupId),
    /// A batch was created.
    Batch(BatchId),
    /// The request was answered without a stored lookup.
    Immediate {
        /// Outcome of the request; always [repeatable](is_repeatable).
        outcome: Outcome,
        /// Earlier deliveries of the proof, as reported in the first response.
        seen: Option<EarlierDeliveries>,
    },
}

/// Returns `true` if a repeated request gets the same response. After any other outcome it is processed
/// as a new request, because failures and limits pass, and a proof may have been issued.
pub fn is_repeatable(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Delivered
        | Outcome::ReceiptRead
        | Outcome::Ambiguous
        | Outcome::InvalidRequest
        | Outcome::InferenceFailed
        | Outcome::NotFound
        | Outcome::PaymentReturned
        | Outcome::PaymentRejected
        | Outcome::PaymentCanceled => true,
        Outcome::NotIssued
        | Outcome::PaymentInProcess
        | Outcome::RateLimited
        | Outcome::QuotaExceeded
        | Outcome::BankProtocolError
        | Outcome::BankUnavailable
        | Outcome::BankThrottled
        | Outcome::BankTimeout
        | Outcome::ReaderUnavailable
        | Outcome::InternalError
        | Outcome::Canceled => false,
    }
}

/// Time from which an idempotency key that was first used at `at` may be used for another request.
pub fn expiry(at: DateTime<Utc>) -> DateTime<Utc> {
    at + RETENTION
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use uuid::Uuid;

    use super::*;
    use crate::fixture;

    fn secrets(generations: &[u8]) -> IdempotencySecrets {
        IdempotencySecrets::new(fixture::secrets(generations)).unwrap()
    }

    fn counters(number: u128) -> CounterId {
        CounterId(Uuid::from_u128(number))
    }

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::parse(text).unwrap()
    }

    #[rstest]
    #[case(true, &["order-1_A", "\"order-1_A\"", " order-1_A\t"])]
    #[case(false, &["", "\"\"", "\"order", "order\"", "order 1", "order.1", "pedido-ñ", "a,b"])]
    fn a_key_is_made_of_letters_digits_dashes_and_underscores(
        #[case] taken: bool,
        #[case] values: &[&str],
    ) {
        for value in values {
            assert_eq!(IdempotencyKey::parse(value).is_ok(), taken, "{value}");
        }
    }

    #[test]
    fn a_key_has_at_most_255_characters_and_quotes_are_no_part_of_it() {
        let longest = "a".repeat(255);
        assert!(IdempotencyKey::parse(&longest).is_ok());
        let quoted = IdempotencyKey::parse(&format!("\"{longest}\""));
        assert_eq!(quoted, Ok(key(&longest)));
        let longer = IdempotencyKey::parse(&"a".repeat(256));
        assert_eq!(longer, Err(IdempotencyKeyError));
    }

    #[test]
    fn a_scope_is_that_of_an_api_key_a_route_and_an_idempotency_key() {
        let of = |listed: &[u8], counters, endpoint, text, content: &[u8]| {
            secrets(listed).requests(counters, endpoint, &key(text), content)
        };
        let request = of(&[1], counters(1), Endpoint::Xml, "a", b"{}");
        let [first] = request[..] else {
            panic!("one secret has one scope");
        };
        assert_eq!(request, of(&[1], counters(1), Endpoint::Xml, "a", b"{}"));
        for other in [
            of(&[2], counters(1), Endpoint::Xml, "a", b"{}"),
            of(&[1], counters(2), Endpoint::Xml, "a", b"{}"),
            of(&[1], counters(1), Endpoint::Pdf, "a", b"{}"),
            of(&[1], counters(1), Endpoint::Xml, "b", b"{}"),
        ] {
            assert_ne!(other[0].scope, first.scope);
        }
        let other_body = of(&[1], counters(1), Endpoint::Xml, "a", b"[]")[0];
        assert_eq!(other_body.scope, first.scope);
        assert_ne!(other_body.fingerprint, first.fingerprint);
        let rotated = of(&[2, 1], counters(1), Endpoint::Xml, "a", b"{}");
        assert_eq!(rotated[1], first);
        assert_eq!(rotated.len(), 2);
    }

    proptest! {
        #[test]
        fn hashes_are_read_as_they_are_written(bytes: [u8; 32]) {
            let scope = IdempotencyScope(bytes);
            prop_assert_eq!(IdempotencyScope::from_hex(&scope.hex()), Some(scope));
            let fingerprint = RequestFingerprint(bytes);
            prop_assert_eq!(RequestFingerprint::from_hex(&fingerprint.hex()), Some(fingerprint));
        }
    }

    #[test]
    fn what_is_refunded_limited_or_may_change_is_not_answered_again() {
        for outcome in Outcome::ALL {
            if outcome.is_refunded() {
                assert!(!is_repeatable(outcome), "{outcome:?}");
            }
        }
        let repeatable = Outcome::ALL.into_iter().filter(|it| is_repeatable(*it));
        let names: Vec<_> = repeatable.map(Outcome::name).collect();
        let expected = "delivered receipt_read invalid_request inference_failed ambiguous not_found \
                        payment_returned payment_rejected payment_canceled";
        assert_eq!(names.join(" "), expected);
    }

    #[test]
    fn a_key_expires_a_day_after_its_first_use() {
        let first = DateTime::UNIX_EPOCH;
        assert_eq!(expiry(first), first + chrono::TimeDelta::days(1));
    }

    #[test]
    fn nothing_of_a_request_is_shown() {
        let request = secrets(&[7]).requests(counters(1), Endpoint::Xml, &key("a"), b"{}");
        assert_eq!(
            format!("{:?} {:?} {request:?}", secrets(&[7]), key("a")),
            "IdempotencySecrets(redacted) IdempotencyKey(redacted) [RepeatableRequest { scope: \
             IdempotencyScope, fingerprint: RequestFingerprint }]"
        );
    }
}
