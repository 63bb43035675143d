//! Outbound adapter of encryption ([`AesCipher`]): AES-256-GCM of AWS-LC.
//!
//! An encrypted text is the nonce (12 random bytes), the text, and the tag (16 bytes).

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use domain::proofs::archive::ContentKey;
use ports::outbound::{Cipher, CipherError};

/// Cipher with AES-256-GCM and random nonces. A key may encrypt 2³² texts (NIST SP 800-38D, 8.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct AesCipher;

impl Cipher for AesCipher {
    fn encrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        plain: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let mut text = plain.to_vec();
        let nonce = cipher(key)?
            .seal_in_place_append_tag(Aad::from(context), &mut text)
            .map_err(|_| CipherError)?;
        let mut encrypted = Vec::with_capacity(NONCE_LEN + text.len());
        encrypted.extend_from_slice(nonce.as_ref());
        encrypted.append(&mut text);
        Ok(encrypted)
    }

    fn decrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        encrypted: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let (nonce, text) = encrypted.split_first_chunk().ok_or(CipherError)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut text = text.to_vec();
        let plain = cipher(key)?
            .open_in_place(nonce, Aad::from(context), &mut text)
            .map_err(|_| CipherError)?
            .len();
        text.truncate(plain);
        Ok(text)
    }
}

fn cipher(key: &ContentKey) -> Result<RandomizedNonceKey, CipherError> {
    RandomizedNonceKey::new(&AES_256_GCM, key.reveal()).map_err(|_| CipherError)
}
