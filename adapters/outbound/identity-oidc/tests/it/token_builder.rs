//! Builder of tokens, also of ones that no honest provider would sign, and the keys to sign them.

use std::sync::LazyLock;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256,
    RsaEncoding, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

pub(crate) static RSA: LazyLock<RsaKeyPair> =
    LazyLock::new(|| RsaKeyPair::generate(KeySize::Rsa2048).unwrap());
/// Key that no provider publishes unless a test says so.
pub(crate) static FOREIGN_RSA: LazyLock<RsaKeyPair> =
    LazyLock::new(|| RsaKeyPair::generate(KeySize::Rsa2048).unwrap());
pub(crate) static P256: LazyLock<EcdsaKeyPair> =
    LazyLock::new(|| EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap());
pub(crate) static P384: LazyLock<EcdsaKeyPair> =
    LazyLock::new(|| EcdsaKeyPair::generate(&ECDSA_P384_SHA384_FIXED_SIGNING).unwrap());
pub(crate) static ED25519: LazyLock<Ed25519KeyPair> =
    LazyLock::new(|| Ed25519KeyPair::generate().unwrap());

/// Signature of a token, whatever its header says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signature {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Es256,
    Es384,
    Ed25519,
    /// RS256 with [`FOREIGN_RSA`].
    Foreign,
    /// HMAC with an encoding of the provider's public RSA key as the secret.
    PublicKeyPem,
    PublicKeyDer,
    PublicModulus,
    /// RS256 of another message.
    OfAnotherMessage,
    /// No bytes.
    Empty,
}

/// Token before it is signed.
#[derive(Clone, Debug)]
pub(crate) struct TokenBuilder {
    pub(crate) header: Value,
    pub(crate) claims: Value,
    pub(crate) signature: Signature,
}

impl TokenBuilder {
    /// Sets a field of the header; `null` removes it.
    pub(crate) fn header(mut self, name: &str, value: Value) -> Self {
        set(&mut self.header, name, value);
        self
    }

    /// Sets a claim; `null` removes it.
    pub(crate) fn claim(mut self, name: &str, value: Value) -> Self {
        set(&mut self.claims, name, value);
        self
    }

    /// Sets the signature.
    pub(crate) fn signed_by(mut self, signature: Signature) -> Self {
        self.signature = signature;
        self
    }

    /// Signs the token and serialises it.
    pub(crate) fn sign(&self) -> String {
        let part = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let message = format!("{}.{}", part(&self.header), part(&self.claims));
        let signature = self.signature.over(&message);
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Sets a field of an object; `null` removes it.
pub(crate) fn set(object: &mut Value, name: &str, value: Value) {
    let object = object.as_object_mut().unwrap();
    if value.is_null() {
        object.remove(name);
    } else {
        object.insert(name.to_owned(), value);
    }
}

impl Signature {
    fn over(self, message: &str) -> Vec<u8> {
        let random = SystemRandom::new();
        let message = message.as_bytes();
        let hmac = |secret: &[u8]| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
            hmac::sign(&key, message).as_ref().to_vec()
        };
        match self {
            Self::Rs256 => rsa(&RSA, &RSA_PKCS1_SHA256, message),
            Self::Rs384 => rsa(&RSA, &RSA_PKCS1_SHA384, message),
            Self::Rs512 => rsa(&RSA, &RSA_PKCS1_SHA512, message),
            Self::Ps256 => rsa(&RSA, &RSA_PSS_SHA256, message),
            Self::Es256 => P256.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Es384 => P384.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed25519 => ED25519.sign(message).as_ref().to_vec(),
            Self::Foreign => rsa(&FOREIGN_RSA, &RSA_PKCS1_SHA256, message),
            Self::PublicKeyPem => hmac(public_pem().as_bytes()),
            Self::PublicKeyDer => hmac(RSA.public_key().as_der().unwrap().as_ref()),
            Self::PublicModulus => hmac(modulus(&RSA).as_bytes()),
            Self::OfAnotherMessage => rsa(&RSA, &RSA_PKCS1_SHA256, b"another"),
            Self::Empty => Vec::new(),
        }
    }
}

fn rsa(key: &RsaKeyPair, padding: &'static dyn RsaEncoding, message: &[u8]) -> Vec<u8> {
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(padding, &SystemRandom::new(), message, &mut signature)
        .unwrap();
    signature
}

fn public_pem() -> String {
    let der = RSA.public_key().as_der().unwrap();
    let body = STANDARD.encode(der.as_ref());
    format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n")
}

fn modulus(key: &RsaKeyPair) -> String {
    URL_SAFE_NO_PAD.encode(key.public_key().modulus().big_endian_without_leading_zero())
}

/// Returns the public JWK of an RSA key.
pub(crate) fn rsa_jwk(key: &RsaKeyPair, id: &str) -> Value {
    let exponent = key.public_key().exponent();
    json!({
        "kty": "RSA",
        "kid": id,
        "use": "sig",
        "n": modulus(key),
        "e": URL_SAFE_NO_PAD.encode(exponent.big_endian_without_leading_zero()),
    })
}

/// Returns the public JWK of a key on a NIST curve.
pub(crate) fn ec_jwk(key: &EcdsaKeyPair, curve: &str, id: &str) -> Value {
    let point = &key.public_key().as_ref()[1..];
    let (x, y) = point.split_at(point.len() / 2);
    json!({
        "kty": "EC",
        "kid": id,
        "crv": curve,
        "x": URL_SAFE_NO_PAD.encode(x),
        "y": URL_SAFE_NO_PAD.encode(y),
    })
}

/// Returns the public JWK of an Ed25519 key.
pub(crate) fn ed_jwk(key: &Ed25519KeyPair, id: &str) -> Value {
    json!({
        "kty": "OKP",
        "kid": id,
        "crv": "Ed25519",
        "x": URL_SAFE_NO_PAD.encode(key.public_key().as_ref()),
    })
}
