//! Contract of a cipher.

use domain::proofs::archive::ContentKey;

use crate::outbound::{Cipher, CipherError};

cases! {
    $ cipher(&dyn Cipher)
    self::what_was_encrypted_comes_back,
    self::another_key_or_context_decrypts_nothing,
    self::a_changed_or_shortened_text_is_refused,
    self::no_text_is_encrypted_alike_twice,
}

const CONTEXT: &[u8] = b"context";

fn key(number: u8) -> ContentKey {
    ContentKey::new([number; 32])
}

fn encrypted(cipher: &dyn Cipher, plain: &[u8]) -> Vec<u8> {
    let encrypted = cipher.encrypt(&key(1), CONTEXT, plain);
    encrypted.expect("the cipher works")
}

async fn what_was_encrypted_comes_back(cipher: &dyn Cipher) {
    let long = vec![7; 100_000];
    for plain in [&b""[..], b"text", &long] {
        let encrypted = encrypted(cipher, plain);
        assert!(plain.is_empty() || !encrypted.windows(plain.len()).any(|part| part == plain));
        let decrypted = cipher.decrypt(&key(1), CONTEXT, &encrypted);
        assert_eq!(decrypted.as_deref(), Ok(plain));
    }
}

async fn another_key_or_context_decrypts_nothing(cipher: &dyn Cipher) {
    let encrypted = encrypted(cipher, b"text");
    for (key, context) in [(key(2), CONTEXT), (key(1), b"another"), (key(1), b"")] {
        let decrypted = cipher.decrypt(&key, context, &encrypted);
        assert_eq!(decrypted, Err(CipherError));
    }
}

async fn a_changed_or_shortened_text_is_refused(cipher: &dyn Cipher) {
    let encrypted = encrypted(cipher, b"text");
    for place in 0..encrypted.len() {
        let mut changed = encrypted.clone();
        changed[place] ^= 1;
        for damaged in [&changed[..], &encrypted[..place]] {
            let decrypted = cipher.decrypt(&key(1), CONTEXT, damaged);
            assert_eq!(decrypted, Err(CipherError), "at {place}");
        }
    }
}

async fn no_text_is_encrypted_alike_twice(cipher: &dyn Cipher) {
    assert_ne!(encrypted(cipher, b"text"), encrypted(cipher, b"text"));
}
