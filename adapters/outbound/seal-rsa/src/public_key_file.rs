//! Files of institutions' public keys: a certificate (X.509) or a bare key (`SubjectPublicKeyInfo`),
//! in DER or PEM.

use domain::seals::{CertificateNumber, SealKey, SealKeyError};
use pem::Pem;
use x509_cert::Certificate;
use x509_cert::der::asn1::{AnyRef, UintRef};
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{Decode as _, Reader as _};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// RSA, of any padding (RFC 8017).
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// Maximum size of a file: far more than a certificate needs.
const MAX_BYTES: usize = 64 * 1024;
const PEM_BEGINS: &[u8] = b"-----BEGIN ";

/// Public key read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKeyFile {
    pub key: SealKey,
    /// Serial number of the certificate; `None` for a bare key, and for a certificate whose serial
    /// number isn't 20 digits.
    pub certificate: Option<CertificateNumber>,
}

/// Reason why a file has no usable public key. Each message says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublicKeyFileError {
    #[error(
        "it is neither a certificate (X.509) nor a public key, in DER or PEM; give the \
         institution's certificate as it was issued"
    )]
    Unknown,
    #[error("it is larger than {MAX_BYTES} bytes; give a file with the certificate alone")]
    TooLarge,
    #[error(
        "it has a private key, which nobody but its owner may have; give the certificate alone"
    )]
    PrivateKey,
    #[error("it has {count} certificates or keys; give a file with the institution's alone")]
    Several {
        /// Their number.
        count: usize,
    },
    #[error("its key isn't RSA, and all seals are; give the certificate that seals are made with")]
    NotRsa,
    #[error("its key isn't accepted: {0}; give the certificate that seals are made with")]
    Key(#[from] SealKeyError),
}

impl PublicKeyFile {
    /// Parses the content of a file.
    ///
    /// # Errors
    /// See [`PublicKeyFileError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, PublicKeyFileError> {
        if bytes.len() > MAX_BYTES {
            return Err(PublicKeyFileError::TooLarge);
        }
        let is_pem = bytes
            .windows(PEM_BEGINS.len())
            .any(|window| window == PEM_BEGINS);
        if is_pem {
            return from_der(only_block(bytes)?.contents());
        }
        from_der(bytes)
    }
}

/// Returns the only certificate or key in a PEM file.
fn only_block(bytes: &[u8]) -> Result<Pem, PublicKeyFileError> {
    let blocks = pem::parse_many(bytes).map_err(|_| PublicKeyFileError::Unknown)?;
    if blocks
        .iter()
        .any(|block| block.tag().ends_with("PRIVATE KEY"))
    {
        return Err(PublicKeyFileError::PrivateKey);
    }
    let is_public = |block: &Pem| matches!(block.tag(), "CERTIFICATE" | "PUBLIC KEY");
    let mut public: Vec<_> = blocks.into_iter().filter(is_public).collect();
    match public.len() {
        1 => Ok(public.remove(0)),
        0 => Err(PublicKeyFileError::Unknown),
        count => Err(PublicKeyFileError::Several { count }),
    }
}

fn from_der(bytes: &[u8]) -> Result<PublicKeyFile, PublicKeyFileError> {
    if let Ok(certificate) = Certificate::from_der(bytes) {
        let certificate = certificate.tbs_certificate();
        return Ok(PublicKeyFile {
            key: to_key(certificate.subject_public_key_info())?,
            certificate: to_number(certificate.serial_number().as_bytes()),
        });
    }
    let bare = SubjectPublicKeyInfoOwned::from_der(bytes);
    Ok(PublicKeyFile {
        key: to_key(&bare.map_err(|_| PublicKeyFileError::Unknown)?)?,
        certificate: None,
    })
}

/// Serial numbers of Mexican certificates are 20 bytes that spell 20 digits in ASCII.
fn to_number(serial: &[u8]) -> Option<CertificateNumber> {
    CertificateNumber::parse(str::from_utf8(serial).ok()?)
}

fn to_key(info: &SubjectPublicKeyInfoOwned) -> Result<SealKey, PublicKeyFileError> {
    if info.algorithm.oid != RSA {
        return Err(PublicKeyFileError::NotRsa);
    }
    // RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER } (RFC 8017)
    let key = AnyRef::from_der(info.subject_public_key.raw_bytes());
    let numbers = key.and_then(|key| {
        key.sequence(|reader| {
            Ok((
                reader.decode::<UintRef<'_>>()?,
                reader.decode::<UintRef<'_>>()?,
            ))
        })
    });
    let (modulus, exponent) = numbers.map_err(|_| PublicKeyFileError::Unknown)?;
    Ok(SealKey::new(modulus.as_bytes(), exponent.as_bytes())?)
}
