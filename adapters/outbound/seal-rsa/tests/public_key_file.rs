//! Files of public keys, as institutions and OpenSSL write them. `tests/files` has certificates that
//! were made for these tests, and whose private keys nobody kept.

use domain::seals::SealKeyError;
use proptest::prelude::*;
use rstest::rstest;
use seal_rsa::{PublicKeyFile, PublicKeyFileError};

const CERTIFICATE: &[u8] = include_bytes!("files/bank.cer");
const CERTIFICATE_PEM: &[u8] = include_bytes!("files/bank.pem");
const KEY_PEM: &[u8] = include_bytes!("files/bank-key.pem");
const ELLIPTIC: &[u8] = include_bytes!("files/elliptic.pem");
const SMALL_SERIAL: &[u8] = include_bytes!("files/small-serial.cer");
const SHORT_KEY: &[u8] = include_bytes!("files/short-key.pem");

/// The certificate's number, and its modulus by its SHA-256, as OpenSSL tells them.
const NUMBER: &str = "00000999900000000003";
const FINGERPRINT: &str = "6e66f369dddcee66c02ec0be2231d6fcd2f246a024f9c9442a2bd23a81ab4008";

#[test]
fn a_certificate_tells_its_number_and_its_key() {
    for file in [CERTIFICATE, CERTIFICATE_PEM] {
        let PublicKeyFile { key, certificate } = PublicKeyFile::parse(file).unwrap();
        assert_eq!(certificate.unwrap().as_str(), NUMBER);
        assert_eq!(key.fingerprint(), FINGERPRINT);
        assert_eq!(key.exponent(), [1, 0, 1]);
    }
}

#[test]
fn a_bare_key_and_an_unusual_serial_number_tell_no_certificate() {
    let der = pem::parse(KEY_PEM).unwrap().into_contents();
    for file in [KEY_PEM, &der, SMALL_SERIAL] {
        let PublicKeyFile { key, certificate } = PublicKeyFile::parse(file).unwrap();
        assert_eq!(certificate, None);
        assert_eq!(key.fingerprint(), FINGERPRINT);
    }
}

#[test]
fn line_ends_of_windows_and_text_around_are_accepted() {
    let text = str::from_utf8(KEY_PEM).unwrap().replace('\n', "\r\n");
    let text = format!("Bag Attributes\r\n{text}\r\n\r\n");
    let read = PublicKeyFile::parse(text.as_bytes()).unwrap();
    assert_eq!(read, PublicKeyFile::parse(KEY_PEM).unwrap());
}

fn private_key_too() -> Vec<u8> {
    let private = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    [KEY_PEM, private.as_bytes()].concat()
}

#[rstest]
#[case::empty(Vec::new(), PublicKeyFileError::Unknown)]
#[case::text(b"a certificate".to_vec(), PublicKeyFileError::Unknown)]
#[case::a_bit_more([CERTIFICATE, b"\0"].concat(), PublicKeyFileError::Unknown)]
#[case::cut(CERTIFICATE[..700].to_vec(), PublicKeyFileError::Unknown)]
#[case::another_block(
    b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n".to_vec(),
    PublicKeyFileError::Unknown
)]
#[case::large(vec![b' '; 64 * 1024 + 1], PublicKeyFileError::TooLarge)]
#[case::private(private_key_too(), PublicKeyFileError::PrivateKey)]
#[case::several([KEY_PEM, CERTIFICATE_PEM].concat(), PublicKeyFileError::Several { count: 2 })]
#[case::elliptic(ELLIPTIC.to_vec(), PublicKeyFileError::NotRsa)]
#[case::short(
    SHORT_KEY.to_vec(),
    PublicKeyFileError::Key(SealKeyError::Size { bits: 1024 })
)]
fn other_files_are_refused(#[case] file: Vec<u8>, #[case] reason: PublicKeyFileError) {
    assert_eq!(PublicKeyFile::parse(&file), Err(reason));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = PublicKeyFile::parse(&bytes);
    }

    #[test]
    fn a_damaged_certificate_is_read_or_refused(
        place in 0..CERTIFICATE.len(),
        byte: u8,
        length in 0..=CERTIFICATE.len(),
    ) {
        let mut damaged = CERTIFICATE.to_vec();
        damaged[place] = byte;
        let _ = PublicKeyFile::parse(&damaged);
        let _ = PublicKeyFile::parse(&damaged[..length]);
    }
}
