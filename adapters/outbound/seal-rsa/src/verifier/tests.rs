use std::sync::LazyLock;

use aws_lc_rs::digest::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RSA_PKCS1_SHA512, RSA_PSS_SHA512, RsaEncoding};
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SEAL_BYTES, SealedDigest, Signer};
use proptest::prelude::*;

use super::*;
use crate::PublicKeyFile;

const TEXT: &[u8] = b"||1|text||";

static SANDBOX: LazyLock<KeyPair> = LazyLock::new(|| {
    let pkcs8 = include_bytes!("../../../../../sandbox/keys/seal.pk8");
    KeyPair::from_pkcs8(pkcs8).unwrap()
});
static SANDBOX_KEY: LazyLock<SealKey> = LazyLock::new(|| key_of(sandbox::seal::public_key_der()));
static OTHER: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).unwrap());

fn key_of(public_key_der: &[u8]) -> SealKey {
    PublicKeyFile::parse(public_key_der).unwrap().key
}

fn sign(key: &KeyPair, encoding: &'static dyn RsaEncoding, text: &[u8]) -> [u8; SEAL_BYTES] {
    let mut signature = [0; SEAL_BYTES];
    key.sign(encoding, &SystemRandom::new(), text, &mut signature)
        .unwrap();
    signature
}

fn sample(text: &[u8], seal: [u8; SEAL_BYTES]) -> SealSample {
    SealSample {
        signer: Signer {
            participant: ParticipantCode::parse("40012").unwrap(),
            certificate: CertificateNumber::parse(sandbox::seal::CERTIFICATE_NUMBER).unwrap(),
        },
        digest: SealedDigest(digest(&SHA512, text).as_ref().try_into().unwrap()),
        seal,
    }
}

/// Verifies a seal as that of a proof, and as a sample, whose digest is of SHA-512.
fn verified(key: &SealKey, text: &[u8], seal: [u8; SEAL_BYTES]) -> (Option<SealHash>, bool) {
    let of_sample = RsaSealVerifier.verifies_sample(key, &sample(text, seal));
    (signed_with(key, text, &seal), of_sample)
}

const NOT_VERIFIED: (Option<SealHash>, bool) = (None, false);

#[test]
fn another_scheme_is_not_verified() {
    let pss = sign(&SANDBOX, &RSA_PSS_SHA512, TEXT);
    assert_eq!(verified(&SANDBOX_KEY, TEXT, pss), NOT_VERIFIED);
}

#[test]
fn a_signature_of_another_length_is_not_verified() {
    let seal = sign(&SANDBOX, &RSA_PKCS1_SHA512, TEXT);
    let longer = [&[0], &seal[..]].concat();
    for other in [&[], &seal[1..], &seal[..255], &longer] {
        assert_eq!(signed_with(&SANDBOX_KEY, TEXT, other), None);
    }
}

#[test]
fn a_number_that_is_no_key_verifies_nothing() {
    let seal = sign(&SANDBOX, &RSA_PKCS1_SHA512, TEXT);
    let modulus = SANDBOX_KEY.modulus();
    // A multiple of the modulus divides what the modulus divides.
    let mut carry = 0;
    let tripled = modulus.iter().rev().map(|byte| {
        let product = u16::from(*byte) * 3 + carry;
        carry = product >> 8;
        product.to_le_bytes()[0]
    });
    let mut tripled: Vec<u8> = tripled.collect();
    tripled.push(carry.to_le_bytes()[0]);
    tripled.reverse();
    for modulus in [tripled, vec![0xff; 256], vec![0xff; 512]] {
        let key = SealKey::new(&modulus, &[1, 0, 1]).unwrap();
        assert_eq!(verified(&key, TEXT, seal), NOT_VERIFIED);
    }
}

#[test]
fn what_is_no_block_of_a_signature_opens_with_no_key() {
    let modulus = SANDBOX_KEY.modulus();
    for number in [&[0; 256][..], &[0xff; 256], modulus, &[], &[7; 255]] {
        assert!(!opened_with(&SANDBOX_KEY, number));
    }
    let pss = sign(&SANDBOX, &RSA_PSS_SHA512, TEXT);
    assert!(!opened_with(&SANDBOX_KEY, &pss));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_seal_is_verified_with_its_hash(text: Vec<u8>) {
        let seal = sign(&SANDBOX, &RSA_PKCS1_SHA512, &text);
        prop_assert_eq!(verified(&SANDBOX_KEY, &text, seal), (Some(SealHash::Sha512), true));
        let older = sign(&SANDBOX, &RSA_PKCS1_SHA256, &text);
        prop_assert_eq!(verified(&SANDBOX_KEY, &text, older), (Some(SealHash::Sha256), false));
    }

    #[test]
    fn any_change_of_one_byte_of_the_text_is_noticed(
        mut text in prop::collection::vec(any::<u8>(), 1..400),
        place: prop::sample::Index,
        change in 1_u8..,
    ) {
        let seal = sign(&SANDBOX, &RSA_PKCS1_SHA512, &text);
        let place = place.index(text.len());
        text[place] ^= change;
        prop_assert_eq!(verified(&SANDBOX_KEY, &text, seal), NOT_VERIFIED);
    }

    #[test]
    fn a_seal_is_that_of_the_key_that_made_it_and_of_no_other_bytes(
        text: Vec<u8>,
        place in 0..SEAL_BYTES,
        change in 1_u8..,
    ) {
        for encoding in [&RSA_PKCS1_SHA512, &RSA_PKCS1_SHA256] {
            let mut seal = sign(&SANDBOX, encoding, &text);
            prop_assert!(opened_with(&SANDBOX_KEY, &seal));
            seal[place] ^= change;
            for other in [seal, sign(&OTHER, encoding, &text)] {
                prop_assert!(!opened_with(&SANDBOX_KEY, &other));
                prop_assert_eq!(verified(&SANDBOX_KEY, &text, other), NOT_VERIFIED);
            }
        }
    }
}
